package samples

// Pages is the emulated web: every product is invented, every host ends in
// the reserved domain .example.
var Pages = []Page{
	{
		URI: "https://ostrawell.example/cold-brew-oat-latte", Title: "Ostrawell Cold Brew Oat Latte, 240 ml can",
		Brand: "Ostrawell", Name: "Cold Brew Oat Latte", Category: "Coffee drinks",
		Features: []string{"Cold Brew", "Oat Latte", "No added sugar", "Steeped 18 hours", "Shake well", "240 ml", "slim can", "beige and brown", "oat milk", "iced coffee", "coffee bean drawing"},
		Text:     "Ostrawell Cold Brew Oat Latte is coffee steeped for 18 hours and mixed with oat milk. No added sugar. Sold in a slim beige and brown 240 ml can with a coffee bean drawing. Shake well before opening.",
	},
	{
		URI: "https://shop.example/drinks/ostrawell-cold-brew-oat-latte", Title: "Cold Brew Oat Latte by Ostrawell | shop.example",
		Brand: "Ostrawell", Name: "Cold Brew Oat Latte", Category: "Coffee drinks",
		Features: []string{"Cold Brew", "Oat Latte", "No added sugar", "240 ml", "drink can", "iced coffee", "oat milk", "8.1 fl oz"},
		Text:     "Iced coffee with oat milk, from Ostrawell. Cold Brew Oat Latte comes in a 240 ml (8.1 fl oz) can and has no added sugar.",
	},
	{
		URI: "https://onsae.example/hongsam-daechu", Title: "온새뜨락 홍삼 대추청 480 g",
		Brand: "온새뜨락", Name: "홍삼 대추청", Category: "Syrups",
		Features: []string{"홍삼", "대추청", "따뜻한 물에 한 스푼", "국산 대추 55%", "480 g", "유리병", "붉은색 병", "금색 띠", "대추 그림", "과일청"},
		Text:     "온새뜨락 홍삼 대추청은 국산 대추 55%와 홍삼을 달여 만든 과일청입니다. 따뜻한 물에 한 스푼 타서 드세요. 금색 띠를 두른 480 g 유리병.",
	},
	{
		URI: "https://shop.example/ko/onsae-hongsam-daechu", Title: "홍삼 대추청 | 온새뜨락 | shop.example",
		Brand: "온새뜨락", Name: "홍삼 대추청", Category: "Syrups",
		Features: []string{"홍삼", "대추청", "국산 대추 55%", "480 g", "유리병", "대추 그림", "선물용", "과일청"},
		Text:     "온새뜨락의 홍삼 대추청 480 g. 국산 대추로 만들어 달고 진하며 선물용으로 좋습니다.",
	},
	{
		URI: "https://shop.example/snacks/quellby-seaweed-popcorn", Title: "Quellby Seaweed Popcorn 90 g | shop.example",
		Brand: "Quellby", Name: "Seaweed Popcorn", Category: "Popcorn",
		Features: []string{"Seaweed", "Popcorn", "90 g", "green bag", "air popped", "sesame oil", "gluten free", "resealable"},
		Text:     "Quellby Seaweed Popcorn is air popped and tossed in sesame oil and roasted seaweed. 90 g resealable green bag.",
	},
	{
		URI: "https://tolmerrin.example/night-repair-hand-cream", Title: "Tolmerrin Night Hand Cream with Fig",
		Brand: "Tolmerrin", Name: "Night Hand Cream Fig", Category: "Hand creams",
		Features: []string{"hand cream", "fig", "night", "75 ml", "purple tube", "shea butter", "fragrance free", "vegan"},
		Text:     "Tolmerrin Night Hand Cream Fig, a 75 ml purple tube with shea butter for very dry hands. Vegan.",
	},
	{
		URI: "https://shop.example/home/larkspindle-dish-soap", Title: "Larkspindle Dish Soap Lemon Thyme 500 ml",
		Brand: "Larkspindle", Name: "Dish Soap Lemon Thyme", Category: "Dish soaps",
		Features: []string{"dish soap", "lemon", "thyme", "500 ml", "clear bottle", "plant based", "cuts grease", "refillable"},
		Text:     "Plant based dish soap from Larkspindle with lemon and thyme. The clear 500 ml bottle can be refilled.",
	},
	{
		URI: "https://shop.example/ko/dalgarak-kimchi-ramyeon", Title: "달가락 김치 칼국수 | shop.example",
		Brand: "달가락", Name: "김치 칼국수", Category: "Instant noodles",
		Features: []string{"김치", "칼국수", "컵면", "빨간 용기", "얼큰한 국물", "118 g", "뜨거운 물", "4분 조리"},
		Text:     "달가락 김치 칼국수 118 g 컵면. 뜨거운 물을 붓고 4분이면 얼큰한 국물의 칼국수가 됩니다.",
	},
	{
		URI: "https://brand.example/velmorrow/pistachio-spread", Title: "Velmorrow Pistachio Spread",
		Brand: "Velmorrow", Name: "Pistachio Spread", Category: "Spreads",
		Features: []string{"pistachio", "spread", "45% nuts", "glass jar", "green lid", "190 g", "no palm oil", "smooth"},
		Text:     "Velmorrow Pistachio Spread: 45% pistachio nuts, no palm oil, smooth, in a 190 g glass jar with a green lid.",
	},
	{
		URI: "https://brand.example/ko/nunkkot-toothpaste", Title: "눈꽃담 죽염 치약 120 g",
		Brand: "눈꽃담", Name: "죽염 치약", Category: "Toothpastes",
		Features: []string{"죽염", "치약", "120 g", "하얀 튜브", "박하 향", "잇몸 관리", "불소 1000 ppm", "종이 상자"},
		Text:     "눈꽃담 죽염 치약 120 g. 박하 향, 불소 1000 ppm, 잇몸 관리용. 하얀 튜브가 종이 상자에 들어 있습니다.",
	},
	{
		URI: "https://shop.example/pets/hattersfen-salmon-bites", Title: "Hattersfen Salmon Bites for Cats 60 g",
		Brand: "Hattersfen", Name: "Salmon Bites", Category: "Cat treats",
		Features: []string{"salmon", "cat treats", "60 g", "blue pouch", "grain free", "crunchy", "freeze dried", "single protein"},
		Text:     "Freeze dried salmon for cats by Hattersfen. Salmon Bites are grain free and crunchy; blue 60 g pouch.",
	},
	{
		URI: "https://brand.example/corvelle/sparkling-rhubarb", Title: "Corvelle Sparkling Rhubarb 330 ml",
		Brand: "Corvelle", Name: "Sparkling Rhubarb", Category: "Soft drinks",
		Features: []string{"rhubarb", "sparkling", "330 ml", "pink can", "no sweeteners", "spring water", "recyclable", "lightly carbonated"},
		Text:     "Corvelle Sparkling Rhubarb is spring water with pressed rhubarb, lightly carbonated, without sweeteners. Pink 330 ml can.",
	},
}

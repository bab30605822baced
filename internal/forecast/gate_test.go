package forecast

import (
	"strings"
	"testing"

	"example.com/whatis/internal/forecast/openweather"
)

// Honest sentences, of a day that is clear, 22 degrees warm and 40 percent humid. A
// slot is put before each, as no text may be without.
var honest = map[string][]string{
	"en": {
		"It's one of those days to be outside.",
		"No rain is expected, so leave the umbrella at home.",
		"There is no sign of snow anywhere.",
		"It won't rain until you are home again.",
		"Don't worry about storms today.",
		"Rain is unlikely, and the sky stays kind.",
		"A light jacket is all you need.",
		"One layer is enough, and a second one for the evening.",
		"Take a cup of tea or two on your walk.",
		"Rain or shine, this is a good day for a run.",
		"Sunglasses and sunscreen are a must.",
		"Enjoy the sunshine while it lasts.",
		"Expect a sunny afternoon under blue skies.",
		"Keep an umbrella handy in case of rain.",
		"If it does rain, the museums are open.",
		"Neither rain nor snow will spoil your plans.",
		"Drink plenty of water and take it easy.",
		"It is the first really warm day of the week.",
		"Half of the town will be in the park.",
		"Not a cloud in sight.",
		"There's little chance of a thunderstorm.",
		"The evening will be cooler, so bring something with long sleeves.",
		"You could do without a coat.",
		"Everyone is in for a treat.",
		"It feels like spring, even without the flowers.",
		"At one point you may want some shade.",
		"Someone should walk the dog twice.",
		"Expect the air to be dry and the roads to be free of fog.",
		"The rain has stopped, and the pavements are drying.",
		"It's a once-in-a-while kind of evening.",
		"Air out the rooms before noon.",
		"The wind is only a gentle breeze.",
		"Nothing is falling from the sky.",
		"Perfect weather for a picnic with friends.",
	},
	"ko": {
		"비 소식은 없으니 우산은 두고 나가셔도 됩니다.",
		"눈은 오지 않겠습니다.",
		"맑은 하늘이 이어지겠습니다.",
		"햇볕이 강하니 모자를 챙기세요.",
		"눈이 부실 수 있으니 선글라스를 쓰세요.",
		"눈 건강을 위해 선글라스가 좋습니다.",
		"얇은 겉옷 한 벌이면 충분합니다.",
		"따뜻한 차 한 잔 어떠세요?",
		"가벼운 외투를 하나 챙기세요.",
		"비가 오면 실내로 들어가세요.",
		"만약 비가 온다면 택시를 이용하세요.",
		"비교적 포근한 하루입니다.",
		"비타민을 챙기기 좋은 계절입니다.",
		"이 도시의 저녁은 아름답습니다.",
		"이 시간에는 산책하기 좋습니다.",
		"오시는 길에 물 한 병 챙기세요.",
		"구름 한 점 없는 하늘입니다.",
		"천둥이나 번개 걱정은 없습니다.",
		"안개는 끼지 않겠습니다.",
		"오늘은 나들이하기 좋은 날입니다.",
		"일교차가 크니 감기 조심하세요.",
		"네, 밖에 나가기 좋은 날씨입니다.",
		"햇살이 따사로운 오후가 되겠습니다.",
		"산책을 두 번 가도 좋은 날이에요.",
		"창문을 열고 환기하세요.",
		"물을 충분히 드세요.",
		"선크림을 꼭 바르세요.",
		"일찍 집을 나서도 좋겠습니다.",
		"자전거를 타기에 알맞은 바람입니다.",
		"비옷은 필요하지 않습니다.",
		"저녁에는 조금 쌀쌀할 수 있습니다.",
		"빨래를 널기 좋은 날입니다.",
		"가족과 함께 즐거운 시간 보내세요.",
	},
	"vi": {
		"Không có mưa, bạn cứ yên tâm ra ngoài.",
		"Hãy mang theo một chiếc ô cho chắc.",
		"Trời nắng đẹp, rất hợp để đi dạo.",
		"Nhớ thoa kem chống nắng nhé.",
		"Một ngày tuyệt vời để ra công viên.",
		"Nếu trời mưa, hãy ghé quán cà phê.",
		"Phòng khi trời mưa, hãy mang áo khoác.",
		"Bạn không cần mang áo mưa.",
		"Trời quang đãng suốt buổi chiều.",
		"Năm nay thời tiết thật dễ chịu.",
		"Ba mẹ và các con cùng đi chơi nhé.",
		"Đừng quên uống đủ nước.",
		"Gió nhẹ, rất dễ chịu.",
		"Buổi tối hơi mát, hãy mặc thêm một lớp áo mỏng.",
		"Chẳng có bão nào đâu.",
		"Không thấy tuyết ở bất cứ đâu.",
		"Ít khả năng có dông vào tối nay.",
		"Sương mù thì không có, đường rất thoáng.",
		"Hãy đội mũ che nắng khi ra ngoài.",
		"Hai bạn nên đi sớm một chút.",
		"Trái cây đang chín rộ ngoài chợ.",
		"Đây là một trong những ngày đẹp trời.",
		"Cơn mưa đã tạnh từ lâu.",
		"Mặc áo dài tay là vừa.",
		"Chúc bạn một ngày vui vẻ.",
		"Nhiệt độ rất dễ chịu cho việc chạy bộ.",
		"Bạn có thể phơi quần áo ngoài trời.",
		"Nên mở cửa sổ cho thoáng.",
		"Một cốc nước mát là đủ.",
		"Trời xanh và gió nhẹ đang chờ bạn.",
		"Hãy rủ bạn bè đi dã ngoại.",
		"Nhớ mang kính mát.",
		"Không mưa, không gió lớn.",
	},
}

func clearDay(lang string) *outlook {
	return currentOf(lang, 800)
}

// currentOf is the outlook of a present weather of that condition.
func currentOf(lang string, id int) *outlook {
	sky := openweather.Sky{Dt: 1, Weather: []openweather.Condition{{ID: id}}}
	sky.Main.Temp, sky.Main.Humidity, sky.Wind.Speed = new(22.0), new(40.0), new(3.0)
	o := &outlook{variant: variant{lang: lang, kind: Current, units: "metric"}, report: openweather.Report{Skies: []openweather.Sky{sky}}, numbers: map[int]bool{}}
	o.add("temp", "22°C", "main.temp")
	o.add("humidity", "40%", "main.humidity")
	return o
}

// refusedFor returns why code refuses a text as a whole, or a sentence of it; "" if it does not.
func refusedFor(o *outlook, text string) string {
	if err := o.check(text); err != nil {
		return err.Error()
	}
	for _, d := range o.disproved(sentencesOf(text)) {
		return d.why
	}
	return ""
}

func TestHonestSentencesPass(t *testing.T) {
	n, refused := 0, 0
	for lang, sentences := range honest {
		for _, s := range sentences {
			n++
			if why := refusedFor(clearDay(lang), "{temp}. "+s); why != "" {
				refused++
				t.Logf("%s: %q: %s", lang, s, why)
			}
		}
	}
	if n != 100 || refused > 1 {
		t.Errorf("%d of %d honest sentences were refused, want 1 of 100 at most", refused, n)
	}
}

// What the payload does not hold is refused.
func TestDishonestSentencesAreRefused(t *testing.T) {
	tests := map[string][]string{
		"en": {
			"It is 23 degrees.", "It is ２３ degrees.", "It is ٢٣ degrees.", "It is ½ full.", "About ② of them.", "Chapter Ⅷ.", "{dew_point} is the dew point.", "A {brace.",
			"It will reach twenty-five degrees.", "Around seventy by noon.", "One degree more tomorrow.", "Temperatures in the eighties.", "A hundred percent sure.", "In three hours.", "ninety five percent",
			"Rain moves in after lunch.", "Expect showers.", "It is drizzling.", "Snow is on its way.", "A thunderstorm is near.", "Thunder and lightning tonight.", "Fog in the morning.", "It turns cloudy.",
			"No snow, but rain later.", "It isn't cold, but it is snowing.", "Bring an umbrella; it will be raining.", "Overcast all day.", "Hail is possible.", "A typhoon is coming.",
		},
		"ko": {
			"이십삼 도입니다.", "기온은 삼십 도까지 오릅니다.", "세 시간 뒤에 나가세요.", "열두 시에 나가세요.", "습도는 오십 퍼센트입니다.", "습도는 90퍼센트입니다.",
			"비가 내리겠습니다.", "오후에 비 소식이 있습니다.", "눈이 옵니다.", "함박눈이 내립니다.", "천둥이 칩니다.", "소나기가 지나갑니다.", "안개가 짙습니다.", "하늘이 흐립니다.", "태풍이 옵니다.",
			"눈은 없지만 비가 옵니다.",
		},
		"vi": {
			"Nhiệt độ là hai mươi ba độ.", "Khoảng năm giờ chiều.", "Độ ẩm chín mươi phần trăm.", "Một độ nữa thôi.", "Độ ẩm 90 phần trăm.",
			"Trời sẽ mưa vào buổi chiều.", "Có mưa rào.", "Tuyết rơi dày.", "Bão đang đến.", "Có dông và sấm sét.", "Sương mù dày đặc.", "Trời nhiều mây.", "Không có tuyết, nhưng trời mưa to.",
		},
		"fr": {"Il fait 23 degrés.", "{inconnu}"},
	}
	for lang, sentences := range tests {
		for _, s := range sentences {
			if refusedFor(clearDay(lang), "{temp}. "+s) == "" {
				t.Errorf("%s: %q passes, want it refused", lang, s)
			}
		}
	}
	if err := clearDay("en").check("It is a nice day."); err == nil {
		t.Error("a text without a slot passes")
	}
	if err := clearDay("en").check("{temp} " + strings.Repeat("a", longestText)); err == nil {
		t.Error("a text without an end passes")
	}
}

// What the payload does hold may be said.
func TestHeldWordsPass(t *testing.T) {
	tests := []struct{ lang, holds, text string }{
		{"en", "rain", "Rain moves in, with showers in the evening."},
		{"en", "clear", "It is twenty-two degrees and forty percent humid."},
		{"en", "snow", "Snow is falling."},
		{"en", "storm", "A thunderstorm is near, with lightning."},
		{"ko", "rain", "비가 내리니 우산을 챙기세요."},
		{"ko", "clear", "기온은 이십이 도, 습도는 사십 퍼센트입니다."},
		{"ko", "snow", "눈이 옵니다."},
		{"vi", "rain", "Trời mưa to."},
		{"vi", "clear", "Hai mươi hai độ, độ ẩm bốn mươi phần trăm."},
		{"fr", "", "Il va pleuvoir."},
	}
	for _, test := range tests {
		o := currentOf(test.lang, map[string]int{"rain": 500, "clear": 800, "snow": 600, "storm": 211, "": 500}[test.holds])
		if why := refusedFor(o, "{temp}. "+test.text); why != "" {
			t.Errorf("%s, holding %s: %q: %s", test.lang, test.holds, test.text, why)
		}
	}
}

// A slot may not stand as what its unit does not measure. Words that are only near a slot
// name nothing.
func TestMisnamed(t *testing.T) {
	tests := map[string]map[string]string{
		"en": {
			"The humidity is {temp}.": "temp", "Winds of {humidity} are expected.": "humidity", "The temperature is around {wind}.": "wind", "The chance of rain is {temp}.": "temp",
			"The humidity is {humidity}, and the wind blows at {wind}.": "", "Despite the humidity it feels like {temp}.": "", "There is little wind at {sunset}.": "", "Humidity is high at {humidity}.": "",
		},
		"ko": {"습도는 {temp}입니다.": "temp", "바람은 {humidity}입니다.": "humidity", "기온은 {wind}입니다.": "wind", "습도는 {humidity}, 바람은 {wind}입니다.": "", "바람이 불어 체감 온도는 {temp}입니다.": ""},
		"vi": {"Độ ẩm là {temp}.": "temp", "Gió thổi {humidity}.": "humidity", "Nhiệt độ khoảng {wind}.": "wind", "Độ ẩm {humidity}, gió {wind}.": "", "Gió nhẹ, nhiệt độ {temp}.": ""},
		"de": {"Die Luftfeuchtigkeit beträgt {temp}.": "temp", "Bei schwachem Wind hat es {temp}.": ""},
	}
	for lang, sentences := range tests {
		o := clearDay(lang)
		o.add("wind", "3 m/s", "wind.speed")
		o.add("sunset", "18:00", "sys.sunset")
		for s, want := range sentences {
			if got := vocabularyOf(lang).misnamed(s, o.value); got != want {
				t.Errorf("%s: misnamed(%q) = %q, want %q", lang, s, got, want)
			}
		}
	}
}

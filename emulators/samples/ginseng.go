package samples

func ginseng() *Sample {
	return &Sample{
		File: "08-red-ginseng.jpg", MIMEType: "image/jpeg", Country: "KR", Lang: "ko",
		draw: drawGinseng,
		Truth: Truth{
			Kind:        Product,
			Brand:       "온새뜨락",
			Name:        "홍삼 대추청",
			Category:    "Syrups",
			Description: "금색 띠를 두른 짙은 붉은색 유리병. 이름의 글자가 번져 보인다.",
			Lines: []Line{
				{"온새뜨락", true},
				{"홍삼 대추청", false},
				{"따뜻한 물에 한 스푼", true},
				{"국산 대추 55%", true},
				{"내용량 480 g", true},
				{"소비기한 2027.08.09 까지", true},
			},
			Dates: []Date{{"2027.08.09", "소비기한"}},
			Features: []string{
				"대추청", "따뜻한 물에 한 스푼", "국산 대추 55%", "480 g", "유리병", "붉은색 병", "금색 띠", "대추 그림", "과일청",
			},
			NameConfidence: 0.8, BrandConfidence: 0.9,
			Known: "unsure", Count: 1,
		},
	}
}

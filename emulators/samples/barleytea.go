package samples

func barleyTea() *Sample {
	return &Sample{
		File: "05-barley-tea.gif", MIMEType: "image/gif", Country: "KR", Lang: "ko",
		draw: drawBarleyTea,
		Truth: Truth{
			Kind:        Product,
			Brand:       "달여울",
			Name:        "유자 보리차",
			Category:    "Tea",
			Description: "크림색 종이 상자에 유자와 찻잔 그림이 있는 보리차 티백.",
			Lines: []Line{
				{"달여울", true},
				{"유자 보리차", true},
				{"은은한 유자 향", true},
				{"볶은 보리 92%", true},
				{"카페인 없음", true},
				{"티백 20개입 (30 g)", true},
				{"소비기한 2027.05.31 까지", true},
				{"9 520015 000051", true},
			},
			Dates: []Date{{"2027.05.31", "소비기한"}},
			GTIN:  "9520015000051",
			Features: []string{
				"유자", "보리차", "은은한 유자 향", "볶은 보리 92%", "카페인 없음", "티백", "20개입", "30 g",
				"크림색 종이 상자", "유자 그림", "찻잔 그림",
			},
			NameConfidence: 1, BrandConfidence: 1,
			Known: "yes", Count: 1,
		},
	}
}

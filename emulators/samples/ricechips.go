package samples

func riceChips() *Sample {
	return &Sample{
		File: "02-rice-chips.png", MIMEType: "image/png", Country: "KR", Lang: "ko",
		draw: drawRiceChips,
		Truth: Truth{
			Kind:        Product,
			Brand:       "볕고을",
			Name:        "현미 누룽지",
			FullName:    "현미 누룽지칩",
			Category:    "Rice snacks",
			Description: "노란 과자 봉지. 상표는 빛이 반사되어 흐리고, 이름 끝과 바코드는 빨간 할인 스티커와 접힌 종이에 가려 있다.",
			Lines: []Line{
				{"볕고을", false},
				{"현미 누룽", false},
				{"-20%", true},
				{"바삭하게 구운", true},
				{"국산 현미 100%", true},
				{"기름에 튀기지 않은", true},
				{"60 g (245 kcal)", true},
				{"소비기한 2027.02.18 까지", true},
			},
			Dates: []Date{{"2027.02.18", "소비기한"}},
			Features: []string{
				"현미", "누룽지", "바삭하게 구운", "국산 현미 100%", "기름에 튀기지 않은", "60 g",
				"노란 봉지", "벼 이삭 그림", "둥근 누룽지 그림", "쌀과자",
			},
			NameConfidence: 0.5, BrandConfidence: 0.5,
			Known: "unsure", Count: 1,
		},
	}
}

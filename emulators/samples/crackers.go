package samples

func crackers() *Sample {
	return &Sample{
		File: "01-oat-crackers.jpg", MIMEType: "image/jpeg", Country: "US", Lang: "en",
		draw: drawCrackers,
		Truth: Truth{
			Kind:        Product,
			Brand:       "Brindlemoor",
			Name:        "Sea Salt Oat Crackers",
			Category:    "Crackers",
			Description: "A dark teal cardboard box on a wooden table, with a cream label and three round oat crackers.",
			Lines: []Line{
				{"BRINDLEMOOR", true},
				{"Sea Salt", true},
				{"Oat Crackers", true},
				{"Slow baked with wholegrain oats", true},
				{"High in fiber", true},
				{"No palm oil", true},
				{"BEST BEFORE 14 MAR 2027", true},
				{"NET WT 7.1 OZ (200 g)", true},
				{"9 520011 000017", true},
			},
			Dates: []Date{{"14 MAR 2027", "BEST BEFORE"}},
			GTIN:  "9520011000017",
			Features: []string{
				"Sea Salt", "Oat Crackers", "Slow baked", "wholegrain oats", "High in fiber", "No palm oil",
				"200 g", "dark teal box", "cream label", "round crackers",
			},
			NameConfidence: 1, BrandConfidence: 1,
			Known: "yes", Count: 1,
		},
	}
}

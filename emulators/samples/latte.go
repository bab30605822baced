package samples

func latte() *Sample {
	return &Sample{
		File: "03-oat-latte.webp", MIMEType: "image/webp", Country: "US", Lang: "en",
		draw: drawLatte,
		Truth: Truth{
			Kind:        Product,
			Brand:       "Ostrawell",
			Name:        "Cold Brew Oat Latte",
			Category:    "Coffee drinks",
			Description: "A brown and beige drink can; the brand near its top is blurred and no barcode is in view.",
			Lines: []Line{
				{"OSTRAWELL", false},
				{"Cold Brew", true},
				{"Oat Latte", true},
				{"No added sugar", true},
				{"Steeped 18 hours", true},
				{"240 ml (8.1 fl oz)", true},
			},
			Features: []string{
				"Cold Brew", "Oat Latte", "No added sugar", "Steeped 18 hours", "240 ml",
				"drink can", "beige and brown", "oat milk", "coffee bean drawing",
			},
			NameConfidence: 0.7, BrandConfidence: 0.5,
			Known: "unsure", Count: 1,
		},
	}
}

func latteAgain() *Sample {
	return &Sample{
		File: "04-oat-latte-again.jpg", MIMEType: "image/jpeg", Country: "US", Lang: "en",
		draw: drawLatteAgain,
		Truth: Truth{
			Kind:        Product,
			Brand:       "Ostrawell",
			Name:        "Cold Brew Oat",
			FullName:    "Cold Brew Oat Latte",
			Category:    "Coffee drinks",
			Description: "A slim brown and beige can of iced coffee on a pale wooden table; green leaves cover the end of the name.",
			Lines: []Line{
				{"OSTRAWELL", true},
				{"Shake well", true},
				{"Cold Brew", true},
				{"Oat L", false},
				{"No added sugar", true},
				{"Steeped 18 hours", true},
				{"240 ml (8.1 fl oz)", true},
			},
			Features: []string{
				"Cold Brew", "Oat", "No added sugar", "Shake well", "240 ml",
				"slim can", "beige and brown", "iced coffee", "coffee bean drawing",
			},
			NameConfidence: 0.6, BrandConfidence: 0.9,
			Known: "unsure", Count: 1,
		},
	}
}

package samples

func porridge() *Sample {
	return &Sample{
		File: "09-porridge-pot.jpg", MIMEType: "image/jpeg", Country: "US", Lang: "en",
		draw: drawPorridge,
		Truth: Truth{
			Kind:        Product,
			Brand:       "Pennifold",
			Name:        "Apple Cinnamon Porridge",
			Category:    "Breakfast cereals",
			Description: "A white and red paper pot with apples, cinnamon sticks and a green badge below the brand.",
			SubBrands:   []string{"Tiny Orchard"},
			Lines: []Line{
				{"Pennifold", true},
				{"Tiny Orchard", true},
				{"Apple Cinnamon", true},
				{"Porridge", true},
				{"Just add hot water", true},
				{"Ready in 3 minutes", true},
				{"65 g (2.3 oz)", true},
				{"USE BY 2027-06-20", true},
			},
			Dates: []Date{{"2027-06-20", "USE BY"}},
			Features: []string{
				"Apple Cinnamon", "Porridge", "Just add hot water", "Ready in 3 minutes", "65 g",
				"Tiny Orchard", "paper pot", "white and red", "apple drawing",
			},
			NameConfidence: 1, BrandConfidence: 1,
			Known: "yes", Count: 1,
		},
	}
}

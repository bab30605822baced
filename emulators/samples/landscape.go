package samples

func landscape() *Sample {
	return &Sample{
		File: "06-mountain-lake.jpg", MIMEType: "image/jpeg", Country: "US", Lang: "en",
		draw: drawLandscape,
		Truth: Truth{
			Kind:        NonProduct,
			Description: "A mountain lake at sunset with pine trees; there is no product, pack or brand in the picture.",
			Known:       "unsure",
		},
	}
}

package samples

func darkShape() *Sample {
	return &Sample{
		File: "07-too-dark.png", MIMEType: "image/png", Country: "KR", Lang: "ko",
		draw: drawDarkShape,
		Truth: Truth{
			Kind:        Unreadable,
			Description: "너무 어둡고 흔들려 형체만 보인다. 글자도 상표도 읽을 수 없다.",
			Known:       "unsure", Count: 1,
		},
	}
}

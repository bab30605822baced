package minds

import "example.com/whatis/emulators/gemini"

func forecastDialog(r *gemini.Request) []gemini.Kind { return nil }

func forecastTurn(r *gemini.Request) (gemini.Answer, error) { return gemini.Answer{}, nil }

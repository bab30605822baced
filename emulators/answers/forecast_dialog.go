package answers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// KindWeatherAgent is the kind of a turn of a conversation about the weather.
const KindWeatherAgent gemini.Kind = "weather_agent"

// forecastDialog recognises a turn of weather_agent by the functions that may be called.
func forecastDialog(r *gemini.Request) []gemini.Kind {
	if slices.Contains(r.Functions, "get_forecast_from_cache") {
		return []gemini.Kind{KindWeatherAgent}
	}
	return nil
}

func (f forecast) turn(r *gemini.Request) (gemini.Answer, error) {
	message, results := lastMessage(r.Dialog)
	lang := spokenIn(r.System)
	if len(results) == 0 {
		return f.openingTurn(message), nil
	}
	return followingTurn(results, lang), nil
}

// spokenIn returns the language that the last line of an instruction names.
func spokenIn(system string) string {
	i := strings.LastIndexByte(system, '(')
	return writtenIn(system[max(0, i):])
}

// lastMessage returns the user's last message, and the results of functions since.
func lastMessage(dialog []gemini.Said) (message string, results []gemini.FunctionResult) {
	for _, said := range dialog {
		switch {
		case said.Result != nil:
			results = append(results, *said.Result)
		case said.Role == "user" && said.Text != "":
			message, results = said.Text, nil
		}
	}
	return message, results
}

func called(name string, args map[string]any) gemini.FunctionCall {
	return gemini.FunctionCall{Name: name, Args: args}
}

// openingTurn returns the first answer to a message, by its label. Without a label the model
// does not understand it; only a perfect model understands unknown words.
func (f forecast) openingTurn(message string) gemini.Answer {
	u, known := samples.UtteranceOf(message)
	if !known || u.Group == samples.UnknownWords && !f.perfect {
		return gemini.Answer{Text: `I am an emulated model and know only the sentences of emulators/samples/conversations.jsonl, such as "How is the weather in Oslo?"`}
	}
	a := gemini.Answer{Text: u.Answer}
	for _, c := range u.Calls {
		a.Calls = append(a.Calls, called(c.Name, c.Args))
	}
	return a
}

// cacheStats has the sentences on the result of get_cache_stats, by language.
var cacheStats = map[string]string{
	"en": "Forecasts of %v cities are kept, %v of them fresh.",
	"ko": "%v개 도시의 예보를 보관하고 있고, 그중 %v개가 최신입니다.",
	"vi": "Đang lưu dự báo của %v thành phố, %v còn mới.",
}

// followingTurn returns the answer to the results of functions.
func followingTurn(results []gemini.FunctionResult, lang string) gemini.Answer {
	last := results[len(results)-1]
	for _, r := range results {
		if message, _ := r.Response["message"].(string); message != "" {
			return gemini.Answer{Text: message}
		}
		if r.Name == "get_forecast_from_cache" {
			last = r
		}
	}
	switch last.Name {
	case "get_cache_stats":
		return gemini.Answer{Text: fmt.Sprintf(cmp.Or(cacheStats[lang], cacheStats["en"]), last.Response["total_cities"], last.Response["cities_with_valid_cache"])}
	case "cache_forecast":
		return gemini.Answer{Text: fmt.Sprint(last.Response["file_path"])}
	case "get_current_timestamp":
		return gemini.Answer{Text: fmt.Sprint(last.Response["timestamp"])}
	}
	return gemini.Answer{Calls: []gemini.FunctionCall{called("get_current_timestamp", nil), called("weather_studio_team", map[string]any{"request": "the forecast"})}}
}

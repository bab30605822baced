package answers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// The kinds of the turns of a conversation about the weather: those of weather_agent
// and of its team.
const (
	KindWeatherAgent   gemini.Kind = "weather_agent"
	KindWeatherWriter  gemini.Kind = "weather_writer"
	KindWeatherSpeaker gemini.Kind = "weather_speaker"
)

// forecastDialog tells whose turn it is by the functions that may be called.
func forecastDialog(r *gemini.Request) []gemini.Kind {
	for function, kind := range map[string]gemini.Kind{
		"get_forecast_from_cache": KindWeatherAgent, "write_text_file": KindWeatherWriter, "generate_audio": KindWeatherSpeaker,
	} {
		if slices.Contains(r.Functions, function) {
			return []gemini.Kind{kind}
		}
	}
	return nil
}

func (f forecast) turn(r *gemini.Request) (gemini.Answer, error) {
	message, results := lastMessage(r.Dialog)
	lang := spokenIn(r.System)
	switch forecastDialog(r)[0] {
	case KindWeatherWriter:
		return writerTurn(results, lang), nil
	case KindWeatherSpeaker:
		return speakerTurn(results), nil
	}
	if len(results) == 0 {
		return f.openingTurn(message), nil
	}
	return followingTurn(results, lang), nil
}

// spokenIn is the language that the last line of an instruction names.
func spokenIn(system string) string {
	i := strings.LastIndexByte(system, '(')
	return writtenIn(system[max(0, i):])
}

// lastMessage is what the user said last, and what functions have returned since.
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

func noted(key, value string) gemini.FunctionCall {
	return called("set_session_value", map[string]any{"key": key, "value": value})
}

// openingTurn is the first answer to a message: that of its label. A message without one finds
// the model at a loss, and so do the unknown words all but a perfect one.
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

// cacheStats is what get_cache_stats returns, said in a language.
var cacheStats = map[string]string{
	"en": "Forecasts of %v cities are kept, %v of them fresh.",
	"ko": "%v개 도시의 예보를 보관하고 있고, 그중 %v개가 최신입니다.",
	"vi": "Đang lưu dự báo của %v thành phố, %v còn mới.",
}

// followingTurn is the answer to what functions have returned.
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

// writerTurn asks for the facts, notes the text and has it written.
func writerTurn(results []gemini.FunctionResult, lang string) gemini.Answer {
	facts := ""
	for _, r := range results {
		if text, ok := r.Response["weather"].(string); ok {
			facts = text
		}
	}
	switch {
	case facts == "":
		return gemini.Answer{Calls: []gemini.FunctionCall{called("get_current_weather", nil)}}
	case results[len(results)-1].Name == "get_current_weather":
		return gemini.Answer{Calls: []gemini.FunctionCall{noted("FORECAST", spokenForecast(slotsIn(facts), lang))}}
	}
	return gemini.Answer{Calls: []gemini.FunctionCall{called("write_text_file", nil)}}
}

// speakerTurn notes the tone, and has the text spoken in it.
func speakerTurn(results []gemini.FunctionResult) gemini.Answer {
	if len(results) == 0 {
		return gemini.Answer{Calls: []gemini.FunctionCall{noted("TONE", "warm")}}
	}
	return gemini.Answer{Calls: []gemini.FunctionCall{called("generate_audio", map[string]any{"tone": "warm"})}}
}

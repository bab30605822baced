package answers

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
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
	u, known := samples.UtteranceOf(message)
	if len(results) == 0 {
		return f.openingTurn(u, known), nil
	}
	return followingTurn(results, u), nil
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

const lost = `I am an emulated model and know only the sentences of emulators/samples/conversations.jsonl, such as "How is the weather in Oslo?"`

// openingTurn returns the first answer to a message, by its label. Without a label the model
// does not understand it; only a perfect model understands unknown words.
func (f forecast) openingTurn(u samples.Utterance, known bool) gemini.Answer {
	if !known || u.Group == samples.UnknownWords && !f.perfect {
		return gemini.Answer{Text: lost}
	}
	a := gemini.Answer{Text: u.Answer}
	for _, c := range u.Calls {
		if c.Name == "get_forecast_from_cache" {
			c.Args = heard(c.Args, u)
		}
		a.Calls = append(a.Calls, called(c.Name, c.Args))
	}
	return a
}

// heard adds what the model hears in a message to the arguments of a call.
func heard(args map[string]any, u samples.Utterance) map[string]any {
	all := map[string]any{"language": u.Lang}
	if u.Audio {
		all["audio"] = true
	}
	maps.Copy(all, args)
	return all
}

// cacheStats has the sentences on the result of get_cache_stats, by language, and whichPlace
// the question for one of several places.
var (
	cacheStats = map[string]string{
		"en": "Forecasts of %v cities are kept, %v of them fresh.",
		"ko": "%v개 도시의 예보를 보관하고 있고, 그중 %v개가 최신입니다.",
		"vi": "Đang lưu dự báo của %v thành phố, %v còn mới.",
	}
	whichPlace = map[string]string{
		"en": "Which one do you mean? %s", "ko": "어느 곳을 말씀하시나요? %s", "vi": "Bạn muốn nói nơi nào? %s", "de": "Welcher Ort ist gemeint? %s",
		"fr": "Lequel voulez-vous dire ? %s", "ja": "どちらのことですか？ %s", "ar": "أيها تقصد؟ %s", "hi": "आपका मतलब कौन सा है? %s",
	}
)

// followingTurn returns the answer to the results of functions.
func followingTurn(results []gemini.FunctionResult, u samples.Utterance) gemini.Answer {
	last := results[len(results)-1]
	for _, r := range results {
		if choices, _ := r.Response["choices"].([]any); len(choices) > 0 {
			var names []string
			for _, c := range choices {
				names = append(names, fmt.Sprint(c))
			}
			return gemini.Answer{Text: fmt.Sprintf(cmp.Or(whichPlace[u.Lang], whichPlace["en"]), strings.Join(names, "; "))}
		}
		if message, _ := r.Response["message"].(string); message != "" {
			return gemini.Answer{Text: message}
		}
		if r.Name == "get_forecast_from_cache" {
			last = r
		}
	}
	switch last.Name {
	case "get_cache_stats":
		return gemini.Answer{Text: fmt.Sprintf(cmp.Or(cacheStats[u.Lang], cacheStats["en"]), last.Response["total_cities"], last.Response["cities_with_valid_cache"])}
	case "cache_forecast":
		return gemini.Answer{Text: fmt.Sprint(last.Response["file_path"])}
	case "get_current_timestamp":
		return gemini.Answer{Text: fmt.Sprint(last.Response["timestamp"])}
	}
	return gemini.Answer{Calls: []gemini.FunctionCall{called("get_current_timestamp", nil), called("weather_studio_team", heard(map[string]any{"request": "the forecast"}, u))}}
}

// ofTools matches replies that repeat a result of a tool: a file, a time, a message.
var ofTools = regexp.MustCompile(`^(?:forecasts/\S+|\d{4}-\d\d-\d\d_\d{6}|there is no such place.*|there is no forecast yet.*)$`)

// claimless reports that a sentence is the model's own and says nothing of the weather: of a
// labelled answer, of a question or figure above, or of what a tool said.
func claimless(sentence string) bool {
	if strings.Contains(samples.Answers()+lost, sentence) || ofTools.MatchString(sentence) || strings.Contains(sentence, "; ") && !strings.ContainsAny(sentence, ".°") {
		return true // a list of places, too
	}
	for _, forms := range []map[string]string{cacheStats, whichPlace} {
		for _, form := range forms {
			before, _, _ := strings.Cut(form, "%s")
			figures := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(form), "%v", `\d+`) + "$")
			if before != form && strings.HasPrefix(before, sentence) || figures.MatchString(sentence) {
				return true
			}
		}
	}
	return false
}

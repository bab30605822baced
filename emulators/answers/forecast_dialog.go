package answers

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/whatis/emulators/gemini"
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

func forecastTurn(r *gemini.Request) (gemini.Answer, error) {
	message, results := lastMessage(r.Dialog)
	lang := spokenIn(r.System)
	switch forecastDialog(r)[0] {
	case KindWeatherWriter:
		return writerTurn(results, lang), nil
	case KindWeatherSpeaker:
		return speakerTurn(results), nil
	}
	if len(results) == 0 {
		return openingTurn(message, lang), nil
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

// What people say, in English, Korean and Vietnamese.
var (
	statsAsked = regexp.MustCompile(`(?i)cache stat|statistics|how many cities|통계|몇 개 도시|thống kê|bao nhiêu thành phố`)
	keptAsked  = regexp.MustCompile(`(?i)\bsaved?\b|\bkept\b|저장|đã lưu|lưu lại`)
	timeAsked  = regexp.MustCompile(`(?i)what time|timestamp|몇 시|시각|mấy giờ`)
	greeted    = regexp.MustCompile(`(?i)^(?:hello|hi|hey|good (?:morning|evening)|안녕|xin chào|chào)\b?`)
	metricWant = regexp.MustCompile(`(?i)celsius|metric|섭씨|độ c(?:[^\p{L}]|$)`)
	typeWords  = map[string]*regexp.Regexp{
		"tomorrow": regexp.MustCompile(`(?i)tomorrow|내일|ngày mai`), "weekend": regexp.MustCompile(`(?i)weekend|주말|cuối tuần`),
		"today": regexp.MustCompile(`(?i)\btoday\b|오늘|hôm nay`), "the next hours": regexp.MustCompile(`(?i)next (?:few )?hours|몇 시간|giờ tới`),
		"current weather condition": regexp.MustCompile(`(?i)right now|\bnow\b|지금|bây giờ`),
	}
	cityNamed = []*regexp.Regexp{
		regexp.MustCompile(`(?i:\b(?:in|for|of|at|about)\s+)(\p{Lu}[\p{L}'.-]*(?:[ ,]+\p{Lu}[\p{L}'.-]*)*)`),
		regexp.MustCompile(`(?i:(?:ở|tại|của|thì)\s+)(\p{Lu}[\p{L}'.-]*(?:[ ,]+\p{Lu}[\p{L}'.-]*)*)`),
		regexp.MustCompile(`([가-힣]+?)(?:의|에서|은|는|에)? ?(?:(?:내일|오늘|주말|지금|현재) ?)?(?:날씨|예보|기온|비가|어때)`),
		regexp.MustCompile(`^(\p{Lu}[\p{L}'.-]*(?:[ ,]+\p{Lu}[\p{L}'.-]*)*)[.?!]*$`),
		regexp.MustCompile(`^([가-힣]+?)(?:은|는|요|이요)?[.?!]*$`),
	}
	noCity = regexp.MustCompile(`(?i)^(?:내일|오늘|주말|지금|현재|날씨|예보|그럼|그러면|네|celsius|fahrenheit|english|what|how|will|and|is|thanks?.*|ok(?:ay)?|yes|no|hello|hi|hey|chào|xin chào|cảm ơn.*|안녕.*|고마워.*|감사.*|i|thời tiết|còn)$`)
)

// cityIn is the city that a message names, as it is written there.
func cityIn(message string) string {
	for _, pattern := range cityNamed {
		if m := pattern.FindStringSubmatch(strings.TrimSpace(message)); m != nil && !noCity.MatchString(m[1]) {
			return strings.Trim(m[1], " ,.")
		}
	}
	return ""
}

// small are a responder's own words: a greeting, the question for the city, thanks, and what
// it says of the caches.
var small = map[string][4]string{
	"en": {"Hello! Which city would you like the forecast for?", "Which city would you like the forecast for?", "You are welcome!", "Forecasts of %v cities are kept, %v of them fresh."},
	"ko": {"안녕하세요! 어느 도시의 날씨를 알려 드릴까요?", "어느 도시의 날씨를 알려 드릴까요?", "천만에요!", "%v개 도시의 예보를 보관하고 있고, 그중 %v개가 최신입니다."},
	"vi": {"Xin chào! Bạn muốn nghe dự báo của thành phố nào?", "Bạn muốn nghe dự báo của thành phố nào?", "Không có gì!", "Đang lưu dự báo của %v thành phố, %v còn mới."},
}

func smallTalk(lang string, i int) string {
	if s, ok := small[lang]; ok {
		return s[i]
	}
	return small["en"][i]
}

// openingTurn is the first answer to a message.
func openingTurn(message, lang string) gemini.Answer {
	var calls []gemini.FunctionCall
	city := cityIn(message)
	for kind, words := range typeWords {
		if words.MatchString(message) {
			calls = append(calls, noted("WEATHER_TYPE", kind))
		}
	}
	if metricWant.MatchString(message) {
		calls = append(calls, noted("UNITS", "metric"))
	}
	switch {
	case statsAsked.MatchString(message):
		return gemini.Answer{Calls: []gemini.FunctionCall{called("get_cache_stats", nil)}}
	case keptAsked.MatchString(message):
		return gemini.Answer{Calls: []gemini.FunctionCall{called("cache_forecast", nil)}}
	case timeAsked.MatchString(message):
		return gemini.Answer{Calls: []gemini.FunctionCall{called("get_current_timestamp", nil)}}
	case city != "":
		return gemini.Answer{Calls: append(calls, called("get_forecast_from_cache", map[string]any{"city": city}))}
	case len(calls) > 0:
		return gemini.Answer{Calls: append(calls, called("get_forecast_from_cache", nil))}
	case greeted.MatchString(message):
		return gemini.Answer{Text: smallTalk(lang, 0)}
	case regexp.MustCompile(`(?i)thank|고마|감사|cảm ơn`).MatchString(message):
		return gemini.Answer{Text: smallTalk(lang, 2)}
	}
	return gemini.Answer{Text: smallTalk(lang, 1)}
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
		return gemini.Answer{Text: fmt.Sprintf(smallTalk(lang, 3), last.Response["total_cities"], last.Response["cities_with_valid_cache"])}
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

package answers

import (
	"context"
	"strings"

	"example.com/whatis/emulators/gemini"
)

// KindForecast is a schema with forecast and tone: the forecast writer's.
const KindForecast gemini.Kind = "forecast"

// forecast is the responder of weather_agent and its team. It understands messages by the
// labels of samples.UtteranceOf, and writes forecasts with the given slots only.
type forecast struct{ perfect bool }

func (forecast) Kinds(r *gemini.Request) []gemini.Kind {
	if asksFor(r, "forecast") && asksFor(r, "tone") {
		return []gemini.Kind{KindForecast}
	}
	return forecastDialog(r)
}

func (f forecast) Answer(_ context.Context, r *gemini.Request) (gemini.Answer, error) {
	if r.JSON {
		facts := slotsIn(strings.Join(r.Texts, "\n"))
		return gemini.Answer{JSON: map[string]any{"forecast": spokenForecast(facts, writtenIn(r.System)), "tone": toneFor(facts)}}, nil
	}
	return f.turn(r)
}

// slotsIn parses lines such as "{temp}: 54°F".
func slotsIn(text string) map[string]string {
	slots := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "}: ")
		if name, brace := strings.CutPrefix(name, "{"); ok && brace {
			slots[name] = value
		}
	}
	return slots
}

// writtenIn returns the language that the instruction names, as "in Korean (ko)".
func writtenIn(system string) string {
	_, rest, _ := strings.Cut(system, "(")
	tag, _, _ := strings.Cut(rest, ")")
	base, _, _ := strings.Cut(tag, "-")
	return base
}

// phrases are the sentences of a forecast by language: on now, on a day, on coming rain,
// on a dry day, and at the end.
var phrases = map[string][5]string{
	"en": {
		"Right now in {city} it is {temp} and feels like {feels_like}, with {conditions}. The humidity is at {humidity}, and the wind blows at {wind}.",
		"In {city} expect {P_conditions}, with a high of {P_high} and a low of {P_low}. The wind reaches {P_wind}, and the chance that something falls is {P_rain_chance}.",
		"Take an umbrella along from {P_rain_from} on.",
		"There is no need for an umbrella.",
		"Dress for it and have a good time out there!",
	},
	"ko": {
		"지금 {city}의 기온은 {temp}, 체감 온도는 {feels_like}이고 {conditions} 상태입니다. 습도는 {humidity}, 바람은 {wind}입니다.",
		"{city}의 날씨는 {P_conditions}, 최고 기온 {P_high}, 최저 기온 {P_low}입니다. 바람은 최대 {P_wind}, 강수 확률은 {P_rain_chance}입니다.",
		"{P_rain_from}부터는 우산을 챙기세요.",
		"우산은 필요 없습니다.",
		"알맞은 옷차림으로 즐거운 시간 보내세요!",
	},
	"vi": {
		"Hiện tại ở {city} là {temp}, cảm giác như {feels_like}, {conditions}. Độ ẩm là {humidity}, gió thổi {wind}.",
		"Thời tiết ở {city}: {P_conditions}, cao nhất {P_high} và thấp nhất {P_low}. Gió mạnh nhất {P_wind}, khả năng có mưa là {P_rain_chance}.",
		"Hãy mang theo một chiếc ô từ {P_rain_from}.",
		"Bạn không cần mang ô đâu.",
		"Hãy ăn mặc phù hợp và tận hưởng nhé!",
	},
	"": {
		"{city}: {conditions}, {temp}, {feels_like}. {humidity}, {wind}.",
		"{city}: {P_conditions}, {P_high} / {P_low}, {P_wind}, {P_rain_chance}.",
		"{P_rain_from}.", "", "",
	},
}

// spokenForecast returns a text with slots, in a language.
func spokenForecast(slots map[string]string, lang string) string {
	p, ok := phrases[lang]
	if !ok {
		p = phrases[""]
	}
	var sentences []string
	wet := false
	if slots["temp"] != "" {
		sentences = append(sentences, p[0])
	}
	for _, prefix := range []string{"", "saturday_", "sunday_"} {
		if slots[prefix+"high"] == "" {
			continue
		}
		sentences = append(sentences, strings.ReplaceAll(p[1], "P_", prefix))
		if slots[prefix+"rain_from"] != "" && !wet {
			wet = true
			sentences = append(sentences, strings.ReplaceAll(p[2], "P_", prefix))
		}
	}
	if !wet && slots["temp"] == "" {
		sentences = append(sentences, p[3])
	}
	return strings.TrimSpace(strings.Join(append(sentences, p[4]), " "))
}

// toneFor returns the tone by the precipitation.
func toneFor(slots map[string]string) string {
	for name := range slots {
		if strings.HasSuffix(name, "rain_from") {
			return "warm"
		}
	}
	return "cheerful"
}

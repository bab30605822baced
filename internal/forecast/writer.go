package forecast

import (
	"context"
	_ "embed"
	"errors"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/usererror"
)

//go:embed forecast_writer_agent.md
var writerText string

// A draft is the answer of forecast_writer_agent.
type draft struct {
	Forecast string `json:"forecast" jsonschema:"three or four sentences to be spoken, with slots for all values"`
	Tone     string `json:"tone" enum:"cheerful,calm,warm,serious,urgent" jsonschema:"the tone that fits this weather"`
}

// write asks the model for a text with the facts, and with the problem of the refused
// text before.
func (p *Pipeline) write(ctx context.Context, o *outlook, problem string) (draft, error) {
	parts := []gemini.Part{gemini.Text("type: " + o.kind), gemini.Text("facts:\n" + o.summary())}
	if problem != "" {
		parts = append(parts, gemini.Text("refused:\n"+problem))
	}
	a, err := p.writer.Ask(ctx, agent.Call{Key: "forecast_writer_agent", Values: agent.Values{"language": languageName(o.lang), "lang": o.lang}, Parts: parts})
	return a.Value, err
}

// languageName returns the English name of the language of a tag.
func languageName(tag string) string {
	return display.English.Tags().Name(language.Make(tag))
}

// compose asks the model for a text, checks it and fills its slots. After two refused
// texts, or a useless answer, it uses a template.
func (p *Pipeline) compose(ctx context.Context, o *outlook) (draft, []Fact, []string, error) {
	problem := ""
	for range 2 {
		d, err := p.write(ctx, o, problem)
		if useless(err) {
			break
		}
		if err != nil {
			return draft{}, nil, nil, err
		}
		refusal := o.check(d.Forecast)
		if refusal == nil {
			var spoken []Fact
			d.Forecast, spoken = o.fill(d.Forecast)
			if _, known := vocabularyOf(o.lang); !known {
				return d, spoken, []string{WarnUnchecked}, nil
			}
			return d, spoken, nil, nil
		}
		problem = usererror.Text(refusal)
	}
	text, spoken := o.fill(o.template())
	return draft{Forecast: text, Tone: "calm"}, spoken, []string{WarnTemplate}, nil
}

// useless reports that the model's answer is unusable, or that it refuses to answer (400).
func useless(err error) bool {
	var e *gemini.Error
	return errors.As(err, &e) && (e.Kind == gemini.Malformed || e.Kind == gemini.Invalid || e.AboutContent())
}

// templates are plain sentences by language and by type of facts. Other languages get
// the values alone.
var templates = map[string][2]string{
	"en": {"In {city} it is {temp} and feels like {feels_like}, with {conditions}. The humidity is {humidity}, and the wind blows at {wind}.",
		"{city}: {conditions}, with a high of {high} and a low of {low}. The chance of precipitation is {rain_chance}, and the wind reaches {wind}."},
	"ko": {"{city}의 지금 기온은 {temp}, 체감 온도는 {feels_like}이며, 하늘 상태는 {conditions}입니다. 습도는 {humidity}, 바람은 {wind}입니다.",
		"{city}: {conditions}. 최고 기온은 {high}, 최저 기온은 {low}입니다. 강수 확률은 {rain_chance}, 바람은 최대 {wind}입니다."},
	"vi": {"Ở {city} hiện là {temp}, cảm giác như {feels_like}, {conditions}. Độ ẩm {humidity}, gió {wind}.",
		"{city}: {conditions}, cao nhất {high}, thấp nhất {low}. Khả năng có mưa {rain_chance}, gió mạnh nhất {wind}."},
	"": {"{city}: {conditions}, {temp} ({feels_like}), {humidity}, {wind}.", "{city}: {conditions}, {high} / {low}, {rain_chance}, {wind}."},
}

// template returns the plain text of o; of a weekend, the text of its first day.
func (o *outlook) template() string {
	base, _, _ := strings.Cut(strings.ToLower(o.lang), "-")
	pair, ok := templates[base]
	if !ok {
		pair = templates[""]
	}
	if o.kind == Current {
		return pair[0]
	}
	prefix, _, _ := strings.Cut(o.facts[1].Slot, "conditions") // as the facts of a day begin
	return slot.ReplaceAllStringFunc(pair[1], func(s string) string {
		if s == "{city}" {
			return s
		}
		return "{" + prefix + s[1:]
	})
}

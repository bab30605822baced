package forecast

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/forecast/speech"
	"example.com/whatis/internal/gemini"
)

//go:embed forecast_checker_agent.md
var checkerText string

const checkerName = "forecast_checker_agent"

// A verdict is the answer of forecast_checker_agent.
type verdict struct {
	Sentences   []sentenceVerdict `json:"sentences"`
	SaysMissing bool              `json:"says_missing"`
}

// A sentenceVerdict says whether the data bear a sentence out.
type sentenceVerdict struct {
	Number   int    `json:"number"`
	Claims   string `json:"claims"`
	BorneOut bool   `json:"borne_out"`
}

// checkerPrompt returns the prompt that checks a text, nil if none does.
func (c Config) checkerPrompt() (agent.Asker[verdict], error) {
	if c.Checker == "" {
		return nil, nil
	}
	p, err := agent.NewPrompt[verdict](c.Gemini, c.Checker, checkerText, nil, agent.PromptOptions{Thinking: c.CheckerThinking})
	if err != nil {
		return nil, fmt.Errorf("forecast: %w", err)
	}
	return p, nil
}

// A doubt is a sentence that the data do not bear out, and why.
type doubt struct {
	sentence int
	why      string
	missing  bool // it is the last, as none says what is missing
}

// disproved returns the sentences that code finds not to be borne out.
func (o *outlook) disproved(sentences []string) (all []doubt) {
	for i, s := range sentences {
		if why := o.untrue(s); why != "" {
			all = append(all, doubt{sentence: i, why: why})
		}
	}
	return all
}

// doubts returns the sentences that code disproves, or that the checker does not find borne
// out by the data of o, in their order.
func (p *Pipeline) doubts(ctx context.Context, o *outlook, sentences []string) ([]doubt, error) {
	checked, err := p.checked(ctx, o, sentences)
	all := append(o.disproved(sentences), checked...)
	slices.SortStableFunc(all, func(a, b doubt) int { return a.sentence - b.sentence })
	return slices.CompactFunc(all, func(a, b doubt) bool { return a.sentence == b.sentence }), err
}

// checked asks the checker for the sentences that the data of o do not bear out. Without a
// checker there are none.
func (p *Pipeline) checked(ctx context.Context, o *outlook, sentences []string) ([]doubt, error) {
	if p.checker == nil {
		return nil, nil
	}
	spoken, _ := o.fill(strings.Join(sentences, " "))
	all, err := p.check(ctx, o.lang, o.summary()+o.table(), spoken, sentences)
	if err != nil {
		return nil, err
	}
	if len(o.missing) == 0 {
		all = slices.DeleteFunc(all, func(d doubt) bool { return d.missing })
	}
	return all, nil
}

// check asks the checker which sentences the data do not bear out. A sentence without a
// verdict is one of them, and so is the last if the text hides what is missing.
func (p *Pipeline) check(ctx context.Context, lang, data, spoken string, sentences []string) (all []doubt, err error) {
	var numbered strings.Builder
	for i, s := range sentences {
		fmt.Fprintf(&numbered, "%d. %s\n", i+1, s)
	}
	a, err := p.checker.Ask(ctx, agent.Call{Key: checkerName, Values: agent.Values{"language": languageName(lang), "lang": lang}, Parts: []gemini.Part{
		gemini.Text("data:\n" + data), gemini.Text("sentences:\n" + numbered.String()), gemini.Text("as spoken:\n" + spoken),
	}})
	if err != nil {
		return nil, err
	}
	for i := range sentences {
		at := slices.IndexFunc(a.Value.Sentences, func(v sentenceVerdict) bool { return v.Number == i+1 })
		switch {
		case at < 0:
			all = append(all, doubt{sentence: i, why: "the checker says nothing of it"})
		case !a.Value.Sentences[at].BorneOut:
			all = append(all, doubt{sentence: i, why: a.Value.Sentences[at].Claims})
		}
	}
	if !a.Value.SaysMissing {
		all = append(all, doubt{len(sentences) - 1, "it does not say which days the forecast does not reach", true})
	}
	return all, nil
}

// sentencesOf splits a text with slots.
func sentencesOf(text string) []string { return speech.Sentences(text) }

// refusal tells the writer which sentences are not borne out.
func refusal(sentences []string, doubts []doubt) string {
	var b strings.Builder
	b.WriteString("the data do not bear out these sentences; write the text anew, with others in their place:")
	for _, d := range doubts {
		fmt.Fprintf(&b, "\n- %q: %s", sentences[d.sentence], d.why)
	}
	return b.String()
}

// mended returns sentences with a plain one in the place of each doubt. It tells only values
// that no other sentence tells, some of the doubtful sentence if it can. A doubt for which
// none is left is left out; the last sentence is that on the days out of reach, if there are.
func (o *outlook) mended(w words, sentences []string, doubts []doubt) []string {
	kept := slices.Clone(sentences)
	for _, d := range doubts {
		kept[d.sentence] = ""
	}
	forms := slices.Concat(o.plainForms(w)...)
	for _, d := range doubts {
		if missing := o.saysMissing(w); len(missing) > 0 && d.sentence == len(sentences)-1 {
			kept[d.sentence] = strings.Join(missing, " ")
			continue
		}
		told, doubted := valuesIn(strings.Join(kept, " ")), valuesIn(sentences[d.sentence])
		isNew := func(s string) bool { return len(valuesIn(s)) > 0 && !share(valuesIn(s), told) }
		i := slices.IndexFunc(forms, func(s string) bool { return isNew(s) && share(valuesIn(s), doubted) })
		if i < 0 {
			i = slices.IndexFunc(forms, isNew)
		}
		if i >= 0 {
			kept[d.sentence] = forms[i]
		}
	}
	return slices.DeleteFunc(kept, func(s string) bool { return s == "" })
}

// valuesIn returns the slots of values in a text: not the city, nor the hours of a day.
func valuesIn(text string) []string {
	return slices.DeleteFunc(slot.FindAllString(text, -1), func(one string) bool {
		return one == "{city}" || strings.HasSuffix(one, "hours}")
	})
}

// share reports that two lists have a slot in common.
func share(a, b []string) bool {
	return slices.ContainsFunc(a, func(one string) bool { return slices.Contains(b, one) })
}

// table returns the steps that the text is about, with all that the service says of them.
func (o *outlook) table() string {
	var b strings.Builder
	b.WriteString("steps, by the place's clock:\n")
	for _, i := range o.steps() {
		when := "now"
		if o.kind != Current {
			when = o.begin(i).Format("Monday ") + partNames[o.begin(i).Hour()/6] + ", " + clock(o.begin(i)) + " to " + end(o.end(i))
		}
		o.row(&b, when, i)
	}
	return b.String()
}

// row writes what the service says of a step.
func (o *outlook) row(b *strings.Builder, when string, step int) {
	s := o.report.Skies[step]
	values := []string{when + ": " + o.words(step)}
	degrees := func(v float64) string { return o.degrees(hundredth(o.temperature(v))) }
	speeds := func(v float64) string { return o.speeds(hundredth(o.speed(v))) }
	for _, v := range []struct {
		name   string
		value  *float64
		format func(float64) string
	}{
		{"temperature", s.Main.Temp, degrees}, {"feels like", s.Main.FeelsLike, degrees}, {"humidity", s.Main.Humidity, percent}, {"wind", s.Wind.Speed, speeds}, {"gusts", s.Wind.Gust, speeds},
		{"clouds", s.Clouds.All, percent}, {"visibility", s.Visibility, func(v float64) string { return whole(v) + " m" }}, {"probability of rain or snow", s.Pop, func(v float64) string { return percent(100 * v) }},
		{"rain and snow", s.Amount(), func(v float64) string { return fmt.Sprintf("%.1f mm", v) }}, {"rain in the last hour", s.Rain.Hour, func(v float64) string { return fmt.Sprintf("%.1f mm", v) }},
	} {
		if v.value != nil {
			values = append(values, v.name+" "+v.format(*v.value))
		}
	}
	if kind := o.kindOf(step); kind != "" && o.kind != Current {
		values = append(values, kind+" is expected")
	}
	fmt.Fprintln(b, strings.Join(values, ", "))
}

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
	Forecast string `json:"forecast"`
	Missing  string `json:"missing,omitempty"`
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

// A told is a finished text.
type told struct {
	text, tone string
	facts      []Fact
	warnings   []string
}

// compose has a text written and checked, and fills its slots. A text that is refused, by
// code or for a sentence that the data do not bear out, is written anew once. Then our own
// plain sentences take the place of those that are still doubtful, or of all.
func (p *Pipeline) compose(ctx context.Context, o *outlook) (told, error) {
	problem := ""
	for again := range 2 {
		d, err := p.write(ctx, o, problem)
		if useless(err) {
			break
		}
		if err != nil {
			return told{}, err
		}
		if err := o.checkDraft(&d); err != nil {
			problem = usererror.Text(err)
			continue
		}
		sentences := sentencesOf(d.Forecast)
		doubts := o.disproved(sentences)
		if len(doubts) == 0 || again > 0 { // what code disproves is written anew without the checker
			doubts, err = p.doubts(ctx, o, sentences)
		}
		if useless(err) {
			break
		}
		if err != nil {
			return told{}, err
		}
		if len(doubts) == 0 {
			return o.told(d.Forecast, d.Tone, p.unchecked(o)...), nil
		}
		if again > 0 {
			return o.mend(sentences, doubts, d.Tone), nil
		}
		problem = refusal(sentences, doubts)
	}
	return o.plain(), nil
}

// unchecked warns of a text in a language that nothing checks.
func (p *Pipeline) unchecked(o *outlook) []string {
	if _, known := wordsOf(o.lang); known || p.checker != nil {
		return nil
	}
	return []string{WarnUnchecked}
}

// mend puts plain sentences in the place of doubtful ones, if there are some in the language
// of the text and it then holds to the facts; else the whole text is plain.
func (o *outlook) mend(sentences []string, doubts []doubt, tone string) told {
	w, own := wordsOf(o.lang)
	if !own {
		return o.plain()
	}
	text := strings.Join(o.mended(w, sentences, doubts), " ")
	if o.check(text) != nil || len(o.disproved(sentencesOf(text))) > 0 {
		return o.plain()
	}
	return o.told(text, tone, WarnTemplate)
}

// plain returns the plain text of o, in English where we have none of its language.
func (o *outlook) plain() told {
	if _, own := wordsOf(o.lang); own {
		return o.told(strings.Join(o.template(ownWords(o.lang)), " "), "calm", WarnTemplate)
	}
	english := o.variant
	english.lang = "en"
	inEnglish, _ := outlookOf(english, o.report, o.at) // as o was made
	return inEnglish.told(strings.Join(inEnglish.template(ownWords("en")), " "), "calm", WarnTemplate, WarnEnglish)
}

// told returns a text with its slots filled.
func (o *outlook) told(text, tone string, warnings ...string) told {
	text, facts := o.fill(text)
	return told{text, tone, facts, warnings}
}

// useless reports that the model's answer is unusable, or that it refuses to answer (400).
func useless(err error) bool {
	var e *gemini.Error
	return errors.As(err, &e) && (e.Kind == gemini.Malformed || e.Kind == gemini.Invalid || e.AboutContent())
}

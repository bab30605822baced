package forecast

import (
	"context"

	"example.com/whatis/internal/forecast/openweather"
)

// Judged asks the checker of c which of some sentences it lets pass, about the weather of a
// place as c.Weather says it, for measurements of the checker alone. c needs no stores.
func Judged(ctx context.Context, c Config, place openweather.Place, kind, lang string, sentences []string) ([]bool, error) {
	checker, err := c.checkerPrompt()
	if err != nil {
		return nil, err
	}
	p := &Pipeline{Config: c, checker: checker}
	o, err := p.outlook(ctx, variant{place: place, units: openweather.Metric, kind: kind, lang: lang})
	if err != nil {
		return nil, err
	}
	doubts, err := p.checked(ctx, o, sentences)
	passed := make([]bool, len(sentences))
	for i := range passed {
		passed[i] = err == nil
	}
	for _, d := range doubts {
		passed[d.sentence] = false
	}
	return passed, err
}

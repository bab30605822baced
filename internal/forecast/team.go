package forecast

import (
	"cmp"
	"context"
	"slices"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/gemini"
)

// The agents that make a forecast that is not in the cache. Run calls them directly, and
// weather_agent by its tool weather_studio_team.
//
//	forecast_writer_agent:  get_current_weather → the model writes → write_text_file
//	forecast_speaker_agent: generate_audio
const (
	teamName    = "weather_studio_team"
	writerName  = "forecast_writer_agent"
	speakerName = "forecast_speaker_agent"
)

// writing is the state of forecast_writer_agent: the requested forecast, then the result.
type writing struct {
	variant variant
	result  Result
}

// speaking is the state of forecast_speaker_agent: the forecast to speak, then its cost.
type speaking struct {
	file   string // of the audio
	result Result
	ledger gemini.Ledger
}

// generate makes a new forecast and stores its text.
func (p *Pipeline) generate(ctx context.Context, v variant) (Result, error) {
	w := writing{variant: v}
	err := p.writing.Run(ctx, &w, nil)
	return w.result, err
}

// doWrite is the step of forecast_writer_agent: it reads the weather, writes and stores the
// text.
func (p *Pipeline) doWrite(ctx context.Context, w *writing) error {
	account := &gemini.Account{Attempts: gemini.CallerAttempts}
	ctx = gemini.WithAccount(ctx, account)
	look := agent.Tool[variant, *outlook]{Name: "get_current_weather", Do: p.outlook}
	o, err := look.Call(ctx, w.variant)
	if err != nil {
		return err
	}
	said, err := p.compose(ctx, o)
	ledger := account.Ledger()
	p.charge(ledger)
	if err != nil {
		return err
	}
	warnings := said.warnings
	if p.Weather.Emulated() {
		warnings = append(warnings, WarnEmulated)
	}
	if o.partial || len(o.missing) > 0 {
		warnings = append(warnings, WarnPartial)
	}
	v := w.variant
	k := kept{
		Place: v.place, Units: v.units, Type: v.kind, Lang: v.lang, Text: said.text, Tone: said.tone, Facts: said.facts, Days: o.days, Hours: o.hourly(),
		Warnings: slices.Concat(warnings, ledger.Warnings), CostUSD: ledger.USD, At: o.at, Until: o.until,
	}
	keep := agent.Tool[kept, status]{Name: "write_text_file", Do: func(ctx context.Context, k kept) (status, error) {
		return status{Status: "success", FilePath: v.textFile(k.At)}, p.store.put(ctx, v, k)
	}}
	_, err = keep.Call(ctx, k)
	w.result = p.result(v, k, false)
	if err == nil {
		p.keepPlace(ctx, v)
	}
	return err
}

// doSpeak is the step of forecast_speaker_agent: it makes and stores the audio.
func (p *Pipeline) doSpeak(ctx context.Context, s *speaking) error {
	speak := agent.Tool[string, gemini.Ledger]{Name: "generate_audio", Do: func(ctx context.Context, tone string) (gemini.Ledger, error) {
		return p.say(ctx, s.file, s.result.Text, tone)
	}}
	var err error
	s.ledger, err = speak.Call(ctx, cmp.Or(s.result.tone, "calm"))
	return err
}

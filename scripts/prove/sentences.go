package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	emulated "example.com/whatis/emulators/openweather"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/forecast"
	"example.com/whatis/internal/forecast/openweather"
	"example.com/whatis/internal/gemini"
)

// A judged is what the checker of forecasts says of a labelled sentence.
type judged struct {
	samples.Sentence
	Passed bool
}

// judgeSentences asks the model that checks forecasts about the labelled sentences, a call
// for each language and weather, prints how many it judges wrong, and writes them all to
// sentences.json.
func (w *world) judgeSentences(ctx context.Context, o options, out io.Writer) error {
	all, err := w.judgements(ctx)
	falseOnes, told, honest, refused := 0, 0, 0, 0
	for _, j := range all {
		switch {
		case j.True && !j.Passed:
			refused++
		case !j.True && j.Passed:
			told++
		}
		if j.True {
			honest++
		} else {
			falseOnes++
		}
	}
	fmt.Fprintf(out, "\nsentences of forecasts, checked by %s: of %d false ones %d told, of %d honest ones %d refused\n", w.config.Analyze.JudgeModel, falseOnes, told, honest, refused)
	data, broken := json.MarshalIndent(all, "", "  ")
	if broken == nil {
		broken = os.WriteFile(filepath.Join(o.out, "sentences.json"), data, 0o600)
	}
	return errors.Join(err, broken)
}

// judgements returns the judgements up to the first call that fails.
func (w *world) judgements(ctx context.Context) (all []judged, err error) {
	sky, err := emulated.Start(emulated.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = sky.Close() }()
	model, err := gemini.Open(ctx, gemini.Config{AllowEmulated: true})
	if err != nil {
		return nil, err
	}
	c := forecast.Config{Gemini: model, Checker: w.config.Analyze.JudgeModel, CheckerThinking: w.config.Analyze.JudgeThinking, Now: time.Now}
	c.Weather, err = openweather.New(openweather.Config{Key: "emulated", BaseURL: sky.URL(), AllowEmulated: true, PerMinute: 6000})
	if err != nil {
		return nil, err
	}
	for _, weather := range samples.Weathers {
		for _, path := range []string{"/data/2.5/weather", "/data/2.5/forecast"} {
			sky.SetAnswer(path, weather.Payload(c.Now()))
		}
		for lang, labelled := range sentencesAbout(weather) {
			var texts []string
			for _, s := range labelled {
				texts = append(texts, s.Text)
			}
			passed, err := forecast.Judged(ctx, c, openweather.Place{ID: weather.Name, Name: weather.Place, Country: "GB"}, weather.Type, lang, texts)
			if err != nil {
				return all, fmt.Errorf("sentences in %s: %w", lang, err)
			}
			for i, s := range labelled {
				all = append(all, judged{s, passed[i]})
			}
			sky.ResetCalls()
		}
	}
	return all, nil
}

// sentencesAbout returns the labelled sentences about a weather by language.
func sentencesAbout(w samples.Weather) map[string][]samples.Sentence {
	all := map[string][]samples.Sentence{}
	for _, s := range slices.Clone(samples.Sentences()) {
		if s.Weather == w.Name {
			all[s.Lang] = append(all[s.Lang], s)
		}
	}
	return all
}

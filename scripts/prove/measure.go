package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/whatis/emulators/replay"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"

	"example.com/whatis/scripts/whatisit/accuracy"
)

// A set is photos that are measured together.
type set struct {
	name   string
	photos []accuracy.Photo
}

// sets returns the photos to measure: those of this project, and those of a folder.
func sets(folder string) (all []set, err error) {
	for _, own := range []struct {
		name string
		of   func() ([]accuracy.Photo, error)
	}{{"drawn", accuracy.Drawn}, {"stickers", accuracy.Stickers}, {"leaflets", accuracy.Leaflets}} {
		photos, err := own.of()
		if err != nil {
			return nil, err
		}
		all = append(all, set{own.name, photos})
	}
	if folder == "" {
		return all, nil
	}
	photos, unlabelled, err := accuracy.ReadFolder(folder)
	if err != nil {
		return nil, fmt.Errorf("-photos: %w", err)
	}
	if unlabelled > 0 {
		fmt.Fprintf(os.Stderr, "%d photos have no label and are not measured\n", unlabelled)
	}
	return append(all, set{"photos", photos}), nil
}

// A measured is the report of a set.
type measured struct {
	set
	figures accuracy.Figures
}

// measure analyses the photos of a set, each as often as o says, and writes a report. They
// are analysed one after the other, so that refused calls and the model's readings can be
// assigned to their photo.
func (w *world) measure(ctx context.Context, o options, s set, out io.Writer) (measured, error) {
	fmt.Fprintf(out, "\n%s: %d photos\n", s.name, len(s.photos))
	if _, err := w.app.Import(ctx, bytes.NewReader(samples.ProductsDB), nil, nil); err != nil {
		return measured{s, accuracy.Figures{NotAsked: o.repeat * len(s.photos)}}, fmt.Errorf("%s: the catalogue of the drawn packs: %w", s.name, err)
	}
	shots, err := accuracy.Run(ctx, accuracy.Repeated(s.photos, o.repeat), accuracy.Settings{}, 1, w.asker(), func(shot accuracy.Shot) {
		fmt.Fprintf(out, "  %-28q %-14s %s\n", shot.Label.File, shot.Source, became(shot))
	})
	run := accuracy.Measured(accuracy.Settings{}, shots)
	m := measured{s, run.Figures}
	report := accuracy.NewReport(time.Now(), w.upstream, s.name, []accuracy.Measure{run})
	_, kept := report.Keep(filepath.Join(o.out, s.name), s.photos, nil)
	fmt.Fprintln(out)
	return m, errors.Join(err, kept, report.WriteText(out, nil))
}

// became describes the result of a photo.
func became(s accuracy.Shot) string {
	switch wrong := s.Wrong(); {
	case s.NotAsked:
		return "not asked: " + s.Why
	case len(wrong) > 0:
		return "not right: " + strings.Join(wrong, ", ")
	}
	return "right"
}

// asker returns a function that analyses a photo without the cache. A photo with a call
// refused by the limit counts as not asked, as the model is not to blame for its result.
func (w *world) asker() accuracy.Ask {
	all := w.app.Skills()
	skills := all[slices.IndexFunc(all, func(s agent.Skill) bool { return s.ID == "analyze" })]
	return func(ctx context.Context, p accuracy.Photo, s accuracy.Settings) (accuracy.Answered, error) {
		data, err := p.Data()
		if err != nil {
			return accuracy.Answered{}, err
		}
		question, err := json.Marshal(intake.Question{Image: data, Country: p.Country, Lang: p.Lang, Fresh: true})
		if err != nil {
			return accuracy.Answered{}, err
		}
		defer w.app.Begin()()
		before := w.budget.refusals()
		w.witness.forget()
		var a accuracy.Answered
		a.Result, err = skills.Run(ctx, question, func(e *agent.Event) {
			if reading := readingOf(e); reading != nil {
				a.Reading = reading
			}
		})
		if w.budget.refusals() > before {
			return a, fmt.Errorf("%w: %w", accuracy.ErrNotAsked, errLimit)
		}
		a.Marked = w.witness.lines()
		return a, err
	}
}

// readingOf returns image_analyzer's reading, if e is its last event.
func readingOf(e *agent.Event) *analyze.Analysis {
	reading, ok := e.Data.(analyze.Analysis)
	if !ok || e.Author != "image_analyzer" || e.Kind != agent.Finished {
		return nil
	}
	return &reading
}

// A witness records the lines of the first answer of image_analyzer's model: the model's
// own marks, before code adds to them and paints over lines.
type witness struct {
	mu   sync.Mutex
	read []analyze.Line // nil until there is an answer
}

func (w *witness) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read = nil
}

func (w *witness) lines() []analyze.Line {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.read
}

// hear records the lines of an answer of the service.
func (w *witness) hear(a replay.Answer) {
	var g generated
	var analysis struct {
		VisibleText []analyze.Line `json:"visible_text"`
	}
	if json.Unmarshal(a.Bytes(), &g) != nil {
		return
	}
	text := g.text()
	begin := max(0, strings.IndexByte(text, '{')) // prose or a fence may stand around it
	if json.NewDecoder(strings.NewReader(text[begin:])).Decode(&analysis) != nil || analysis.VisibleText == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.read == nil {
		w.read = analysis.VisibleText
	}
}

package accuracy

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// dearer is the factor by which a photo's cost or calls may rise before that is a
// regression.
const dearer = 0.10

// A Comparison lists the changes from an earlier report.
type Comparison struct {
	Changes     []Change `json:"changes"`
	Regressions []string `json:"regressions"`
	Skipped     []string `json:"skipped,omitempty"` // what could not be compared
}

// A Change is one figure, then and now.
type Change struct {
	Settings string  `json:"settings"`
	Figure   string  `json:"figure"`
	Before   float64 `json:"before"`
	Now      float64 `json:"now"`
	Worse    bool    `json:"worse"`
}

var errOtherModels = errors.New("other models answered the earlier report")

var errNothingCompared = errors.New("nothing of it can be compared: it needs a run with the same settings and photos with the same labels")

// Comparable refuses an earlier report that has no run with one of these settings, or
// none of these photos with its label, before anything is paid for.
func (r Report) Comparable(settings []Settings, photos []Photo) error {
	var now []Shot
	for _, p := range photos {
		now = append(now, Shot{Label: p.Label})
	}
	for _, m := range r.Runs {
		if _, both := shared(m.Shots, now); len(both) > 0 && slices.Contains(settings, m.Settings) {
			return nil
		}
	}
	return errNothingCompared
}

// Compare compares now with before, setting by setting, for the photos that both have
// with the same label. A share that fell, or a calibration error that rose, by more than
// tolerance is a regression, and so are cost or calls of a photo that rose by more than
// a tenth. Times depend on the machine and are only reported.
func Compare(before, now Report, tolerance float64) (c Comparison, err error) {
	for _, m := range now.Runs {
		i := slices.IndexFunc(before.Runs, func(b Measure) bool { return b.Settings == m.Settings })
		switch {
		case i < 0:
			c.Skipped = append(c.Skipped, m.Settings.String()+": the earlier report has no such run")
			continue
		case before.Runs[i].Models != m.Models:
			c.Skipped = append(c.Skipped, fmt.Sprintf("%s: the models of the earlier report were %s, these are %s", m.Settings, before.Runs[i].Models, m.Models))
			err = errOtherModels
			continue
		}
		then, these := shared(before.Runs[i].Shots, m.Shots)
		if left := len(m.Shots) - len(these); left > 0 {
			c.Skipped = append(c.Skipped, fmt.Sprintf("%s: %d photos that the earlier report has not, or with another label", m.Settings, left))
		}
		if len(these) > 0 {
			c.add(m.Settings.String(), then, these, tolerance)
		}
	}
	if err == nil && len(c.Changes) == 0 {
		err = errNothingCompared
	}
	return c, err
}

// shared returns the shots of the photos that both have analysed, in the order of b.
func shared(a, b []Shot) (then, now []Shot) {
	for _, s := range b {
		i := slices.IndexFunc(a, func(t Shot) bool { return t.Label.File == s.Label.File && !t.NotAsked })
		if i >= 0 && !s.NotAsked && reflect.DeepEqual(a[i].Label.fields(), s.Label.fields()) && a[i].Label.NoProduct == s.Label.NoProduct {
			then, now = append(then, a[i]), append(now, s)
		}
	}
	return then, now
}

func (c *Comparison) add(settings string, then, now []Shot, tolerance float64) {
	before, after := FiguresOf(then), FiguresOf(now)
	change := func(figure string, a, b, allowed float64, lower bool) {
		worse := b-a > allowed+1e-9
		if lower {
			worse = a-b > allowed+1e-9
		}
		c.Changes = append(c.Changes, Change{settings, figure, a, b, worse})
		if worse {
			c.Regressions = append(c.Regressions, fmt.Sprintf("%s: %s is %s, was %s%s", settings, figure, round(b), round(a), lost(figure, then, now)))
		}
	}
	for i, f := range before.Fields {
		change(f.Field, f.Accuracy, after.Fields[i].Accuracy, tolerance, true)
	}
	change("answered", answered(before), answered(after), tolerance, true)
	for _, f := range before.Calibration {
		if i := slices.IndexFunc(after.Calibration, func(a Calibration) bool { return a.Field == f.Field }); i >= 0 {
			change(f.Field+" calibration error", f.ECE, after.Calibration[i].ECE, tolerance, false)
		}
	}
	change("USD a photo", before.CostPerPhoto(), after.CostPerPhoto(), before.CostPerPhoto()*dearer, false)
	change("calls a photo", before.CallsPerPhoto(), after.CallsPerPhoto(), before.CallsPerPhoto()*dearer, false)
	change("ms a photo, median", before.P50MS, after.P50MS, math.Inf(1), false)
}

func answered(f Figures) float64 { return float64(f.Photos-f.Failed) / float64(f.Photos) }

// lost names the photos whose field was right before and is wrong now.
func lost(field string, then, now []Shot) string {
	var files []string
	for i := range now {
		if then[i].Verdicts[field] == Right && now[i].Verdicts[field] != Right {
			files = append(files, now[i].Label.File)
		}
	}
	if len(files) == 0 {
		return ""
	}
	if more := len(files) - 5; more > 0 {
		files = append(files[:5], fmt.Sprintf("and %d more", more))
	}
	return ": " + strings.Join(files, ", ")
}

func round(v float64) string { return fmt.Sprintf("%.4g", math.Round(v*1e9)/1e9) }

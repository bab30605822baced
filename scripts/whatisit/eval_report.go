package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/whatis/scripts/whatisit/accuracy"
)

// tell prints and writes the report, and returns an error if it is worse than the earlier
// one.
func (e *evalPhotosCommand) tell(c *console, report accuracy.Report, photos []accuracy.Photo, compared *accuracy.Comparison) error {
	kept := e.keep(c, report, photos, compared)
	var err error
	if c.json {
		_, err = c.out.Write(encode(report))
	} else {
		err = report.WriteText(c.out, compared)
	}
	for _, m := range report.Runs {
		if m.Models == accuracy.Recorded && !c.json {
			err = errors.Join(err, recordedTable(c, m))
		}
	}
	if err == nil {
		err = columnsOf(report).print(c)
	}
	if err = errors.Join(kept, err); err != nil {
		return err
	}
	if compared != nil && len(compared.Regressions) > 0 {
		return fmt.Errorf("worse than %s: %s", e.Against, strings.Join(compared.Regressions, "; "))
	}
	failed := 0
	for _, m := range report.Runs {
		if m.Settings.Model != modelNone { // without a model every photo fails
			failed += m.Figures.Failed
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d photos failed", failed)
	}
	return missedGoals(report)
}

// columnsOf returns how often each field is right, with a column for each model of a
// report.
func columnsOf(r accuracy.Report) columns {
	t := columns{head: "right"}
	byLine := map[string]map[string]string{}
	var order []string
	add := func(line, model, cell string) {
		if byLine[line] == nil {
			byLine[line], order = map[string]string{}, append(order, line)
		}
		byLine[line][model] = cell
	}
	for _, m := range r.Runs {
		model, same := m.Settings.Model, m.Settings
		if !slices.Contains(t.models, model) {
			t.models = append(t.models, model)
		}
		prefix := ""
		if same.Model = ""; same != (accuracy.Settings{}) {
			prefix = same.String() + ": "
		}
		for _, f := range m.Figures.Fields {
			add(prefix+f.Field, model, fmt.Sprintf("%d of %d", f.Right, f.Labelled))
		}
		add(prefix+"all of a photo", model, fmt.Sprintf("%d of %d", m.Figures.AllRight, m.Figures.Photos))
	}
	for _, name := range order {
		l := columnsLine{name: name}
		for _, model := range t.models {
			l.cells = append(l.cells, byLine[name][model])
		}
		t.lines = append(t.lines, l)
	}
	return t
}

// keep writes the JSON and the web page.
func (e *evalPhotosCommand) keep(c *console, report accuracy.Report, photos []accuracy.Photo, compared *accuracy.Comparison) error {
	if e.Out == "" || e.Out == noFolder {
		return nil
	}
	paths, err := report.Keep(e.Out, photos, compared)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	c.say("%s", strings.Join(paths, ", "))
	return nil
}

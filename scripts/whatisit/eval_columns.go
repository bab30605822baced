package main

import (
	"fmt"
	"slices"
	"strings"
)

// columns is a table of figures, with a column for each model.
type columns struct {
	models []string
	head   string // head of the first column
	lines  []columnsLine
}

type columnsLine struct {
	name  string
	cells []string // in the order of the models
}

// markdown returns the table. Its last column says whether a figure depends on the model
// or only on the code, which is so if it is the same without a model.
func (t columns) markdown() string {
	var b strings.Builder
	row := func(cells ...string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	row(slices.Concat([]string{t.head}, t.models, []string{"a figure of"})...)
	row(slices.Repeat([]string{"---"}, len(t.models)+2)...)
	for _, l := range t.lines {
		row(slices.Concat([]string{l.name}, l.cells, []string{t.whose(l)})...)
	}
	return b.String()
}

// whose returns "the model" or "the code" for a line; "" if the code was not measured
// without a model.
func (t columns) whose(l columnsLine) string {
	switch at := slices.Index(t.models, modelNone); {
	case at < 0 || len(t.models) < 2:
		return ""
	case slices.ContainsFunc(l.cells, func(cell string) bool { return cell != l.cells[at] }):
		return "the model"
	}
	return "the code"
}

// print shows the models side by side, if there are several.
func (t columns) print(c *console) error {
	if len(t.models) < 2 || c.json {
		return nil
	}
	_, err := fmt.Fprintf(c.out, "\n%s", t.markdown())
	return err
}

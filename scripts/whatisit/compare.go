package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"example.com/whatis/internal/analyze"
)

// compareCommand says what two runs over the same photos answer differently.
type compareCommand struct {
	Before string `arg:"" placeholder:"RUN" help:"The earlier run: the ID of a batch, or the name of photos that were sent together."`
	After  string `arg:"" placeholder:"RUN" help:"The later run."`
	elsewhere
}

// Help returns the help text of whatisit compare, without its flags.
func (compareCommand) Help() string {
	return `Compares the results of two runs photo by photo, by the names of the files, and prints a line for each field that is otherwise; with --json a list of them.

    whatisit batch gs://uploads/2026/ --fresh    the same photos again, such as with a new model
    whatisit compare 20261125-180729-ae4dcb02 20261128-090000-5f0c2d11

What people have said of a photo goes for both runs: it is no difference.

Exit codes: 0 they were compared; 1 they have no photo in common; 2 wrong usage; 130 after Ctrl-C.`
}

// A difference is a field of a photo that two runs answer differently.
type difference struct {
	File   string `json:"file"`
	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Run compares.
func (r *compareCommand) Run(ctx context.Context, c *console) error {
	s, err := r.open(c)
	if err != nil {
		return err
	}
	before, spent, err := s.run(ctx, r.Before)
	if err != nil {
		return because(ctx, err)
	}
	after, later, err := s.run(ctx, r.After)
	if err != nil {
		return because(ctx, err)
	}
	differences, both, changed := []difference{}, 0, 0
	for _, now := range after.files {
		was, ok := before.of[now]
		if !ok {
			continue
		}
		both++
		found := differ(now, was, after.of[now])
		if differences = append(differences, found...); len(found) > 0 {
			changed++
		}
	}
	c.say("%d photos in both, %d answered otherwise; %d only in the earlier run, %d only in the later; $%.4f and $%.4f", both, changed, len(before.files)-both, len(after.files)-both, spent, later)
	if both == 0 {
		return fmt.Errorf("%s and %s have no photo in common", r.Before, r.After)
	}
	if c.json {
		return printJSON(c, differences)
	}
	if changed == 0 {
		return nil
	}
	var table table
	table.row("FILE", "FIELD", "BEFORE", "AFTER")
	for _, d := range differences {
		table.row(d.File, d.Field, cmp.Or(d.Before, "-"), cmp.Or(d.After, "-"))
	}
	return table.print(c.out)
}

// A runResults holds the results of a run by the names of their files, which it has in the order of the list.
type runResults struct {
	files []string
	of    map[string]analyze.Result
}

// run returns the results of a run, and what they cost.
func (s *service) run(ctx context.Context, name string) (r runResults, spent float64, err error) {
	all, err := s.pages(ctx, "/results", "results", url.Values{"set": {name}}, 0)
	r.of = map[string]analyze.Result{}
	for _, raw := range all {
		var one finished
		if err := json.Unmarshal(raw, &one); err != nil {
			return r, 0, fmt.Errorf("%s does not answer with results: is it a whatis service? (%w)", s.base, err)
		}
		spent += one.Result.CostUSD
		if _, twice := r.of[one.File]; !twice && one.File != "" {
			r.files, r.of[one.File] = append(r.files, one.File), one.Result
		}
	}
	return r, spent, err
}

// differ returns the fields in which two results of a photo differ.
func differ(file string, was, is analyze.Result) (all []difference) {
	before, after := told(was), told(is)
	for i, field := range [...]string{"product_name", "brand", "category", "gtin", "expiration_date", "source", "error"} {
		if before[i] != after[i] {
			all = append(all, difference{file, field, before[i], after[i]})
		}
	}
	return all
}

// told returns what a result says, in the order of differ's fields.
func told(r analyze.Result) [7]string {
	i := cmp.Or(r.Identification, &analyze.Identification{})
	return [...]string{i.ProductName, i.Brand, i.Category, r.GTIN, i.ExpirationDate, string(i.Source), r.Error}
}

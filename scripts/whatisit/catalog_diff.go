package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"example.com/whatis/internal/app"
	"example.com/whatis/internal/catalog"
)

// A differences prints what an import would do, and counts it.
type differences struct {
	out   io.Writer
	lines *json.Encoder // nil for text
	count map[catalog.Effect]int
	err   error // of writing
}

func newDifferences(c *console) *differences {
	d := &differences{out: c.out, count: map[catalog.Effect]int{}}
	if c.json {
		d.lines = json.NewEncoder(c.out)
		d.lines.SetEscapeHTML(false)
	}
	return d
}

// tell prints one, unless the record is the same.
func (d *differences) tell(one catalog.Difference) {
	d.count[one.What]++
	if one.What == catalog.Same || d.err != nil {
		return
	}
	if d.lines != nil {
		d.err = d.lines.Encode(one)
		return
	}
	_, d.err = fmt.Fprintf(d.out, "%-9s  %32s  %s\n", one.What, strings.Join(one.Records, " "), printable(described(one)))
}

// described returns a difference as a line of text.
func described(one catalog.Difference) string {
	parts := []string{one.ProductName}
	for _, code := range []struct{ name, value string }{{"sku", one.SKU}, {"gtin", one.GTIN}} {
		if code.value != "" {
			parts = append(parts, code.name+" "+code.value)
		}
	}
	for _, f := range one.Fields {
		parts = append(parts, fmt.Sprintf("%s %s → %s", f.Name, f.Before, f.After))
	}
	if one.Why != "" {
		parts = append(parts, one.Why)
	}
	return strings.Join(parts, "; ")
}

func (d *differences) String() string {
	n := d.count
	return fmt.Sprintf("nothing is written: %d new, %d changed, %d renamed, %d kept, %d undecided, %d the same",
		n[catalog.WouldAdd], n[catalog.WouldChange], n[catalog.WouldRename], n[catalog.WouldKeep], n[catalog.WouldLeave], n[catalog.Same])
}

// compare prints what the import would do.
func (i *importCommand) compare(ctx context.Context, c *console, a *app.App, file app.CatalogFile) error {
	d := newDifferences(c)
	_, err := a.CompareFile(ctx, file, d.tell)
	c.end()
	c.say("%s: %s", i.File, d)
	return errors.Join(err, d.err)
}

// pruneCommand removes the records of earlier versions of a file.
type pruneCommand struct {
	catalogFile
	Of     []string `placeholder:"NAME" help:"The name under which earlier versions were imported, if it was another: 'products-*.csv', gs://bucket/products.csv; may be repeated."`
	Yes    bool     `help:"Remove them; without it they are only shown."`
	Anyway bool     `help:"Remove also if rows of the file are left out, of which nobody knows whose records they are."`
}

// Help is shown after the flags.
func (pruneCommand) Help() string {
	return `Shows the records that came from earlier versions of the file and that it no longer has, and removes them with --yes.
A record has the name of the file that wrote it last; what did not change since has the name of an earlier one.
Confirmed and reviewed records are kept, and so is what may be the record of an undecided row. No model is called.`
}

// Run shows the records, and removes them.
func (p *pruneCommand) Run(ctx context.Context, c *console) error {
	if p.URL != nil {
		return usage("prune is for the catalogue itself: leave out --url, and name its project by GOOGLE_CLOUD_PROJECT")
	}
	if len(p.Of) == 0 {
		p.Of = []string{p.from()}
	}
	a, file, faults, done, err := p.openFile(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	prune, err := a.PruneOf(ctx, file, p.Of)
	if err != nil {
		return err
	}
	left, counts, err := prune.Find(ctx, file)
	c.end()
	if written := faults.end(); err == nil {
		err = written
	}
	if err != nil {
		return fileError(ctx, err)
	}
	goes, err := showLeftovers(c, left)
	if err != nil {
		return err
	}
	unsure := faults.leftOut
	switch {
	case goes == 0:
		c.say("%s: %d records of %s are in the file; nothing is to be removed", p.File, counts.Changed+counts.Known, strings.Join(p.Of, ", "))
		return nil
	case unsure > 0 && !p.Anyway:
		return usage("%d rows of %s are left out, and some of these records may be theirs: mend the file, or give --anyway", unsure, p.File)
	case !p.Yes:
		c.say("%s: %d records would be removed: --yes removes them", p.File, goes)
		return nil
	}
	removed, err := prune.Remove(ctx, left)
	c.say("%s: %d records removed, %d stay", p.File, removed, len(left)-removed)
	return err
}

// showLeftovers prints the records, and returns how many are to be removed.
func showLeftovers(c *console, left []catalog.Leftover) (goes int, err error) {
	lines := json.NewEncoder(c.out)
	lines.SetEscapeHTML(false)
	var table table
	for _, one := range left {
		what := "remove"
		if one.Kept != "" {
			what = "keep: " + one.Kept
		} else {
			goes++
		}
		if c.json {
			err = errors.Join(err, lines.Encode(struct {
				What string `json:"what"`
				catalog.Exported
			}{what, one.Export()}))
			continue
		}
		table.row(what, one.ID, one.SKU, one.GTIN, one.ProductName)
	}
	return goes, errors.Join(err, table.print(c.out))
}

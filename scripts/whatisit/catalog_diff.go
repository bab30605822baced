package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
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
	if len(p.Of) == 0 {
		p.Of = []string{p.from()}
	}
	find := p.own
	if p.served() {
		find = p.asked
	}
	found, err := find(ctx, c)
	if err != nil {
		return err
	}
	if err := found.print(c); err != nil {
		return err
	}
	switch {
	case found.Goes == 0:
		c.say("%s: %d records of %s are in the file; nothing is to be removed", p.File, found.InFile, strings.Join(p.Of, ", "))
	case found.LeftOut > 0 && !p.Anyway:
		return usage("%d rows of %s are left out, and some of these records may be theirs: mend the file, or give --anyway", found.LeftOut, p.File)
	case !p.Yes:
		c.say("%s: %d records would be removed: --yes removes them", p.File, found.Goes)
	default:
		c.say("%s: %d records removed, %d stay", p.File, found.Removed, found.Goes+found.Kept-found.Removed)
	}
	return nil
}

// own asks the catalogue of the environment.
func (p *pruneCommand) own(ctx context.Context, c *console) (found pruned, err error) {
	a, file, faults, done, err := p.openFile(ctx, c)
	if err != nil {
		return found, err
	}
	defer done()
	left, err := a.PruneFile(ctx, file, catalog.Prune{Of: p.Of, Removes: p.Yes, Anyway: p.Anyway})
	c.end()
	if err = errors.Join(err, faults.end()); err != nil {
		return found, fileError(ctx, err)
	}
	found = pruned{InFile: left.InFile, Goes: left.Goes, Kept: len(left.Records) - left.Goes, LeftOut: left.LeftOut, Removed: left.Removed}
	for _, one := range left.Records {
		found.Records = append(found.Records, prunedRecord{"", one.ID, one.SKU, one.GTIN, one.ProductName, one.Kept})
	}
	return found, nil
}

// asked asks a service.
func (p *pruneCommand) asked(ctx context.Context, c *console) (found pruned, err error) {
	s, query, asked, err := p.request(ctx, c)
	if err != nil {
		return found, err
	}
	query["of"] = p.Of
	query.Set("remove", strconv.FormatBool(p.Yes))
	query.Set("anyway", strconv.FormatBool(p.Anyway))
	asked.path = "/catalog-prune?" + query.Encode()
	if err := s.answer(ctx, asked, &found); err != nil {
		return found, because(ctx, err)
	}
	return found, p.tellFaults(c, found.Faults)
}

// A pruned is what a file no longer has.
type pruned struct {
	Records    []prunedRecord
	InFile     int `json:"in_file"`
	Goes, Kept int
	LeftOut    int `json:"left_out"`
	Removed    int
	Faults     []catalog.Fault
}

// A prunedRecord is a record that the file no longer has.
type prunedRecord struct {
	What        string `json:"what"` // remove, or keep
	ID          string `json:"id"`
	SKU         string `json:"sku,omitempty"`
	GTIN        string `json:"gtin,omitempty"`
	ProductName string `json:"product_name"`
	Kept        string `json:"kept,omitempty"` // why
}

// print prints the records.
func (p pruned) print(c *console) (err error) {
	lines := json.NewEncoder(c.out)
	lines.SetEscapeHTML(false)
	var table table
	for _, one := range p.Records {
		if one.What = "remove"; one.Kept != "" {
			one.What = "keep"
		}
		if c.json {
			err = errors.Join(err, lines.Encode(one))
			continue
		}
		table.row(strings.TrimSuffix(one.What+": "+one.Kept, ": "), one.ID, one.SKU, one.GTIN, one.ProductName)
	}
	if more := p.Goes + p.Kept - len(p.Records); more > 0 {
		c.say("and %d more records, which the service does not list", more)
	}
	return errors.Join(err, table.print(c.out))
}

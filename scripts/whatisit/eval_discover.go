package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover"
	"example.com/whatis/scripts/whatisit/accuracy"
)

// evalDiscoverCommand measures what discoveries find on the small web.
type evalDiscoverCommand struct {
	Sector []string `default:"transportation,waste" placeholder:"SECTOR" help:"The sectors to search for countries and regions (${default})."`
	Drawn  int      `default:"0" placeholder:"N" help:"Search N webs that are drawn from templates, one country and sector each, instead."`
	From   uint64   `default:"0" placeholder:"SEED" help:"The seed of the first of these webs."`
	measuredBy
}

// Help is shown behind the flags.
func (evalDiscoverCommand) Help() string {
	return `Runs discoveries on the small emulated web, whose datasets are known: for every country and region in each --sector, for every city in all sectors. A record is right if its address belongs to a dataset about the place and sector, and is the first of that dataset. The figures say nothing about a real model on the real web.

--drawn searches webs of twelve countries whose shapes and words come from templates: catalogues, files behind pages, lists, decoys. A quote holds if it stands on the stored page; a record is invented if its address is none of the web.

    whatisit eval discover --model none,perfect,emulated
    whatisit eval discover --model perfect --drawn 20
    whatisit eval discover --model perfect --drawn 20 --from 1000

Exit codes: 0 measured; 1 a discovery failed; 2 wrong usage.`
}

// discovered has the figures of discoveries with one model.
type discovered struct {
	Model string `json:"model"`
	site.Score
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	Runs      int     `json:"runs"`
	Calls     int     `json:"calls"` // of models
	Searches  int     `json:"searches"`
	Invented  int     `json:"invented"` // records whose address is none of the web
	Quotes    int     `json:"quotes"`   // of records and absences
	Held      int     `json:"held"`     // those that stand on their page
	CostUSD   float64 `json:"cost_usd"`
	Seconds   float64 `json:"seconds"`
	// MemoryBytes is how much memory each local model took, by name.
	MemoryBytes map[string]int64 `json:"memory_bytes,omitempty"`
}

// Run measures and prints.
func (e *evalDiscoverCommand) Run(ctx context.Context, c *console) error {
	models, err := e.models()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(models, func(model string) bool { return !inProcessModel(model) }) {
		return usage("a discovery is measured on the small web in this process: use --model none,perfect,emulated,local or --emulated, without --url")
	}
	var all []discovered
	for _, model := range models {
		d, err := e.measureModel(ctx, c, model)
		if ctx.Err() != nil {
			return errInterrupted
		}
		if err != nil {
			return err
		}
		all = append(all, d)
	}
	if c.json {
		_, err := c.out.Write(encode(all))
		return err
	}
	further := taken
	if slices.Contains(models, modelLocal) {
		further = append(further, memoryTaken)
	}
	_, err = fmt.Fprint(c.out, discoveredColumns(all, further...).markdown())
	return err
}

// measureModel runs all discoveries with a model, on the small web or on those that are drawn.
func (e *evalDiscoverCommand) measureModel(ctx context.Context, c *console, model string) (discovered, error) {
	sum := discovered{Model: model}
	webs := []site.Options{{}}
	if e.Drawn > 0 {
		webs = nil
		for seed := range uint64(e.Drawn) {
			webs = append(webs, site.Options{Drawn: true, Seed: e.From + seed})
		}
	}
	for _, of := range webs {
		if err := e.measureWeb(ctx, c, of, &sum); err != nil {
			return sum, err
		}
	}
	sum.Precision, sum.Recall = sum.Score.Precision(), sum.Score.Recall()
	return sum, nil
}

// measureWeb adds the discoveries on a web to sum.
func (e *evalDiscoverCommand) measureWeb(ctx context.Context, c *console, of site.Options, sum *discovered) error {
	s, web, err := e.emulatedWeb(ctx, c, sum.Model, of)
	if err != nil {
		return err
	}
	defer s.close()
	for _, place := range web.Places() {
		for _, r := range e.requests(place, of) {
			found, err := s.discover(ctx, r)
			if err != nil {
				return err
			}
			if err := sum.add(ctx, web, place, found); err != nil {
				return err
			}
		}
	}
	sum.MemoryBytes = s.memory(ctx, c)
	return nil
}

// add adds what a discovery of a place has found.
func (d *discovered) add(ctx context.Context, web *site.Server, place site.Place, found discover.Result) error {
	var records []string
	for _, item := range found.Items {
		records = append(records, item.URL)
		if _, known := site.Labels(item.URL); !known {
			d.Invented++
		}
	}
	score, _ := web.Score(place, found.Sectors, records)
	d.Score = d.Add(score)
	d.Runs, d.Calls, d.Searches = d.Runs+1, d.Calls+found.Calls, d.Searches+found.Searches
	d.CostUSD, d.Seconds = d.CostUSD+found.CostUSD, d.Seconds+found.EndTime.Sub(found.StartTime).Seconds()
	stored, err := (&verifyCommand{}).pages(cloud()) // of the emulated bucket that the environment names
	if err != nil {
		return err
	}
	broken, err := discover.Verify(ctx, found, stored)
	d.Quotes += len(found.Items) + len(found.Absent)
	d.Held += len(found.Items) + len(found.Absent) - len(broken)
	return err
}

// requests returns the requests for a place.
func (e *evalDiscoverCommand) requests(p site.Place, of site.Options) (all []discover.Request) {
	if of.Drawn {
		return []discover.Request{{Country: p.Country, Sector: site.DrawnSector(of.Seed)}}
	}
	if p.Kind == "city" {
		return []discover.Request{{City: p.Local, Country: p.Country}}
	}
	for _, sector := range e.Sector {
		r := discover.Request{Country: p.Country, Sector: sector}
		if p.Kind == "region" {
			r.Region = p.Region + " " + p.Local
		}
		all = append(all, r)
	}
	return all
}

// discover starts a discovery, waits for its end and returns its result.
func (s *service) discover(ctx context.Context, r discover.Request) (found discover.Result, err error) {
	var status discover.Status
	if err := s.answer(ctx, request{method: http.MethodPost, path: "/discover", kind: "application/json", body: encode(r)}, &status); err != nil {
		return found, err
	}
	for status.Action == "" {
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return found, err
		}
		if err := s.answer(ctx, request{method: http.MethodGet, path: discoveryPath(status.ID)}, &status); err != nil {
			return found, err
		}
	}
	if status.Action == "failed" || status.Action == "canceled" {
		return found, errors.New("a discovery " + status.Action + ": " + status.Reason)
	}
	err = s.answer(ctx, request{method: http.MethodGet, path: discoveryPath(status.ID) + "/result"}, &found)
	return found, err
}

// A discoveredLine is a line of the table.
type discoveredLine struct {
	name   string
	figure func(discovered) string
}

// taken are the lines of what the discoveries have taken. Time differs from run to run, so
// docs/discovering.md has none of it; an emulated model costs nothing.
var taken = []discoveredLine{
	{"cost of models, each discovery", func(d discovered) string { return fmt.Sprintf("$%.4f", d.CostUSD/float64(max(1, d.Runs))) }},
	{"time, each discovery", func(d discovered) string { return fmt.Sprintf("%.1f s", d.Seconds/float64(max(1, d.Runs))) }},
}

// memoryTaken is the line of how much memory a local model has taken.
var memoryTaken = discoveredLine{"memory of a local model", func(d discovered) string { return accuracy.Memory(d.MemoryBytes) }}

// discoveredColumns returns the table with a column for each model, and further lines.
func discoveredColumns(all []discovered, further ...discoveredLine) columns {
	t := columns{head: "discoveries"}
	lines := append([]discoveredLine{
		{"precision of the records", func(d discovered) string { return fmt.Sprintf("%.2f of %d", d.Precision, d.Records) }},
		{"recall of the datasets", func(d discovered) string { return fmt.Sprintf("%.2f of %d", d.Recall, d.Truth) }},
		{"records that no page has", func(d discovered) string { return fmt.Sprint(d.Invented) }},
		{"quotes that stand on their page", func(d discovered) string { return fmt.Sprintf("%d of %d", d.Held, d.Quotes) }},
		{"calls of models, each discovery", func(d discovered) string { return fmt.Sprintf("%.1f", float64(d.Calls)/float64(max(1, d.Runs))) }},
	}, further...)
	for _, l := range lines {
		line := columnsLine{name: l.name}
		for _, d := range all {
			line.cells = append(line.cells, l.figure(d))
		}
		t.lines = append(t.lines, line)
	}
	for _, d := range all {
		t.models = append(t.models, d.Model)
	}
	return t
}

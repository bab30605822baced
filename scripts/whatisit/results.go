package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"example.com/whatis/internal/analyze"
)

// resultsCommand is about what was found before.
type resultsCommand struct {
	List resultsListCommand `cmd:"" default:"withargs" help:"List finished results, newest first; the word may be left out."`
	Show resultsShowCommand `cmd:"" help:"Print one result, whole."`
}

// Help is what whatisit results --help says besides its commands.
func (resultsCommand) Help() string {
	return `Lists what a service found in photos, however they came to it, or prints one result.

    whatisit results --since 1d --source google_search
    whatisit results --doubt --csv > doubtful.csv
    whatisit results show 0123456789abcdef0123456789abcdef

whatisit results list --help says what else a list can be told.`
}

// resultsListCommand lists.
type resultsListCommand struct {
	Source string `placeholder:"SOURCE" enum:",image,local_db,google_search,unidentified" default:"" help:"Only what this identified: image, local_db, google_search; or unidentified."`
	Doubt  *bool  `negatable:"" help:"Only what a person should look at; --no-doubt for the rest."`
	Error  string `placeholder:"CODE" enum:",analysis_failed" default:"" help:"Only what failed for good: analysis_failed."`
	Order  string `enum:"newest,doubt" default:"newest" help:"newest, or doubt: what a person should look at and nobody has, the most doubtful first (${default})."`
	Since  string `placeholder:"TIME" help:"Only what was finished later: 2026-01-31T09:00:00Z, or as long ago as 15m, 2h or 7d."`
	Limit  int    `default:"20" placeholder:"N" help:"How many at most (${default}); 0 is all."`
	CSV    bool   `name:"csv" help:"Print them as CSV."`
	elsewhere
}

// Help is what whatisit results list --help says besides its flags.
func (resultsListCommand) Help() string {
	return `A table goes to standard output; with --json the list as the service has it, with --csv a line each.

Exit codes: 0 a list, even an empty one; 1 none; 2 wrong usage; 130 after Ctrl-C.`
}

// A finished result is one of GET /results.
type finished struct {
	ID       string         `json:"id"`
	Kind     string         `json:"kind"`
	File     string         `json:"file"`
	Finished time.Time      `json:"finished_at"`
	Doubt    bool           `json:"doubt"`
	Verdict  string         `json:"verdict"`
	Result   analyze.Result `json:"result"`
}

// query is what the service is asked for, without what belongs to a page.
func (l *resultsListCommand) query(c *console, now time.Time) (url.Values, error) {
	since, err := l.since(now)
	filtered := l.Source != "" || l.Doubt != nil || l.Error != "" || l.Since != ""
	switch {
	case err != nil:
		return nil, err
	case l.Limit < 0:
		return nil, usage("--limit is %d: want 0 or more", l.Limit)
	case c.json && l.CSV:
		return nil, usage("--json and --csv are two forms of the list: choose one")
	case l.Error != "" && (l.Source != "" || l.Doubt != nil):
		return nil, usage("--error goes with neither --source nor --doubt: what failed has no source, and is in doubt")
	case l.Order == "doubt" && filtered:
		return nil, usage("--order doubt goes with no filter: leave out --source, --doubt, --error and --since")
	}
	v := url.Values{}
	for name, value := range map[string]string{"source": l.Source, "error": l.Error, "since": since} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if l.Doubt != nil {
		v.Set("doubt", strconv.FormatBool(*l.Doubt))
	}
	if l.Order != "newest" {
		v.Set("order", l.Order)
	}
	return v, nil
}

// since is the time that --since says, "" for none.
func (l *resultsListCommand) since(now time.Time) (string, error) {
	if l.Since == "" {
		return "", nil
	}
	if _, err := time.Parse(time.RFC3339, l.Since); err == nil {
		return l.Since, nil
	}
	ago, err := time.ParseDuration(l.Since)
	if days, cut := strings.CutSuffix(l.Since, "d"); cut {
		var n int
		n, err = strconv.Atoi(days)
		ago = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || ago <= 0 {
		return "", usage("--since is %q: want a time as 2026-01-31T09:00:00Z, or 15m, 2h or 7d", l.Since)
	}
	return now.Add(-ago).UTC().Format(time.RFC3339), nil
}

// Run lists.
func (l *resultsListCommand) Run(ctx context.Context, c *console) error {
	query, err := l.query(c, time.Now())
	if err != nil {
		return err
	}
	s, err := l.open(c)
	if err != nil {
		return err
	}
	all, err := l.pages(ctx, s, query)
	if err != nil {
		return because(ctx, err)
	}
	if c.json {
		return printJSON(c, all)
	}
	found := make([]finished, len(all))
	for i, raw := range all {
		if err := json.Unmarshal(raw, &found[i]); err != nil {
			return fmt.Errorf("%s answers something else than results: is whatis there? (%w)", s.base, err)
		}
	}
	if l.CSV {
		return c.asCSV(found)
	}
	return c.asTable(found)
}

// largestPage is how many results the service hands out at a time.
const largestPage = 100

// pages are the results of as many pages as it takes.
func (l *resultsListCommand) pages(ctx context.Context, s *service, query url.Values) (all []json.RawMessage, err error) {
	limit := cmp.Or(l.Limit, 1<<31)
	for all = []json.RawMessage{}; len(all) < limit; {
		query.Set("limit", strconv.Itoa(min(limit-len(all), largestPage)))
		var page struct {
			Results []json.RawMessage `json:"results"`
			Next    string            `json:"next"`
		}
		err := s.patiently(ctx, "results", func() error {
			return s.answer(ctx, request{method: http.MethodGet, path: "/results?" + query.Encode()}, &page)
		})
		if err != nil {
			return nil, err
		}
		if all = append(all, page.Results...); page.Next == "" {
			break
		}
		query.Set("after", page.Next)
	}
	return all, nil
}

// asTable prints results for people.
func (c *console) asTable(found []finished) error {
	if len(found) == 0 {
		c.say("there are no such results")
		return nil
	}
	table := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	row(table, "FINISHED", "SAID", "DOUBT", "PRODUCT", "FILE", "ID")
	for _, f := range found {
		said := card{Result: f.Result}
		row(table, f.Finished.Local().Format(time.DateTime), said.Said(), choose(f.Doubt, cmp.Or(f.Verdict, "look"), "-"), productOf(f.Result), cmp.Or(f.File, f.Kind), f.ID)
	}
	return table.Flush()
}

// productOf is the product with its brand, or why there is none.
func productOf(r analyze.Result) string {
	if r.Identification == nil || r.Brand == "" {
		return card{Result: r}.Title()
	}
	return card{Result: r}.Title() + ", " + r.Brand
}

// asCSV prints results for spreadsheets, which take no cell for a formula.
func (c *console) asCSV(found []finished) error {
	w := csv.NewWriter(c.out)
	_ = w.Write([]string{"id", "finished_at", "kind", "file", "source", "doubt", "verdict", "product_name", "product_name_confidence", "brand", "brand_confidence", "category", "expiration_date", "gtin", "error", "cost_usd"})
	for _, f := range found {
		i := cmp.Or(f.Result.Identification, &analyze.Identification{})
		cells := []string{f.ID, f.Finished.Format(time.RFC3339), f.Kind, f.File, string(i.Source), strconv.FormatBool(f.Doubt), f.Verdict, i.ProductName, share(i.ProductNameConfidence),
			i.Brand, share(i.BrandConfidence), i.Category, i.ExpirationDate, f.Result.GTIN, f.Result.Error, strconv.FormatFloat(f.Result.CostUSD, 'f', -1, 64)}
		for at, cell := range cells {
			if strings.ContainsAny(cell[:min(len(cell), 1)], "=+-@\t\r") {
				cells[at] = "'" + cell
			}
		}
		_ = w.Write(cells)
	}
	w.Flush()
	return w.Error()
}

func share(of float64) string { return strconv.FormatFloat(of, 'f', 2, 64) }

// resultsShowCommand prints one result.
type resultsShowCommand struct {
	ID string `arg:"" name:"id" help:"The result: its id, as the list prints it."`
	elsewhere
}

// Help is what whatisit results show --help says besides its flags.
func (resultsShowCommand) Help() string {
	return `Prints the JSON of the result, as the service has it.

Exit codes: 0 printed; 1 there is none of that id; 2 wrong usage; 130 after Ctrl-C.`
}

// Run prints it.
func (r *resultsShowCommand) Run(ctx context.Context, c *console) error {
	s, err := r.open(c)
	if err != nil {
		return err
	}
	var one json.RawMessage
	if err := s.answer(ctx, request{method: http.MethodGet, path: "/results/" + url.PathEscape(r.ID)}, &one); err != nil {
		return because(ctx, err)
	}
	return printJSON(c, one)
}

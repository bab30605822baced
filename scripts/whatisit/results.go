package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/spreadsheet"
)

// resultsCommand lists or prints earlier results.
type resultsCommand struct {
	List resultsListCommand `cmd:"" default:"withargs" help:"List finished results, newest first (the default command)."`
	Show resultsShowCommand `cmd:"" help:"Print one complete result."`

	Review resultsReviewCommand `cmd:"" help:"Accept, correct or reject a result, or take that back."`
}

// Help returns the help text of whatisit results, without its commands.
func (resultsCommand) Help() string {
	return `Lists a service's results, of uploads, requests and batches, or prints one result.

    whatisit results --since 1d --source google_search
    whatisit results --doubt --csv > doubtful.csv
    whatisit results --expires 30d --limit 0
    whatisit results --reviewed --limit 0 > photos/labels.json
    whatisit results show 0123456789abcdef0123456789abcdef
    whatisit results review 0123456789abcdef0123456789abcdef correct --set product_name="Oat Crackers" --by kim

whatisit results list --help lists all options.`
}

// resultsListCommand lists.
type resultsListCommand struct {
	Source string `placeholder:"SOURCE" enum:",image,local_db,google_search,unidentified" default:"" help:"Only results with this source: image, local_db, google_search; or unidentified."`
	Doubt  *bool  `negatable:"" help:"Only results that a person should check; --no-doubt for the others."`
	Error  string `placeholder:"CODE" enum:",analysis_failed" default:"" help:"Only results that failed for good: analysis_failed."`
	Order  string `enum:"newest,doubt" default:"newest" help:"newest, or doubt: results to check that have no review, the most doubtful first (${default})."`
	Since  string `placeholder:"TIME" help:"Only results finished after this time, 2026-01-31T09:00:00Z, from a day on, 2026-01-31 (UTC), or within 15m, 2h or 7d."`
	Until  string `placeholder:"TIME" help:"Only results finished before this time, or to the end of a day; or longer than 15m, 2h or 7d ago."`
	Set    string `placeholder:"NAME" help:"Only results of the photos that were sent with this name, or of the batch with this ID."`

	GTIN    string `name:"gtin" placeholder:"CODE" help:"Only results with this code."`
	Brand   string `placeholder:"BRAND" help:"Only results of this brand, in any spelling."`
	Name    string `placeholder:"NAME" help:"Only results of products of this whole name, in any spelling."`
	Word    string `name:"word" placeholder:"WORD" help:"Only results with this word in the name or the brand."`
	Verdict string `placeholder:"VERDICT" enum:",accept,correct,reject" default:"" help:"Only results of which a person has said this: accept, correct or reject."`
	Blurred bool   `help:"Only photos of which a third of the lines, or more, could not be read clearly."`
	Expires string `placeholder:"DAYS" help:"Only results with an expiration date in these days, the soonest first: 30d from today on, 2026-11-28..2026-12-28, or .. for all."`

	Limit int  `default:"20" placeholder:"N" help:"How many at most (${default}); 0 is all."`
	CSV   bool `name:"csv" help:"Print them as CSV."`

	Reviewed bool `help:"Print what people have accepted or corrected, as labels of photos for whatisit eval: labels.json."`
	elsewhere
}

// Help returns the help text of whatisit results list, without its flags.
func (resultsListCommand) Help() string {
	return `Prints a table; with --json the list as the service sends it, with --csv one line for each result.

Of --gtin, --brand, --name, --word, --verdict, --error and --blurred one can be used, and beside it --source or --doubt; --since and --until go with each, and --set with these alone; --expires goes with one of the others.

--reviewed prints labels, one for each photo that somebody has accepted or corrected, as JSON or with --csv; how many photos have none and what labels lack is said on standard error. --limit then counts the results among which they are sought. With the photos beside them, whatisit eval and scripts/prove read them as they are.

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
	Revision string         `json:"revision"`
	Result   analyze.Result `json:"result"`
}

// query returns the query parameters, without those of paging.
func (l *resultsListCommand) query(c *console, now time.Time) (url.Values, error) {
	since, err := moment("--since", l.Since, now)
	until, wrong := moment("--until", l.Until, now)
	err = cmp.Or(err, wrong)
	expires, wrong := days(l.Expires, now)
	err = cmp.Or(err, wrong)
	switch {
	case err != nil:
		return nil, err
	case l.Limit < 0:
		return nil, usage("--limit is %d: want 0 or more", l.Limit)
	case c.json && l.CSV:
		return nil, usage("--json and --csv are two forms of the list: choose one")
	}
	v := url.Values{}
	for name, value := range map[string]string{
		"source": l.Source, "error": l.Error, "since": since, "until": until, "set": l.Set, "gtin": l.GTIN, "brand": l.Brand, "name": l.Name, "q": l.Word, "verdict": l.Verdict, "expires": expires,
	} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if l.Blurred {
		v.Set("blurred", "true")
	}
	if l.Doubt != nil {
		v.Set("doubt", strconv.FormatBool(*l.Doubt))
	}
	if l.Order == "doubt" && len(v) > 0 {
		return nil, usage("--order doubt cannot be used with filters: leave them out")
	}
	if l.Order != "newest" {
		v.Set("order", l.Order)
	}
	return v, nil
}

// days returns a range of days as the service takes it; 30d is from today to so many days on.
func days(s string, now time.Time) (string, error) {
	n, cut := strings.CutSuffix(s, "d")
	if !cut {
		return s, nil
	}
	many, err := strconv.Atoi(n)
	if err != nil || many < 0 {
		return "", usage("--expires is %q: want 30d, or days as 2026-11-28..2026-12-28", s)
	}
	return now.Format(time.DateOnly) + ".." + now.AddDate(0, 0, many).Format(time.DateOnly), nil
}

// moment returns a time or a day as it is written, and the time that a duration has ago.
func moment(flag, s string, now time.Time) (string, error) {
	for _, form := range []string{time.RFC3339, time.DateOnly} {
		if _, err := time.Parse(form, s); s == "" || err == nil {
			return s, nil
		}
	}
	ago, err := time.ParseDuration(s)
	if days, cut := strings.CutSuffix(s, "d"); cut {
		var n int
		n, err = strconv.Atoi(days)
		ago = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || ago <= 0 {
		return "", usage("%s is %q: want a time as 2026-01-31T09:00:00Z, a day as 2026-01-31, or 15m, 2h or 7d", flag, s)
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
	all, err := s.pages(ctx, "/results", "results", query, l.Limit)
	if err != nil {
		return because(ctx, err)
	}
	if c.json {
		return printJSON(c, all)
	}
	found := make([]finished, len(all))
	for i, raw := range all {
		if err := json.Unmarshal(raw, &found[i]); err != nil {
			return fmt.Errorf("%s does not answer with results: is it a whatis service? (%w)", s.base, err)
		}
	}
	switch {
	case l.Reviewed:
		return c.asLabels(found, l.CSV)
	case l.CSV:
		return c.asCSV(found)
	}
	return c.asTable(found)
}

// largestPage is the largest page of a list that the service returns.
const largestPage = 100

// pages returns what a list of the service has in its field of that name, of as many pages as are
// needed for the limit; 0 is all.
func (s *service) pages(ctx context.Context, path, field string, query url.Values, limit int) (all []json.RawMessage, err error) {
	limit = cmp.Or(limit, 1<<31)
	for all = []json.RawMessage{}; len(all) < limit; {
		query.Set("limit", strconv.Itoa(min(limit-len(all), largestPage)))
		page := map[string]json.RawMessage{}
		err := s.patiently(ctx, field, func() error {
			return s.answer(ctx, request{method: http.MethodGet, path: path + "?" + query.Encode()}, &page)
		})
		if err != nil {
			return nil, err
		}
		var some []json.RawMessage
		if err := json.Unmarshal(page[field], &some); err != nil {
			return nil, fmt.Errorf("%s%s answers without %s: is it a whatis service? (%w)", s.base, path, field, err)
		}
		all = append(all, some...)
		var next string
		if page["next"] == nil || json.Unmarshal(page["next"], &next) != nil || next == "" {
			break
		}
		query.Set("after", next)
	}
	return all, nil
}

// asTable prints results as a table.
func (c *console) asTable(found []finished) error {
	if len(found) == 0 {
		c.say("there are no such results: leave out filters, or make some with whatisit analyze or whatisit upload")
		return nil
	}
	var table table
	table.row("FINISHED", "SAID", "DOUBT", "PRODUCT", "FILE", "ID")
	for _, f := range found {
		said := card{Result: f.Result}
		table.row(f.Finished.Local().Format(time.DateTime), said.Said(), choose(f.Doubt, cmp.Or(f.Verdict, "look"), "-"), productOf(f.Result), cmp.Or(f.File, f.Kind), f.ID)
	}
	return table.print(c.out)
}

// productOf returns the product with its brand, or why there is none.
func productOf(r analyze.Result) string {
	if r.Identification == nil || r.Brand == "" {
		return card{Result: r}.Title()
	}
	return card{Result: r}.Title() + ", " + r.Brand
}

// asCSV prints results as CSV.
func (c *console) asCSV(found []finished) error {
	w := spreadsheet.NewWriter(c.out, "id", "finished_at", "kind", "file", "source", "doubt", "verdict", "product_name", "product_name_confidence", "brand", "brand_confidence", "category", "expiration_date", "expires", "gtin", "unclear", "error", "cost_usd")
	for _, f := range found {
		i := cmp.Or(f.Result.Identification, &analyze.Identification{})
		_ = w.Row(f.ID, f.Finished.Format(time.RFC3339), f.Kind, f.File, intake.SourceOf(f.Result), strconv.FormatBool(f.Doubt), f.Verdict, i.ProductName, share(i.ProductNameConfidence),
			i.Brand, share(i.BrandConfidence), i.Category, i.ExpirationDate, f.Result.Expires(), f.Result.GTIN, share(f.Result.Unclear()), f.Result.Error, strconv.FormatFloat(f.Result.CostUSD, 'f', -1, 64))
	}
	return w.Flush()
}

func share(of float64) string { return strconv.FormatFloat(of, 'f', 2, 64) }

// resultsShowCommand prints one result.
type resultsShowCommand struct {
	ID string `arg:"" name:"id" help:"The result's ID, as in the list."`
	elsewhere
}

// Help returns the help text of whatisit results show, without its flags.
func (resultsShowCommand) Help() string {
	return `Prints the JSON of the result, as the service sends it.

Exit codes: 0 printed; 1 there is no result with that ID; 2 wrong usage; 130 after Ctrl-C.`
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

package batch_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/eventarc"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/jobs"
)

// Thirty photos, each task delivered twice in random order: some show no product,
// some are not photos, one is deleted. Each has one item, and there is one summary
// in listing order.
func TestBatch(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.pushed(eventarc.Route{Duplicates: 1, Reorder: 50 * time.Millisecond})
	nothing := readable()
	nothing.NotProduct, nothing.ProductName, nothing.Description = true, "", "=a lake"
	for range 2 {
		d.Gemini.Script(emulated.Answer{Kind: answers.KindImage, JSON: nothing})
	}
	d.photos(26)
	for i := range 3 {
		d.upload("uploads", fmt.Sprintf("broken/%d.jpg", i), []byte("no photo"))
	}
	s := d.create(batch.Request{Prefix: "gs://uploads/", Country: "US", Lang: "en"})
	if s.State != jobs.Expanding || s.Number != 29 || s.Created.IsZero() || s.ID == "" {
		t.Errorf("Create = %+v, want an expanding batch of 29", s)
	}
	d.quiet()
	want := map[string]int{batch.FromImage: 24, batch.NoProduct: 2, batch.ItemFailed: 3}
	s = d.wantState(s.ID, jobs.Done, want)
	if s.Ended != 29 || len(s.Failures) != 3 || s.Failures[0].File != "gs://uploads/broken/0.jpg" || s.Failures[0].Reason == "" || s.Finished.Before(s.Created) || s.Left != nil {
		t.Errorf("the status is %+v, want 29 ended and 3 failures with reasons", s)
	}
	lines, text, _ := d.summary(s.ResultURI)
	if len(lines) != 29 || !slices.IsSortedFunc(lines, func(a, b line) int { return strings.Compare(a.File, b.File) }) {
		t.Errorf("the summary has %d lines or is not in order:\n%s", len(lines), text)
	}
	for _, l := range lines {
		if strings.Contains(l.File, "p0") && (l.Result.Country != "US" || l.Result.Lang != "en" || l.Result.ID == "" || l.Result.Image.URI != l.File) {
			t.Errorf("%s has the result %+v, want its own, of US and en", l.File, l.Result)
		}
	}
	d.wantCSV(s, 29)
	if n := len(d.stored(s.ID)); n != 29 {
		t.Errorf("%d items, want 29", n)
	}
	if calls := len(d.Gemini.Calls()); calls != 26 {
		t.Errorf("%d model calls, want one for each photo", calls)
	}
}

// wantCSV checks the CSV of a batch that has ended.
func (d *harness) wantCSV(s batch.Status, n int) {
	d.t.Helper()
	_, text, _ := d.summary(s.CSVURI)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != n+1 || strings.Join(rows[0], ",") != "file,outcome,source,product_name,brand,category,gtin,expiration_date,expires,product_name_confidence,brand_confidence,cost_usd,error" {
		d.t.Fatalf("the CSV has %d rows (%v), want %d:\n%s", len(rows), err, n+1, text)
	}
	kinds := map[string]string{}
	for _, row := range rows[1:] {
		kinds[row[1]] = strings.Join(row[2:], ",")
	}
	if got := kinds[batch.FromImage]; got != "image,보리차,햇살마루,Beverage,,,,0.95,0.95,0," {
		d.t.Errorf("a product is %q", got)
	}
	if got := kinds[batch.NoProduct]; !strings.HasSuffix(got, "'=a lake") {
		d.t.Errorf("a photo of no product is %q, want its text made inert", got)
	}
	if got := kinds[batch.ItemFailed]; !strings.Contains(got, "send a photo") {
		d.t.Errorf("a failed photo is %q, want the reason", got)
	}
}

// WriteResult writes the results so far at any time, in listing order.
func TestPartialResults(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.photos(20)
	id, looks := d.handedOut(20)
	slices.Reverse(looks)
	for done := range looks {
		if done%5 == 0 {
			lines := d.written(id)
			if len(lines) != done || done > 0 && lines[0].File != fmt.Sprintf("gs://uploads/p%03d.jpg", 20-done) {
				t.Errorf("after %d photos WriteResult has %d lines, %+v first", done, len(lines), lines)
			}
		}
		d.do(looks[done])
	}
	s := d.wantState(id, jobs.Done, map[string]int{batch.FromImage: 20})
	if lines := d.written(id); len(lines) != 20 {
		t.Errorf("in the end WriteResult has %d lines, want 20", len(lines))
	}
	partial, _, generation := d.summary(s.PartialURI)
	if generation == 0 || len(partial) != 19 { // the second photo, last but one, ends the first tenth
		t.Errorf("partial.json has %d lines, want 19", len(partial))
	}
	var b bytes.Buffer
	if err := d.WriteResult(t.Context(), id, true, &b); err != nil || strings.Count(b.String(), "\n") != 21 {
		t.Errorf("WriteResult as CSV = %v, %q; want 21 lines", err, b.String())
	}
}

func (d *harness) written(id string) []line {
	d.t.Helper()
	var b bytes.Buffer
	if err := d.WriteResult(d.t.Context(), id, false, &b); err != nil {
		d.t.Fatal(err)
	}
	return parseLines(d.t, b.Bytes())
}

// The status while a batch runs, and paging through its items by place.
func TestWhileItRuns(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.photos(8)
	s := d.create(batch.Request{Prefix: "gs://uploads/"})
	expand := d.take()
	d.do(expand...)
	d.do(d.take()...)
	d.do(expand...) // delivered again: its photos are handed out
	looks := d.take()
	if len(looks) != 8 {
		t.Fatalf("%d tasks, want 8", len(looks))
	}
	if s := d.wantState(s.ID, jobs.Running, map[string]int{}); s.Left != nil {
		t.Errorf("seconds left = %d before any photo has ended, want none", *s.Left)
	}
	var since string
	seen := map[int]bool{}
	for i, m := range looks {
		d.do(m)
		items, next, err := d.Items(t.Context(), s.ID, since)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			seen[item.Index] = true
			if item.File != fmt.Sprintf("gs://uploads/p%03d.jpg", item.Index) || item.Outcome != batch.FromImage || item.ProductName != "보리차" || item.Ended.IsZero() || item.ID == "" {
				t.Errorf("item %+v", item)
			}
		}
		if since = next; len(seen) != i+1 {
			t.Errorf("after %d photos %d items came", i+1, len(seen))
		}
		if i == 3 {
			if s := d.status(s.ID); s.Ended != 4 || s.Left == nil || s.PartialURI == "" {
				t.Errorf("half-way the status is %+v, want 4 ended and the time left", s)
			}
		}
	}
	d.wantDrained(s.ID, 8)
}

// wantDrained reads the items of a batch that has ended from the beginning: each
// comes once.
func (d *harness) wantDrained(id string, want int) {
	d.t.Helper()
	n := 0
	for since := ""; ; {
		items, next, err := d.Items(d.t.Context(), id, since)
		if err != nil {
			d.t.Fatal(err)
		}
		if len(items) == 0 {
			break
		}
		n, since = n+len(items), next
	}
	if n != want {
		d.t.Errorf("%d items came of a batch that has ended, want %d", n, want)
	}
}

func parseLines(t *testing.T, data []byte) (lines []line) {
	t.Helper()
	if err := json.Unmarshal(data, &lines); err != nil {
		t.Fatalf("%v:\n%s", err, data)
	}
	return lines
}

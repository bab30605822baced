package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"example.com/whatis/internal/analyze"
)

// tea returns a result that names a product, with warnings.
func tea(source analyze.Source, warnings ...string) analyze.Result {
	return analyze.Result{Identification: &analyze.Identification{ProductName: "Tea", Brand: "B", Source: source}, Warnings: warnings}
}

// No list, report or table says that the web named a product that nobody identified.
func TestSaidUnidentified(t *testing.T) {
	t.Parallel()
	r := tea("google_search", "unidentified")
	if got := (card{Result: r}).Said(); got != "unidentified" {
		t.Errorf("the report says %q, want unidentified", got)
	}
	var table, stderr bytes.Buffer
	c := &console{out: &table, err: &stderr}
	all := []finished{{ID: "1", Result: r}}
	if err := errors.Join(c.asTable(all), c.asCSV(all)); err != nil {
		t.Fatal(err)
	}
	if got := table.String(); strings.Count(got, "unidentified") != 2 || strings.Contains(got, "google_search") {
		t.Errorf("the table and the CSV are %s; want unidentified in both", got)
	}
}

func TestIdentification(t *testing.T) {
	t.Parallel()
	nameless, unread, cached := tea("image"), tea("google_search", "unidentified"), tea("google_search", "unidentified")
	nameless.ProductName = ""
	unread.ProductName, unread.Brand = "", ""
	cached.Cached = true
	tests := []struct {
		r    analyze.Result
		want string
	}{
		{tea("image"), "image: Tea, B"},
		{nameless, "image: ?, B"},
		{tea("local_db"), "local_db: Tea, B"},
		{tea("local_db", "unconfirmed_record"), "local_db (unconfirmed): Tea, B"},
		{tea("google_search"), "google_search: Tea, B"},
		{tea("google_search", "queries_exceeded"), "google_search: Tea, B"},
		{tea("google_search", "emulated_model", "unidentified"), "unidentified (read: Tea, B)"},
		{unread, "unidentified"},
		{cached, "unidentified (cached) (read: Tea, B)"},
		{analyze.Result{Error: analyze.NotAProduct, Description: "a lake"}, "no product: a lake"},
	}
	for _, test := range tests {
		if got := identification(test.r); got != test.want {
			t.Errorf("identification(%+v of %+v) = %q, want %q", test.r.Identification, test.r.Warnings, got, test.want)
		}
	}
}

// What was not done is not told: neither a second look nor a search.
func TestWhy(t *testing.T) {
	t.Parallel()
	const db, look, web = "search_local_db", "second_look", "google_search"
	tests := []struct {
		row                     int
		steps, doubts, warnings string
		evidence                string
		want                    string
	}{
		{row: 1, want: "one GTIN was read, and the catalogue has a confirmed or imported record of it"},
		{row: 2, want: "the photo shows no product"},
		{row: 3, want: "name and brand were read with confidence; nothing was suspicious"},
		{row: 3, steps: look, want: "name and brand were read with confidence; a stronger model is sure as well"},
		{row: 3, steps: look, doubts: "name_unread", want: "name and brand were read with confidence; a stronger model settled what was suspicious"},
		{row: 3, steps: db + " " + look, doubts: "name_unread", want: "name and brand were read with confidence; a stronger model settled what was suspicious"},
		{row: 3, steps: look, warnings: "second_look_failed", want: "name and brand were read with confidence; the stronger model gave no usable answer about the photo"},
		{row: 3, steps: look, warnings: "no_brand_printed", want: "the name is sure, and no brand is in sight; a stronger model is sure as well"},
		{row: 3, doubts: "name_unread", want: "name and brand were read with confidence"},
		{row: 4, steps: db + " " + look, want: "a stronger model picked the catalogue's product"},
		{row: 4, want: "a stronger model picked the catalogue's product"},
		{row: 4, evidence: "near duplicate of B Tea: x", want: "a stronger model picked what a photo that looks nearly the same was identified as"},
		{row: 5, want: "a web search names the product, with sources"},
		{row: 5, steps: db + " " + web, want: "the catalogue has nothing that fits; a web search names the product, with sources"},
		{row: 5, steps: look + " " + db + " " + web, want: "the catalogue has nothing that fits; a stronger model did not settle it; a web search names the product, with sources"},
		{row: 5, steps: db + " " + look + " " + web, warnings: "second_look_failed", want: "the catalogue was searched; the stronger model gave no usable answer about the photo; a web search names the product, with sources"},
		{row: 6, want: "nothing that was tried identified the product"},
		{row: 6, steps: db, want: "the catalogue has nothing that fits; the web was not searched"},
		{row: 6, steps: db + " " + look, warnings: "second_look_failed", want: "the catalogue was searched; the stronger model gave no usable answer about the photo; the web was not searched"},
		{row: 6, steps: db + " " + web, want: "the catalogue has nothing that fits; the model was asked to search the web, and no source names a product that fits"},
		{row: 6, steps: db + " " + web, warnings: "search_refused", want: "the catalogue has nothing that fits; the model would not search the web"},
		{row: 6, steps: look + " " + db + " " + web, want: "the catalogue has nothing that fits; a stronger model did not settle it; the model was asked to search the web, and no source names a product that fits"},
		{row: 9, want: ""},
	}
	for _, test := range tests {
		r := tea("", strings.Fields(test.warnings)...)
		r.RAGConfidence = &analyze.RAGConfidence{Evidence: test.evidence}
		r.Decision = &analyze.Decision{Row: test.row}
		for _, s := range strings.Fields(test.steps) {
			r.Decision.Steps = append(r.Decision.Steps, analyze.Step(s))
		}
		for _, s := range strings.Fields(test.doubts) {
			r.Decision.Suspicions = append(r.Decision.Suspicions, analyze.Suspicion(s))
		}
		if got := why(r); got != test.want {
			t.Errorf("why(row %d, steps %q, suspicions %q, warnings %q) = %q, want %q", test.row, test.steps, test.doubts, test.warnings, got, test.want)
		}
	}
	if got := why(analyze.Result{}); got != "" {
		t.Errorf("why(no decision) = %q, want nothing", got)
	}
}

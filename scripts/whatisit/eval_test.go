package main

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/search"
	"example.com/whatis/scripts/whatisit/accuracy"
	"example.com/whatis/scripts/whatisit/relevance"
)

// What is asked of a service elsewhere is measured too.
func TestEvalSearchElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	_, _, url := served(t)
	if err := importEyewear(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Run("below", func(t *testing.T) { evalBelow(t, url) })
	t.Run("search", func(t *testing.T) { searchJSON(t, url) })
	t.Run("conversation", func(t *testing.T) { asksOn(t, url) })
}

// A table of models says whose figure a line is.
func TestColumns(t *testing.T) {
	table := columns{head: "right", models: []string{modelPerfect, modelNone}, lines: []columnsLine{
		{"same", []string{"1", "1"}}, {"other", []string{"1", "0"}},
	}}
	want := "| right | perfect | none | a figure of |\n| --- | --- | --- | --- |\n| same | 1 | 1 | the code |\n| other | 1 | 0 | the model |\n"
	if got := table.markdown(); got != want {
		t.Errorf("markdown = %q, want %q", got, want)
	}
}

// A truth that is wrong is exit 1, with why.
func evalBelow(t *testing.T, url string) {
	c := prepared(t, nil, "eval", "search", "--url", url, "--queries", "-", "--min-ndcg", "0.5")
	c.Stdin = strings.NewReader(`{"group":"mine","query":"red round glasses","want":{"color":"blue"}}`)
	code := c.run()
	if code != exitFailed || !strings.Contains(c.stderr.String(), "nDCG@10 is 0.000, want 0.5 at least") || !strings.Contains(c.stdout.String(), "color read as red: want blue") {
		t.Errorf("whatisit eval search of a wrong truth = exit %d, %q, %q; want exit 1, why, and what is missing", code, &c.stdout, &c.stderr)
	}
}

// The answer is printed whole.
func searchJSON(t *testing.T, url string) {
	c := prepared(t, nil, "search", "--url", url, "--shop", samples.EyewearShop, "--json", "--lang", "vi", "kính", "mát", "tròn", "màu", "đen")
	var got search.Result
	if code := c.run(); code != exitFine || json.Unmarshal(c.stdout.Bytes(), &got) != nil || len(got.Products) == 0 || got.Query != "kính mát tròn màu đen" {
		t.Errorf("--json: exit code %d, %s\n%s", code, &c.stdout, &c.stderr)
	}
}

// A conversation goes on as its first answer says.
func asksOn(t *testing.T, url string) {
	for _, test := range []struct {
		command     string
		first, next []string
		says        string
	}{
		{"search", []string{"--shop", samples.EyewearShop, "sunglasses", "for", "men"}, []string{"--shop", samples.EyewearShop, "cheaper"}, "sunglasses, men, up to "},
		{"forecast", []string{"How is the weather in Hanoi?"}, []string{"and", "tomorrow?"}, "In Hanoi expect "},
	} {
		c := prepared(t, []string{"API_URL=" + url}, append([]string{test.command, "--session", "new"}, test.first...)...)
		code := c.run()
		_, session, begun := strings.Cut(c.stderr.String(), "to ask on: whatisit "+test.command+" --session ")
		session, _, _ = strings.Cut(session, " ")
		if code != exitFine || !begun {
			t.Errorf("%s = exit %d, %q; want how to ask on", test.command, code, &c.stderr)
			continue
		}
		c = prepared(t, []string{"API_URL=" + url}, append([]string{test.command, "--session", session}, test.next...)...)
		if code := c.run(); code != exitFine || !strings.Contains(c.stderr.String(), test.says) {
			t.Errorf("%s --session %s = exit %d, %q; want %q", test.command, session, code, &c.stderr, test.says)
		}
	}
}

// answeredWith returns a query with the names of the frames that were answered.
func answeredWith(q relevance.Query, r search.Result, names ...string) asked {
	for _, name := range names {
		r.Products = append(r.Products, search.Hit{Name: name})
	}
	return asked{Query: q, Score: q.Score(r), result: r, took: time.Millisecond}
}

func wants(facet string, codes ...string) map[string]relevance.Codes {
	return map[string]relevance.Codes{facet: codes}
}

func TestMeasured(t *testing.T) {
	first := relevance.Query{Group: "names", Query: "Aria 100", SKUs: []string{"EW-1001"}}
	unknown := relevance.Query{Group: relevance.UnknownWords, Query: "jade", Words: []string{"jade"}, Want: wants("color", "green")}
	one := search.Result{ModelCalls: search.ModelCalls{Generate: 1, Embed: 1}}
	m := measuredOf([]asked{
		answeredWith(first, one, "Aria 100"),
		answeredWith(first, one, "Aria 101", "Aria 100"),
		{Query: first, err: errors.New("it is down"), took: time.Second},
		answeredWith(unknown, one, "Aria 100"),
	})
	ndcg := (1 + 1/math.Log2(3)) / 3
	if len(m.Groups) != 1 || math.Abs(m.All.NDCG-ndcg) > 1e-9 || math.Abs(m.All.Recall-2.0/3) > 1e-9 || m.All.Failed != 1 || m.All.Generate != 2.0/3 || m.All.P95 != 1000 {
		t.Errorf("measuredOf = %+v, want one group of nDCG@10 %.3f, recall 2/3, 2/3 calls, p95 1 s, and one query not answered", m, ndcg)
	}
	if m.Unknown == nil || m.Unknown.Queries != 1 || m.Unknown.NDCG != 0 {
		t.Errorf("the unknown words are %+v, want one query apart, of nDCG@10 0", m.Unknown)
	}
	if why := []string{m.Worst[0].Why, m.Worst[1].Why}; len(m.Worst) != 2 || !slices.Equal(why, []string{"it is down", "1. is Aria 101, EW-1002"}) {
		t.Errorf("the worst are %+v, want the one that was not answered, and the one with EW-1002 before", m.Worst)
	}
	var table strings.Builder
	if err := m.print(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"names                3   0.54 █████▍           0.67    0.00", "  1 not answered\n", "unknown words        1   0.00 ", " 0.63  names          “Aria 100”\n",
	} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, &table)
		}
	}
	if err := m.hold(0); err == nil || !strings.Contains(err.Error(), "1 queries were not answered") {
		t.Errorf("hold = %v, want that one was not answered", err)
	}
	m.All.Failed = 0
	if err := m.hold(0.6); err == nil || m.hold(0.5) != nil {
		t.Errorf("nDCG@10 %.3f holds 0.6: %v, and 0.5: %v; want only the second", m.All.NDCG, err, m.hold(0.5))
	}
}

// why says what was misunderstood, and what stands where it should not.
func TestWhyAnAnswerIsWrong(t *testing.T) {
	words := relevance.Query{Query: "?", Want: wants("color", "black"), Not: wants("frameShape", "oval"), Price: &search.PriceRange{Max: 500_000}}
	read := search.Attributes{Color: "black", Not: []search.Exclusion{{Facet: "frameShape", Code: "oval"}}, Price: &search.PriceRange{Max: 500_000}}
	with := func(change func(*search.Result)) search.Result {
		r := search.Result{ExtractedAttributes: read}
		change(&r)
		return r
	}
	picture := relevance.Query{Picture: &relevance.Picture{SKU: "EW-1001", View: "turned"}}
	tests := []struct {
		name string
		a    asked
		want string
	}{
		{"another colour was read", answeredWith(words, with(func(r *search.Result) { r.ExtractedAttributes.Color = "red" })), "color read as red: want black"},
		{"no colour was read", answeredWith(words, with(func(r *search.Result) { r.ExtractedAttributes.Color = "" })), "color not read: want black"},
		{"more was read", answeredWith(words, with(func(r *search.Result) { r.ExtractedAttributes.Gender = "men" })), "gender read as men: want any"},
		{"a negation was not read", answeredWith(words, with(func(r *search.Result) { r.ExtractedAttributes.Not = nil })), "not oval not read"},
		{"no price was read", answeredWith(words, with(func(r *search.Result) { r.ExtractedAttributes.Price = nil })), "want 0 to 500000"},
		{"a filter was given up", answeredWith(words, with(func(r *search.Result) { r.Relaxed = []string{"color"} })), "gave up color"},
		{"a value was ignored", answeredWith(words, with(func(r *search.Result) {
			r.IgnoredFilters = []search.IgnoredFilter{{Facet: "brand", Value: "Nobody"}}
		})), `brand "Nobody" ignored`},
		{"the search warns", answeredWith(words, with(func(r *search.Result) { r.Warnings = []string{"emulated_model", "not_exact"} })), "warning not_exact"},
		{"too dear, and white", answeredWith(words, with(func(*search.Result) {}), "Dao 102"), "1. is Dao 102: white, price 1030000 VND"},
		{"too few", answeredWith(words, with(func(*search.Result) {})), "0 products, of which"},
		{"another shape than in the picture", answeredWith(picture, search.Result{}, "Aria 100", "Aria 101", "Bến 134"), "3. is Bến 134: oval"},
		{"a stranger", answeredWith(picture, search.Result{}, "Barley Tea"), "1. is Barley Tea, which is no product of the samples"},
	}
	for _, test := range tests {
		if got := test.a.why(); !strings.Contains(got, test.want) {
			t.Errorf("%s: why = %q, want %q", test.name, got, test.want)
		}
	}
	if got := answeredWith(words, search.Result{ExtractedAttributes: read}, rightFor(words)...).why(); got != "" {
		t.Errorf("why of a right answer = %q, want nothing", got)
	}
}

func rightFor(q relevance.Query) (names []string) {
	for name, grade := range q.Grades() {
		if grade == 3 {
			names = append(names, name)
		}
	}
	return names
}

// A service that is not there is asked once, and named.
func TestEvalOfNobody(t *testing.T) {
	c := prepared(t, nil, "eval", "search", "--url", "http://127.0.0.1:1")
	if code := c.here(); code != exitFailed || c.stdout.Len() > 0 || !strings.Contains(c.stderr.String(), "http://127.0.0.1:1 does not answer") {
		t.Errorf("whatisit eval search --url of nobody = exit %d, %q, %q; want exit 1, nothing, and who does not answer", code, &c.stdout, &c.stderr)
	}
}

// Ctrl-C ends it wherever it is, without a table.
func TestEvalInterrupted(t *testing.T) {
	t.Parallel()
	c := prepared(t, nil, "eval", "search", "--emulated")
	if code := c.interrupted("EMULATED MODEL", syscall.SIGINT); code != exitInterrupted || c.stdout.Len() > 0 {
		t.Errorf("Ctrl-C = exit %d, %q, %q; want exit 130 and nothing", code, &c.stdout, &c.stderr)
	}
}

// The floor of the emulated embedder is the one that is measured.
func TestEvalFloor(t *testing.T) {
	c := prepared(t, nil, "eval", "floor", "--emulated", "--json")
	code := c.here()
	var f accuracy.SearchFloors
	if err := json.Unmarshal(c.stdout.Bytes(), &f); code != exitFine || err != nil || f.Unsold < 30 || f.Queries < 300 || f.Proposed != f.Now || f.Proposed.Unsold < 0.9 {
		t.Errorf("whatisit eval floor = exit %d, %v, %q, %q; want the floor of internal/catalog/vectorspace.go", code, err, &c.stdout, &c.stderr)
	}
	for _, args := range [][]string{{}, {"--emulated", "--model", "gemini-embedding-2"}, {"--model", "nobody"}, {"--emulated", "--queries", "-"}} {
		c := prepared(t, nil, slices.Concat([]string{"eval", "floor"}, args)...)
		c.Stdin = strings.NewReader(`{"group":"names","query":"Aria 100","skus":["EW-1001"]}`)
		if code := c.here(); code != exitUsage || c.stdout.Len() > 0 {
			t.Errorf("whatisit eval floor %q = exit %d, %q; want exit 2", args, code, &c.stdout)
		}
	}
}

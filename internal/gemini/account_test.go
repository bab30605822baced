package gemini

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	emulator "example.com/whatis/emulators/gemini"
)

// At an endpoint of Vertex AI that is not global tokens cost a tenth more, searches and embeddings the
// same.
func TestPricesByLocation(t *testing.T) {
	for _, test := range []struct {
		vertex, location string
		factor           float64
	}{
		{"true", "global", 1}, {"true", "", 1}, {"true", "europe-west1", 1.1}, {"true", "eu", 1.1}, {"", "europe-west1", 1},
	} {
		t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", test.vertex)
		t.Setenv("GOOGLE_CLOUD_LOCATION", test.location)
		t.Setenv("GOOGLE_CLOUD_REGION", "")
		day := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
		got := EstimateAt(day, Planned{Model: "gemini-3.6-flash", Input: 1e6, Output: 1e6, Queries: 2}, Planned{Model: "gemini-embedding-2", Input: 1e6, Embeds: true})
		if want := 4.50*test.factor + 2*0.014 + 0.20; math.Abs(got-want) > 1e-9 {
			t.Errorf("with Vertex AI %q at %q = %v, want %v", test.vertex, test.location, got, want)
		}
	}
}

func TestPrices(t *testing.T) {
	million := func(queries int) *Response {
		return &Response{Usage: Usage{Input: 1e6, Output: 1e6}, Queries: make([]string, queries)}
	}
	in2026 := time.Date(2026, 12, 31, 23, 59, 59, 0, time.UTC)
	tests := []struct {
		names   []string
		at      time.Time
		queries int
		cached  int
		want    float64
		known   bool
	}{
		{[]string{"gemini-3.6-flash"}, in2026, 0, 0, 4.50, true},
		{[]string{"gemini-3.6-flash"}, in2026.Add(time.Second), 0, 0, 9.00, true},
		{[]string{"gemini-3.6-flash"}, in2026, 3, 0, 4.50 + 3*0.014, true},
		{[]string{"gemini-3.6-flash"}, in2026, 0, 1e6, 0.075 + 3.75, true},
		{[]string{"gemini-3.6-flash"}, in2026, 0, 2e6, 0.075 + 3.75, true},
		{[]string{"gemini-2.5-flash"}, in2026, 3, 0, 2.80 + 0.035, true},
		{[]string{"models/gemini-3.5-flash-lite"}, in2026, 0, 0, 2.80, true},
		{[]string{"gemini-3.5-flash-lite", "gemini-3.6-flash"}, in2026, 0, 0, 2.80, true},
		{[]string{"gemini-9-preview-11-2026", "gemini-3.6-flash"}, in2026, 0, 0, 4.50, true},
		{[]string{"emulated-judge"}, in2026, 3, 0, 0, true},
		{[]string{"emulated-new"}, in2026, 0, 0, 0, true},
		{[]string{"gemini-9"}, in2026, 2, 0, 14.00 + 2*0.014 + 0.035, false},
	}
	for _, tt := range tests {
		p, known := priceOf(generating, "", tt.at, tt.names...)
		if got := p.answer(million(tt.queries), tt.cached); math.Abs(got-tt.want) > 1e-9 || known != tt.known {
			t.Errorf("a million tokens each way of %q with %d queries on %s cost %v (known %v), want %v (%v)",
				tt.names, tt.queries, tt.at.Format(time.DateOnly), got, known, tt.want, tt.known)
		}
	}
	if p, known := priceOf(embedding, "", in2026, "gemini-embedding-3"); p.Input != 0.20 || known {
		t.Errorf("an unknown embedding model costs %v (known %v), want the dearest, 0.20", p.Input, known)
	}
}

func TestLedger(t *testing.T) {
	const unpriced = "gemini-3.1-flash-lite"
	c, s := start(t, Config{})
	usage := &emulator.Usage{PromptTokens: 1000, CandidateTokens: 100, ThoughtTokens: 50, TotalTokens: 1150}
	s.Script(
		emulator.Answer{Text: "one", Usage: usage, ModelVersion: lite},
		emulator.Answer{Text: "two", Usage: usage, ModelVersion: judge, Grounding: &emulator.Grounding{Queries: []string{"a", "b"}}},
		emulator.Answer{Text: "cut", Usage: usage, ModelVersion: judge, FinishReason: "MAX_TOKENS"},
		emulator.Answer{BlockReason: "SAFETY", Usage: usage, ModelVersion: judge},
		emulator.Answer{Text: "unpriced", Usage: usage, ModelVersion: unpriced},
		emulator.Answer{Text: "unpriced", Usage: usage, ModelVersion: unpriced},
	)
	a := &Account{}
	ctx := WithAccount(t.Context(), a)
	models := []string{lite, judge, judge, judge, unpriced, unpriced}
	for i, model := range models {
		_, err := c.Generate(ctx, question(model))
		if failed := i == 2 || i == 3; failed != (err != nil) {
			t.Errorf("Generate %d = %v, want an error: %v", i, err, failed)
		}
	}
	got := a.Ledger()
	now := time.Now()
	var usd float64
	for _, model := range models {
		p, _ := priceOf(generating, "", now, model)
		usd += p.tokens(1000, 150)
	}
	if math.Abs(got.USD-usd-2*0.014) > 1e-9 {
		t.Errorf("ledger's cost is %v, want %v", got.USD, usd+2*0.014)
	}
	var each float64
	for i, one := range got.Each {
		if each += one.USD; one.Model != models[i] || one.Tokens != 1150 || i == 1 != (one.Queries == 2) {
			t.Errorf("answer %d is %+v", i, one)
		}
	}
	if len(got.Each) != len(models) || math.Abs(each-got.USD) > 1e-9 {
		t.Errorf("%d answers cost %v one by one, want %d that cost %v", len(got.Each), each, len(models), got.USD)
	}
	got.USD, got.Each = 0, nil
	want := Ledger{
		Calls:    Calls{Generate: 6, GroundedQueries: 2},
		Usage:    Usage{Input: 6000, Output: 900, Total: 6900},
		Models:   map[string]string{lite: lite, judge: judge, unpriced: unpriced},
		Warnings: []string{WarnNoPrice},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Ledger() =\n%+v, want\n%+v", got, want)
	}
	got.Models["x"], got.Warnings[0] = "x", "x"
	if l := a.Ledger(); l.Models["x"] != "" || l.Warnings[0] != WarnNoPrice {
		t.Errorf("a change to a copy reached the account: %+v", l)
	}
}

// purse stores a day's sum, and fails while it is broken.
type purse struct {
	mu     sync.Mutex
	sum    float64
	asked  int
	broken error
}

func (p *purse) spend(_ context.Context, usd float64) (float64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if p.broken != nil {
		return 0, p.broken
	}
	p.sum += usd
	return p.sum, nil
}

func TestDailyLimit(t *testing.T) {
	p := &purse{sum: 0.50}
	c, s := start(t, Config{MaxUSDPerDay: 1, Spend: p.spend})
	usage := &emulator.Usage{PromptTokens: 1e6, TotalTokens: 1e6} // 0.30 USD for flash-lite
	for range 3 {
		s.Script(emulator.Answer{Text: "x", Usage: usage, ModelVersion: lite})
	}
	for i := range 2 {
		if _, err := c.Generate(t.Context(), question(lite)); err != nil {
			t.Fatalf("Generate %d at %v = %v", i, p.sum, err)
		}
	}
	_, err := c.Generate(WithAccount(t.Context(), &Account{Attempts: 3}), question(lite))
	e := failure(t, "Generate", err)
	if e.Kind != Budget || !e.Retryable() || e.RetryAfter <= 0 || e.RetryAfter > 24*time.Hour {
		t.Errorf("Generate over the limit = %v, retry after %v, want %s until midnight", e, e.RetryAfter, Budget)
	}
	for _, part := range []string{"1.10", "1.00", "00:00 UTC", "MAX_USD_PER_DAY"} {
		if !strings.Contains(e.Error(), part) {
			t.Errorf("error %q does not say %q", e, part)
		}
	}
	if len(s.Calls()) != 2 || p.asked != 5 || math.Abs(p.sum-1.10) > 1e-9 {
		t.Errorf("%d calls, sum kept %d times at %v, want 2 calls, 5 times, 1.10", len(s.Calls()), p.asked, p.sum)
	}
	if _, err := c.Generate(t.Context(), question("emulated-judge")); err != nil {
		t.Errorf("Generate of an emulated model over the limit = %v, want an answer: it is free", err)
	}
}

func TestSumCannotBeKept(t *testing.T) {
	p := &purse{broken: errors.New("no such store")}
	c, s := start(t, Config{MaxUSDPerDay: 1, Spend: p.spend})
	_, err := c.Generate(t.Context(), question(lite))
	if e := failure(t, "Generate", err); e.Kind != Unavailable || !strings.Contains(e.Error(), "no such store") || len(s.Calls()) != 0 {
		t.Errorf("Generate without a readable sum = %v after %d calls, want %s and no call", e, len(s.Calls()), Unavailable)
	}

	p.broken = nil
	usage := &emulator.Usage{PromptTokens: 1e6, TotalTokens: 1e6}
	s.Script(emulator.Answer{Text: "x", Usage: usage, ModelVersion: lite}, emulator.Answer{Text: "x", Usage: usage, ModelVersion: lite})
	if err := c.meter.check(t.Context(), lite, time.Now()); err != nil {
		t.Fatal(err)
	}
	p.broken = errors.New("gone again")
	a := &Account{}
	ctx := WithAccount(t.Context(), a)
	if _, err := c.Generate(ctx, question(lite)); err != nil {
		t.Errorf("Generate whose cost cannot be saved = %v, want its answer", err)
	}
	if l := a.Ledger(); len(l.Warnings) != 1 || l.Warnings[0] != WarnNotSummed {
		t.Errorf("warnings = %q, want %q", l.Warnings, WarnNotSummed)
	}
	p.broken = nil
	if _, err := c.Generate(ctx, question(lite)); err != nil {
		t.Fatal(err)
	}
	if math.Abs(p.sum-0.60) > 1e-9 {
		t.Errorf("sum = %v, want both calls' 0.60: what is owed is saved with the next", p.sum)
	}
}

// The cost is saved, whether or not the caller waits for the answer.
func TestCostIsSavedForACallerWhoLeft(t *testing.T) {
	var sum float64
	c, _ := start(t, Config{MaxUSDPerDay: 1, Spend: func(ctx context.Context, usd float64) (float64, error) {
		sum += usd
		return sum, ctx.Err()
	}})
	left, cancel := context.WithCancel(t.Context())
	cancel()
	a := &Account{}
	c.book(WithAccount(left, a), Ledger{USD: 0.25})
	if l := a.Ledger(); sum != 0.25 || len(l.Warnings) != 0 {
		t.Errorf("book(ended context, 0.25) saved %v with warnings %q, want 0.25 and none", sum, l.Warnings)
	}
}

func TestMeterStartsAnewAtMidnight(t *testing.T) {
	p := &purse{sum: 2}
	m := &meter{limit: 1, spend: p.spend}
	evening := time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC)
	if e := m.check(t.Context(), lite, evening); e == nil || e.RetryAfter != time.Hour {
		t.Errorf("check an hour before midnight = %v, want %s for an hour", e, Budget)
	}
	p.sum = 0
	if e := m.check(t.Context(), lite, evening.Add(59*time.Minute)); e == nil {
		t.Errorf("check on the same day = nil, want the remembered sum")
	}
	if e := m.check(t.Context(), lite, evening.Add(time.Hour)); e != nil {
		t.Errorf("check after midnight = %v, want nil", e)
	}
}

// Queries are charged whatever becomes of their answer; from the fourth of an account on,
// the ledger warns.
func TestQueriesAreChargedAndBounded(t *testing.T) {
	c, s := start(t, Config{})
	grounded := func(queries int, a emulator.Answer) emulator.Answer {
		a.Grounding = &emulator.Grounding{Queries: slices.Repeat([]string{"tea"}, queries)}
		a.ModelVersion, a.Usage = judge, &emulator.Usage{}
		return a
	}
	tests := []struct {
		name     string
		answers  []emulator.Answer
		queries  int
		exceeded bool
	}{
		{"two calls, three queries", []emulator.Answer{grounded(2, emulator.Answer{Text: "tea"}), grounded(1, emulator.Answer{Text: "tea"})}, 3, false},
		{"two calls, four queries", []emulator.Answer{grounded(2, emulator.Answer{Text: "tea"}), grounded(2, emulator.Answer{Text: "tea"})}, 4, true},
		{"truncated", []emulator.Answer{grounded(4, emulator.Answer{Text: "te", FinishReason: "MAX_TOKENS"})}, 4, true},
		{"withheld", []emulator.Answer{grounded(2, emulator.Answer{FinishReason: "SAFETY"})}, 2, false},
		{"without text", []emulator.Answer{grounded(2, emulator.Answer{Text: " "})}, 2, false},
	}
	for _, tt := range tests {
		s.ResetScript()
		s.Script(tt.answers...)
		a := &Account{Attempts: 3}
		r := question(judge)
		r.Search = true
		for range tt.answers {
			_, _ = c.Generate(WithAccount(t.Context(), a), r) // some fail
		}
		l := a.Ledger()
		if want := 0.014 * float64(tt.queries); l.Calls.GroundedQueries != tt.queries || math.Abs(l.USD-want) > 1e-9 {
			t.Errorf("%s: %d queries at USD %v, want %d at %v", tt.name, l.Calls.GroundedQueries, l.USD, tt.queries, want)
		}
		if slices.Contains(l.Warnings, WarnQueries) != tt.exceeded {
			t.Errorf("%s: warnings %q, want %s: %v", tt.name, l.Warnings, WarnQueries, tt.exceeded)
		}
	}
	// The cost of an earlier run counts too.
	a := &Account{}
	ctx := WithAccount(t.Context(), a)
	Charge(ctx, Ledger{Calls: Calls{GroundedQueries: 3}})
	split, charge := Split(ctx)
	Charge(split, Ledger{Calls: Calls{GroundedQueries: 1}})
	if part := charge(); slices.Contains(part.Warnings, WarnQueries) || !slices.Contains(a.Ledger().Warnings, WarnQueries) {
		t.Errorf("warnings of the part %q, of the whole %q; want %s of the whole alone", part.Warnings, a.Ledger().Warnings, WarnQueries)
	}
}

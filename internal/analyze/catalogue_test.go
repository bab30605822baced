package analyze_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
)

// A score is reported as it is, and overwrites both confidences.
func TestScoreIsUntouched(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.stock("보리차", "햇살마루", "", catalog.Confirmed, append(slices.Clone(features[:6]), "다른 특징", "또 하나")...)
	b.Gemini.Script(analysis(unclear), judgement(analyze.Judgement{Pick: 1}))
	r, err := b.run(nil)
	if err != nil {
		t.Fatal(err)
	}
	near := b.near()
	p := r.RAGConfidence.Probability
	if diff := p - near[0].Score; diff > 1e-6 || diff < -1e-6 || p == 1 || r.ProductNameConfidence != p || r.BrandConfidence != p {
		t.Errorf("probability %v, confidences %v and %v; want the score %v for all", p, r.ProductNameConfidence, r.BrandConfidence, near[0].Score)
	}
}

// A candidate is shown to the model from the accept threshold on, which is
// compared with the score itself.
func TestAcceptThreshold(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.stock("옥수수차", "다른곳", "", catalog.Unconfirmed, append(slices.Clone(features[:6]), "다른 특징", "또 하나")...)
	score := b.near()[0].Score
	tests := []struct {
		name   string
		accept float64
		judged int
	}{
		{"the score itself", score, 1},
		{"just under it", math.Nextafter(score, 0), 1},
		{"just over it", math.Nextafter(score, 1), 0},
	}
	for _, test := range tests {
		b.config.Space.Accept, b.config.Learn = test.accept, false
		b.build()
		b.Gemini.ResetCalls()
		b.Gemini.Script(analysis(unclear), grounded("It is 햇살마루 보리차."), finding(tea))
		if test.judged > 0 {
			b.Gemini.Script(judgement(analyze.Judgement{}))
		}
		if _, err := b.run(nil); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if kinds, _ := b.calls(); kinds["judge"] != test.judged {
			t.Errorf("accept at %s: a candidate of score %v was judged %d times, want %d", test.name, score, kinds["judge"], test.judged)
		}
	}
}

// A trusted record decides by its GTIN alone, unless the photo has two GTINs or names
// another brand.
func TestGTIN(t *testing.T) {
	const own, foreign = "08801234567893", "00036000291452"
	logo := func(a *analyze.Analysis) { a.VisibleText = []analyze.Line{{Text: "LG", Clear: true}} }
	tests := []struct {
		name     string
		brand    string // of the record of own
		status   catalog.Status
		analysis func(*analyze.Analysis)
		row      int
		gtin     string
		conflict bool
	}{
		{"its record", "햇살마루", catalog.Imported, barcoded(own), 1, own, false},
		{"its record, though the photo is said to show no product", "햇살마루", catalog.Imported, both(barcoded(own), func(a *analyze.Analysis) { a.NotProduct, a.ProductName = true, "" }), 1, own, false},
		{"an unconfirmed record", "햇살마루", catalog.Unconfirmed, barcoded(own), 3, own, false},
		{"another brand", "다른곳", catalog.Confirmed, barcoded(own), 5, own, true},
		{"another name of its brand", "다른곳/햇살마루", catalog.Imported, barcoded(own), 1, own, false},
		{"another brand behind a bare logo, which is never sure", "다른곳", catalog.Confirmed, both(logo, barcoded(own)), 1, own, false},
		{"of two GTINs neither decides", "햇살마루", catalog.Imported, barcoded(own, foreign), 3, "", false},
		{"one read twice", "햇살마루", catalog.Imported, barcoded(own, own), 1, own, false},
		{"no record", "햇살마루", catalog.Imported, barcoded(foreign), 3, foreign, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil)
			b.stock("콜라", test.brand, own, test.status, "콜라", "탄산", "빨간 캔")
			b.Gemini.Script(analysis(test.analysis), grounded("It is 햇살마루 보리차."), finding(tea))
			r, err := b.run(nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Identification == nil || r.Error != "" || r.Decision.Row != test.row || r.GTIN != test.gtin || slices.Contains(r.Warnings, "gtin_conflict") != test.conflict {
				t.Errorf("%+v, error %q, row %d, gtin %q, warnings %q; want row %d, %q, gtin_conflict %v", r.Identification, r.Error, r.Decision.Row, r.GTIN, r.Warnings, test.row, test.gtin, test.conflict)
			}
		})
	}
}

// Two trusted records of a GTIN that name different products are told; one decides.
func TestSharedGTIN(t *testing.T) {
	const own = "08801234567893"
	b := newBench(t, nil)
	for i, name := range []string{"콜라", "콜라 상자"} {
		b.stock(name, "햇살마루", own, catalog.Imported, name, "탄산")
		b.Gemini.Script(analysis(barcoded(own)))
		r, err := b.run(nil)
		if err != nil {
			t.Fatal(err)
		}
		if told := slices.Contains(r.Warnings, "gtin_shared"); r.Decision.Row != 1 || r.Identification == nil || told != (i == 1) {
			t.Errorf("with %d records: %+v, row %d, warnings %q; want row 1, and gtin_shared: %v", i+1, r.Identification, r.Decision.Row, r.Warnings, i == 1)
		}
	}
}

// A brand of the catalogue is unchanged. Another that holds a sub-brand is suspicious,
// and unchanged too.
func TestKnownBrand(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{true, false} {
		b := newBench(t, nil)
		if known {
			b.stock("콜라", "햇살마루 골드", "", catalog.Confirmed, "콜라", "탄산", "빨간 캔")
		}
		b.Gemini.Script(analysis(func(a *analyze.Analysis) {
			unclear(a)
			a.VisibleText[0].Text, a.Brand, a.SubBrands = "햇살마루 골드", "햇살마루 골드", []string{"골드"}
		}), ungrounded(), ungrounded())
		r, err := b.run(nil)
		if err != nil {
			t.Fatal(err)
		}
		suspicious, warned := slices.Contains(r.Decision.Suspicions, analyze.BrandOverextended), slices.Contains(r.Warnings, "brand_may_hold_sub_brand")
		if r.Brand != "햇살마루 골드" || suspicious == known || warned == known {
			t.Errorf("brand %q with suspicions %q, warnings %q where the catalogue has it %v, want it whole", r.Brand, r.Decision.Suspicions, r.Warnings, known)
		}
	}
}

// What search_local_db answers, and which of it the judge sees: at most three, at or
// above the accept threshold of 0.5.
func TestSearchLocalDB(t *testing.T) {
	const gtin = "08801234567893"
	foreign := func(p *catalog.Product) { p.Lang, p.Status = "en", catalog.Unconfirmed }
	coded := func(p *catalog.Product) { p.GTIN = gtin }
	tests := []struct {
		name     string
		stock    func(*bench)
		analysis func(*analyze.Analysis)
		answer   string // "name score, …" or the message
		judged   string // the names
	}{
		{"nothing", nil, nil, "no product is near enough", ""},
		{"no features", func(b *bench) { b.keep("a", 1) }, func(a *analyze.Analysis) { a.KeyFeatures = nil }, "the photo has no features to search by", ""},
		{"one", func(b *bench) { b.keep("a", 0.75) }, nil, "a 0.75", "a"},
		{"one under the threshold", func(b *bench) { b.keep("a", 0.4) }, nil, "a 0.40", ""},
		{"one over, one under", func(b *bench) { b.keep("a", 0.4); b.keep("b", 0.75) }, nil, "b 0.75, a 0.40", "b"},
		{"one under the floor", func(b *bench) { b.keep("a", 0.2) }, nil, "no product is near enough", ""},
		{"the three nearest", func(b *bench) { b.keep("a", 0.6); b.keep("b", 0.9); b.keep("c", 0.8); b.keep("d", 0.7) }, nil, "b 0.90, c 0.80, d 0.70", "b c d"},
		{"those of the language alone", func(b *bench) { b.keep("a", 0.7); b.keep("b", 0.9, foreign) }, nil, "a 0.70", "a"},
		{"one of the name in another language", func(b *bench) { b.keep("a", 0.7); b.keep("보리차", 0.9, foreign) }, nil, "보리차 0.90, a 0.70", "보리차 a"},
		{"one of the GTIN in another language", func(b *bench) { b.keep("a", 0.7); b.keep("b", 0.9, foreign, coded) }, barcoded(gtin), "b 0.90, a 0.70", "b a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil)
			if test.stock != nil {
				test.stock(b)
			}
			change := unclear
			if test.analysis != nil {
				change = both(unclear, test.analysis)
			}
			b.Gemini.Script(analysis(change), embedded(), ungrounded(), ungrounded())
			if test.judged != "" {
				b.Gemini.Script(judgement(analyze.Judgement{}))
			}
			var answer string
			if _, err := b.run(func(e *agent.Event) {
				if e.Kind == agent.ToolResult && e.Tool == "search_local_db" {
					answer = describe(t, e.Data)
				}
			}); err != nil {
				t.Fatal(err)
			}
			if judged := judged(t, b); answer != test.answer || judged != test.judged {
				t.Errorf("search_local_db = %q, judged %q; want %q, %q", answer, judged, test.answer, test.judged)
			}
		})
	}
}

// describe returns the answer of search_local_db in short.
func describe(t *testing.T, data any) string {
	t.Helper()
	raw, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Found   bool
		Message string
		Results []struct {
			Number      int
			ProductName string `json:"product_name"`
			Score       float64
		}
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Found != (len(answer.Results) > 0) || answer.Found == (answer.Message != "") {
		t.Errorf("search_local_db = %s, want results or a message", raw)
	}
	var list []string
	for _, r := range answer.Results {
		if r.Number != 0 {
			t.Errorf("search_local_db numbers %s, want no number", r.ProductName)
		}
		list = append(list, fmt.Sprintf("%s %.2f", r.ProductName, r.Score))
	}
	return strings.Join(list, ", ") + answer.Message
}

// judged returns the names of the candidates that the judge was shown.
func judged(t *testing.T, b *bench) string {
	t.Helper()
	for _, c := range b.Gemini.Calls() {
		for _, text := range c.Texts {
			list, ok := strings.CutPrefix(text, "candidates:\n")
			if !ok {
				continue
			}
			var candidates []struct {
				ProductName string `json:"product_name"`
			}
			if err := json.Unmarshal([]byte(list), &candidates); err != nil {
				t.Fatal(err)
			}
			names := make([]string, len(candidates))
			for i, c := range candidates {
				names[i] = c.ProductName
			}
			return strings.Join(names, " ")
		}
	}
	return ""
}

// The journal keeps which products were found, not their embeddings.
func TestJournalHoldsNoEmbeddings(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.keep("a", 0.75)
	b.journal.Keep = func(_ context.Context, key string, value json.RawMessage) error {
		if strings.HasPrefix(key, "search_local_db ") && (len(value) > 1000 || !strings.Contains(string(value), `"a"`)) {
			t.Errorf("the journal keeps %d bytes of %s, want a without its embedding: %.200s", len(value), key, value)
		}
		return nil
	}
	b.Gemini.Script(analysis(unclear), embedded(), judgement(analyze.Judgement{Pick: 1}))
	if _, err := b.run(nil); err != nil {
		t.Fatal(err)
	}
}

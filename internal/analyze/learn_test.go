package analyze_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
)

// A product that the web has found is in the catalogue for the next photo,
// unconfirmed, with the country and language of the request.
func TestLearnsFromSearch(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.Gemini.Script(analysis(unclear), grounded("It is 햇살마루 보리차."), finding(tea))
	first, err := b.run(nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Gemini.Script(analysis(unclear), judgement(analyze.Judgement{Pick: 1, Reason: "같은 라벨"}))
	second, err := b.run(nil)
	if err != nil {
		t.Fatal(err)
	}
	if first.Source != analyze.FromGoogleSearch || second.Source != analyze.FromLocalDB || second.ProductName != tea.ProductName {
		t.Errorf("sources %q then %q of %q; want google_search, then local_db of %q", first.Source, second.Source, second.ProductName, tea.ProductName)
	}
	if len(first.Citations) != 1 || first.SearchSuggestions == "" || len(second.Citations) != 0 {
		t.Errorf("citations %v, then %v; want those of the search with the search alone", first.Citations, second.Citations)
	}
	saved := b.near()
	if len(saved) != 1 {
		t.Fatalf("catalogue = %v, want one product", saved)
	}
	if p := saved[0]; p.Status != catalog.Unconfirmed || p.Country != "KR" || p.Lang != "ko" || p.UUID == "" || p.CreatedAt.IsZero() {
		t.Errorf("saved %+v, want it unconfirmed, of KR and ko, with uuid and time", p.Product)
	}
}

// A product learnt at 0.6 answers the next photos without a query and is never
// surer than that, whichever embedder it was learnt with.
func TestLearntIsNeverSurer(t *testing.T) {
	t.Parallel()
	for _, embedder := range []string{"gemini-embedding-001", "gemini-embedding-2"} {
		b := newBench(t, func(c *analyze.Config) { c.Space, _ = catalog.VectorSpaceOf(embedder) })
		unsure := tea
		unsure.Probability = 0.6
		b.Gemini.Script(analysis(unclear), grounded("It is 햇살마루 보리차."), finding(unsure))
		if r, err := b.run(nil); err != nil || r.Source != analyze.FromGoogleSearch {
			t.Fatalf("%s: the first photo = %q from %q, %v; want it from google_search", embedder, r.ProductName, r.Source, err)
		}
		for n := range 3 {
			b.Gemini.Script(analysis(unclear), judgement(analyze.Judgement{Pick: 1}))
			r, err := b.run(nil)
			if err != nil || r.Source != analyze.FromLocalDB || r.ModelCalls.GroundedQueries != 0 || r.RAGConfidence.Probability > 0.6 || r.RAGConfidence.Probability < 0.599 {
				t.Fatalf("%s: photo %d = %q from %q at %+v, %d queries, %v; want it from local_db at 0.6 without a query",
					embedder, n+2, r.ProductName, r.Source, r.RAGConfidence, r.ModelCalls.GroundedQueries, err)
			}
			if !slices.Contains(r.Warnings, "unconfirmed_record") || r.Record == nil || r.Record.Status != "unconfirmed" || !strings.HasPrefix(r.Record.LearnedFrom, "sha256:") {
				t.Errorf("%s: photo %d: record %+v, warnings %q; want the unconfirmed record and where it was learnt", embedder, n+2, r.Record, r.Warnings)
			}
		}
	}
}

// A photo of which neither a name nor a brand was read teaches nothing.
func TestNothingReadTeachesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.Gemini.Script(analysis(func(a *analyze.Analysis) {
		unclear(a)
		a.VisibleText = []analyze.Line{{Text: "무가당 500 ml", Clear: true}}
	}), grounded("It is 햇살마루 보리차."), finding(tea))
	r, err := b.run(nil)
	if err != nil || r.Source != analyze.FromGoogleSearch {
		t.Fatalf("Run = %q from %q, %v; want google_search", r.ProductName, r.Source, err)
	}
	if saved := b.near(); len(saved) != 0 {
		t.Errorf("learnt %v, want nothing", saved)
	}
}

// A product found on the web again adds features to its record.
func TestSearchFindsADuplicate(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.stock(tea.ProductName, tea.Brand, "", catalog.Unconfirmed, "전혀", "다른", "특징")
	b.Gemini.Script(analysis(unclear), grounded("It is 햇살마루 보리차."), finding(tea))
	var codes []string
	_, err := b.run(func(e *agent.Event) {
		if e.Kind == agent.ToolResult && e.Tool == "save_to_local_db" {
			data, _ := json.Marshal(e.Data)
			codes = append(codes, string(data))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(codes) != 1 || !strings.Contains(codes[0], `"code":"duplicate"`) {
		t.Errorf("save_to_local_db answered %q, want a duplicate", codes)
	}
	saved := b.near()
	if len(saved) != 1 || len(saved[0].KeyFeatures) != len(features)+3 {
		t.Fatalf("catalogue = %v, want the one product with %d features", saved, len(features)+3)
	}
	if saved[0].Score < b.space.Accept {
		t.Errorf("score of the merged features = %v, want it embedded anew, over %v", saved[0].Score, b.space.Accept)
	}
}

// What is saved, and with which GTIN: one of another product in the catalogue is left
// out.
func TestWhatIsLearnt(t *testing.T) {
	const gtin = "08801234567893"
	found := func(change func(*analyze.Finding)) analyze.Finding {
		f := tea
		change(&f)
		return f
	}
	conflict := func(b *bench) {
		b.stock("콜라", "다른곳", gtin, catalog.Imported, "콜라", "탄산", "빨간 캔")
	}
	tests := []struct {
		name     string
		change   func(*bench)
		analysis func(*analyze.Analysis)
		finding  analyze.Finding
		want     string // "name by brand, category, gtin, provenance", "" for nothing
	}{
		{"a product", nil, unclear, tea, "햇살마루 보리차 by 햇살마루, Beverage, , sha256:abc"},
		{"its photo's place", func(b *bench) { b.req.Origins = []analyze.Origin{{URI: "gs://photos/tea.jpg"}} }, unclear, tea, "햇살마루 보리차 by 햇살마루, Beverage, , gs://photos/tea.jpg"},
		{"its GTIN", nil, both(unclear, barcoded(gtin)), tea, "햇살마루 보리차 by 햇살마루, Beverage, " + gtin + ", sha256:abc"},
		{"not a GTIN of another product", conflict, barcoded(gtin), tea, "햇살마루 보리차 by 햇살마루, Beverage, , sha256:abc"},
		{"not one of two GTINs", nil, both(unclear, barcoded(gtin, "00036000291452")), tea, "햇살마루 보리차 by 햇살마루, Beverage, , sha256:abc"},
		{"the web's category before the photo's", nil, unclear, found(func(f *analyze.Finding) { f.Category = "Tea" }), "햇살마루 보리차 by 햇살마루, Tea, , sha256:abc"},
		{"the photo's category where the web is silent", nil, unclear, found(func(f *analyze.Finding) { f.Category = "" }), "햇살마루 보리차 by 햇살마루, Beverage, , sha256:abc"},
		{"the brand that was read where the web is silent", nil, unclear, found(func(f *analyze.Finding) { f.Brand = "" }), "햇살마루 보리차 by 햇살마루, Beverage, , sha256:abc"},
		{"a product without a brand", nil, both(unclear, func(a *analyze.Analysis) { a.Brand, a.BrandAsPrinted, a.KnownProduct = "", "", analyze.Unsure }), found(func(f *analyze.Finding) { f.Brand = "" }), "햇살마루 보리차 by , Beverage, , sha256:abc"},
		{"no brand that does not stand in the print", nil, both(unclear, func(a *analyze.Analysis) { a.Brand, a.BrandAsPrinted = "다른곳", "다른곳" }), found(func(f *analyze.Finding) { f.Brand = "" }), "햇살마루 보리차 by , Beverage, , sha256:abc"},
		{"nothing that contradicts the print", nil, unclear, found(func(f *analyze.Finding) { f.ProductName, f.Probability = "정원 호스", 1 }), ""},
		{"nothing without a category", nil, both(unclear, func(a *analyze.Analysis) { a.Category = "" }), found(func(f *analyze.Finding) { f.Category = "" }), ""},
		{"nothing when no feature is supported", nil, unclear, found(func(f *analyze.Finding) { f.Supported = nil }), ""},
		{"nothing when only features of its own are", nil, unclear, found(func(f *analyze.Finding) { f.Supported = []string{"금가루"} }), ""},
		{"nothing when it is hardly believed", nil, unclear, found(func(f *analyze.Finding) { f.Probability = 0.29 }), ""},
		{"nothing when nothing was found", nil, unclear, found(func(f *analyze.Finding) { f.Found = false }), ""},
		{"nothing when switched off", func(b *bench) { b.config.Learn = false; b.build() }, unclear, tea, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil)
			b.photo.SHA256 = "abc"
			if test.change != nil {
				test.change(b)
			}
			b.Gemini.Script(analysis(test.analysis), grounded("It is 햇살마루 보리차."), finding(test.finding))
			if _, err := b.run(nil); err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, p := range b.near() {
				if p.Source == "google_search" {
					got += fmt.Sprintf("%s by %s, %s, %s, %s", p.ProductName, p.Brand, p.Category, p.GTIN, strings.Join(p.Provenance, " "))
				}
			}
			if got != test.want {
				t.Errorf("learnt %q, want %q", got, test.want)
			}
		})
	}
}

// The answer is valid even if the catalogue cannot save it.
func TestNotSaved(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.Gemini.Script(analysis(unclear), grounded("It is 햇살마루 보리차."), finding(tea))
	b.Firestore.Fail(firestore.Fault{Method: "Commit", Code: codes.PermissionDenied})
	r, err := b.run(nil)
	if err != nil || r.Source != analyze.FromGoogleSearch || !slices.Contains(r.Warnings, "not_saved") {
		t.Errorf("Run = %q from %q, warnings %q, %v; want google_search with not_saved", r.ProductName, r.Source, r.Warnings, err)
	}
}

// A caller that cancels while the answer is saved gets an error: the run has not
// ended, and is continued later.
func TestCallerLeavesWhileLearning(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.Gemini.Script(analysis(unclear), grounded("It is 햇살마루 보리차."), finding(tea))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := b.pipeline.Run(ctx, b.req, func(e *agent.Event) {
		if e.Kind == agent.ToolCall && e.Tool == "save_to_local_db" {
			cancel()
		}
	})
	if err == nil || ctx.Err() == nil {
		t.Errorf("Run = %v, context %v; want an error of a context that is done", err, ctx.Err())
	}
}

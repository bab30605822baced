package analyze_test

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
)

// A record in another language that is near enough is shown to the model beside neighbours
// in the photo's language that are not.
func TestLanguagesOfCandidates(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.keep("보리차 골드", 0.4)
	b.keep("Barley Tea", 0.75, func(p *catalog.Product) { p.Lang = "en" })
	b.Gemini.Script(analysis(unclear), embedded(), judgement(analyze.Judgement{Pick: 1, Reason: "the same label"}))
	r, err := b.run(nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Source != analyze.FromLocalDB || r.ProductName != "Barley Tea" || r.RAGConfidence.Probability != 0.75 {
		t.Errorf("the result is %q from %q, want Barley Tea from local_db with 0.75", r.ProductName, r.Source)
	}
}

// What the web finds is not stored again beside a record with the former ID of its name, and
// after Rekey not in capitals either.
func TestLettersOfLearntNames(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	p := catalog.Product{
		Shop: "test", ProductName: "Süßes Weißbier", Category: "Beer", KeyFeatures: []string{"5,4 %"}, Country: "KR", Lang: "ko",
		Status: catalog.Unconfirmed, Source: "google_search", Probability: 0.8, Embedder: b.space.ID(), Embedding: axis(0), NameKey: textfold.Former("Süßes Weißbier"),
	}
	id := store.HashID("test", strings.ToLower(strings.TrimSpace(p.Embedder)), "süßes weißbier", "", "kr", "ko")
	if _, err := b.FirestoreClient(t).Collection("products").Doc(id).Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	learn := func(name string) {
		t.Helper()
		reading := both(unclear, read(name), func(a *analyze.Analysis) {
			a.NameAsPrinted, a.ProductName, a.Brand, a.BrandAsPrinted = name, name, "", ""
		})
		b.Gemini.Script(analysis(reading), grounded("It is "+name+"."), finding(analyze.Finding{
			Found: true, ProductName: name, Category: "Beer", Supported: []string{"보리차"}, Probability: 0.8, Evidence: "the same name",
		}))
		var codes []string
		_, err := b.run(func(e *agent.Event) {
			if e.Kind == agent.ToolResult && e.Tool == "save_to_local_db" {
				data, _ := json.Marshal(e.Data)
				codes = append(codes, string(data))
			}
		})
		if err != nil || len(codes) != 1 || !strings.Contains(codes[0], `"code":"duplicate"`) {
			t.Errorf("after %q save_to_local_db answered %q, %v; want a duplicate", name, codes, err)
		}
		stats, err := b.catalog.Stats(t.Context(), "test")
		if err != nil || stats.Records != 1 {
			t.Errorf("after %q the catalogue has %d records, %v; want 1", name, stats.Records, err)
		}
	}
	learn("Süßes Weißbier")
	if done, err := b.catalog.Rekey(t.Context(), "test"); err != nil || done.Moved != 1 {
		t.Errorf("Rekey = %+v, %v; want one moved", done, err)
	}
	learn("SÜSSES WEISSBIER")
}

package analyze_test

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
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

// What the web finds is stored once, however its name is written.
func TestLettersOfLearntNames(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	learn := func(name, want string) {
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
		if err != nil || len(codes) != 1 || !strings.Contains(codes[0], want) {
			t.Errorf("after %q save_to_local_db answered %q, %v; want %s", name, codes, err, want)
		}
		stats, err := b.catalog.Stats(t.Context(), "test")
		if err != nil || stats.Records != 1 {
			t.Errorf("after %q the catalogue has %d records, %v; want 1", name, stats.Records, err)
		}
	}
	learn("Süßes Weißbier", `"id"`)
	learn("SÜSSES WEISSBIER", `"code":"duplicate"`)
}

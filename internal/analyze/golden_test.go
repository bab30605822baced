package analyze_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/goldens"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/expiry"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo"
)

// The result of each row of the decision table, byte by byte.
func TestGolden(t *testing.T) {
	signed := func(a *analyze.Analysis) { a.Brand, a.SubBrands = "햇살마루™ 아침", []string{"아침"} }
	family := func(a *analyze.Analysis) { a.ProductsSeen = 2 }
	least := func(a *analyze.Analysis) { a.ProductNameConfidence = 0.2 }
	tests := []struct {
		file   string
		stock  func(*bench)
		script []emulated.Answer
	}{
		{"1_gtin", func(b *bench) {
			b.keep("보리차 골드", 0.75, func(p *catalog.Product) { p.GTIN = "08801234567893" })
		}, []emulated.Answer{analysis(both(unclear, barcoded("8801234567893")))}},
		{"2_not_a_product", nil, []emulated.Answer{analysis(func(a *analyze.Analysis) {
			*a = analyze.Analysis{NotProduct: true, Description: "산과 <하늘>", KnownProduct: analyze.No, Side: analyze.SideDocument, VisibleText: a.VisibleText[:2]}
		})}},
		{"3_image", nil, []emulated.Answer{analysis(nil)}},
		{"3_image_second_look", nil, []emulated.Answer{
			analysis(func(a *analyze.Analysis) { a.BrandConfidence = 0.8; a.Brand = "햇살마루®" }), judgement(analyze.Judgement{Confirmed: true})}},
		{"4_local_db", func(b *bench) { b.keep("보리차 골드", 0.75) }, []emulated.Answer{analysis(both(unclear, family)), judgement(analyze.Judgement{Pick: 1, Reason: "같은 라벨"})}},
		{"4_local_db_second_look", func(b *bench) { b.keep("보리차 골드", 0.75) }, []emulated.Answer{
			analysis(func(a *analyze.Analysis) { a.BrandConfidence = 0.8 }), judgement(analyze.Judgement{NameAsPrinted: "보리차 골드", BrandAsPrinted: "햇살마루", ProductName: "보리차 골드", Brand: "햇살마루"}),
			judgement(analyze.Judgement{Pick: 1, Reason: "같은 라벨"})}},
		{"5_google_search", nil, []emulated.Answer{analysis(both(unclear, signed)), grounded("It is 햇살마루 보리차."), finding(tea)}},
		{"6_unidentified", nil, []emulated.Answer{analysis(both(unclear, signed)), ungrounded(), ungrounded()}},
		{"6_hardly_seen", nil, []emulated.Answer{analysis(both(unclear, least)), ungrounded(), ungrounded()}},
		{"6_nothing_to_search", nil, []emulated.Answer{analysis(func(a *analyze.Analysis) { unclear(a); a.VisibleText, a.Brand = nil, "" })}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil)
			b.req.Origins, b.photo.SHA256 = []analyze.Origin{{URI: "gs://photos/tea.jpg", Generation: 1700000000000001}}, strings.Repeat("0", 64)
			if test.stock != nil {
				test.stock(b)
			}
			for _, a := range test.script {
				a.Usage = &emulated.Usage{PromptTokens: 1000, CandidateTokens: 100, TotalTokens: 1100}
				b.Gemini.Script(a)
			}
			b.Gemini.Script(embedded())
			r, err := b.run(nil)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, test.file, r)
		})
	}
}

// Further photos of the product come after the first.
func TestGoldenSeveral(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.req.Origins, b.photo.SHA256 = []analyze.Origin{{URI: "gs://photos/front.jpg", Generation: 1700000000000001}}, strings.Repeat("0", 64)
	back, side := *stripes(t, 5), *stripes(t, 3)
	back.SHA256, side.SHA256 = strings.Repeat("1", 64), strings.Repeat("2", 64)
	back.Width, back.Height, side.MIMEType = 480, 640, "image/tiff"
	b.req.More = []*photo.Photo{&back, &side}
	answer := analysis(func(a *analyze.Analysis) { a.ProductsSeen = 1 })
	answer.Usage = &emulated.Usage{PromptTokens: 1000, CandidateTokens: 100, TotalTokens: 1100}
	b.Gemini.Script(answer)
	r, err := b.run(nil)
	if err != nil {
		t.Fatal(err)
	}
	r.ID = "id"
	golden(t, "several_photos", r)
	golden(t, "several_photos_recalled", r.FromCache(b.req, 60*time.Second))
}

// A failure has the cost, and nothing about the product.
func TestGoldenFailure(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.photo.SHA256 = strings.Repeat("0", 64)
	answer := analysis(unclear)
	answer.Usage = &emulated.Usage{PromptTokens: 1000, CandidateTokens: 100, TotalTokens: 1100}
	b.Gemini.Script(answer)
	b.Gemini.SetFaults(emulated.Fault{Type: emulated.Unavailable, Kind: emulated.KindEmbed})
	r, err := b.run(nil)
	if err == nil {
		t.Fatalf("Run = %+v, want the embedding's fault", r)
	}
	golden(t, "failed", r.Failed("the model is not available", true))
}

// Every field of the result of one photo, in its order.
func TestGoldenFields(t *testing.T) {
	retryable := false
	golden(t, "every_field", analyze.Result{
		Error: "error", Description: "description", Message: "message", Retryable: &retryable,
		Identification: &analyze.Identification{
			ProductName: "name", ProductNameConfidence: 0.5, Category: "category", Brand: "brand", BrandConfidence: 0.25,
			ImageFeatures: "features", KeyFeatures: []string{"feature"}, ExpirationDate: "2027.03.15", Source: analyze.FromGoogleSearch,
			RAGConfidence: &analyze.RAGConfidence{Probability: 0.5, Method: "method", Evidence: "evidence"},
		},
		InferenceTime: "1.00s", TokenUsage: analyze.TokenUsage{Input: 1, Output: 2, Total: 3},
		GTIN: "08801234567893", GTINs: []string{"08801234567893", "02012345678903"},
		Expiry:      &expiry.Date{Raw: "raw", Date: "2027-03-15", Precision: expiry.ToDay, Kind: expiry.UseBy, Ambiguous: []string{"2027-03-15"}, Period: "P12M", Computed: true},
		VisibleText: []analyze.Line{{Text: "text", Clear: true, Box: analyze.Box{1, 2, 3, 4}, Photo: 1}},
		Evidence: &analyze.Evidence{
			ProductName: &analyze.Quote{Text: "name", Box: analyze.Box{1, 2, 3, 4}, Photo: 1}, Brand: &analyze.Quote{Text: "brand"},
			ExpirationDate: &analyze.Quote{Text: "date"}, GTIN: &analyze.Quote{Text: "digits"},
		},
		Warnings:  []string{"warning"},
		Decision:  &analyze.Decision{Row: 5, Suspicions: []analyze.Suspicion{analyze.NameUnread}, Steps: []analyze.Step{analyze.StepGoogleSearch}},
		Record:    &analyze.Record{ID: "record", Status: "unconfirmed", LearnedFrom: "gs://photos/first.jpg"},
		Citations: []gemini.Citation{{Title: "title", URI: "https://shop.example/tea"}}, SearchSuggestions: "<b>chips</b>",
		CostUSD: 0.01, ModelCalls: analyze.ModelCalls{Generate: 1, Embed: 2, GroundedQueries: 3}, Models: map[string]string{"asked": "answered"},
		Country: "KR", Lang: "ko", ID: "id", Cached: true, AgeSeconds: 60,
		Image: &analyze.Image{URI: "gs://photos/tea.jpg", Generation: 1, SHA256: "sha256", Width: 2, Height: 3, MIMEType: "image/jpeg", PHash: "0123456789abcdef"},
	})
}

// golden compares r, encoded as in responses, with a file of testdata.
func golden(t *testing.T, name string, r analyze.Result) {
	t.Helper()
	r.InferenceTime = "0.42s"
	var got bytes.Buffer
	e := json.NewEncoder(&got)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name+".json")
	if goldens.Update() {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s is stale: go test ./internal/analyze -update\ngot\n%s\nwant\n%s", file, got.Bytes(), want)
	}
}

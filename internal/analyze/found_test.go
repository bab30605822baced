package analyze_test

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
)

// A foundPhoto is a real photo with the answers of somebody who read it by eye.
type foundPhoto struct {
	id    string
	kind  string // of its truth
	read  analyze.Analysis
	judge *analyze.Judgement // sure of nothing else than the honest reading
	text  string             // of the search
	pages []string
	found *analyze.Finding
}

// foundPhotos returns the photos of a mode in the folder found of the shared data, whose
// answers take the place of the honest ones. It skips the test where there is none.
func foundPhotos(t *testing.T, mode string) (all []foundPhoto) {
	t.Helper()
	root := os.Getenv("WHATIS_SHARED")
	if root == "" {
		t.Skip("WHATIS_SHARED does not name the folder of the shared data: the readings of real photos are not tested")
	}
	truth, err := os.ReadFile(filepath.Join(root, "found/truth.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(truth)) {
		f := strings.Split(line, "\t")
		p, of := foundPhoto{id: f[0], kind: f[2]}, false
		load := func(step string, into any) bool {
			for _, m := range slices.Compact([]string{mode, "honest"}) {
				data, err := os.ReadFile(filepath.Join(root, "found/answers", m, p.id+"."+step+".json"))
				if err == nil {
					if err := json.Unmarshal(data, into); err != nil {
						t.Fatalf("%s/%s.%s: %v", m, p.id, step, err)
					}
					of = of || m == mode
					return true
				}
			}
			return false
		}
		if !load("read", &p.read) {
			continue
		}
		p.found = &analyze.Finding{}
		load("judge", &p.judge)
		var search struct {
			Text    string   `json:"text"`
			Sources []string `json:"sources"`
		}
		load("search", &search)
		load("finding", p.found)
		if !of {
			continue
		}
		p.text, p.pages = cmp.Or(search.Text, "Nothing was found."), search.Sources
		p.convert()
		all = append(all, p)
	}
	if len(all) == 0 {
		t.Fatalf("%s has no readings of mode %s", root, mode)
	}
	return all
}

// convert makes an earlier reading one of today's schema.
func (p *foundPhoto) convert() {
	sides := map[string]analyze.Side{"nutrition": analyze.SideNutrition, "back": analyze.SideBack, "receipt": analyze.SideDocument, "shelf": analyze.SideShelf,
		"barcode": analyze.SideCode, "ingredients": analyze.SideIngredients, "nonproduct": analyze.SideDocument}
	p.read.Side = sides[p.kind]
	if p.read.Side == "" {
		p.read.Side = analyze.SideFront
	}
	for i := range p.read.Dates {
		p.read.Dates[i].Kind = "other"
	}
	if p.read.NameAsPrinted == "" && p.read.Side != analyze.SideLoose {
		p.read.ProductName, p.read.ProductNameConfidence = "", 0 // a kind that the reader chose, of no print
	}
}

// run answers the requests about p with its readings. Where there is none of a second look,
// it reads what was read.
func (p foundPhoto) run(t *testing.T, mode, lang, country string) (analyze.Result, string) {
	t.Helper()
	b := newBench(t, nil)
	b.req.Lang, b.req.Country = lang, country
	var honest foundPhoto
	for _, h := range foundPhotos(t, "honest") {
		if h.id == p.id {
			honest = h
		}
	}
	j, a := p.judge, honest.read
	if j == nil {
		j = &analyze.Judgement{Seen: strings.Join([]string{a.NameAsPrinted, a.BrandAsPrinted}, ", "), NameAsPrinted: a.NameAsPrinted, BrandAsPrinted: a.BrandAsPrinted, Category: a.Category,
			ProductName: a.ProductName, Brand: a.Brand, ProductNameConfidence: a.ProductNameConfidence, BrandConfidence: a.BrandConfidence, Confirmed: true}
	}
	if mode != "wrong" {
		j.Confirmed = p.read.NameAsPrinted == a.NameAsPrinted && p.read.Brand == a.Brand
	}
	grounding := &emulated.Grounding{Queries: []string{"q"}}
	for _, page := range p.pages {
		grounding.Chunks = append(grounding.Chunks, emulated.GroundingChunk{Web: emulated.WebSource{URI: "https://" + page, Title: page}})
	}
	if len(p.pages) > 0 {
		grounding.Supports = []emulated.GroundingSupport{{Segment: emulated.Segment{End: len(p.text), Text: p.text}, Chunks: []int{0}}}
	}
	b.Gemini.Script(emulated.Answer{Kind: answers.KindImage, JSON: p.read})
	for range 2 {
		b.Gemini.Script(judgement(*j), emulated.Answer{Kind: answers.KindSearch, Text: p.text, Grounding: grounding}, finding(*p.found))
	}
	r, err := b.run(nil)
	if err != nil {
		t.Fatalf("%s: %v", p.id, err)
	}
	var calls []string
	for _, c := range b.Gemini.Calls() {
		if c.Kind != emulated.KindEmbed {
			calls = append(calls, string(c.Kind))
		}
	}
	return r, strings.Join(calls, " ")
}

// langOf returns the country and the language in which a photo was asked about.
func langOf(id string) (country, lang string) {
	if id[0] == 'p' {
		return "GB", "en"
	}
	switch {
	case id >= "n44":
		return "CN", "zh"
	case id >= "n41":
		return "IR", "fa"
	case id >= "n32":
		return "SA", "ar"
	case id >= "n26":
		return "TH", "th"
	}
	return "KR", "ko"
}

// outcome is what a found photo came to.
type outcome struct {
	analyze.Result
	calls string
}

// outcomes runs all photos of a mode.
func outcomes(t *testing.T, mode string) map[string]outcome {
	t.Helper()
	all := map[string]outcome{}
	for _, p := range foundPhotos(t, mode) {
		country, lang := langOf(p.id)
		r, calls := p.run(t, mode, lang, country)
		all[p.id] = outcome{r, calls}
		t.Logf("%s %s: row %d %v %s | %s | %s", mode, p.id, r.Decision.Row, r.Decision.Suspicions, told(r), calls, strings.Join(r.Warnings, " "))
	}
	return all
}

// What is read rightly is not accused of words that are not printed and costs no search; the
// web is asked only by a code, a name or a brand.
func TestFoundPhotosReadRightly(t *testing.T) {
	codes, names := 0, 0
	for id, r := range outcomes(t, "honest") {
		for _, s := range []analyze.Suspicion{analyze.NameUnread, analyze.Overconfident} {
			if slices.Contains(r.Decision.Suspicions, s) && r.ProductName != "" {
				t.Errorf("%s is suspected: %s", id, s)
			}
		}
		if r.Error == "" && r.Decision.Row != 3 && r.ProductName != "" && !strings.Contains(r.calls, "search") {
			t.Errorf("%s: %s at row %d", id, r.ProductName, r.Decision.Row)
		}
		switch {
		case !strings.Contains(r.calls, "search"):
		case r.GTIN != "":
			codes++
		default:
			names++
		}
		if strings.Count(r.calls, "search") > 1 {
			t.Errorf("%s: calls %s, want one search at most", id, r.calls)
		}
		if slices.Contains([]string{"p03", "p04", "p08", "p17", "p34", "p69"}, id) && strings.Contains(r.calls, "search") {
			t.Errorf("%s was searched for, and the web cannot know it", id)
		}
	}
	if codes != 5 || names != 3 {
		t.Errorf("%d were searched for by a code and %d by names, want 5 and 3", codes, names)
	}
}

// Each wrong reading is seen by the stronger model, which reads what is printed, and costs no
// search; a finding of a sibling is not believed.
func TestFoundPhotosReadWrongly(t *testing.T) {
	honest := outcomes(t, "honest")
	for mode, want := range map[string]analyze.Suspicion{
		"variant": analyze.NameUnread, "brand_in": analyze.BrandOverextended, "brand_out": analyze.BrandOverextended,
		"brandjoin": analyze.BrandOverextended, "crossbrand": analyze.Translated, "crossname": analyze.Translated,
	} {
		for id, r := range outcomes(t, mode) {
			if !slices.Contains(r.Decision.Suspicions, want) || !strings.Contains(r.calls, "judge") || strings.Contains(r.calls, "search") {
				t.Errorf("%s %s: suspicions %q, calls %s; want %s and a look", mode, id, r.Decision.Suspicions, r.calls, want)
			}
			if right := honest[id]; r.ProductName != right.ProductName || r.Brand != right.Brand {
				t.Errorf("%s %s: %s by %s, want %s by %s", mode, id, r.ProductName, r.Brand, right.ProductName, right.Brand)
			}
		}
	}
	for _, mode := range []string{"translated", "known", "gap", "wrong"} {
		for id, r := range outcomes(t, mode) {
			if r.Decision.Row != 3 && r.ProductName != "" || strings.Contains(r.calls, "search") {
				t.Errorf("%s %s: row %d, calls %s; want the photo to decide without a search", mode, id, r.Decision.Row, r.calls)
			}
		}
	}
	if r := outcomes(t, "sibling")["p46"]; r.RAGConfidence.Probability > 0.5 || !slices.Contains(r.Warnings, "contradicts_print") {
		t.Errorf("the sibling of p46: %s at %v, warnings %q; want 0.5 and contradicts_print", r.ProductName, r.RAGConfidence.Probability, r.Warnings)
	}
}

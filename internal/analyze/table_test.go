package analyze_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
)

// The models whose prices the table test counts.
const (
	reading   = "gemini-3.5-flash-lite"
	judging   = "gemini-3.6-flash"
	embedding = "gemini-embedding-2"
)

// Each scripted answer takes as many tokens.
const tokensIn, tokensOut = 1000, 100

// A scripted photo: the models' answers about it, and the expected result.
type scripted struct {
	name   string
	stock  []catalog.Product // products in the catalogue
	change func(*analyze.Request)
	oneGo  bool              // search and schema in one call
	read   emulated.Answer   // image_analyzer's answer
	then   []emulated.Answer // the later models' answers

	row     int
	calls   string // image, judge, embed, search and structure, in order
	queries int    // executed by the searches
	got     string // "name | brand | source name-confidence/brand-confidence"
	signs   string // suspicions and warnings, in order
}

// ramen returns a clear reading of 오뚜기 진라면 매운맛, changed by edit.
func ramen(edit ...func(*analyze.Analysis)) emulated.Answer {
	a := analyze.Analysis{
		VisibleText: []analyze.Line{{Text: "오뚜기", Clear: true}, {Text: "진라면", Clear: true}, {Text: "매운맛", Clear: true},
			{Text: "끓는 물 550 ml", Clear: true}, {Text: "120 g", Clear: true}},
		NameAsPrinted: "진라면 매운맛", BrandAsPrinted: "오뚜기", SubBrands: []string{}, Dates: []analyze.Date{}, Category: "Instant noodles",
		ImageFeatures: "노란색과 빨간색 봉지", KeyFeatures: []string{"진라면", "매운맛", "120 g", "노란 봉지", "그릇 사진", "끓는 물 550 ml", "고추 그림", "오뚜기 로고"},
		ProductName: "오뚜기 진라면 매운맛", Brand: "오뚜기", ProductNameConfidence: 0.97, BrandConfidence: 0.97,
		KnownProduct: analyze.Yes, ProductsSeen: 1, Side: analyze.SideFront,
	}
	for _, e := range edit {
		e(&a)
	}
	return emulated.Answer{Kind: answers.KindImage, JSON: a}
}

// sinRamen turns ramen into 농심 신라면.
func sinRamen(a *analyze.Analysis) {
	a.VisibleText[0].Text, a.VisibleText[1].Text = "농심", "신라면"
	a.NameAsPrinted, a.BrandAsPrinted, a.ProductName, a.Brand = "신라면", "농심", "농심 신라면", "농심"
	a.KeyFeatures[0], a.KeyFeatures[7] = "신라면", "농심 로고"
}

func known(k analyze.Known) func(*analyze.Analysis) {
	return func(a *analyze.Analysis) { a.KnownProduct = k }
}

func sure(name, brand float64) func(*analyze.Analysis) {
	return func(a *analyze.Analysis) { a.ProductNameConfidence, a.BrandConfidence = name, brand }
}

// branded gives the reading another brand, and its printed part.
func branded(brand, printed, name string, subs ...string) func(*analyze.Analysis) {
	return func(a *analyze.Analysis) {
		a.Brand, a.BrandAsPrinted, a.SubBrands = brand, printed, append([]string{}, subs...)
		a.NameAsPrinted, a.ProductName = name, name
		a.VisibleText = append(a.VisibleText, analyze.Line{Text: printed, Clear: true}, analyze.Line{Text: name, Clear: true})
		a.KeyFeatures = append(slices.Clone(a.KeyFeatures[1:]), name)
	}
}

// blurred marks line n of the reading as not clear.
func blurred(n int, text string) func(*analyze.Analysis) {
	return func(a *analyze.Analysis) { a.VisibleText[n] = analyze.Line{Text: text} }
}

func textless(a *analyze.Analysis) { a.VisibleText, a.KeyFeatures = nil, a.KeyFeatures[3:] }

func nameless(a *analyze.Analysis) {
	a.Brand, a.BrandAsPrinted, a.ProductName, a.NameAsPrinted = "", "", "", ""
}

// looked returns an answer of the stronger model that reports no reading, or only names.
func looked(confirmed bool, pick int, names ...string) emulated.Answer {
	j := analyze.Judgement{Seen: "라면 봉지", Confirmed: confirmed, Pick: pick, Reason: "보이는 대로"}
	if len(names) == 2 {
		j.ProductName, j.Brand = names[0], names[1]
	}
	return judgement(j)
}

// rereads returns a look of the stronger model that reads these names itself, surely.
func rereads(confirmed bool, name, brand string, edit ...func(*analyze.Judgement)) emulated.Answer {
	j := analyze.Judgement{Seen: "It says " + brand + " and " + name + ".", NameAsPrinted: name, BrandAsPrinted: brand, Category: "Food",
		ProductName: name, Brand: brand, ProductNameConfidence: 0.95, BrandConfidence: 0.95, Confirmed: confirmed, Reason: "보이는 대로"}
	for _, e := range edit {
		e(&j)
	}
	return judgement(j)
}

// unsurely makes a second look unsure of what it reads.
func unsurely(j *analyze.Judgement) { j.ProductNameConfidence, j.BrandConfidence = 0.6, 0.6 }

// searched returns the answer of a search with the given number of queries. It cites
// pages, which support it.
func searched(queries int, pages, carried bool) emulated.Answer {
	g := &emulated.Grounding{}
	for i := range queries {
		g.Queries = append(g.Queries, fmt.Sprint("query ", i))
	}
	const text = "It is 오뚜기 진라면 매운맛."
	if pages {
		g.Chunks = []emulated.GroundingChunk{{Web: emulated.WebSource{URI: "https://shop.example/ramen", Title: "shop.example"}}}
	}
	if carried {
		g.Supports = []emulated.GroundingSupport{{Segment: emulated.Segment{End: len(text), Text: text}, Chunks: []int{0}}}
	}
	return emulated.Answer{Kind: answers.KindSearch, Text: text, Grounding: g}
}

// proposing makes a search propose another one.
func proposing(a emulated.Answer) emulated.Answer {
	a.Text += "\nSearch again: 오뚜기 진라면"
	return a
}

// foundAt returns the finding of the ramen with a probability.
func foundAt(probability float64) emulated.Answer {
	return findingOf("진라면 매운맛", "오뚜기", probability)
}

// findingOf returns the finding of a product with a probability.
func findingOf(name, brand string, probability float64, edit ...func(*analyze.Finding)) emulated.Answer {
	f := analyze.Finding{Evidence: "이름이 같다", Supported: []string{"매운맛"}, ProductName: name, Brand: brand,
		Category: "Instant noodles", Found: true, Probability: probability}
	for _, e := range edit {
		e(&f)
	}
	return finding(f)
}

// near returns a product of the catalogue whose score for the photo is cos.
func near(name, brand string, cos float64, status catalog.Status, edit ...func(*catalog.Product)) catalog.Product {
	p := catalog.Product{ProductName: name, Brand: brand, Category: "Noodles", KeyFeatures: []string{"라면"}, Status: status, Vectors: catalog.Vectors{Embedding: axis(cos)}}
	for _, e := range edit {
		e(&p)
	}
	return p
}

func learnt(probability float64) func(*catalog.Product) {
	return func(p *catalog.Product) { p.Probability, p.Provenance = probability, []string{"gs://photos/first.jpg"} }
}

func coded(p *catalog.Product) { p.GTIN = "08801234567893" }

func look(l analyze.SecondLook) func(*analyze.Request) {
	return func(r *analyze.Request) { r.SecondLook = l }
}

func strictly(r *analyze.Request) { r.Policy, _ = analyze.PolicyNamed("strict") }

// blocked returns the answer of a call that the service refuses.
func blocked(k emulated.Kind) emulated.Answer { return emulated.Answer{Kind: k, BlockReason: "SAFETY"} }

const code = "8801234567893"

var (
	jin       = "오뚜기 진라면 매운맛 | 오뚜기 | image 0.97/0.97"
	fromWeb   = "진라면 매운맛 | 오뚜기 | google_search 0.8/0.8"
	confirmed = looked(true, 0, "진라면 매운맛", "오뚜기")
	held      = looked(false, 0)
	web       = []emulated.Answer{searched(1, true, true), foundAt(0.8)}
)

// then returns answers as one list, in order.
func then(answers ...any) []emulated.Answer {
	var all []emulated.Answer
	for _, a := range answers {
		switch a := a.(type) {
		case emulated.Answer:
			all = append(all, a)
		case []emulated.Answer:
			all = append(all, a...)
		}
	}
	return all
}

// scriptedTable returns all scripted photos.
func scriptedTable() []scripted {
	return slices.Concat(rowsTable, brandTable, lookTable, failureTable, webTable, pickTable, brandlessTable)
}

// The decision table as users meet it: scripted answers through every row and
// suspicion, each with its row, its calls and queries in order, and its price.
func TestScriptedTable(t *testing.T) {
	t.Parallel()
	for _, test := range scriptedTable() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := test.bench(t)
			test.fill(b)
			b.script(append([]emulated.Answer{test.read}, test.then...)...)
			r, err := b.run(nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := b.made(); got != test.calls || r.ModelCalls.GroundedQueries != test.queries {
				t.Errorf("calls = %s, %d queries; want %s, %d queries", got, r.ModelCalls.GroundedQueries, test.calls, test.queries)
			}
			if r.Decision.Row != test.row || told(r) != test.got || signs(r) != test.signs {
				t.Errorf("row %d: %s, signs %q; want row %d: %s, signs %q", r.Decision.Row, told(r), signs(r), test.row, test.got, test.signs)
			}
			if want := priceOfCalls(test.calls, test.queries); math.Abs(r.CostUSD-want) > embeddingUSD {
				t.Errorf("cost_usd = %v, want %v for %s, %d queries", r.CostUSD, want, test.calls, test.queries)
			}
			if r.Decision.Row == 6 && (r.RAGConfidence.Probability > 0.3 || r.ProductNameConfidence > 0.6 || r.ProductName != "" && r.BrandConfidence > 0.6) {
				t.Errorf("row 6 at %v, %v/%v; want 0.3 and 0.6 at most", r.RAGConfidence.Probability, r.ProductNameConfidence, r.BrandConfidence)
			}
			if b.Gemini.Scripted() != 0 {
				t.Errorf("%d scripted answers were not asked for", b.Gemini.Scripted())
			}
		})
	}
}

// bench returns a bench for test, with an empty catalogue.
func (test scripted) bench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, func(c *analyze.Config) {
		c.Models.Image, c.Models.Judge, c.SearchWithSchema = reading, judging, test.oneGo
		c.Space, _ = catalog.VectorSpaceOf(embedding)
	})
	b.space = b.config.Space
	if test.change != nil {
		test.change(&b.req)
	}
	return b
}

// fill puts test's products into the catalogue of b's shop.
func (test scripted) fill(b *bench) {
	for _, p := range test.stock {
		b.keep(p.ProductName, 0, func(kept *catalog.Product) {
			p.Shop, p.Country, p.Lang, p.Vectors.Embedder, p.Source = b.config.Shop, kept.Country, kept.Lang, kept.Vectors.Embedder, kept.Source
			*kept = p
		})
	}
}

// script queues answers, with their tokens and an embedding for axis' scores.
func (b *bench) script(all ...emulated.Answer) {
	for _, a := range append(all, embedded()) {
		a.Usage = &emulated.Usage{PromptTokens: tokensIn, CandidateTokens: tokensOut, TotalTokens: tokensIn + tokensOut}
		a.ModelVersion = judging
		switch a.Kind {
		case answers.KindImage:
			a.ModelVersion = reading
		case emulated.KindEmbed:
			a.Match = func(*emulated.Request) bool { return true }
			a.ModelVersion = embedding
		}
		b.Gemini.Script(a)
	}
}

// made returns the model calls so far, in order, and drops an unused scripted
// embedding.
func (b *bench) made() string {
	var calls []string
	for _, c := range b.Gemini.Calls() {
		calls = append(calls, string(c.Kind))
	}
	if !slices.Contains(calls, string(emulated.KindEmbed)) {
		b.Gemini.ResetScript()
	}
	return strings.Join(calls, " ")
}

// embeddingUSD is more than an embedding of a photo's features costs, and less
// than any other call.
const embeddingUSD = 0.0001

// priceOfCalls returns the cost of calls and queries by today's prices, without
// embeddings.
func priceOfCalls(calls string, queries int) float64 {
	planned := []gemini.Planned{{Model: judging, Queries: queries}}
	for _, kind := range strings.Fields(calls) {
		switch kind {
		case "image":
			planned = append(planned, gemini.Planned{Model: reading, Input: tokensIn, Output: tokensOut})
		case "judge", "search", "structure":
			planned = append(planned, gemini.Planned{Model: judging, Input: tokensIn, Output: tokensOut})
		}
	}
	return gemini.EstimateAt(time.Now(), planned...)
}

func told(r analyze.Result) string {
	if r.Identification == nil {
		return r.Error
	}
	return fmt.Sprintf("%s | %s | %s %.4g/%.4g", r.ProductName, r.Brand, r.Source, r.ProductNameConfidence, r.BrandConfidence)
}

func signs(r analyze.Result) string {
	var all []string
	for _, s := range r.Decision.Suspicions {
		all = append(all, string(s))
	}
	return strings.Join(append(all, r.Warnings...), " ")
}

package analyze_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/photo"
)

func TestMain(m *testing.M) { emulate.Run(m) }

// bench is a pipeline over emulators.
type bench struct {
	*emulate.World
	t        *testing.T
	catalog  *catalog.Catalog
	model    *gemini.Client
	space    catalog.VectorSpace
	config   analyze.Config
	pipeline *analyze.Pipeline
	photo    *photo.Photo
	req      analyze.Request  // the request of run
	journal  jobs.Checkpoints // of the runs
}

func newBench(t *testing.T, change func(*analyze.Config)) *bench {
	t.Helper()
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	space, err := catalog.VectorSpaceOf("emulated-embedding")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{World: w, t: t, catalog: catalog.New(w.FirestoreClient(t)), model: model, space: space, photo: picture(t)}
	b.config = analyze.Config{
		Gemini: model, Catalog: b.catalog, Space: space, Shop: "test", Learn: true,
		Models: analyze.Models{Image: "emulated-image", Judge: "emulated-judge"},
	}
	if change != nil {
		change(&b.config)
	}
	b.build()
	b.req = analyze.Request{Photo: b.photo, Country: "KR", Lang: "ko", Policy: policyNamed(t, "seed")}
	return b
}

// build makes the pipeline of b's configuration.
func (b *bench) build() {
	b.t.Helper()
	var err error
	if b.pipeline, err = analyze.New(b.config); err != nil {
		b.t.Fatal(err)
	}
}

func policyNamed(t *testing.T, name string) analyze.Policy {
	t.Helper()
	p, err := analyze.PolicyNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// picture returns an arbitrary photo.
func picture(t *testing.T) *photo.Photo {
	t.Helper()
	return stripes(t, 7)
}

// stripes returns another such photo for each step.
func stripes(t *testing.T, step int) *photo.Photo {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 64, 48))
	for i := range m.Pix {
		m.Pix[i] = color.Gray{Y: uint8(i * step)}.Y
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	p, err := photo.Prepare(b.Bytes(), photo.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stock puts a product into the catalogue; brand may be two names of it, with a slash
// between them.
func (b *bench) stock(name, brand, gtin string, status catalog.Status, features ...string) {
	b.t.Helper()
	brand, alias, _ := strings.Cut(brand, "/")
	v, err := b.model.Embed(b.t.Context(), gemini.EmbedRequest{Model: b.space.Model, Prefix: b.space.Prefix, Texts: []string{strings.Join(features, " ")}})
	if err != nil {
		b.t.Fatal(err)
	}
	_, err = b.catalog.Create(b.t.Context(), catalog.Product{
		Shop: "test", ProductName: name, Brand: brand, BrandAliases: []string{alias}, Category: "Beverage", KeyFeatures: features, GTIN: gtin,
		Country: "KR", Lang: "ko", Status: status, Source: "import", Vectors: catalog.Vectors{Embedder: b.space.ID(), Embedding: v[0]},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.Gemini.ResetCalls()
}

func (b *bench) run(watch func(*agent.Event)) (analyze.Result, error) {
	b.t.Helper()
	r, err := b.pipeline.Run(jobs.WithCheckpoints(b.t.Context(), b.journal), b.req, watch)
	for _, code := range r.Warnings {
		if !slices.Contains(analyze.Warnings, code) && !slices.Contains(gemini.Warnings, code) {
			b.t.Errorf("the result warns of %q, which is not listed", code)
		}
	}
	return r, err
}

// calls counts the model calls by kind and how often each model got the photo.
func (b *bench) calls() (kinds map[emulated.Kind]int, photos map[string]int) {
	kinds = map[emulated.Kind]int{}
	for _, c := range b.Gemini.Calls() {
		kinds[c.Kind]++
	}
	return kinds, b.shown(b.photo)
}

// shown counts how often each model got the bytes of p.
func (b *bench) shown(p *photo.Photo) map[string]int {
	sum := sha256.Sum256(p.Sent)
	models := map[string]int{}
	for _, c := range b.Gemini.Calls() {
		for _, in := range c.Inline {
			if in.SHA256 == hex.EncodeToString(sum[:]) {
				models[c.Model]++
			}
		}
	}
	return models
}

var features = []string{"보리차", "볶은 곡물", "500 ml", "초록 라벨", "페트병", "무가당", "카페인 없음", "국산 보리"}

// analysis returns the reading of a clear pack, changed by edit.
func analysis(edit func(*analyze.Analysis)) emulated.Answer {
	a := analyze.Analysis{
		VisibleText: []analyze.Line{{Text: "햇살마루", Clear: true}, {Text: "보리차", Clear: true}, {Text: "볶은 곡물 500 ml", Clear: true},
			{Text: "소비기한 2027.03.15", Clear: true}},
		NameAsPrinted: "보리차", BrandAsPrinted: "햇살마루", SubBrands: []string{}, Category: "Beverage",
		Dates:         []analyze.Date{{Text: "2027.03.15", Label: "소비기한", Kind: "use_by"}},
		ImageFeatures: "초록 라벨의 페트병", KeyFeatures: features, ProductName: "보리차", Brand: "햇살마루",
		ProductNameConfidence: 0.95, BrandConfidence: 0.95, KnownProduct: analyze.Yes, ProductsSeen: 1, Side: analyze.SideFront,
	}
	if edit != nil {
		edit(&a)
	}
	return emulated.Answer{Kind: answers.KindImage, JSON: a}
}

func unclear(a *analyze.Analysis) { a.ProductNameConfidence, a.BrandConfidence = 0.5, 0.5 }

func judgement(j analyze.Judgement) emulated.Answer {
	return emulated.Answer{Kind: answers.KindJudge, JSON: j}
}

func grounded(text string) emulated.Answer {
	return emulated.Answer{Kind: answers.KindSearch, Text: text, Grounding: &emulated.Grounding{
		Queries:  []string{"햇살마루 보리차"},
		Chunks:   []emulated.GroundingChunk{{Web: emulated.WebSource{URI: "https://shop.example/tea", Title: "shop.example"}}},
		Supports: []emulated.GroundingSupport{{Segment: emulated.Segment{End: len(text), Text: text}, Chunks: []int{0}}},
		Entry:    &emulated.SearchEntryPoint{HTML: "<b>chips</b>"},
	}}
}

// ungrounded finds nothing, and proposes another search.
func ungrounded() emulated.Answer {
	return emulated.Answer{Kind: answers.KindSearch, Text: "Nothing was found.\nSearch again: 햇살마루 보리차", Grounding: &emulated.Grounding{Queries: []string{"보리차"}}}
}

func finding(f analyze.Finding) emulated.Answer {
	return emulated.Answer{Kind: answers.KindStructure, JSON: f}
}

var tea = analyze.Finding{Found: true, ProductName: "햇살마루 보리차", Brand: "햇살마루", Category: "Beverage", Supported: []string{"보리차"}, Probability: 0.8, Evidence: "이름이 같다"}

// vector returns the embedding of features.
func vector(b *bench) []float32 {
	b.t.Helper()
	v, err := b.model.Embed(b.t.Context(), gemini.EmbedRequest{Model: b.space.Model, Prefix: b.space.Prefix, Texts: []string{strings.Join(features, " ")}})
	if err != nil {
		b.t.Fatal(err)
	}
	return v[0]
}

// near returns the products of the catalogue near features.
func (b *bench) near() []catalog.Match {
	b.t.Helper()
	matches, err := b.catalog.Nearest(b.t.Context(), catalog.Query{Shop: "test", Space: b.space, Vector: vector(b), Limit: 3})
	if err != nil {
		b.t.Fatal(err)
	}
	return matches
}

// barcoded adds clear lines to an analysis, and a barcode somewhere.
func barcoded(lines ...string) func(*analyze.Analysis) {
	return both(read(lines...), func(a *analyze.Analysis) { a.Codes = append(a.Codes, analyze.Code{}) })
}

// read adds clear lines to an analysis.
func read(lines ...string) func(*analyze.Analysis) {
	return func(a *analyze.Analysis) {
		for _, l := range lines {
			a.VisibleText = append(a.VisibleText, analyze.Line{Text: l, Clear: true})
		}
	}
}

// both combines several changes.
func both(changes ...func(*analyze.Analysis)) func(*analyze.Analysis) {
	return func(a *analyze.Analysis) {
		for _, change := range changes {
			change(a)
		}
	}
}

// axis returns a unit vector whose cosine to axis(1) is c: exact for 1 and for 3/4.
func axis(c float64) []float32 {
	v := make([]float32, catalog.Dimensions)
	v[0] = float32(c)
	for i := range 7 {
		v[i+1] = float32(math.Sqrt((1 - c*c) / 7))
	}
	return v
}

// keep puts a product of 햇살마루 into the catalogue whose score will be c for a
// photo embedded as axis(1).
func (b *bench) keep(name string, c float64, edit ...func(*catalog.Product)) {
	b.t.Helper()
	p := catalog.Product{
		Shop: "test", ProductName: name, Brand: "햇살마루", Category: "Tea", KeyFeatures: []string{"보리차"},
		Country: "KR", Lang: "ko", Status: catalog.Confirmed, Source: "import", Vectors: catalog.Vectors{Embedder: b.space.ID(), Embedding: axis(c)},
	}
	for _, e := range edit {
		e(&p)
	}
	if _, err := b.catalog.Create(b.t.Context(), p); err != nil {
		b.t.Fatal(err)
	}
}

// embedded is the embedding of the photo that keep's scores refer to.
func embedded() emulated.Answer {
	return emulated.Answer{Kind: emulated.KindEmbed, Embeddings: [][]float32{axis(1)}}
}

package analyze

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/textfold"
)

// nearest is how many products a vector search returns at most.
const nearest = 3

// searchQuery is the input of search_local_db.
type searchQuery struct {
	KeyFeatures []string `json:"key_features"`
}

// searchAnswer is the output of search_local_db.
type searchAnswer struct {
	Found   bool        `json:"found"`
	Results []candidate `json:"results,omitempty"`
	Message string      `json:"message,omitempty"`
}

// searchLocalDB calls search_local_db with the photo's features and keeps the candidates
// that are near enough for the model to see.
func (r *rag) searchLocalDB(ctx context.Context) error {
	r.facts.searched = true
	r.steps = append(r.steps, StepSearchLocalDB)
	tool := agent.Tool[searchQuery, searchAnswer]{Name: "search_local_db", Do: r.doSearch}
	features := r.facts.analysis.KeyFeatures
	if j := r.facts.judgement; j.reads() { // the names that a second look read say most
		features = distinct(slices.Concat([]string{j.Brand, j.ProductName}, features), maxFeatures)
	}
	_, err := tool.Call(ctx, searchQuery{KeyFeatures: features})
	return err
}

// readNames returns the names that the product may have in the catalogue: as
// printed, as named, and as a second look named it.
func (r *rag) readNames() []string {
	names := []string{r.facts.analysis.NameAsPrinted, r.facts.analysis.ProductName, r.facts.analysis.NameLocal}
	if j := r.facts.judgement; j != nil {
		names = append(names, j.ProductName)
	}
	return names
}

// sureBrand returns the brand that was read, "" unless its confidence is high.
func (r *rag) sureBrand() string {
	if r.facts.analysis.BrandConfidence > confident {
		return r.facts.analysis.Brand
	}
	return ""
}

func (r *rag) doSearch(ctx context.Context, q searchQuery) (searchAnswer, error) {
	found, err := r.nearest(ctx, q)
	if err != nil {
		return searchAnswer{}, err
	}
	var matches []hit
	best := 0.0
	for _, f := range found {
		if r.facts.excludes(f.ProductName, f.Brand) {
			continue
		}
		if !f.NearDuplicate {
			matches, best = append(matches, f), max(best, f.Score)
		}
		if f.NearDuplicate || f.Score >= r.Space.Accept {
			r.facts.candidates = append(r.facts.candidates, f)
		}
	}
	slog.DebugContext(ctx, "analyze: search_local_db", "found", len(matches), "accepted", len(r.facts.candidates),
		"best", best, "floor", r.Space.Floor, "accept", r.Space.Accept)
	switch {
	case len(matches) > 0:
		return searchAnswer{Found: true, Results: described(matches)}, nil
	case len(q.KeyFeatures) == 0:
		return searchAnswer{Message: "the photo has no features to search by"}, nil
	}
	return searchAnswer{Message: "no product is near enough"}, nil
}

// A hit is a possible product of the photo: from the catalogue, by its features, or
// from a near duplicate of the photo.
type hit struct {
	catalog.Match
	NearDuplicate bool `json:",omitempty"`
}

// nearest searches the catalogue, and adds the products of near duplicates. The
// hits are journalled, because the judgement names a candidate by its number: a run
// resumed after it must see the same ones.
func (r *rag) nearest(ctx context.Context, q searchQuery) ([]hit, error) {
	if len(q.KeyFeatures) == 0 && len(r.req.Near) == 0 {
		return nil, nil
	}
	if len(q.KeyFeatures) > 0 {
		var err error
		r.embedding, err = jobs.Once(ctx, jobs.Key("embedding", r.Space.ID(), q.KeyFeatures), func(ctx context.Context) ([]float32, error) {
			return r.embed(ctx, q.KeyFeatures)
		})
		if err != nil {
			return nil, err
		}
	}
	return jobs.Once(ctx, r.req.key("search_local_db", r.Shop, r.Space.ID(), r.sureBrand(), r.gtins, r.readNames(), q.KeyFeatures), r.searchWithNearDuplicates)
}

func (r *rag) searchWithNearDuplicates(ctx context.Context) ([]hit, error) {
	var hits []hit
	if r.embedding != nil {
		matches, err := r.Catalog.Search(ctx, catalog.Query{
			Shop: r.Shop, Lang: r.req.Lang, Brand: r.sureBrand(), Space: r.Space, Vector: r.embedding,
			GTINs: r.gtins, Names: r.readNames(), Limit: nearest,
		})
		if err != nil {
			return nil, err
		}
		for _, m := range matches {
			hits = append(hits, hit{Match: m})
		}
	}
	for _, m := range r.req.Near[:min(nearest, len(r.req.Near))] {
		known := slices.ContainsFunc(hits, func(h hit) bool {
			same := textfold.Name(h.ProductName) == textfold.Name(m.ProductName) && textfold.Name(h.Brand) == textfold.Name(m.Brand)
			return same && (h.NearDuplicate || h.Score >= r.Space.Accept)
		})
		if !known {
			hits = append(hits, hit{Match: m, NearDuplicate: true})
		}
	}
	return hits, nil
}

// embed returns the embedding of features joined by spaces.
func (r *rag) embed(ctx context.Context, features []string) ([]float32, error) {
	vectors, err := r.Gemini.Embed(ctx, gemini.EmbedRequest{
		Model: r.Space.Model, Prefix: r.Space.Prefix, Texts: []string{strings.Join(features, " ")},
	})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

// savedProduct is the input of save_to_local_db. Country and language come from the
// request, never from a model.
type savedProduct struct {
	ProductName string   `json:"product_name"`
	Brand       string   `json:"brand"`
	Category    string   `json:"category"`
	KeyFeatures []string `json:"key_features"`
	Source      Source   `json:"source"`
	Country     string   `json:"country"`
	Lang        string   `json:"lang"`
}

// saveAnswer is the output of save_to_local_db: the document's ID, or the code of
// the refusal.
type saveAnswer struct {
	Saved bool   `json:"saved"`
	ID    string `json:"id,omitempty"`
	Code  string `json:"code,omitempty"`
}

// refusal returns the code with which save_to_local_db refuses p, "" if it does not.
func (p savedProduct) refusal() string {
	switch {
	case p.Source == FromImage:
		return "source_image_not_allowed"
	case p.Source == FromLocalDB:
		return "source_local_db_not_allowed"
	case p.Source != FromGoogleSearch || p.ProductName == "" || p.Category == "" || len(p.KeyFeatures) == 0:
		return "missing_required_fields"
	}
	return ""
}

// saveWithin bounds the time to save an answer to the catalogue.
const saveWithin = 10 * time.Second

// learn calls save_to_local_db with what the web search found and the photo
// supports, if Config.Learn is set and a name or a brand was read. If saving fails,
// the answer stays valid and gets a warning.
func (r *rag) learn(ctx context.Context) error {
	f := r.facts.finding
	if r.row != rowWeb || !r.Learn || !f.learnable() || r.evidence.ProductName == nil && r.evidence.Brand == nil {
		return nil
	}
	brand := f.Brand
	if f.brandRead && r.evidence.Brand == nil {
		brand = ""
	}
	saving, cancel := context.WithTimeout(ctx, saveWithin)
	defer cancel()
	tool := agent.Tool[savedProduct, saveAnswer]{Name: "save_to_local_db", Do: r.doSave}
	saved, err := tool.Call(saving, savedProduct{
		ProductName: f.ProductName, Brand: brand, Category: cmp.Or(f.Category, r.facts.analysis.Category), KeyFeatures: r.facts.analysis.KeyFeatures,
		Source: FromGoogleSearch, Country: r.req.Country, Lang: r.req.Lang,
	})
	slog.DebugContext(ctx, "analyze: save_to_local_db", "saved", saved.Saved, "id", saved.ID, "code", saved.Code, "error", err)
	if err != nil && ctx.Err() == nil {
		r.warnings = append(r.warnings, warnNotSaved)
		err = nil
	}
	return err
}

func (r *rag) doSave(ctx context.Context, p savedProduct) (saveAnswer, error) {
	if code := p.refusal(); code != "" {
		return saveAnswer{Code: code}, nil
	}
	gtin := r.gtin()
	if r.facts.gtinConflict() { // the catalogue has it for another product
		gtin = ""
	}
	id, err := r.Catalog.Create(ctx, catalog.Product{
		UUID: uuid.NewString(), Shop: r.Shop, ProductName: p.ProductName, Brand: p.Brand, Category: p.Category,
		KeyFeatures: p.KeyFeatures, GTIN: gtin, Country: p.Country, Lang: p.Lang,
		Status: catalog.Unconfirmed, Probability: r.facts.finding.Probability, Source: string(p.Source), Provenance: r.provenance(), CreatedAt: time.Now().UTC(),
		Vectors: catalog.Vectors{Embedder: r.Space.ID(), Embedding: r.embedding},
	})
	if errors.Is(err, catalog.ErrDuplicate) {
		return saveAnswer{ID: id, Code: "duplicate"}, r.Catalog.AddFeatures(ctx, id, p.KeyFeatures, catalog.Embedder{Space: r.Space, Embed: r.embed})
	}
	return saveAnswer{Saved: err == nil, ID: id}, err
}

// provenance returns the photos that were identified; the grounding links may not
// be stored.
func (r *rag) provenance() []string {
	var from []string
	for _, p := range r.req.distinctPhotos() {
		from = append(from, "sha256:"+p.SHA256)
	}
	if uri := r.req.Origin(0).URI; uri != "" {
		from[0] = uri
	}
	return from
}

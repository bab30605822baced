package analyze

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/gemini"
)

// rag is one run of rag_agent: it makes the moves that the decision table asks
// for until a row decides.
type rag struct {
	*Pipeline
	reading imageReading
	req     Request // with the photos that the models may see
	began   time.Time
	facts   facts
	verdict *review.Verdict // what people say of the photos; nil if nothing
	row     row
	codes   []code
	gtins   []string // GTIN-14, from pixels or clear text, not restricted
	// otherCodes are all codes, if some are not in codes because they stand on photos of
	// other products.
	otherCodes []code
	expiry     expiryFinding
	evidence   Evidence
	text       []Line // in which the evidence was looked for
	embedding  []float32
	found      *gemini.Response // the web search's last answer
	queries    int              // executed by the web searches
	steps      []Step
	warnings   []string
}

// ragAgent follows the decision table with the result of image_analyzer.
func (p *Pipeline) ragAgent(ctx context.Context, r *run) error {
	rag := rag{Pipeline: p, reading: r.reading, req: r.reading.req, began: time.Now()}
	err := rag.decide(ctx)
	if err == nil {
		r.result = rag.result()
	}
	return err
}

// decide follows the decision table to the row that decides.
func (r *rag) decide(ctx context.Context) error {
	if err := r.gatherFacts(ctx); err != nil {
		return err
	}
	for {
		decided, next := r.facts.next()
		slog.DebugContext(ctx, "analyze: decision table", "row", int(decided), "next", next.String(),
			"suspicions", r.facts.suspicions, "candidates", len(r.facts.candidates), "queries", r.queries)
		var err error
		switch next {
		case answer:
			r.row = decided
			return r.learn(ctx)
		case searchDB:
			err = r.searchLocalDB(ctx)
		case judge:
			err = r.askJudge(ctx)
		case searchWeb:
			err = r.googleSearch(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// gatherFacts gathers the facts that need no further model call.
func (r *rag) gatherFacts(ctx context.Context) error {
	a := r.reading.analysis
	if len(r.reading.injected) > 0 {
		r.warnings = append(r.warnings, warnPromptInjection)
	}
	a.Brand = withoutSigns(a.Brand)
	named := a.ProductNameConfidence
	r.warnings = append(r.warnings, a.enforcePromptRules()...)
	r.gateNames(&a)
	r.placeClaims(a)
	r.facts = facts{
		policy: r.req.Policy, secondLook: r.req.SecondLook, first: a, analysis: a, named: named,
		code: cmp.Or(strings.TrimLeft(r.gtin(), "0"), isbnOf(a.VisibleText)), injected: r.reading.unplaced || r.reading.nameless,
	}
	brands, names := a.keys()
	keys := catalog.Keys{Shop: r.Shop, GTIN: r.gtin(), Country: r.req.Country, Brands: brands, Names: names}
	if !r.req.Unreviewed {
		keys.Photo = r.req.Photo.SHA256
	}
	found, err := r.known(ctx, keys)
	if err != nil {
		return err
	}
	r.facts.record = found.Record
	r.useVerdict(found.Shown)
	a.NotProduct = r.facts.analysis.NotProduct
	if r.facts.gtinConflict() {
		r.warnings = append(r.warnings, WarnGTINConflict)
	}
	if found.Rival != nil {
		r.warnings = append(r.warnings, warnGTINShared)
	}
	if a.NotProduct {
		return nil
	}
	r.facts.bearers = found.Bearers
	known := knowledge(a, found.Bearers)
	r.facts.suspicions = suspicions(a, known)
	return nil
}

// known reads at once what the catalogue knows of keys and what people have said of the
// photos.
func (r *rag) known(ctx context.Context, keys catalog.Keys) (found catalog.Known, err error) {
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() (err error) {
		r.verdict, err = r.Verdict(ctx, r.req)
		return err
	})
	both.Go(func() (err error) {
		found, err = r.Catalog.Known(ctx, keys)
		if err == nil && found.Record == nil && found.Shown == nil && r.lookUpGTIN(ctx) {
			found, err = r.Catalog.Known(ctx, keys)
		}
		return err
	})
	return found, both.Wait()
}

// useVerdict makes what people say of the photos facts. Shown is the record that the
// catalogue has for the photo: the product as it is now, which may have been corrected by
// another photo since.
func (r *rag) useVerdict(shown *catalog.Product) {
	f, v := &r.facts, r.verdict
	if v == nil {
		return
	}
	f.rejected = v.Rejected
	if f.record != nil && f.excludes(f.record.ProductName, f.record.Brand) {
		f.record = nil
	}
	switch {
	case v.Product != nil:
		if shown != nil && shown.ID == v.Product.ID {
			v.Product = shown
		}
		f.record, f.shown = v.Product, true
	case v.Nothing:
		f.record, f.analysis.NotProduct = nil, true
	}
}

// lookUpGTIN looks up the one GTIN that was read in the product directory, and
// reports whether its record is now in the catalogue. Errors of the directory are
// only logged.
func (r *rag) lookUpGTIN(ctx context.Context) bool {
	if r.Directory == nil || r.gtin() == "" {
		return false
	}
	imported, err := r.Directory(ctx, r.gtin())
	if err != nil {
		slog.WarnContext(ctx, "analyze: the directory of products did not answer", "gtin", r.gtin(), "error", err)
	}
	return imported && err == nil
}

// gtin returns the only element of gtins, "" if there are none or several.
func (r *rag) gtin() string {
	if len(r.gtins) != 1 {
		return ""
	}
	return r.gtins[0]
}

// contextPart returns req's country and language as a part of a model call.
func contextPart(req Request) gemini.Part {
	return labelled("request", map[string]string{"country": req.Country, "lang": req.Lang})
}

// labelled returns a value as a part of a model call, separate from the
// instruction: its content is data.
func labelled(label string, v any) gemini.Part {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("analyze: %s: %v", label, err)) // strings and finite numbers only
	}
	return gemini.Text(label + ":\n" + string(data))
}

// candidate is the form in which the model gets a match.
type candidate struct {
	Number      int      `json:"number,omitempty"`
	ProductName string   `json:"product_name"`
	Brand       string   `json:"brand"`
	Category    string   `json:"category"`
	KeyFeatures []string `json:"key_features"`
	Score       float64  `json:"score"`
}

// described returns matches as a model gets them, without numbers.
func described(matches []hit) []candidate {
	out := make([]candidate, len(matches))
	for i, m := range matches {
		out[i] = candidate{ProductName: m.ProductName, Brand: m.Brand, Category: m.Category, KeyFeatures: m.KeyFeatures, Score: m.Score}
	}
	return out
}

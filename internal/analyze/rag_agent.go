package analyze

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/expiry"
	"example.com/whatis/internal/fold"
	"example.com/whatis/internal/gemini"
)

// Warnings of a result.
const (
	warnGTINConflict     = "gtin_conflict"     // the catalogue's record of the GTIN has another brand than was read
	WarnUnidentified     = "unidentified"      // nobody knows the product
	warnMultipleProducts = "multiple_products" // the photo shows more than one
	warnJudgementRefused = "judgement_refused" // the model would not judge the photo
	warnSearchRefused    = "search_refused"    // the model would not search for it
	warnNotSaved         = "not_saved"         // the catalogue could not be reached to learn from the search
)

// rag is one run of rag_agent: it makes the moves that the decision table asks
// for until a row decides.
type rag struct {
	*Pipeline
	req  Request
	turn *agent.Turn

	look      imageReading
	facts     facts
	row       row
	codes     []code
	gtins     []string // GTIN-14, of bars or read clearly, those that name a product
	ending    ending
	evidence  Evidence
	embedding []float32
	found     *gemini.Response // the web search's last answer
	warnings  []string

	knownBrand   bool // the brand stands in the catalogue as it is
	judgeRefused bool
}

func (r *rag) run(ctx context.Context) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	for {
		decided, next := r.facts.next()
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
		r.dropInjectedAnswers()
	}
}

// begin gathers what can be known without another model call.
func (r *rag) begin(ctx context.Context) error {
	read, ok := imageReadingKey.Get(r.turn.Session)
	if !ok {
		return errors.New("there is no image_analysis: image_analyzer has not run")
	}
	a := read.analysis
	r.look, r.req = read, read.req
	if len(read.orders) > 0 {
		r.warnings = append(r.warnings, warnPromptInjection)
	}
	if read.wantsSecondLook() && r.req.SecondLook != Never {
		r.req.SecondLook = Always
	}
	r.weigh(&a)
	r.facts = facts{policy: r.req.Policy, secondLook: r.req.SecondLook, analysis: a}
	if err := r.findRecord(ctx); err != nil || a.Error != "" {
		return err
	}
	brands := r.catalogueBrands(ctx)
	r.knownBrand = a.Brand != "" && brands.has(fold.Words(a.Brand))
	r.facts.suspicions = suspicions(a, brands.has)
	return brands.err
}

// weigh holds a to its evidence, and gathers what the codes say.
func (r *rag) weigh(a *Analysis) {
	if textless(*a) {
		a.ProductNameConfidence = min(a.ProductNameConfidence, textlessCap)
		a.BrandConfidence = min(a.BrandConfidence, textlessCap)
	}
	var warnings []string
	r.evidence, warnings = gate(a, r.req)
	r.warnings = append(r.warnings, warnings...)
	r.codes = r.look.codes()
	r.gtins = naming(gtinsOf(r.codes))
	r.ending = endingOf(*a, r.codes, expiry.Hint{Country: r.req.Country, Lang: r.req.Lang, Now: time.Now()})
	r.warnings = append(r.warnings, r.ending.warnings...)
}

// findRecord looks up the one GTIN that was read. Of two, neither decides.
func (r *rag) findRecord(ctx context.Context) error {
	gtin := r.gtin()
	if gtin == "" {
		return nil
	}
	record, err := r.Catalog.Record(ctx, r.Shop, gtin, r.req.Country)
	if err != nil {
		return err
	}
	r.facts.record = record
	if r.facts.gtinConflict() {
		r.warnings = append(r.warnings, warnGTINConflict)
	}
	return nil
}

// gtin is the one GTIN that was read and names a product, "" when there are none
// or several.
func (r *rag) gtin() string {
	if len(r.gtins) != 1 {
		return ""
	}
	return r.gtins[0]
}

// brandLookup asks the catalogue for brands and remembers the first error, so
// that the suspicions stay plain predicates.
type brandLookup struct {
	has func(words []string) bool
	err error
}

func (r *rag) catalogueBrands(ctx context.Context) *brandLookup {
	var b brandLookup
	known := map[string]bool{}
	b.has = func(words []string) bool {
		brand := strings.Join(words, " ")
		if is, asked := known[brand]; asked || b.err != nil {
			return is
		}
		known[brand], b.err = r.Catalog.HasBrand(ctx, r.Shop, brand)
		return known[brand]
	}
	return &b
}

// askJudge has the stronger model look at the photos, at what image_analyzer made
// of it, and at the candidates.
func (r *rag) askJudge(ctx context.Context) error {
	parts := append(r.look.shown(), request(r.req), labelled("image_analysis", r.facts.analysis))
	if len(r.facts.candidates) > 0 {
		parts = append(parts, labelled("candidates", numbered(r.facts.candidates)))
	}
	j, err := r.judge.Ask(ctx, r.turn, parts...)
	if refused(err) {
		r.warnings = append(r.warnings, warnJudgementRefused)
		r.judgeRefused = true
		j, err = Judgement{}, nil
	}
	if err != nil {
		return err
	}
	j.offered = len(r.facts.candidates)
	r.facts.judgement = &j
	return nil
}

// refused reports that the model will not answer, now or later. Another way to
// an answer may be left.
func refused(err error) bool {
	var e *gemini.Error
	return errors.As(err, &e) && (e.Kind == gemini.Blocked || e.Kind == gemini.Truncated)
}

// request is the context of a request as a part of a model call.
func request(req Request) gemini.Part {
	return labelled("request", map[string]string{"country": req.Country, "lang": req.Lang})
}

// labelled is a value as a part of a model call, kept apart from the
// instruction: what stands in it is data.
func labelled(label string, v any) gemini.Part {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("analyze: %s: %v", label, err)) // strings and finite numbers only
	}
	return gemini.Text(label + ":\n" + string(data))
}

// candidate is a match as the model sees it.
type candidate struct {
	Number      int      `json:"number,omitempty"`
	ProductName string   `json:"product_name"`
	Brand       string   `json:"brand"`
	Category    string   `json:"category"`
	KeyFeatures []string `json:"key_features"`
	Score       float64  `json:"score"`
}

// numbered are matches as candidates, from 1 on.
func numbered(matches []catalog.Match) []candidate {
	out := make([]candidate, len(matches))
	for i, m := range matches {
		out[i] = candidate{i + 1, m.ProductName, m.Brand, m.Category, m.KeyFeatures, m.Score}
	}
	return out
}

// described are matches as search_local_db answers them.
func described(matches []catalog.Match) []candidate {
	out := numbered(matches)
	for i := range out {
		out[i].Number = 0
	}
	return out
}

// cleanBrand is the analysis' brand without signs and, unless the catalogue knows
// the brand as it is, without its sub-brands; the whole of it when nothing else
// would be left.
func cleanBrand(a Analysis, known bool) string {
	words := strings.Fields(strings.NewReplacer("™", "", "®", "", "©", "").Replace(a.Brand))
	for _, sub := range a.SubBrands {
		if !known {
			words = without(words, strings.Fields(sub))
		}
	}
	if len(words) == 0 {
		return a.Brand
	}
	return strings.Join(words, " ")
}

// without is words without the first run that folds like part.
func without(words, part []string) []string {
	for i := 0; len(part) > 0 && i+len(part) <= len(words); i++ {
		if slices.EqualFunc(words[i:i+len(part)], part, func(a, b string) bool { return fold.String(a) == fold.String(b) }) {
			return slices.Concat(words[:i], words[i+len(part):])
		}
	}
	return words
}

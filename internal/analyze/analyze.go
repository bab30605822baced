// Package analyze identifies the product in a photo, or in several photos of it.
//
//	photos ─→ image_analyzer ──────────→ evidence ─→ rag_agent → Result
//	   └──── pixels ─→ codes that it saw ───↑
//
// image_analyzer reads the photos and locates codes, which are then read from the
// pixels (codes.go). rag_agent follows the decision table in decide.go: it accepts
// that reading, or asks the catalogue or the web what the photos show. Between
// them, names and dates are checked against the text that was read, and text that
// addresses a machine (prompt injection) is painted over and the photo read again
// (readphotos.go).
// The table is code; the models read, judge and search. Several photos of one
// product make one question: each model gets all of them in the same call, so they
// take as many calls as one photo.
package analyze

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/photo/barcode"
	"example.com/whatis/internal/store"
)

// Models are the models of each step.
type Models struct {
	Image string // reads the photo
	Judge string // judges candidates, searches the web, structures what it found
	// Prompt options for reading, for judging, and for searching and structuring.
	ToRead, ToJudge, ToSearch agent.PromptOptions
}

// Config configures a Pipeline.
type Config struct {
	Gemini  *gemini.Client
	Catalog *catalog.Catalog
	Models  Models
	Space   catalog.VectorSpace // of the embedding model
	Shop    string              // the catalogue's name, where one database holds several
	// Learn saves what Google Search found to the catalogue, as unconfirmed.
	Learn bool
	// NoWebSearch leaves out row 5 of the decision table: the model cannot search, or is not
	// to be paid for it.
	NoWebSearch bool
	// SearchWithSchema asks for the web search and a structured answer in one call,
	// which Gemini 3 supports on the Gemini API.
	SearchWithSchema bool
	// Directory imports the product of a GTIN-14 that the catalogue does not know from
	// a product directory, and reports whether it did. Nil asks none.
	Directory func(ctx context.Context, gtin string) (imported bool, err error)
	// Reviews tells what people have said of a photo. Nil asks nobody.
	Reviews *review.Photos
	// ReadCodes says when barcodes are read from the photo's pixels. Empty means never.
	ReadCodes barcode.When
	// Memory limits the memory of decoded pixels. Nil sets no limit.
	Memory *admission.Limiter
}

// A Request is one or several photos of one product, and how to analyse them.
type Request struct {
	Photo      *photo.Photo
	More       []*photo.Photo // further photos of the same product; CheckPhotos bounds them
	LeftOut    []string       // SHA-256 of photos of the product that cannot be looked at: reviews are of them too
	Origins    []Origin       // where the photos come from, in the order of Photos; may be nil
	Country    string         // ISO 3166-1 alpha-2
	Lang       string         // BCP 47, of the texts in the result
	Policy     Policy
	SecondLook SecondLook
	Near       []catalog.Match // products of near duplicates of the photo: candidates only
	Attempts   int             // per model call; 0 means 1
	Tier       gemini.Tier     // of the model calls; "" is the standard tier
	Unreviewed bool            // nobody had said anything of the photos when the work began: Reviews need not be read
}

// A Pipeline answers requests. It is safe for concurrent use.
type Pipeline struct {
	Config
	agent    agent.Step[run] // product_analyzer
	analysis agent.Asker[Analysis]
	judge    agent.Asker[Judgement]
	search   *agent.SearchPrompt
	finding  agent.Asker[Finding]
	oneCall  agent.Asker[Finding]
}

//go:embed image_analyzer.md
var imageAnalyzerText string

//go:embed judgement.md
var judgementText string

//go:embed google_search.md
var searchText string

//go:embed google_search_prose.md
var proseText string

//go:embed finding.md
var findingText string

// New returns a pipeline for c.
func New(c Config) (*Pipeline, error) {
	for field, missing := range map[string]bool{
		"Gemini": c.Gemini == nil, "Catalog": c.Catalog == nil, "Models.Image": c.Models.Image == "",
		"Models.Judge": c.Models.Judge == "", "Space": c.Space.Model == "", "Shop": c.Shop == "",
	} {
		if missing {
			return nil, fmt.Errorf("analyze: Config.%s is not set", field)
		}
	}
	p := &Pipeline{Config: c}
	p.agent = p.productAnalyzer()
	return p, p.prompts()
}

func (p *Pipeline) prompts() (err error) {
	m := p.Models
	p.search = agent.NewSearchPrompt(p.Gemini, m.Judge, searchText+proseText+severalPlace, m.ToSearch)
	if p.analysis, err = agent.NewPrompt(p.Gemini, m.Image, imageAnalyzerText+severalPlace, (*Analysis).check, m.ToRead); err != nil {
		return fmt.Errorf("analyze: image_analyzer: %w", err)
	}
	if p.judge, err = agent.NewPrompt(p.Gemini, m.Judge, judgementText+severalPlace, (*Judgement).check, m.ToJudge); err != nil {
		return fmt.Errorf("analyze: judgement: %w", err)
	}
	if p.finding, err = agent.NewPrompt(p.Gemini, m.Judge, findingText, (*Finding).check, m.ToSearch); err != nil {
		return fmt.Errorf("analyze: finding: %w", err)
	}
	if p.oneCall, err = agent.NewPrompt(p.Gemini, m.Judge, searchText+findingText+severalPlace, (*Finding).check, m.ToSearch); err != nil {
		return fmt.Errorf("analyze: search with schema: %w", err)
	}
	return nil
}

// Questions returns the questions to which a pipeline with m wants structured answers.
func Questions(m Models) ([]agent.Question, error) {
	p := &Pipeline{Config: Config{Models: m}}
	if err := p.prompts(); err != nil {
		return nil, err
	}
	return []agent.Question{
		p.analysis.Question("image_analyzer"), p.judge.Question("judgement"), p.finding.Question("finding"), p.oneCall.Question("google_search"),
	}, nil
}

// Key returns the cache key of req: requests with the same key get the same
// result, apart from model randomness. It covers the bytes of the photos in their
// order, the options, the models and their prompts. A repeated photo counts once;
// req.Near does not count: Result.OfNearDuplicates says whether it did.
func (p *Pipeline) Key(req Request) string {
	decides := []string{
		req.Photo.SHA256, req.Country, req.Lang, req.Policy.Name, string(req.SecondLook),
		p.Models.Image, p.Models.Judge, p.Space.ID(), p.Shop, fmt.Sprint(p.Learn, p.SearchWithSchema, p.NoWebSearch, p.Directory != nil), string(p.ReadCodes),
		fmt.Sprint(p.Models.ToRead, p.Models.ToJudge, p.Models.ToSearch),
		imageAnalyzerText, judgementText, searchText, proseText, findingText,
	}
	for _, p := range req.distinctPhotos()[1:] {
		decides = append(decides, severalText, p.SHA256)
	}
	return store.HashID(decides...)
}

// Run identifies the product of req and passes every event of the agents to
// watch, which may be nil. The result tells the cost even with an error. Model
// errors are *gemini.Error, too many photos for one question is ErrTooMany; a
// photo that shows no product gives a result, not an error. Model answers that
// earlier runs of the same work paid for are taken from the journal of ctx.
func (p *Pipeline) Run(ctx context.Context, req Request, watch func(*agent.Event)) (Result, error) {
	if err := req.check(); err != nil {
		return Result{}, err
	}
	ctx, run := newRun(ctx, req)
	if err := p.agent.Run(ctx, run, watch); err != nil {
		return run.finished(), fmt.Errorf("analyze: %w", err)
	}
	return run.finished(), nil
}

// CheckTier refuses a tier that the models of p do not offer.
func (p *Pipeline) CheckTier(t gemini.Tier) error {
	return p.Gemini.CheckTier(t, p.Models.Image, p.Models.Judge)
}

// Estimate returns what one photo may cost, in USD: low if it is clear, high if
// neither the photo nor the catalogue decides and the web is asked twice. A photo
// whose bytes were analysed before costs nothing; one with injected lines is read
// twice.
//
// The calls are those of the decision table. The tokens are assumptions, for a
// photo of 3072 pixels and a pack with much text: 2,500 in and 1,000 out to read
// it, 3,000 and 500 to judge it, once without and once with the catalogue's
// candidates, 2,500 and 800 for each of two searches of one query, 1,500 and 500 to
// structure what they found, 150 to embed. A search that makes two queries at once
// is not followed by another. Google decides how many it makes.
//
// Low is at the price of tier, high at that of the standard tier, which is used
// when another is refused.
func (p *Pipeline) Estimate(look SecondLook, tier gemini.Tier) (low, high float64) {
	read := gemini.Planned{Model: p.Models.Image, Input: 2500, Output: 1000}
	judge := gemini.Planned{Model: p.Models.Judge, Input: 3000, Output: 500}
	embed := gemini.Planned{Model: p.Space.Model, Embeds: true, Input: 150}
	search := gemini.Planned{Model: p.Models.Judge, Input: 2500, Output: 800, Queries: 1}
	structure := gemini.Planned{Model: p.Models.Judge, Input: 1500, Output: 500}

	least := []gemini.Planned{read}
	if look == Always {
		least = append(least, judge)
	}
	for i := range least {
		least[i].Tier = tier
	}
	return gemini.Estimate(least...), gemini.Estimate(read, judge, embed, judge, search, search, structure)
}

// Charge records the time, tokens and cost of a run.
func (r *Result) Charge(l gemini.Ledger, took time.Duration) {
	r.InferenceTime = fmt.Sprintf("%.2fs", took.Seconds())
	r.TokenUsage = TokenUsage{Input: l.Usage.Input, Output: l.Usage.Output, Total: l.Usage.Total}
	r.CostUSD = l.USD
	r.ModelCalls = ModelCalls{Generate: l.Calls.Generate, Embed: l.Calls.Embed, GroundedQueries: l.Calls.GroundedQueries, Flex: l.Calls.Flex}
	r.Models, r.Calls = l.Models, l.Each
	r.warn(l.Warnings...)
}

// warn adds codes to r.Warnings that are not there yet.
func (r *Result) warn(codes ...string) {
	for _, code := range codes {
		if !slices.Contains(r.Warnings, code) {
			r.Warnings = append(r.Warnings, code)
		}
	}
}

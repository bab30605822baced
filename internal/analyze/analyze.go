// Package analyze identifies the product in a photo, or in several photos of it.
//
//	photos ─→ image_analyzer ──────────→ evidence ─→ rag_agent → Result
//	   └──── pixels ─→ codes that it saw ───↑
//
// image_analyzer reads the photos, and says where codes are, which are then read
// from the pixels (codes.go). rag_agent follows the decision table in
// decide.go: it believes them, or has the catalogue or the web say what they
// show. Between them, names and dates are tied to the print that was read, and
// print that speaks to a machine (prompt injection) is painted over and the photo
// read again (readphotos.go).
// The table is code; the models read, judge and search. Several photos of
// one product are one question: each model that sees one sees them all, in as
// many calls as one photo takes.
package analyze

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/agent/llm"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo"
)

// Models are the models of each step.
type Models struct {
	Image string // reads the photo
	Judge string // judges candidates, searches the web, structures what it found
	// How they are asked to read, to judge, and to search and structure.
	ToRead, ToJudge, ToSearch llm.Options
}

// Config is what a Pipeline is made of.
type Config struct {
	Gemini  *gemini.Client
	Catalog *catalog.Catalog
	Models  Models
	Stamp   catalog.Stamp // of the embedding model
	Shop    string        // the catalogue's name, for those who keep several in one database
	// Learn saves what Google Search found to the catalogue, as unconfirmed.
	Learn bool
	// SearchWithSchema asks for the web search and its structure in one call,
	// which Gemini 3 can on the Gemini API.
	SearchWithSchema bool
	// ReadCodes says when barcodes are read from the photo's pixels. Empty is never.
	ReadCodes ReadCodes
	// Memory admits what pixels take. Nil admits all.
	Memory *admission.Limiter
}

// A Request is one product in one photo or several, and how to look at it.
type Request struct {
	Photo      *photo.Photo
	More       []*photo.Photo // further photos of the same product; CheckPhotos bounds them
	URI        string         // where Photo came from, if it has a place
	Generation int64          // of the object at URI
	Country    string         // ISO 3166-1 alpha-2
	Lang       string         // BCP 47, of the texts in the result
	Policy     Policy
	SecondLook SecondLook
	Near       []catalog.Match // what near duplicates of the photo were found to be: candidates, no more
	Attempts   int             // how often each model call may be tried; 0 is once
}

// A Pipeline answers requests. It is safe for concurrent use.
type Pipeline struct {
	Config
	analysis *llm.Prompt[Analysis]
	again    *llm.Prompt[Analysis] // the same, about photos in which injected lines were painted over
	judge    *llm.Prompt[Judgement]

	judgeAgain *llm.Prompt[Judgement] // the same, about candidates after a look without any
	search     *llm.Search
	finding    *llm.Prompt[Finding]
	oneCall    *llm.Prompt[Finding]
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

// New returns the pipeline of c.
func New(c Config) (*Pipeline, error) {
	for field, missing := range map[string]bool{
		"Gemini": c.Gemini == nil, "Catalog": c.Catalog == nil, "Models.Image": c.Models.Image == "",
		"Models.Judge": c.Models.Judge == "", "Stamp": c.Stamp.Model == "", "Shop": c.Shop == "",
	} {
		if missing {
			return nil, fmt.Errorf("analyze: Config.%s is not set", field)
		}
	}
	p := &Pipeline{Config: c, search: llm.NewSearch(c.Gemini, c.Models.Judge, searchText+proseText+severalPlace, c.Models.ToSearch)}
	var err error
	if p.analysis, err = llm.NewPrompt(c.Gemini, "image_analyzer", c.Models.Image, imageAnalyzerText+severalPlace, (*Analysis).check, c.Models.ToRead); err != nil {
		return nil, fmt.Errorf("analyze: image_analyzer: %w", err)
	}
	if p.again, err = llm.NewPrompt(c.Gemini, "image_analyzer_masked", c.Models.Image, imageAnalyzerText+severalPlace, (*Analysis).check, c.Models.ToRead); err != nil {
		return nil, fmt.Errorf("analyze: image_analyzer: %w", err)
	}
	if p.judge, err = llm.NewPrompt(c.Gemini, "judgement", c.Models.Judge, judgementText+severalPlace, (*Judgement).check, c.Models.ToJudge); err != nil {
		return nil, fmt.Errorf("analyze: judgement: %w", err)
	}
	if p.judgeAgain, err = llm.NewPrompt(c.Gemini, "judgement_again", c.Models.Judge, judgementText+severalPlace, (*Judgement).check, c.Models.ToJudge); err != nil {
		return nil, fmt.Errorf("analyze: judgement: %w", err)
	}
	if p.finding, err = llm.NewPrompt(c.Gemini, "finding", c.Models.Judge, findingText, (*Finding).check, c.Models.ToSearch); err != nil {
		return nil, fmt.Errorf("analyze: finding: %w", err)
	}
	if p.oneCall, err = llm.NewPrompt(c.Gemini, "google_search", c.Models.Judge, searchText+findingText+severalPlace, (*Finding).check, c.Models.ToSearch); err != nil {
		return nil, fmt.Errorf("analyze: search with schema: %w", err)
	}
	return p, nil
}

// Key names what Run would answer for req: two requests of one key get the same
// result, chance aside. It covers the bytes of the photos in their order, the
// options, the models and what they are told. A photo that is there twice counts
// once; what near duplicates were found to be does not count.
func (p *Pipeline) Key(req Request) string {
	decides := []string{
		req.Photo.SHA256, req.Country, req.Lang, req.Policy.Name, string(req.SecondLook),
		p.Models.Image, p.Models.Judge, p.Stamp.ID(), p.Shop, fmt.Sprint(p.Learn, p.SearchWithSchema), string(p.ReadCodes),
		fmt.Sprint(p.Models.ToRead, p.Models.ToJudge, p.Models.ToSearch),
		imageAnalyzerText, judgementText, searchText, proseText, findingText,
	}
	for _, side := range req.sides()[1:] {
		decides = append(decides, severalText, side.SHA256)
	}
	h := sha256.New()
	for _, s := range decides {
		fmt.Fprintf(h, "%s\x00", s)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// What the agents leave for each other in the session.
const (
	countryKey agent.Key[string] = "country"
	langKey    agent.Key[string] = "lang"

	confusableKey agent.Key[string]   = "confusable"
	analysisKey   agent.Key[Analysis] = "image_analysis"

	imageReadingKey agent.Key[imageReading] = "image_reading"
)

// Run identifies the product of req and hands every event of the agents to
// watch, which may be nil. Whatever it returns, the result tells what was spent.
// Errors of the model come as *gemini.Error, more photos than fit into a question
// as ErrTooMany; a photo that shows no product is no error but a result.
func (p *Pipeline) Run(ctx context.Context, req Request, watch func(*agent.Event)) (Result, error) {
	if err := req.check(); err != nil {
		return Result{}, err
	}
	start := time.Now()
	account := &gemini.Account{Attempts: req.Attempts}
	ctx = gemini.WithAccount(ctx, account)

	s := agent.NewSession()
	countryKey.Set(s, req.Country)
	langKey.Set(s, req.Lang)
	confusableKey.Set(s, strings.Join(strings.Split(confusable, ""), " "))
	if len(req.sides()) > 1 {
		severalKey.Set(s, severalText)
	}
	var result Result
	err := agent.Run(ctx, p.productAnalyzer(req, &result), s, watch)
	result.describe(req)
	result.charge(account.Ledger(), time.Since(start))
	if err != nil {
		return result, fmt.Errorf("analyze: %w", err)
	}
	return result, nil
}

// productAnalyzer is the agent that answers req into result.
func (p *Pipeline) productAnalyzer(req Request, result *Result) agent.Agent {
	imageAnalyzer := agent.Step("image_analyzer", func(ctx context.Context, t *agent.Turn) error {
		r, err := p.readPhotos(ctx, t, req)
		if err != nil {
			return err
		}
		analysisKey.Set(t.Session, r.analysis)
		imageReadingKey.Set(t.Session, r)
		t.Output(r.analysis)
		return nil
	})
	ragAgent := agent.Step("rag_agent", func(ctx context.Context, t *agent.Turn) error {
		r := rag{Pipeline: p, req: req, turn: t}
		if err := r.run(ctx); err != nil {
			return err
		}
		*result = r.result()
		t.Output(*result)
		return nil
	})
	return agent.Sequence("product_analyzer", imageAnalyzer, ragAgent)
}

// charge notes what a run took.
func (r *Result) charge(l gemini.Ledger, took time.Duration) {
	r.InferenceTime = fmt.Sprintf("%.2fs", took.Seconds())
	r.TokenUsage = TokenUsage{Input: l.Usage.Input, Output: l.Usage.Output, Total: l.Usage.Total}
	r.CostUSD = l.USD
	r.ModelCalls = ModelCalls{Generate: l.Calls.Generate, Embed: l.Calls.Embed, GroundedQueries: l.Calls.GroundedQueries}
	r.Models = l.Models
	r.warn(l.Warnings...)
}

// warn adds codes that are not there yet.
func (r *Result) warn(codes ...string) {
	for _, code := range codes {
		if !slices.Contains(r.Warnings, code) {
			r.Warnings = append(r.Warnings, code)
		}
	}
}

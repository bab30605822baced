// Package analyze identifies the product in a photo.
//
//	photo → image_analyzer → rag_agent → Result
//
// image_analyzer reads the photo. rag_agent follows the decision table in
// decide.go: it believes the photo, or has the catalogue or the web say what it
// shows. The table is code; the models read, judge and search.
package analyze

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

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
}

// A Request is one photo and how to look at it.
type Request struct {
	Photo      *photo.Photo
	URI        string // where the photo came from, if it has a place
	Generation int64  // of the object at URI
	Country    string // ISO 3166-1 alpha-2
	Lang       string // BCP 47, of the texts in the result
	Policy     Policy
	SecondLook SecondLook
	Attempts   int           // how often each model call may be tried; 0 is once
	Journal    agent.Journal // of what earlier runs of this work have paid for
}

// A Pipeline answers requests. It is safe for concurrent use.
type Pipeline struct {
	Config
	analysis *llm.Prompt[Analysis]
	judge    *llm.Prompt[Judgement]
	search   *llm.Search
	finding  *llm.Prompt[Finding]
	oneCall  *llm.Prompt[Finding]
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
	p := &Pipeline{Config: c, search: llm.NewSearch(c.Gemini, c.Models.Judge, searchText+proseText)}
	var err error
	if p.analysis, err = llm.NewPrompt(c.Gemini, "image_analyzer", c.Models.Image, imageAnalyzerText, (*Analysis).check); err != nil {
		return nil, fmt.Errorf("analyze: image_analyzer: %w", err)
	}
	if p.judge, err = llm.NewPrompt(c.Gemini, "judgement", c.Models.Judge, judgementText, (*Judgement).check); err != nil {
		return nil, fmt.Errorf("analyze: judgement: %w", err)
	}
	if p.finding, err = llm.NewPrompt(c.Gemini, "finding", c.Models.Judge, findingText, (*Finding).check); err != nil {
		return nil, fmt.Errorf("analyze: finding: %w", err)
	}
	if p.oneCall, err = llm.NewPrompt(c.Gemini, "google_search", c.Models.Judge, searchText+findingText, (*Finding).check); err != nil {
		return nil, fmt.Errorf("analyze: search with schema: %w", err)
	}
	return p, nil
}

// Key names what Run would answer for req: two requests of one key get the same
// result, chance aside. It covers the bytes, the options, the models and what they are told.
func (p *Pipeline) Key(req Request) string {
	h := sha256.New()
	for _, s := range []string{
		req.Photo.SHA256, req.Country, req.Lang, req.Policy.Name, string(req.SecondLook),
		p.Models.Image, p.Models.Judge, p.Stamp.ID(), p.Shop, fmt.Sprint(p.Learn, p.SearchWithSchema),
		imageAnalyzerText, judgementText, searchText, proseText, findingText,
	} {
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
)

// Run identifies the product of req and hands every event of the agents to
// watch, which may be nil. Whatever it returns, the result tells what was spent.
// Errors of the model come as *gemini.Error; a photo that shows no product is
// no error but a result.
func (p *Pipeline) Run(ctx context.Context, req Request, watch func(*agent.Event)) (Result, error) {
	if req.Photo == nil || req.Policy.Name == "" {
		return Result{}, errors.New("analyze: Request.Photo or Request.Policy is not set")
	}
	start := time.Now()
	account := &gemini.Account{Attempts: req.Attempts}
	ctx = gemini.WithAccount(ctx, account)

	s := agent.NewSession(req.Journal)
	countryKey.Set(s, req.Country)
	langKey.Set(s, req.Lang)
	confusableKey.Set(s, strings.Join(strings.Split(confusable, ""), " "))
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
	imageAnalyzer := p.analysis.Agent("image_analyzer", analysisKey, func(*agent.Session) []gemini.Part {
		return []gemini.Part{gemini.Blob(req.Photo.SentType, req.Photo.Sent), request(req)}
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

// describe notes what a run was about.
func (r *Result) describe(req Request) {
	r.Country, r.Lang = req.Country, req.Lang
	r.Image = &Image{
		URI: req.URI, Generation: req.Generation, SHA256: req.Photo.SHA256,
		Width: req.Photo.Width, Height: req.Photo.Height, MIMEType: req.Photo.MIMEType,
	}
}

// warn adds codes that are not there yet.
func (r *Result) warn(codes ...string) {
	for _, code := range codes {
		if !slices.Contains(r.Warnings, code) {
			r.Warnings = append(r.Warnings, code)
		}
	}
}

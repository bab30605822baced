package search

import (
	"context"
	_ "embed"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"

	"example.com/whatis/internal/search/query"
)

// Config is what a Pipeline is made of.
type Config struct {
	Gemini  *gemini.Client
	Catalog *catalog.Catalog
	Space   catalog.VectorSpace // of the embedding model
	Shop    string              // that is searched where a request names none
	Model   string              // says what a query means
	Options agent.PromptOptions // how it is asked
	// Vocabulary and Materials are of the shops' domain; nil is eyewear.
	Vocabulary *Vocabulary
	Materials  []Material
	// Read returns the bytes of a picture that a request names by its address; nil
	// reads none.
	Read func(ctx context.Context, uri string) ([]byte, error)
	// Memory admits what pixels take. Nil admits all.
	Memory *admission.Limiter
}

// What is kept in memory: the vectors of that many queries, 3 kB each, and what shops
// have, for a while.
const (
	keptQueries = 2000
	keptShops   = 200
	shopFor     = time.Minute
)

// A Pipeline answers requests. It is safe for concurrent use.
type Pipeline struct {
	Config
	agent   agent.Step[state] // search_agent
	intents *agent.Prompt[Understanding]
	facets  string // as the model is told them
	queries *otter.Cache[string, []float32]
	shops   *otter.Cache[string, shop]
	labels  atomic.Pointer[labels]
}

//go:embed eyewear.json
var eyewear []byte

// A Vocabulary is what the shops of one domain call their facets.
type Vocabulary = query.Vocabulary

// ParseVocabulary reads the file of one.
func ParseVocabulary(data []byte) (*Vocabulary, error) { return query.Parse(data) }

// Eyewear returns the vocabulary of shops that sell glasses.
func Eyewear() (*Vocabulary, error) { return query.Parse(eyewear) }

// New returns the pipeline of c.
func New(c Config) (*Pipeline, error) {
	for field, missing := range map[string]bool{
		"Gemini": c.Gemini == nil, "Catalog": c.Catalog == nil, "Model": c.Model == "", "Space": c.Space.Model == "", "Shop": c.Shop == "",
	} {
		if missing {
			return nil, fmt.Errorf("search: Config.%s is not set", field)
		}
	}
	var err error
	if c.Vocabulary == nil {
		if c.Vocabulary, err = Eyewear(); err != nil {
			return nil, err
		}
	}
	if c.Materials == nil {
		if c.Materials, err = ParseMaterials(materials); err != nil {
			return nil, err
		}
	}
	p := &Pipeline{Config: c, facets: facetLines(c.Vocabulary)}
	p.queries = otter.Must(&otter.Options[string, []float32]{MaximumSize: keptQueries})
	p.shops = otter.Must(&otter.Options[string, shop]{MaximumSize: keptShops, ExpiryCalculator: otter.ExpiryWriting[string, shop](shopFor)})
	p.agent = p.searchAgent()
	p.intents, err = c.intentPrompt()
	return p, err
}

// intentPrompt asks what a query means.
func (c Config) intentPrompt() (*agent.Prompt[Understanding], error) {
	p, err := agent.NewPrompt[Understanding](c.Gemini, c.Model, intentText, nil, c.Options)
	if err != nil {
		return nil, fmt.Errorf("search: intent_classifier: %w", err)
	}
	return p, nil
}

// Questions are those that a pipeline with this model asks for a structured answer.
func Questions(model string) ([]agent.Question, error) {
	p, err := Config{Model: model}.intentPrompt()
	if err != nil {
		return nil, err
	}
	return []agent.Question{p.Question("intent_classifier")}, nil
}

// Run searches, and hands every event of the agents to emit, which may be nil. A
// request that makes no sense is an *InputError or a *photo.Error; errors of the model
// are *gemini.Error.
func (p *Pipeline) Run(ctx context.Context, req Request, emit func(*agent.Event)) (Result, error) {
	ctx, s, err := p.begin(ctx, req)
	if err != nil {
		return Result{}, err
	}
	if err := p.agent.Run(ctx, s, emit); err != nil {
		return Result{}, fmt.Errorf("search: %w", err)
	}
	return s.finished(), nil
}

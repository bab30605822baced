package search

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/maypok86/otter/v2"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo/barcode"
	"example.com/whatis/internal/session"

	"example.com/whatis/internal/search/index"
	"example.com/whatis/internal/search/query"
)

// Config configures a Pipeline.
type Config struct {
	Gemini  *gemini.Client
	Catalog *catalog.Catalog
	// Indexes are those of the shops' products; nil makes each of the catalogue, without a file.
	Indexes *index.Shops
	Space   catalog.VectorSpace // of the embedding model
	// Compared is how many products are compared with vectors in the index: where more meet the conditions,
	// Firestore finds the nearest. 0 is 100,000.
	Compared int
	Shop     string              // the shop that is searched if a request names none
	Model    string              // reads the meaning of queries
	Options  agent.PromptOptions // of that model
	// Vocabulary is that of the shops' domain, and Facts are what questions are answered
	// with; nil means eyewear.
	Vocabulary *Vocabulary
	Facts      []Fact
	// Read returns the bytes of a picture that a request gives by its address; nil allows
	// no addresses.
	Read func(ctx context.Context, uri string) ([]byte, error)
	// Shows reports whether the API shows a picture of the catalogue, so that results name its
	// address; nil shows all.
	Shows func(uri string) bool
	// Sessions keep conversations; nil keeps none. Owner returns the caller to whom those of
	// a context belong, "" if unknown.
	Sessions *session.Service
	Owner    func(context.Context) string
	// Memory limits the memory for pixels; nil means no limit.
	Memory *admission.Limiter
	// ReadCodes says when codes are read from a picture: if WhenSeen, where the embedding
	// model sees nothing in it that the shop sells. Empty means never.
	ReadCodes barcode.When
}

// Sizes of caches: the number of query vectors, 3 kB each, and of readings, and of shops.
const (
	keptQueries = 4000
	keptShops   = 200
)

// A Pipeline answers requests. It is safe for concurrent use.
type Pipeline struct {
	Config
	agent    agent.Step[state] // search_agent
	intents  *agent.Prompt[Understanding]
	ownFacts bool // Facts are not those of the program
	queries  cache[[]float32]
	readings cache[Understanding]
	shops    cache[*shop]
}

// A cache is an otter.Cache by string. A field of that type would have each package that
// names a Pipeline compile its thousand generic functions again.
type cache[V any] interface {
	GetIfPresent(key string) (V, bool)
	Set(key string, value V) (V, bool)
}

//go:embed eyewear.json
var eyewear []byte

// A Vocabulary defines the facets of shops in one domain.
type Vocabulary = query.Vocabulary

// ParseVocabulary decodes a vocabulary.
func ParseVocabulary(data []byte) (*Vocabulary, error) { return query.Parse(data) }

// Eyewear returns the vocabulary of shops that sell glasses.
func Eyewear() (*Vocabulary, error) { return query.Parse(eyewear) }

// New returns the pipeline that c configures.
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
	if c.Indexes == nil {
		c.Indexes = &index.Shops{Catalog: c.Catalog, Space: c.Space.ID()}
	}
	if c.Indexes.Space != c.Space.ID() {
		return nil, fmt.Errorf("search: Config.Indexes.Space is %q, want that of Config.Space, %q: their vectors have nothing in common", c.Indexes.Space, c.Space.ID())
	}
	own := c.Facts != nil
	if !own {
		if c.Facts, err = EyewearFacts(); err != nil {
			return nil, err
		}
	}
	p := &Pipeline{Config: c, ownFacts: own}
	if _, err = answerLanguages(); err != nil {
		return nil, err
	}
	p.queries = otter.Must(&otter.Options[string, []float32]{MaximumSize: keptQueries})
	p.readings = otter.Must(&otter.Options[string, Understanding]{MaximumSize: keptQueries})
	p.shops = otter.Must(&otter.Options[string, *shop]{MaximumSize: keptShops})
	p.agent = p.searchAgent()
	p.intents, err = c.intentPrompt()
	return p, err
}

// intentPrompt returns the prompt for the meaning of a query.
func (c Config) intentPrompt() (*agent.Prompt[Understanding], error) {
	p, err := agent.NewPrompt[Understanding](c.Gemini, c.Model, intentText, nil, c.Options)
	if err != nil {
		return nil, fmt.Errorf("search: intent_classifier: %w", err)
	}
	return p, nil
}

// Questions returns the structured questions that a pipeline with this model asks of a shop
// for glasses.
func Questions(model string) ([]agent.Question, error) {
	p, err := Config{Model: model}.intentPrompt()
	if err != nil {
		return nil, err
	}
	v, err := Eyewear()
	if err != nil {
		return nil, err
	}
	facts, err := EyewearFacts()
	if err != nil {
		return nil, err
	}
	return []agent.Question{p.Narrowed(func(s *jsonschema.Schema) { narrowed(s, v, facts) }).Question("intent_classifier")}, nil
}

// Run searches and passes every event of the agents to emit, which may be nil. An invalid
// request gives an *InputError or a *photo.Error; errors of the model are *gemini.Error.
func (p *Pipeline) Run(ctx context.Context, req Request, emit func(*agent.Event)) (Result, error) {
	ctx, s, err := p.begin(ctx, req)
	if err != nil {
		return Result{}, err
	}
	if err := p.agent.Run(ctx, s, emit); err != nil {
		return Result{}, fmt.Errorf("search: %w", err)
	}
	p.remember(ctx, s)
	return s.finished(), nil
}

package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	adk "google.golang.org/adk/v2/agent"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/photo/barcode"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/web/caller"
)

// Search configures the agent that searches the catalogue.
type Search struct {
	// The shop that is searched where a request names none.
	Shop string `env:"SEARCH_SHOP"`
	// Says what a query means, and of words that come with a picture by A2A which agent they
	// are for. Without it `IMAGE_MODEL` does.
	Model string `env:"SEARCH_MODEL"`
	// The facets of the shops' domain and what people call them: a file like
	// [eyewear.json](../internal/search/eyewear.json), or `gs://bucket/object`.
	Vocabulary string `env:"SEARCH_VOCABULARY"`
	// What questions are answered with, such as materials, delivery and returns: a file of
	// Markdown like [facts.markdown](../internal/search/facts.markdown), or `gs://bucket/object`.
	Facts string `env:"SHOP_FACTS"`
	// The bucket of the shops' indexes, which an instance reads at the first search of a shop.
	// Without one it makes its own of the catalogue: it reads all products.
	IndexBucket string `env:"INDEX_BUCKET"`
}

// queryModel is the model that reads what people ask.
func (c Config) queryModel() string { return cmp.Or(c.Search.Model, c.Analyze.ImageModel) }

// searches reports that the agent is enabled.
func (a *App) searches() bool { return a.Platform.offers("search") }

// searchEntry returns the agent's skills.
func (a *App) searchEntry() entry {
	if !a.searches() {
		return entry{}
	}
	return entry{skills: []agent.Skill{search.Skill(a.search.Get)}, agent: func(ctx context.Context) (adk.Agent, error) {
		p, err := a.search.Get(ctx)
		if err != nil {
			return nil, err
		}
		return p.Agent()
	}}
}

func (a *App) openSearch(ctx context.Context, c clients) (*search.Pipeline, error) {
	vocabulary, err := a.vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	facts, err := a.shopFacts(ctx)
	if err != nil {
		return nil, err
	}
	readCodes, err := barcode.ParseWhen(a.Analyze.ReadCodes)
	if err != nil {
		return nil, err
	}
	indexes, err := a.shops.Get(ctx)
	if err != nil {
		return nil, err
	}
	return search.New(search.Config{
		Gemini: c.gemini, Catalog: c.products, Indexes: indexes, Space: c.space, Shop: cmp.Or(a.Search.Shop, a.Catalog.Shop),
		Model: a.queryModel(), Vocabulary: vocabulary, Facts: facts, Memory: a.memory, ReadCodes: readCodes, Read: a.uploaded(c.objects), Shows: a.pictures().Shows,
		Sessions: c.sessions, Owner: func(ctx context.Context) string { return caller.From(ctx).Owner() },
	})
}

// maxUploaded bounds a picture that a search names by its address, in bytes.
const maxUploaded = 10 << 20

// uploaded returns a function that reads objects of the upload bucket. Other buckets are
// refused, as any caller may name an object, and callers who may not see what others have
// uploaded.
func (a *App) uploaded(objects *blob.Store) func(context.Context, string) ([]byte, error) {
	return func(ctx context.Context, uri string) ([]byte, error) {
		if err := caller.Need(ctx, caller.Reader); err != nil {
			return nil, err
		}
		o, err := blob.ParseURI(uri)
		if err != nil {
			return nil, err
		}
		if o.Bucket != a.Analyze.UploadBucket {
			return nil, fmt.Errorf("%w: gs://%s is not the bucket of uploads", blob.ErrNotFound, o.Bucket)
		}
		data, _, err := objects.Read(ctx, o, maxUploaded)
		return data, err
	}
}

// maxVocabulary bounds the files of a vocabulary and of facts, in bytes.
const maxVocabulary = 1 << 20

// readFile returns the contents of a file, or of an object by its address.
func (a *App) readFile(ctx context.Context, name string) ([]byte, error) {
	file, err := a.openFile(ctx, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxVocabulary))
}

// shopFacts reads the configured facts; nil if none are configured.
func (a *App) shopFacts(ctx context.Context) ([]search.Fact, error) {
	name := a.Search.Facts
	if name == "" {
		return nil, nil
	}
	data, err := a.readFile(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("SHOP_FACTS: %w", err)
	}
	facts, err := search.ParseFacts(data)
	if err != nil {
		return nil, fmt.Errorf("SHOP_FACTS %s: %w", name, err)
	}
	return facts, nil
}

// vocabulary reads the configured vocabulary.
func (a *App) vocabulary(ctx context.Context) (*search.Vocabulary, error) {
	name := a.Search.Vocabulary
	if name == "" {
		return search.Eyewear()
	}
	data, err := a.readFile(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("SEARCH_VOCABULARY: %w", err)
	}
	v, err := search.ParseVocabulary(data)
	if err != nil {
		return nil, fmt.Errorf("SEARCH_VOCABULARY %s: %w", name, err)
	}
	return v, nil
}

// openFile opens a file, or an object by its address.
func (a *App) openFile(ctx context.Context, name string) (io.ReadCloser, error) {
	if strings.HasPrefix(name, "gs://") {
		file, _, err := a.OpenObject(ctx, name)
		return file, err
	}
	return os.Open(name)
}

// knownFacet returns a function that reports whether a value of a facet is in the configured
// vocabulary. Without one, each is: shops sell what they sell.
func (a *App) knownFacet(ctx context.Context) (func(facet, value string) bool, error) {
	if a.Search.Vocabulary == "" {
		return func(string, string) bool { return true }, nil
	}
	v, err := a.vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	return func(facet, value string) bool {
		_, known := v.Exact(facet, value)
		return known || facet == "brand"
	}, nil
}

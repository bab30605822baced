package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/search"
	"example.com/whatis/scripts/whatisit/relevance"
)

// evalCommand measures accuracy on inputs with known right answers.
type evalCommand struct {
	Photos     evalPhotosCommand     `cmd:"" name:"accuracy" default:"withargs" help:"Measure how often results for photos are right. The default."`
	Search     evalSearchCommand     `cmd:"" help:"Measure how well the search ranks, with queries whose right answers are known."`
	Discover   evalDiscoverCommand   `cmd:"" help:"Measure what discoveries find on the small emulated web."`
	Floor      evalFloorCommand      `cmd:"" help:"Measure how unlike a query must be for the answer that the shop does not sell it, for an embedding model."`
	Thresholds evalThresholdsCommand `cmd:"" help:"Propose the catalogue's similarity thresholds for an embedding model."`
}

// evalSearchCommand measures the search.
type evalSearchCommand struct {
	Queries string  `placeholder:"FILE" help:"Queries, one line of JSON each (default: the built-in ones)."`
	MinNDCG float64 `name:"min-ndcg" placeholder:"N" help:"Exit with 1 if nDCG@10 of all queries but those in unknown words and with pictures is below this with any of the models."`
	measuredBy
}

// Help is shown behind the flags.
func (evalSearchCommand) Help() string {
	return `Sends queries to the sample shop eyewear one after the other, and, with a model of this process, to two shops that sell no glasses and have no vocabulary: outdoor goods, and groceries with Korean facets. 50 are in words that neither a vocabulary nor the emulated model knows, and some have a picture; these are reported separately. The right answers are computed from the products; a number, the facts of a shop, a comparison and "we do not have this" are right or wrong. Prints nDCG@10, recall@10 (and its highest possible value), how often the intent was understood, the median and 95th percentile of the latency, the model calls of a query, and the ten worst answers with the reason.

    whatisit eval search --emulated
    whatisit eval search --model none,perfect,emulated
    whatisit eval search --url https://… --json --min-ndcg 0.9

A remote service must have the shop: go run ./emulators -catalog eyewear, or whatisit catalog import with SHOP=eyewear. Its model calls cost money.

A line of --queries is {"group":"brands","query":"kính râm Lunavelle","want":{"category":"sunglasses","brand":"lunavelle"}}; also
not, prefer, price {min, max}, ranges {facet: [min, max]}, sort, in_stock, skus, compared, about, nothing, give_up, picture {sku, view}, face,
after, the queries of the conversation before it, and intent: product_category_stats has a number as its right answer.

Exit codes: 0 measured; 1 below --min-ndcg, or a query was not answered; 2 wrong usage.`
}

// Run measures and prints.
func (e *evalSearchCommand) Run(ctx context.Context, c *console) error {
	queries, err := e.read(c.in)
	if err != nil {
		return err
	}
	models, err := e.models()
	if err != nil {
		return err
	}
	var all []measured
	for _, model := range models {
		asked := queries
		if !inProcessModel(model) { // it has no other shop of ours
			asked = slices.DeleteFunc(slices.Clone(queries), func(q relevance.Query) bool { return q.Shop != "" })
		}
		m, err := e.measure(ctx, c, model, asked)
		if ctx.Err() != nil {
			return errInterrupted
		}
		if err != nil {
			return err
		}
		all = append(all, m)
	}
	if err := e.print(c, all); err != nil {
		return err
	}
	var missed []error
	for _, m := range all {
		missed = append(missed, m.hold(e.MinNDCG))
	}
	return errors.Join(missed...)
}

// print writes the figures of each model, and the models side by side.
func (e *evalSearchCommand) print(c *console, all []measured) error {
	if c.json {
		var answer any = all
		if len(all) == 1 {
			answer = all[0]
		}
		if _, err := c.out.Write(encode(answer)); err != nil {
			return err
		}
	}
	for _, m := range all {
		if c.json {
			break
		}
		if err := m.print(c.out); err != nil {
			return err
		}
	}
	return searchColumns(all).print(c)
}

// measure sends the queries to the service that the command line names, with a model.
func (e *evalSearchCommand) measure(ctx context.Context, c *console, model string, queries []relevance.Query) (measured, error) {
	var known answers.Options
	if model == modelPerfect {
		known.Frames = relevance.KnownFrames(queries)
	}
	s, err := e.openWith(ctx, c, model, known)
	if err != nil {
		return measured{}, err
	}
	defer s.close()
	all := map[string]*service{samples.EyewearShop: s}
	if inProcessModel(model) {
		if err := importEyewear(ctx); err != nil {
			return measured{}, err
		}
	}
	if inProcessModel(model) && slices.ContainsFunc(queries, func(q relevance.Query) bool { return q.Shop != "" }) {
		others, err := e.otherShops(ctx, c)
		if err != nil {
			return measured{}, err
		}
		defer others.close()
		all[samples.OutdoorShop], all[samples.GroceryShop] = others, others
	}
	m, err := measureSearch(ctx, c, all, queries)
	m.Model, m.MemoryBytes = model, s.memory(ctx, c)
	return m, err
}

// ownWords is a vocabulary without words: that of a shop is what its products say.
const ownWords = `{"domain":"products"}`

// otherShops imports the shops that sell no glasses, and opens a service whose vocabulary
// does not know what they sell.
func (e *evalSearchCommand) otherShops(ctx context.Context, c *console) (*service, error) {
	folder, err := os.MkdirTemp("", "whatis-shops-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	words := filepath.Join(folder, "vocabulary.json")
	if err := os.WriteFile(words, []byte(ownWords), 0o600); err != nil {
		return nil, err
	}
	defer os.Setenv("SEARCH_VOCABULARY", os.Getenv("SEARCH_VOCABULARY"))
	os.Setenv("SEARCH_VOCABULARY", words)
	config, err := app.ReadConfig(ctx)
	if err != nil {
		return nil, usageError{err}
	}
	for shop, file := range map[string][]byte{samples.OutdoorShop: samples.OutdoorFile, samples.GroceryShop: samples.GroceryFile} {
		if _, err := app.New(config).ImportFile(ctx, app.CatalogFile{Reader: bytes.NewReader(file), Shop: shop, From: shop + ".csv"}); err != nil {
			return nil, fmt.Errorf("import of the shop %s: %w", shop, err)
		}
	}
	s, err := e.here(ctx, c)
	if err != nil {
		return nil, err
	}
	if first := s.timed(ctx, relevance.Query{Query: "products", Shop: samples.OutdoorShop}); first.err != nil { // its configured files are read now
		s.close()
		return nil, first.err
	}
	return s, nil
}

// read returns the queries to ask.
func (e *evalSearchCommand) read(stdin io.Reader) ([]relevance.Query, error) {
	if !(e.MinNDCG >= 0 && e.MinNDCG <= 1) {
		return nil, usage("--min-ndcg is %v: want 0 to 1", e.MinNDCG)
	}
	if e.Queries == "" {
		return relevance.Queries()
	}
	file := io.NopCloser(stdin)
	if e.Queries != "-" {
		opened, err := os.Open(e.Queries)
		if err != nil {
			return nil, usage("--queries: %s", err)
		}
		file = opened
	}
	defer file.Close()
	queries, err := relevance.Read(file)
	if err != nil {
		return nil, usage("--queries %s: %s", e.Queries, err)
	}
	return queries, nil
}

// An asked is a query with its answer and score.
type asked struct {
	relevance.Query
	relevance.Score
	result search.Result
	err    error
	took   time.Duration
}

// opening is the first query, which warms up clients and is not measured.
var opening = relevance.Query{Query: "glasses"}

// measureSearch sends all queries to the services of their shops, one at a time. If the opening query fails, it sends
// no others.
func measureSearch(ctx context.Context, c *console, shops map[string]*service, queries []relevance.Query) (measured, error) {
	if first := shops[samples.EyewearShop].timed(ctx, opening); first.err != nil {
		return measured{}, first.err
	}
	c.begin(len(queries), "queries")
	defer c.end()
	all := make([]asked, len(queries))
	for i, q := range queries {
		all[i] = shops[cmp.Or(q.Shop, samples.EyewearShop)].timed(ctx, q)
		if ctx.Err() != nil {
			return measured{}, ctx.Err()
		}
		c.moved()
	}
	return measuredOf(all), nil
}

// longestSearch is the time-out of a query.
const longestSearch = 2 * time.Minute

// timed sends q and scores the answer. A failed query scores 0.
func (s *service) timed(ctx context.Context, q relevance.Query) asked {
	a := asked{Query: q}
	ctx, cancel := context.WithTimeout(ctx, longestSearch)
	defer cancel()
	asks := q.Request()
	for _, before := range q.After {
		earlier := asks
		earlier.Query, earlier.Session = before, cmp.Or(asks.Session, search.NewSession)
		if a.result, a.err = s.searched(ctx, earlier); a.err != nil {
			return a
		}
		asks.Session, a.Before = a.result.Session, a.names()
	}
	begin := time.Now()
	a.result, a.err = s.searched(ctx, asks)
	a.took = time.Since(begin)
	a.Score = a.Query.Score(a.result)
	return a
}

// searched returns the answer to a search.
func (s *service) searched(ctx context.Context, q search.Request) (r search.Result, err error) {
	return r, s.answer(ctx, request{method: http.MethodPost, path: "/search", kind: "application/json", accept: "application/json", body: encode(q)}, &r)
}

// names returns the names of the products in the answer, best first.
func (a asked) names() []string {
	names := make([]string, len(a.result.Products))
	for i, p := range a.result.Products {
		names[i] = p.Name
	}
	return names
}

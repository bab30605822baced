package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/scripts/whatisit/accuracy"
	"example.com/whatis/scripts/whatisit/relevance"
)

// evalFloorCommand proposes the floor of searches for an embedding model.
type evalFloorCommand struct {
	Queries  string `placeholder:"FILE" help:"Queries, one line of JSON each, as of whatisit eval search (default: the built-in ones)."`
	Model    string `placeholder:"MODEL" help:"The embedding model, such as gemini-embedding-2, which costs money, with the key or project of the environment; or one of Ollama, with the export lines of go run ./emulators -ollama."`
	Emulated bool   `help:"Use the emulated embedding model: no key, no network."`
}

// Help is shown behind the flags.
func (evalFloorCommand) Help() string {
	return `Embeds the queries and the products of the three sample shops as a search does, and compares them by meaning alone. The proposed floor is the score that nine of ten queries for what a shop does not sell stay below with their nearest product. It counts only where nothing but likeness makes a product an answer: values of facets, names, filters and pictures are beyond it. Many of the other queries are found by their values, so what is right and below the floor says how much is lost if they were not. The floor is set in internal/catalog/vectorspace.go.

    whatisit eval floor --emulated
    whatisit eval floor --model gemini-embedding-2

Exit codes: 0 measured; 1 the model does not answer; 2 wrong usage, and no request was sent.`
}

// Run embeds queries and products, and prints the proposed floor.
func (e *evalFloorCommand) Run(ctx context.Context, c *console) error {
	if e.Emulated == (e.Model != "") {
		return usage("name one embedding model: --emulated, or --model gemini-embedding-2, which costs money")
	}
	space, err := catalog.VectorSpaceOf(cmp.Or(e.Model, "emulated-embedding"))
	if err != nil {
		return usage("--model: %s", err)
	}
	queries, err := (&evalSearchCommand{Queries: e.Queries}).read(c.in)
	if err != nil {
		return err
	}
	asked := relevance.Likenesses(queries)
	for _, unsold := range []bool{true, false} {
		if !slices.ContainsFunc(asked, func(l relevance.Likeness) bool { return l.Unsold == unsold }) {
			return usage("want queries for what is not sold (nothing), and others, in words of their own")
		}
	}
	scores, err := e.scores(ctx, c, asked, space)
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return err
	}
	floors := accuracy.ProposeFloor(scores, space.SearchFloor)
	floors.Model = space.Model
	if c.json {
		_, err = c.out.Write(encode(floors))
		return err
	}
	return printFloors(c.out, floors)
}

// scores returns the score of each query: of its best right product, or of the nearest if it is for
// something that is not sold.
func (e *evalFloorCommand) scores(ctx context.Context, c *console, asked []relevance.Likeness, space catalog.VectorSpace) (scores []accuracy.Scored, err error) {
	client, stop, err := embedder(ctx, c, e.Emulated)
	defer stop()
	if err != nil {
		return nil, err
	}
	var words, documents []string
	for _, l := range asked {
		words, documents = append(words, l.Query), append(documents, l.Texts...)
	}
	slices.Sort(documents)
	documents = slices.Compact(documents)
	c.say("embedding %d texts with %s, about $%.4f", len(words)+len(documents), space.Model,
		gemini.Estimate(gemini.Planned{Model: space.Model, Embeds: true, Input: tokens(words) + tokens(documents)}))
	ctx = gemini.WithAccount(ctx, &gemini.Account{Attempts: gemini.CallerAttempts})
	ofQuery, ofDocument := catalog.SearchPrefixes(space.Model)
	queryVectors, err := client.Embed(ctx, gemini.EmbedRequest{Model: space.Model, Prefix: ofQuery, Texts: words})
	if err != nil {
		return nil, err
	}
	vectors, err := client.Embed(ctx, gemini.EmbedRequest{Model: space.Model, Prefix: ofDocument, Texts: documents})
	if err != nil {
		return nil, err
	}
	for i, l := range asked {
		best := -1.0
		for j, text := range l.Texts {
			if at, _ := slices.BinarySearch(documents, text); l.Unsold || l.Right[j] {
				best = max(best, dot(queryVectors[i], vectors[at]))
			}
		}
		scores = append(scores, accuracy.Scored{Score: best, Same: !l.Unsold})
	}
	return scores, nil
}

func printFloors(out io.Writer, f accuracy.SearchFloors) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d queries for what is not sold, %d that products answer\n\n", f.Model, f.Unsold, f.Queries)
	fmt.Fprintf(&b, "  the nearest product to what is not sold scores %.3f at the median, %.3f to %.3f; the best right one to others %.3f, %.3f to %.3f\n\n",
		f.Nearest.Median, f.Nearest.P5, f.Nearest.P95, f.Right.Median, f.Right.P5, f.Right.P95)
	fmt.Fprintf(&b, "  %-16s %7s %16s %12s\n", "", "score", "not sold below", "right below")
	for _, line := range []struct {
		name string
		accuracy.SearchFloor
	}{{"floor, proposed", f.Proposed}, {"floor, now", f.Now}} {
		fmt.Fprintf(&b, "  %-16s %7.2f %15.0f%% %11.0f%%\n", line.name, line.Score, line.Unsold*100, line.Right*100)
	}
	if strings.HasPrefix(f.Model, "emulated") {
		fmt.Fprintf(&b, "\nThe emulated embedder answered: this says nothing of a real one.\n")
	} else {
		fmt.Fprintf(&b, "\nIn internal/catalog/vectorspace.go: SearchFloor: %.2f\n", f.Proposed.Score)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/scripts/whatisit/accuracy"
)

// evalThresholdsCommand proposes thresholds for an embedding model.
type evalThresholdsCommand struct {
	Pairs     string  `arg:"" help:"Labelled pairs, one line of JSON each; - for standard input."`
	Model     string  `placeholder:"MODEL" help:"The embedding model, such as gemini-embedding-2, which costs money, with the key or project of the environment; or emulated, as --emulated; or one of Ollama, such as local-embed-embeddinggemma, with the export lines of go run ./emulators -ollama. none and perfect cannot be measured here."`
	Emulated  bool    `help:"Use the emulated embedding model: no key, no network."`
	Precision float64 `default:"0.99" placeholder:"SHARE" help:"The share of accepted pairs that must be right (${default})."`
}

// Help is shown behind the flags.
func (evalThresholdsCommand) Help() string {
	return `A pair is two products by their key features, as image_analyzer or the catalogue has them:

    ` + accuracy.PairExample + `

Some pairs should be the same product seen twice, most of them two similar products: other flavours, sizes and brands. The texts are embedded as in the catalogue. accept is the lowest score from which on --precision of the pairs are the same product; below floor are at most 1 in 100 of the pairs of the same product. With fewer than 300 pairs, the interval of accept is wide. The program's current thresholds are printed too; they are set in internal/catalog/vectorspace.go.

    whatisit eval thresholds pairs.jsonl --model gemini-embedding-2

Exit codes: 0 measured; 1 no threshold reaches the precision, or the model does not answer; 2 wrong usage, and no request was sent.`
}

// Run embeds the pairs and prints the proposed thresholds.
func (e *evalThresholdsCommand) Run(ctx context.Context, c *console) error {
	pairs, space, err := e.read(c.in)
	if err != nil {
		return err
	}
	scores, err := e.scores(ctx, c, pairs, space)
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return err
	}
	t, err := accuracy.Propose(scores, e.Precision)
	if err != nil {
		return err
	}
	t.Model = space.Model
	t.Now.Floor, t.Now.Accept = accuracy.At(scores, space.Floor), accuracy.At(scores, space.Accept)
	if c.json {
		_, err = c.out.Write(encode(t))
	} else {
		err = printThresholds(c.out, t)
	}
	return err
}

// read returns the pairs and the embedding model, and refuses invalid flags.
func (e *evalThresholdsCommand) read(stdin io.Reader) (pairs []accuracy.Pair, space catalog.VectorSpace, err error) {
	switch {
	case e.Model == modelNone || e.Model == modelPerfect:
		return nil, space, usage("--model %s: thresholds need an embedding model: name one, or use --emulated", e.Model)
	case e.Model == modelLocal:
		return nil, space, usage("--model local: name the embedding model as go run ./emulators -ollama exports it in EMBEDDING_MODEL, such as local-embed-embeddinggemma, with its other export lines")
	case e.Model == modelEmulated && !e.Emulated:
		e.Emulated, e.Model = true, ""
		return e.read(stdin)
	case e.Emulated == (e.Model != ""):
		return nil, space, usage("name one embedding model: --emulated, or --model gemini-embedding-2, which costs money")
	case !(e.Precision > 0 && e.Precision <= 1):
		return nil, space, usage("--precision is %v: want a share, above 0 and at most 1", e.Precision)
	}
	if space, err = catalog.VectorSpaceOf(cmp.Or(e.Model, "emulated-embedding")); err != nil {
		return nil, space, usage("--model: %s", err)
	}
	file := io.NopCloser(stdin)
	if e.Pairs != "-" {
		if file, err = os.Open(e.Pairs); err != nil {
			return nil, space, usage("%s", err)
		}
	}
	defer file.Close()
	if pairs, err = accuracy.ReadPairs(file); err != nil {
		return nil, space, usage("%s: %s", e.Pairs, err)
	}
	return pairs, space, nil
}

// scores embeds each text once and compares the pairs.
func (e *evalThresholdsCommand) scores(ctx context.Context, c *console, pairs []accuracy.Pair, space catalog.VectorSpace) ([]accuracy.Scored, error) {
	client, stop, err := embedder(ctx, c, e.Emulated)
	defer stop()
	if err != nil {
		return nil, err
	}
	texts, at := distinct(pairs)
	c.say("embedding %d texts with %s, about $%.4f", len(texts), space.Model, gemini.Estimate(gemini.Planned{Model: space.Model, Embeds: true, Input: tokens(texts)}))
	ctx = gemini.WithAccount(ctx, &gemini.Account{Attempts: gemini.CallerAttempts})
	vectors, err := client.Embed(ctx, gemini.EmbedRequest{Model: space.Model, Prefix: space.Prefix, Texts: texts})
	if err != nil {
		return nil, err
	}
	scored := make([]accuracy.Scored, len(pairs))
	for i, p := range pairs {
		scored[i] = accuracy.Scored{Score: dot(vectors[at[p.A]], vectors[at[p.B]]), Same: *p.Same}
	}
	return scored, nil
}

// embedder opens the emulated embedding model, or that of the environment, and returns how to stop it.
func embedder(ctx context.Context, c *console, isEmulated bool) (client *gemini.Client, stop func(), err error) {
	stop = func() {}
	if isEmulated {
		world, err := startWorld(emulatedAnswers(answers.Options{}))
		if stop = world.close; err != nil {
			return nil, stop, fmt.Errorf("emulators: %w", err)
		}
		c.emulated()
	}
	if client, err = gemini.Open(ctx, gemini.Config{AllowEmulated: true}); err != nil {
		return nil, stop, usage("%s", err)
	}
	return client, stop, nil
}

// distinct returns the texts of all pairs without duplicates, and the index of each.
func distinct(pairs []accuracy.Pair) (texts []string, at map[accuracy.Features]int) {
	at = map[accuracy.Features]int{}
	for _, p := range pairs {
		for _, text := range []accuracy.Features{p.A, p.B} {
			if _, there := at[text]; !there {
				at[text] = len(texts)
				texts = append(texts, string(text))
			}
		}
	}
	return texts, at
}

// tokens estimates the number of tokens of texts, at 2 bytes a token.
func tokens(texts []string) int { return len(strings.Join(texts, " ")) / 2 }

// dot returns the dot product: the cosine, if the vectors have length 1.
func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func printThresholds(out io.Writer, t accuracy.Thresholds) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d pairs, %d of the same product\n\n", t.Model, t.Pairs, t.Same)
	fmt.Fprintf(&b, "  two products score %.3f at the median, %.3f to %.3f; the same one %.3f, %.3f to %.3f\n\n",
		t.Unlike.Median, t.Unlike.P5, t.Unlike.P95, t.Alike.Median, t.Alike.P5, t.Alike.P95)
	fmt.Fprintf(&b, "  %-16s %7s %7s %10s %-22s %7s\n", "", "score", "pairs", "precision", "95% sure above", "recall")
	for _, line := range []struct {
		name string
		at   accuracy.Threshold
	}{{"floor, proposed", t.Floor}, {"floor, now", t.Now.Floor}, {"accept, proposed", t.Accept}, {"accept, now", t.Now.Accept}} {
		fmt.Fprintf(&b, "  %-16s %7.3f %7d %9.1f%% %13.1f%% %15.1f%%\n", line.name, line.at.Score, line.at.Above, line.at.Precision*100, line.at.Low*100, line.at.Recall*100)
	}
	if strings.HasPrefix(t.Model, "emulated") {
		fmt.Fprintf(&b, "\nThe emulated embedder answered: this says nothing of a real one.\n")
	} else {
		fmt.Fprintf(&b, "\nIn internal/catalog/vectorspace.go: Floor: %.3f, Accept: %.3f\n", t.Floor.Score, t.Accept.Score)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

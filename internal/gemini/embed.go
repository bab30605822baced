package gemini

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/genai"
)

// Dimensions is the length of every vector.
const Dimensions = 768

const (
	largestBatch  = 100 // texts a request, the service's limit
	embedInFlight = 8   // requests at once
)

// EmbedRequest asks for the vectors of texts.
type EmbedRequest struct {
	Model string
	// Prefix is put before each text, such as "task: sentence similarity |
	// query: "; vectors compare only among the same model and prefix.
	Prefix string
	Texts  []string
}

// Embed returns a vector for each text, in their order, each of 768 dimensions
// and length 1, so that the dot product of two is their cosine. The service
// reports no tokens for embeddings on the Gemini API; their cost is then
// reckoned at 4 bytes a token, and Usage leaves them out.
func (c *Client) Embed(ctx context.Context, r EmbedRequest) ([][]float32, error) {
	if err := checkEmbed(r); err != nil {
		return nil, &Error{Kind: Invalid, Model: r.Model, Err: err}
	}
	size := largestBatch
	if c.vertex {
		size = 1 // gemini-embedding-001 and -2 take one content a call there
	}
	vectors := make([][]float32, len(r.Texts))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(embedInFlight)
	start := 0
	for batch := range slices.Chunk(r.Texts, size) {
		into := vectors[start : start+len(batch)]
		start += len(batch)
		group.Go(func() error { return c.embedBatch(groupCtx, r, batch, into) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return vectors, nil
}

func checkEmbed(r EmbedRequest) error {
	if err := checkModel(r.Model); err != nil {
		return err
	}
	for i, text := range r.Texts {
		if strings.TrimSpace(text) == "" {
			return fmt.Errorf("text %d is empty", i)
		}
	}
	return nil
}

func (c *Client) embedBatch(ctx context.Context, r EmbedRequest, batch []string, into [][]float32) error {
	contents := make([]*genai.Content, len(batch))
	for i, text := range batch {
		contents[i] = genai.NewContentFromText(r.Prefix+text, genai.RoleUser)
	}
	return c.call(ctx, r.Model, job{kind: jobEmbed, try: func(ctx context.Context, model string) error {
		raw, err := c.sendEmbed(ctx, model, contents)
		if err != nil {
			return err
		}
		c.bookEmbedding(ctx, model, contents, raw)
		if err := unitVectors(raw.Embeddings, into); err != nil {
			return &Error{Kind: Malformed, Model: model, Err: err}
		}
		return nil
	}})
}

func (c *Client) sendEmbed(ctx context.Context, model string, contents []*genai.Content) (raw *genai.EmbedContentResponse, err error) {
	defer unpanicked(&err)
	return c.models.EmbedContent(ctx, model, contents, &genai.EmbedContentConfig{OutputDimensionality: genai.Ptr[int32](Dimensions)})
}

func (c *Client) bookEmbedding(ctx context.Context, model string, contents []*genai.Content, raw *genai.EmbedContentResponse) {
	entry := Ledger{Calls: Calls{Embed: 1}, Models: map[string]string{model: model}}
	var tokens float64
	for _, e := range raw.Embeddings {
		if e != nil && e.Statistics != nil {
			tokens += float64(e.Statistics.TokenCount)
		}
	}
	entry.Usage = Usage{Input: int(tokens), Total: int(tokens)}
	if tokens == 0 {
		for _, content := range contents {
			tokens += math.Ceil(float64(len(content.Parts[0].Text)) / 4)
		}
	}
	price, known := priceOf(embedding, time.Now(), model)
	entry.USD = price.tokens(int(tokens), 0)
	entry.Warnings = unless(known, WarnNoPrice)
	if isEmulated(model) {
		entry.Warnings = append(entry.Warnings, WarnEmulated)
	}
	c.book(ctx, entry)
	noteAttempt(ctx, entry, "")
}

// unitVectors puts the embeddings, scaled to length 1, into the vectors.
func unitVectors(embeddings []*genai.ContentEmbedding, into [][]float32) error {
	if len(embeddings) != len(into) {
		return fmt.Errorf("%d vectors for %d texts", len(embeddings), len(into))
	}
	for i, e := range embeddings {
		if e == nil || len(e.Values) != Dimensions {
			return fmt.Errorf("vector %d has not %d dimensions", i, Dimensions)
		}
		if err := normalise(e.Values); err != nil {
			return fmt.Errorf("vector %d: %w", i, err)
		}
		into[i] = e.Values
	}
	return nil
}

// normalise scales v to length 1. gemini-embedding-001 does so only at 3072
// dimensions.
func normalise(v []float32) error {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return errors.New("its length is zero or not finite")
	}
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
	return nil
}

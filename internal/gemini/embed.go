package gemini

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/genai"
)

// Dimensions is the length of every embedding vector.
const Dimensions = 768

const (
	largestBatch  = 100        // contents in a request, the service's limit
	largestBody   = 14_000_000 // bytes of images in a request: the limit is 20 MB, and base64 adds a third
	embedInFlight = 8          // concurrent requests
)

// EmbedRequest asks for the vectors of texts and of images.
type EmbedRequest struct {
	Model string
	// Prefix is put before each text, such as "task: sentence similarity | query: ";
	// vectors are only comparable for the same model and prefix.
	Prefix string
	Texts  []string
	// Images are blobs without a prefix. A model for which EmbedsImages is true embeds them
	// into the same space as texts.
	Images []Part
}

// EmbedsImages reports whether a model embeds images and texts into one space. Models
// before gemini-embedding-2 embed only texts.
func EmbedsImages(model string) bool {
	return baseName(model) == "gemini-embedding-2" || isFree(model)
}

// Embed returns a vector for each text and then for each image, in order. Vectors have 768
// dimensions and length 1, so that the dot product of two is their cosine. The Gemini API
// reports no tokens for embeddings: their cost is estimated at 4 bytes per token and 258
// tokens per image, and Usage does not include them.
func (c *Client) Embed(ctx context.Context, r EmbedRequest) ([][]float32, error) {
	if err := checkEmbed(r); err != nil {
		return nil, &Error{Kind: Invalid, Model: r.Model, Err: err}
	}
	size := largestBatch
	if c.vertex {
		size = 1 // gemini-embedding-001 and -2 accept one content per call on Vertex AI
	}
	contents := r.contents()
	for range slices.Chunk(contents, largestBatch) { // a caller's limit is the same whatever a request takes
		if e := c.admit(ctx, r.Model); e != nil {
			return nil, e
		}
	}
	vectors := make([][]float32, len(contents))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(embedInFlight)
	start := 0
	for batch := range batches(contents, size) {
		into := vectors[start : start+len(batch)]
		start += len(batch)
		group.Go(func() error { return c.embedBatch(groupCtx, r.Model, batch, into) })
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
	for i, image := range r.Images {
		if !image.isBlob() || len(image.data) == 0 {
			return fmt.Errorf("image %d is empty or not a blob", i)
		}
	}
	if len(r.Images) > 0 && !EmbedsImages(r.Model) {
		return fmt.Errorf("%s embeds no images: use gemini-embedding-2", r.Model)
	}
	return nil
}

// contents returns one content for each text and image.
func (r EmbedRequest) contents() []*genai.Content {
	contents := make([]*genai.Content, 0, len(r.Texts)+len(r.Images))
	for _, text := range r.Texts {
		contents = append(contents, genai.NewContentFromText(r.Prefix+text, genai.RoleUser))
	}
	for _, image := range r.Images {
		contents = append(contents, genai.NewContentFromBytes(image.data, image.mimeType, genai.RoleUser))
	}
	return contents
}

// batches splits contents into requests of at most size contents, and at most largestBody
// bytes of images.
func batches(contents []*genai.Content, size int) iter.Seq[[]*genai.Content] {
	return func(yield func([]*genai.Content) bool) {
		start, bytes := 0, 0
		for i, content := range contents {
			n := imageBytes(content)
			if i > start && (i-start == size || bytes+n > largestBody) {
				if !yield(contents[start:i]) {
					return
				}
				start, bytes = i, 0
			}
			bytes += n
		}
		if start < len(contents) {
			yield(contents[start:])
		}
	}
}

// imageBytes returns the size of a content's image, 0 for a text.
func imageBytes(content *genai.Content) int {
	if blob := content.Parts[0].InlineData; blob != nil {
		return len(blob.Data)
	}
	return 0
}

func (c *Client) embedBatch(ctx context.Context, model string, contents []*genai.Content, into [][]float32) error {
	return c.call(ctx, model, job{kind: jobEmbed, try: func(ctx context.Context, model string) error {
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
	defer recoverPanic(&err)
	var v vectors
	raw, err = c.embeds.EmbedContent(withVectors(ctx, &v), model, contents, &genai.EmbedContentConfig{OutputDimensionality: genai.Ptr[int32](Dimensions)})
	if err == nil {
		v.put(raw.Embeddings)
	}
	return raw, err
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
	price, known := priceOf(embedding, c.locationOf(embedding), time.Now(), model)
	entry.USD = price.tokens(int(tokens), 0) + price.images(contents)
	entry.Warnings = unless(known, WarnNoPrice)
	if isEmulated(model) {
		entry.Warnings = append(entry.Warnings, WarnEmulated)
	}
	if isLocal(model) {
		entry.Warnings = append(entry.Warnings, WarnLocal)
	}
	c.book(ctx, entry.each("embed", model))
	noteAttempt(ctx, entry, "")
}

// tokensOfImage is the number of tokens charged for an image in an embedding.
const tokensOfImage = 258

// images returns the cost of the images among contents.
func (p price) images(contents []*genai.Content) float64 {
	n := 0
	for _, content := range contents {
		if imageBytes(content) > 0 {
			n++
		}
	}
	return float64(n*tokensOfImage) * p.Image / 1e6
}

// unitVectors copies the embeddings, scaled to length 1, to into.
func unitVectors(embeddings []*genai.ContentEmbedding, into [][]float32) error {
	if len(embeddings) != len(into) {
		return fmt.Errorf("%d vectors for %d contents", len(embeddings), len(into))
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

// normalise scales v to length 1. The model gemini-embedding-001 does that itself only at
// 3072 dimensions.
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

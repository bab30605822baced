package gemini

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/segmentio/encoding/json"
	"google.golang.org/genai"
)

// The SDK decodes an answer to maps, encodes these and decodes that: each number of a vector
// three times, once as an interface. So it is given the index of each vector in its place, and
// the transport decodes the vectors.

// vectors are those of an answer, in the order in which they stand there. Without any, the
// answer is as the service sent it.
type vectors [][]float32

type vectorsKey struct{}

// withVectors returns a context whose answers have the vectors in v.
func withVectors(ctx context.Context, v *vectors) context.Context {
	return context.WithValue(ctx, vectorsKey{}, v)
}

// take moves the vectors of an answer to v. What has none that it knows stays as it is.
func (v *vectors) take(resp *http.Response) error {
	if resp.StatusCode != http.StatusOK {
		return nil
	}
	text, err := io.ReadAll(resp.Body)
	if err = cmp.Or(err, resp.Body.Close()); err != nil {
		return err
	}
	if shorter, ok := v.cut(text); ok {
		text = shorter
	} else {
		*v = nil
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return nil
}

// cut returns text with indices in place of its vectors, which it adds to v. Inside of a string
// of JSON there is no name in quotes.
func (v *vectors) cut(text []byte) (shorter []byte, ok bool) {
	const name = `"values"`
	for {
		before, after, found := bytes.Cut(text, []byte(name))
		shorter = append(shorter, before...)
		if !found {
			return shorter, true
		}
		open, end := bytes.IndexByte(after, '['), bytes.IndexByte(after, ']')
		if open < 0 || end < open || string(bytes.TrimSpace(after[:open])) != ":" {
			return nil, false
		}
		var values []float32
		if json.Unmarshal(after[open:end+1], &values) != nil {
			return nil, false
		}
		shorter = fmt.Appendf(shorter, `%s:[%d]`, name, len(*v))
		*v, text = append(*v, values), after[end+1:]
	}
}

// put puts the vectors into embeddings, in place of their indices.
func (v vectors) put(embeddings []*genai.ContentEmbedding) {
	for _, e := range embeddings {
		if len(v) > 0 && e != nil && len(e.Values) == 1 {
			e.Values = v[int(e.Values[0])]
		}
	}
}

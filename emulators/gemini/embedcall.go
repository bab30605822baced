package gemini

import (
	"context"
	"encoding/json"
	"net/http"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// embedding answers an embedding method. Of the faults that spoil an answer,
// Cut cuts it, Truncated leaves the last vector out, Malformed breaks the
// JSON, WrongTypes makes strings of the numbers; the others mean nothing here.
func (x *exchange) embedding(a Answer, f *Fault) {
	vectors := a.Embeddings
	if vectors == nil {
		var err error
		vectors, err = x.s.vectors(x.r.Context(), x.q.embed)
		x.leave()
		if err != nil {
			x.fail(refusal(err))
			return
		}
	}
	if f != nil && f.Type == Truncated && len(vectors) > 0 {
		vectors = vectors[:len(vectors)-1]
	}
	x.call.Usage = &Usage{PromptTokens: x.q.promptTokens(), TotalTokens: x.q.promptTokens()}
	var values []any
	for _, v := range vectors {
		values = append(values, spoiledVector(v, f))
	}
	body, err := json.Marshal(x.embedAnswer(values))
	if err != nil {
		x.fail(errInternal) // a scripted vector with a NaN
		return
	}
	if f != nil && f.Type == Malformed {
		body = body[:len(body)/2]
	}
	x.sendBody(http.StatusOK, body, f != nil && f.Type == Cut)
}

func spoiledVector(v []float32, f *Fault) any {
	if f != nil && f.Type == WrongTypes {
		return []string{"not", "numbers"}
	}
	return v
}

// vectors embeds the contents of the request.
func (s *Server) vectors(ctx context.Context, inputs []embedInput) ([][]float32, error) {
	list := make([][]float32, len(inputs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, in := range inputs {
		group.Go(func() (err error) {
			list[i], err = s.embed(ctx, in.text, in.photos, in.dimensions)
			return err
		})
	}
	return list, group.Wait()
}

// embedAnswer returns the answer's shape for the method.
func (x *exchange) embedAnswer(values []any) map[string]any {
	switch x.q.Method {
	case "predict":
		predictions := []map[string]any{}
		for i, v := range values {
			text := x.q.Texts[min(i, len(x.q.Texts)-1)] // a script may hold more vectors
			statistics := map[string]any{"truncated": false, "token_count": textTokens(text)}
			predictions = append(predictions, map[string]any{"embeddings": map[string]any{"values": v, "statistics": statistics}})
		}
		return map[string]any{"predictions": predictions}
	case "embedContent":
		answer := map[string]any{}
		if x.q.Vertex {
			answer = map[string]any{"usageMetadata": x.call.Usage, "truncated": false}
		}
		if len(values) > 0 {
			answer["embedding"] = map[string]any{"values": values[0]}
		}
		return answer
	}
	embeddings := []map[string]any{}
	for _, v := range values {
		embeddings = append(embeddings, map[string]any{"values": v})
	}
	return map[string]any{"embeddings": embeddings}
}

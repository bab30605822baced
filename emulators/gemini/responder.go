package gemini

import (
	"context"
	"unicode/utf8"
)

// A Responder answers the requests of one agent. The emulator itself knows no agent: it
// asks the responders that it was started with, in order.
type Responder interface {
	// Kinds returns the kinds of a generate request, for scripts, faults and the log,
	// which shows the first; none if this responder does not know the request.
	Kinds(*Request) []Kind
	// Answer answers a request that Kinds named: JSON or Text, and Grounding. If it is
	// AtALoss, an empty instance of the request's schema is sent. An error is the client's
	// fault and becomes a 400, unless it is a [Failure]. ctx ends with the call; work that
	// other calls may reuse is done with [Lasting].
	Answer(ctx context.Context, r *Request) (Answer, error)
}

type lastingKey struct{}

// Lasting returns the context that ends when the emulator closes, not with the call of ctx.
func Lasting(ctx context.Context) context.Context {
	if lasting, ok := ctx.Value(lastingKey{}).(context.Context); ok {
		return lasting
	}
	return ctx
}

// An Embedder returns the vector of a text and photos, of that many dimensions.
// Its errors and its ctx are as a Responder's.
type Embedder func(ctx context.Context, text string, photos []Inline, dimensions int) ([]float32, error)

// firstAxis returns the same vector for everything.
func firstAxis(_ context.Context, _ string, _ []Inline, dimensions int) ([]float32, error) {
	v := make([]float32, dimensions)
	v[0] = 1
	return v, nil
}

// A Speaker makes speech from the texts of a request: samples of 16 bits, little-endian, mono,
// SampleRate a second. Its errors and its ctx are as a Responder's.
type Speaker func(ctx context.Context, r *Request) ([]byte, error)

// silence returns silence of about the length of the speech.
func silence(_ context.Context, r *Request) ([]byte, error) {
	n := 0
	for _, text := range r.Texts {
		n += utf8.RuneCountInString(text)
	}
	return make([]byte, 2*SampleRate*n/15), nil
}

// know returns the first responder that knows the request.
func (s *Server) know(q *query) {
	if q.Kind == KindSpeak {
		return
	}
	for _, m := range s.responders {
		if kinds := m.Kinds(&q.Request); len(kinds) > 0 {
			q.responder, q.Kind, q.also = m, kinds[0], kinds[1:]
			return
		}
	}
}

// honest answers q with the responder that knows it; a request that none knows gets an
// empty instance of its schema.
func (s *Server) honest(ctx context.Context, q *query) (Answer, error) {
	if q.Kind == KindSpeak {
		audio, err := s.speak(ctx, &q.Request)
		return Answer{Audio: audio}, err
	}
	var empty Answer
	if q.responder != nil {
		a, err := q.responder.Answer(ctx, &q.Request)
		if err != nil || !a.AtALoss {
			return a, err
		}
		empty = a
	}
	for _, i := range q.Inline {
		if err := i.decodable(); err != nil {
			return Answer{}, err
		}
	}
	switch {
	case q.ResponseSchema != nil:
		v, err := instanceOf(q.ResponseSchema)
		if word, ok := v.(string); ok && q.word {
			return Answer{Text: word}, err
		}
		empty.JSON = v
		return empty, err
	case q.JSON:
		return Answer{Text: "{}"}, nil
	}
	return Answer{Text: "The emulated model has no answer to this."}, nil
}

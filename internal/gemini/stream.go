package gemini

import (
	"context"
	"errors"
	"iter"
	"strings"

	"google.golang.org/genai"
)

// A broken is the error of an answer that broke off after a first part.
type broken struct{ error }

func (b broken) Unwrap() error { return b.error }

// brokenOff reports whether part of an answer had arrived before err.
func brokenOff(err error) bool {
	var b broken
	return errors.As(err, &b)
}

// errLeft ends an answer whose consumer wants no more of it.
var errLeft = errors.New("the caller left")

// stream makes one request and passes each piece of the answer to piece as it arrives,
// until piece returns an error. It returns the whole answer, joined. If the answer breaks
// off, the usage so far is booked, because it is charged.
func (c *Client) stream(ctx context.Context, model string, config *genai.GenerateContentConfig, piece func(*genai.GenerateContentResponse) error) (*genai.GenerateContentResponse, error) {
	next, stop := iter.Pull2(c.models.GenerateContentStream(ctx, model, placeholder, config))
	defer stop()
	var whole pieces
	for {
		raw, err := pull(next)
		if err == nil && raw == nil {
			err = whole.ended()
			if err == nil {
				return whole.answer(), nil
			}
		}
		if err == nil {
			whole.add(raw)
			if err = piece(raw); err == nil {
				continue
			}
		}
		if whole.none() {
			return nil, err
		}
		c.bookBroken(ctx, model, whole.answer())
		return nil, broken{err}
	}
}

// pull returns the next piece, nil at the end. It turns panics of the SDK into errors, but
// not panics of the code that uses a piece.
func pull(next func() (*genai.GenerateContentResponse, error, bool)) (raw *genai.GenerateContentResponse, err error) {
	defer recoverPanic(&err)
	raw, err, _ = next()
	if err != nil && strings.HasPrefix(err.Error(), "iterateResponseStream") { // the error quotes the answer
		err = errUnreadable
	}
	return raw, err
}

// bookBroken books the usage that the service reported for an answer that broke off.
func (c *Client) bookBroken(ctx context.Context, model string, came *genai.GenerateContentResponse) {
	response, _ := responseOf(model, came, hasAnswer)
	entry := c.entryOf(generating, model, came, response)
	c.book(ctx, entry)
	noteAttempt(ctx, entry, response.FinishReason)
}

// pieces joins the pieces of an answer.
type pieces struct {
	whole     *genai.GenerateContentResponse
	candidate *genai.Candidate
	parts     []*genai.Part
}

func (p *pieces) none() bool { return p.whole == nil }

// ended returns nil if the pieces contain the reason why the answer ended.
func (p *pieces) ended() error {
	switch {
	case p.none():
		return errUnreadable
	case p.candidate != nil && p.candidate.FinishReason != "", p.whole.PromptFeedback != nil:
		return nil
	}
	return errors.New("the stream ended before the answer did")
}

// add adds a piece. Of repeated values, such as the usage, the last counts.
func (p *pieces) add(raw *genai.GenerateContentResponse) {
	before := p.whole
	p.whole = raw
	if before != nil {
		raw.UsageMetadata = either(raw.UsageMetadata, before.UsageMetadata)
		raw.PromptFeedback = either(raw.PromptFeedback, before.PromptFeedback)
		if raw.ModelVersion == "" {
			raw.ModelVersion = before.ModelVersion
		}
	}
	if len(raw.Candidates) > 0 && raw.Candidates[0] != nil {
		p.addCandidate(*raw.Candidates[0])
	}
}

func (p *pieces) addCandidate(c genai.Candidate) {
	if c.Content != nil {
		for _, part := range c.Content.Parts {
			p.addPart(part)
		}
	}
	if last := p.candidate; last != nil {
		c.GroundingMetadata = either(c.GroundingMetadata, last.GroundingMetadata)
		c.CitationMetadata = either(c.CitationMetadata, last.CitationMetadata)
		if c.FinishReason == "" {
			c.FinishReason = last.FinishReason
		}
	}
	p.candidate = &c
}

// addPart joins a text to the one before it. A part with a signature stays separate: it
// must be sent back as it was received.
// https://ai.google.dev/gemini-api/docs/thought-signatures
func (p *pieces) addPart(part *genai.Part) {
	if part == nil || !hasData(part) && len(part.ThoughtSignature) == 0 {
		return
	}
	if n := len(p.parts); n > 0 && joinable(p.parts[n-1]) && joinable(part) && p.parts[n-1].Thought == part.Thought {
		joined := *p.parts[n-1] // do not change a piece that was already passed on
		joined.Text += part.Text
		p.parts[n-1] = &joined
		return
	}
	p.parts = append(p.parts, part)
}

// joinable reports whether a part is only text.
func joinable(p *genai.Part) bool { return p.Text != "" && len(p.ThoughtSignature) == 0 }

// answer returns the joined answer.
func (p *pieces) answer() *genai.GenerateContentResponse {
	answer := *p.whole
	answer.Candidates = nil
	if p.candidate != nil {
		candidate := *p.candidate
		candidate.Content = &genai.Content{Role: genai.RoleModel, Parts: p.parts}
		answer.Candidates = []*genai.Candidate{&candidate}
	}
	return &answer
}

func either[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}

package gemini

import (
	"context"
	"errors"
	"iter"
	"strings"

	"google.golang.org/genai"
)

// A broken is the error that ended an answer of which a part had come.
type broken struct{ error }

func (b broken) Unwrap() error { return b.error }

// brokenOff reports that an answer had begun before err.
func brokenOff(err error) bool {
	var b broken
	return errors.As(err, &b)
}

// errLeft ends an answer whose caller wants no more of it.
var errLeft = errors.New("the caller left")

// stream makes one request and hands each piece of the answer to piece as it
// comes, until that returns an error. It returns the whole answer, put together;
// what came of one that breaks off is booked, for it is paid for.
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

// pull returns the next piece, nil at the end. Only the SDK's panics become
// errors here: what is done with a piece is done elsewhere.
func pull(next func() (*genai.GenerateContentResponse, error, bool)) (raw *genai.GenerateContentResponse, err error) {
	defer unpanicked(&err)
	raw, err, _ = next()
	if err != nil && strings.HasPrefix(err.Error(), "iterateResponseStream") { // quotes the answer
		err = errUnreadable
	}
	return raw, err
}

// bookBroken books what the service said it had used of an answer that broke off.
func (c *Client) bookBroken(ctx context.Context, model string, came *genai.GenerateContentResponse) {
	response, _ := responseOf(model, came, hasAnswer)
	entry := entryOf(generating, model, came, response)
	c.book(ctx, entry)
	noteAttempt(ctx, entry, response.FinishReason)
}

// pieces is an answer that comes in pieces.
type pieces struct {
	whole     *genai.GenerateContentResponse
	candidate *genai.Candidate
	parts     []*genai.Part
}

func (p *pieces) none() bool { return p.whole == nil }

// ended is nil when the pieces say how the answer ended.
func (p *pieces) ended() error {
	switch {
	case p.none():
		return errUnreadable
	case p.candidate != nil && p.candidate.FinishReason != "", p.whole.PromptFeedback != nil:
		return nil
	}
	return errors.New("the stream ended before the answer did")
}

// add takes a piece: of what each repeats, such as the usage, the last counts.
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

// addPart joins a text to the one before it. A part with a signature stays apart:
// it must be sent back as it came.
// https://ai.google.dev/gemini-api/docs/thought-signatures
func (p *pieces) addPart(part *genai.Part) {
	if part == nil || !hasData(part) && len(part.ThoughtSignature) == 0 {
		return
	}
	if n := len(p.parts); n > 0 && joinable(p.parts[n-1]) && joinable(part) && p.parts[n-1].Thought == part.Thought {
		joined := *p.parts[n-1] // a piece that was handed on stays as it was
		joined.Text += part.Text
		p.parts[n-1] = &joined
		return
	}
	p.parts = append(p.parts, part)
}

// joinable reports that a part is text and no more.
func joinable(p *genai.Part) bool { return p.Text != "" && len(p.ThoughtSignature) == 0 }

// answer is what the pieces make together.
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

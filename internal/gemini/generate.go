package gemini

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/genai"
)

// Generate calls the model and returns its whole answer. A blocked prompt or answer, a
// truncated answer and one without text are errors.
func (c *Client) Generate(ctx context.Context, r Request) (*Response, error) {
	response, err := c.generate(ctx, r, []*genai.Content{userTurn(r.Parts)}, nil)
	if err != nil {
		return nil, err
	}
	return response, nil
}

// A reader decodes the text of an answer. Its error tells the model what to correct. A nil
// reader accepts every text.
type reader func(text string) error

// generate calls the model with contents until read accepts an answer. It returns the last
// answer that was read, charged with all before it; with an error it may be nil.
func (c *Client) generate(ctx context.Context, r Request, contents []*genai.Content, read reader) (*Response, error) {
	if err := c.check(r); err != nil {
		return nil, &Error{Kind: Invalid, Model: r.Model, Err: err}
	}
	schema, err := wireSchema(r.Schema)
	if err != nil {
		return nil, &Error{Kind: Invalid, Model: r.Model, Err: err}
	}
	ctx = WithTier(withParts(ctx, r.Parts), requestTier(ctx, r))
	var response *Response
	f := &form{client: c, wire: schema}
	ask := send
	if r.Said != nil {
		ask = c.streamed(r.Said)
	}
	j := job{key: r.Key, kind: r.kind(), otherwise: f.again, try: func(ctx context.Context, model string) error {
		config := c.atTier(ctx, c.generateConfig(r, model, contents, f))
		var raw *genai.GenerateContentResponse
		var answer *Response
		var err error
		if p := patienceOf(ctx); p == nil || r.repair {
			raw, err = ask(ctx, c.models, model, config)
		} else {
			raw, answer, err = c.sendFor(ctx, p, r, model, config)
		}
		if err != nil && answer == nil {
			return f.failed(model, err)
		}
		f.answered(ctx, model)
		if answer == nil {
			answer, err = c.chargeAndCheck(ctx, r.step(), model, raw, hasText)
		}
		if err == nil && read != nil {
			err = refusedError(answer, read(answer.Text))
		}
		if err == nil || malformed(err) {
			answer.add(response)
			response = answer
		}
		return err
	}}
	if read != nil && !r.repair {
		j.mend = func(ctx context.Context, e *Error) *Error { return c.mend(ctx, r, response, read, e) }
	}
	err = c.call(ctx, r.Model, j)
	return response, err
}

// send makes one request to models, of one location.
func send(ctx context.Context, models *genai.Models, model string, config *genai.GenerateContentConfig) (raw *genai.GenerateContentResponse, err error) {
	defer recoverPanic(&err)
	return models.GenerateContent(ctx, model, placeholder, config)
}

// streamed returns what asks as send does, for an answer in a stream: what has come of it is passed
// to said each time there is more. One that breaks off is as one that never came: the next try says
// all of it again.
func (c *Client) streamed(said func(string)) func(context.Context, *genai.Models, string, *genai.GenerateContentConfig) (*genai.GenerateContentResponse, error) {
	return func(ctx context.Context, _ *genai.Models, model string, config *genai.GenerateContentConfig) (*genai.GenerateContentResponse, error) {
		var text strings.Builder
		raw, err := c.stream(ctx, model, config, func(piece *genai.GenerateContentResponse) error {
			if err := c.allowed(model, piece.ModelVersion); err != nil {
				return err
			}
			if content := answerOf(piece).Content; hasText(content) {
				text.WriteString(textOf(content))
				said(text.String())
			}
			return nil
		})
		if b := (broken{}); errors.As(err, &b) {
			err = b.error
		}
		return raw, err
	}
}

// refusedError returns the error for an answer with a problem, nil if there is none.
func refusedError(answer *Response, problem error) error {
	if problem == nil {
		return nil
	}
	return &Error{Kind: Malformed, Model: answer.Model, Err: problem, searched: len(answer.Queries) > 0}
}

func malformed(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == Malformed
}

// check refuses requests that the SDK or the service would refuse with a less clear error.
func (c *Client) check(r Request) error {
	if err := checkModel(r.Model); err != nil {
		return err
	}
	if len(r.Parts) == 0 {
		return errors.New("the request has no parts")
	}
	if i := slices.IndexFunc(r.Parts, Part.isEmpty); i >= 0 {
		return fmt.Errorf("part %d is empty", i)
	}
	if err := r.Thinking.Check(); err != nil {
		return fmt.Errorf("Thinking is %w", err)
	}
	if err := r.MediaResolution.Check(); err != nil {
		return fmt.Errorf("MediaResolution is %w", err)
	}
	if r.Search && r.Schema != nil && c.cannotSearchBySchema(r.Model) {
		return errSearchBySchema
	}
	return nil
}

var errSearchBySchema = errors.New("this model cannot search and answer by a schema in one call: search first, structure second")

func (c *Client) cannotSearchBySchema(model string) bool {
	return c.vertex || strings.HasPrefix(baseName(model), "gemini-2")
}

func checkModel(model string) error {
	if model == "" || strings.ContainsAny(model, "?&# ") || strings.Contains(model, "..") {
		return fmt.Errorf("%q is no model name", model)
	}
	return nil
}

// chargeAndCheck books the cost of an answer, and returns an error if the answer is
// unusable.
func (c *Client) chargeAndCheck(ctx context.Context, step, model string, raw *genai.GenerateContentResponse, answered func(*genai.Content) bool) (*Response, error) {
	response, err := responseOf(model, raw, answered)
	entry := c.entryOf(generating, model, raw, response)
	entry.Calls.Generate = 1
	response.USD = entry.USD
	c.book(ctx, entry.each(step, model))
	noteAttempt(ctx, entry, response.FinishReason)
	if err := c.allowed(model, response.ModelVersion); err != nil {
		return nil, err
	}
	var e *Error
	if errors.As(err, &e) {
		e.searched = len(response.Queries) > 0
	}
	return response, err
}

// entryOf returns the usage and cost of an answer.
func (c *Client) entryOf(k kind, model string, raw *genai.GenerateContentResponse, r *Response) Ledger {
	entry := Ledger{
		Calls:  Calls{GroundedQueries: len(r.Queries), Flex: flexCalls(raw)},
		Usage:  r.Usage,
		Models: map[string]string{model: r.ModelVersion},
	}
	if r.ModelVersion == emulatedVersion {
		entry.Warnings = []string{WarnEmulated}
		return entry
	}
	if isLocal(model) {
		entry.Warnings = []string{WarnLocal}
		return entry
	}
	price, known := priceOf(k, c.locationOf(k), time.Now(), r.ModelVersion, model)
	entry.USD = price.at(chargedTier(raw)).answer(r, cachedTokens(raw))
	entry.Warnings = unless(known, WarnNoPrice)
	return entry
}

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

// Generate asks the model and returns its whole answer. A blocked prompt or
// answer, a truncated one and one without text are errors.
func (c *Client) Generate(ctx context.Context, r Request) (*Response, error) {
	return c.generate(ctx, r, []*genai.Content{userTurn(r.Parts)})
}

func (c *Client) generate(ctx context.Context, r Request, contents []*genai.Content) (*Response, error) {
	if err := c.check(r); err != nil {
		return nil, &Error{Kind: Invalid, Model: r.Model, Err: err}
	}
	schema, err := wireSchema(r.Schema)
	if err != nil {
		return nil, &Error{Kind: Invalid, Model: r.Model, Err: err}
	}
	var response *Response
	err = c.withFallback(ctx, r.Model, func(ctx context.Context, model string) error {
		raw, err := unpanicked(func() (*genai.GenerateContentResponse, error) {
			return c.models.GenerateContent(ctx, model, placeholder, c.generateConfig(r, model, contents, schema))
		})
		if err != nil {
			return err
		}
		response, err = c.settle(ctx, model, raw)
		return err
	})
	if err != nil {
		return nil, err
	}
	return response, nil
}

// check refuses what the SDK or the service would refuse less clearly.
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
	if r.Search && r.Schema != nil && (c.vertex || strings.HasPrefix(baseName(r.Model), "gemini-2")) {
		return errors.New("this model cannot search and answer by a schema in one call: search first, structure second")
	}
	return nil
}

func checkModel(model string) error {
	if model == "" || strings.ContainsAny(model, "?&# ") || strings.Contains(model, "..") {
		return fmt.Errorf("%q is no model name", model)
	}
	return nil
}

// settle reads an answer, books its cost, and refuses it if it is of no use.
func (c *Client) settle(ctx context.Context, model string, raw *genai.GenerateContentResponse) (*Response, error) {
	response, err := read(model, raw)
	entry := Ledger{
		Calls:  Calls{Generate: 1, GroundedQueries: len(response.Queries)},
		Usage:  response.Usage,
		Models: map[string]string{model: response.ModelVersion},
	}
	emulated := response.ModelVersion == emulatedVersion
	if emulated {
		entry.Warnings = []string{WarnEmulated}
	} else {
		price, known := priceOf(generating, time.Now(), response.ModelVersion, model)
		entry.USD = price.answer(response, cachedTokens(raw))
		entry.Warnings = unless(known, WarnNoPrice)
	}
	response.USD = entry.USD
	c.book(ctx, entry)
	if emulated && !c.config.AllowEmulated {
		return nil, notAllowed(model)
	}
	return response, err
}

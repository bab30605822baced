package gemini

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"google.golang.org/genai"
)

//go:embed repair.md
var repairText string

// longestRepair is how much of an unusable answer is shown to the model again,
// in bytes.
const longestRepair = 16 << 10

// Generate asks the model for JSON and reads it into a T, strictly: a missing
// required field, a wrong type, a number that is null or out of range are
// refused; unknown fields are passed over; a null text or list is an empty
// one. Without r.Schema the schema is [SchemaFor] T. validate may be nil.
//
// An answer that cannot be used, or that validate refuses, is repaired once:
// the model that gave it gets the request's texts, its answer and the error,
// and neither blobs nor search. So a photo is sent to a model once, and what
// was not seen then is not made up now: the model is told to correct the form
// and to leave out what it cannot correct. The Response is that of the first
// answer with the text of the second and the usage of both; with an error it
// is what was answered and paid for before, or nil.
func Generate[T any](ctx context.Context, c *Client, r Request, validate func(*T) error) (T, *Response, error) {
	var zero T
	if r.Schema == nil {
		schema, err := SchemaFor[T]()
		if err != nil {
			return zero, nil, &Error{Kind: Invalid, Model: r.Model, Err: err}
		}
		r.Schema = schema
	}
	response, err := c.Generate(ctx, r)
	if err != nil {
		return zero, nil, err
	}
	value, problem := decode(response.Text, r.Schema, validate)
	if problem == nil {
		return value, response, nil
	}
	if err := c.repair(ctx, r, response, problem); err != nil {
		return zero, response, err
	}
	value, problem = decode(response.Text, r.Schema, validate)
	if problem != nil {
		return zero, response, &Error{Kind: Malformed, Model: response.Model, Err: fmt.Errorf("after a repair: %w", problem)}
	}
	return value, response, nil
}

// repair asks for response's text once more and puts the new one in its place.
func (c *Client) repair(ctx context.Context, r Request, response *Response, problem error) error {
	again := r
	again.Model = response.Model
	again.Search = false
	answer := response.Text
	if len(answer) > longestRepair {
		answer = strings.ToValidUTF8(answer[:longestRepair], "")
	}
	second, err := c.generate(ctx, again, []*genai.Content{
		userTurn(texts(r.Parts)),
		genai.NewContentFromText(answer, genai.RoleModel),
		genai.NewContentFromText(strings.Replace(repairText, "{problem}", problem.Error(), 1), genai.RoleUser),
	})
	if err != nil {
		return err
	}
	response.Text = second.Text
	response.FinishReason = second.FinishReason
	response.Usage = response.Usage.plus(second.Usage)
	response.USD += second.USD
	return nil
}

// texts returns the parts without the blobs.
func texts(parts []Part) []Part {
	var kept []Part
	for _, p := range parts {
		if !p.isBlob() {
			kept = append(kept, p)
		}
	}
	if kept == nil {
		kept = []Part{Text("(the request had no text)")}
	}
	return kept
}

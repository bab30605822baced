package gemini

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"google.golang.org/genai"
)

//go:embed repair.md
var repairText string

// longestRepair is how much of an unusable answer is sent back to the model, in bytes.
const longestRepair = 16 << 10

// Generate asks the model for JSON and decodes it into a T: a missing required field, a
// wrong type, and a number that is null or out of range are errors; unknown fields are
// ignored; a null text or list counts as empty, unless all lists of a confident answer are
// null. Other forms of the same answer are accepted: text around the JSON, a list of one or
// a single member around the object, numbers and booleans as texts, and confidences that
// are all percentages. Without r.Schema the schema is [SchemaFor] T. validate may be nil.
//
// An answer that is unusable, or that validate refuses, is Malformed. It is corrected once,
// in the cheapest way that can work:
//
//   - An answer that says something of every required field, only not in the
//     right form, is repaired: the model that gave it gets the request's texts,
//     its answer and the error, and neither blobs nor search. So its photo is
//     sent once. A repair that is malformed too, or that is empty, or is so
//     where the answer was not, is refused.
//   - An answer that searched the web is repaired whatever it looks like: prose
//     tells what was found as well, and searches are paid for. It is never asked
//     for again here.
//   - Any other answer, such as prose, JSON that ends too early, or {}, lacks
//     what only the photo can tell. The whole call is made again, photo included:
//     as often as the [Account] allows, and once more at least.
//
// So an empty answer always comes from a model that saw the photo. A Malformed error after
// that is retryable.
//
// The Response is that of the last answer, with the text of its repair and the usage of all
// answers; with an error it is the answer before it, which was charged, or nil.
func Generate[T any](ctx context.Context, c *Client, r Request, validate func(*T) error) (T, *Response, error) {
	var value T
	if r.Schema == nil {
		schema, err := SchemaFor[T]()
		if err != nil {
			return value, nil, &Error{Kind: Invalid, Model: r.Model, Err: err}
		}
		r.Schema = schema
	}
	response, err := c.generate(ctx, r, []*genai.Content{userTurn(r.Parts)}, func(text string) (err error) {
		value, err = decode(text, r.Schema, validate)
		return err
	})
	if err != nil {
		var zero T
		return zero, response, err
	}
	return value, response, nil
}

// mend repairs the answer that e refuses, if possible; otherwise it returns e. The answer
// gets the new text and its cost.
func (c *Client) mend(ctx context.Context, r Request, answer *Response, read reader, e *Error) *Error {
	first, err := firstValue(answer.Text, r.Schema)
	if answer.Text == "" || !r.Search && (err != nil || !mendable(first, r.Schema) || unread(first, r.Schema) != nil) {
		return e
	}
	second, err := c.askRepair(ctx, r, answer, read, e.Err)
	if second != nil {
		answer.Text, answer.FinishReason = second.Text, second.FinishReason
		answer.add(second)
	}
	if err == nil {
		err = notLost(first, answer, r.Schema)
	}
	var failed *Error
	if !errors.As(err, &failed) {
		return nil
	}
	if failed.Kind == Malformed {
		failed.repaired, failed.searched, failed.Err = true, e.searched, fmt.Errorf("after a repair: %w", failed.Err)
	}
	return failed
}

// notLost refuses a repair that is empty or lacks values of first, the value before the
// repair; first is nil if the answer had none.
func notLost(first any, answer *Response, schema *jsonschema.Schema) error {
	second, _ := firstValue(answer.Text, schema) // it was decoded before
	where := lost(first, second, schema, "")
	if where == "" && !saysAnything(second) {
		where = "the whole answer"
	}
	if where == "" {
		return nil
	}
	return &Error{Kind: Malformed, Model: answer.Model, Err: fmt.Errorf("%s is empty", where)}
}

// askRepair asks the model to correct answer's text.
func (c *Client) askRepair(ctx context.Context, r Request, answer *Response, read reader, problem error) (*Response, error) {
	again := r
	again.Model = answer.Model
	again.Search = false
	again.repair, again.Said = true, nil
	again.Parts = texts(r.Parts)
	text := answer.Text
	if len(text) > longestRepair {
		text = strings.ToValidUTF8(text[:longestRepair], "")
	}
	return c.generate(ctx, again, []*genai.Content{
		userTurn(again.Parts),
		genai.NewContentFromText(text, genai.RoleModel),
		genai.NewContentFromText(strings.Replace(repairText, "{problem}", problem.Error(), 1), genai.RoleUser),
	}, read)
}

// texts returns the parts that are not blobs.
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

package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"google.golang.org/genai"
)

// refusals are the schemas that models have refused, by model and schema.
type refusals struct{ known sync.Map }

// A form is how one call asks for JSON: by a schema, or, of a model that refuses that
// schema, by words in the instruction.
//
// The service answers the same bare 400 to a schema that it does not serve and to a
// picture or file that it cannot read. So the call is made once more, without the
// schema. Only if that is answered the schema was at fault: then this process asks
// that model without it from now on. Else the error is the one of the first question.
type form struct {
	client *Client
	wire   json.RawMessage // nil without a schema
	model  string          // that is asked in words, after it answered first
	first  error
	doubt  bool // first has come just now
}

// inWords reports that model is asked without the schema.
func (f *form) inWords(model string) bool {
	if f.wire == nil {
		return false
	}
	_, refused := f.client.refused.known.Load(model + " " + string(f.wire))
	return refused || f.first != nil && f.model == model
}

// failed is the error of a question to model that ended with err.
func (f *form) failed(model string, err error) error {
	switch {
	case f.wire == nil || !badRequest(err):
		return err
	case f.first != nil && f.model == model:
		return f.first
	case !f.inWords(model) && schemaDoubted(err):
		f.model, f.first, f.doubt = model, err, true
	}
	return err
}

// again reports, once, that the question that has just failed is worth asking without
// the schema.
func (f *form) again() bool {
	doubt := f.doubt
	f.doubt = false
	return doubt
}

// answered notes that model has answered. What was asked in words is warned of.
func (f *form) answered(ctx context.Context, model string) {
	if !f.inWords(model) {
		return
	}
	if _, known := f.client.refused.known.LoadOrStore(model+" "+string(f.wire), true); !known {
		slog.WarnContext(ctx, "gemini: a model refuses a schema and is asked without it from now on", "model", model, "error", f.client.clean(f.first.Error()))
	}
	accountOf(ctx).charge(Ledger{Warnings: []string{WarnSchemaRefused}})
}

func badRequest(err error) bool {
	var status genai.APIError
	return errors.As(err, &status) && status.Code == http.StatusBadRequest
}

// schemaDoubted reports a 400 that may be about the schema: one that names it, or that
// names no field.
func schemaDoubted(err error) bool {
	var status genai.APIError
	if !errors.As(err, &status) || status.Status != "INVALID_ARGUMENT" || badKey(status.Details) || badImage(status.Message) {
		return false
	}
	fields := violatedFields(status.Details)
	return len(fields) == 0 || strings.Contains(strings.ToLower(status.Message+strings.Join(fields, " ")), "schema")
}

// violatedFields are the fields that a google.rpc.BadRequest names.
func violatedFields(details []map[string]any) (fields []string) {
	for _, d := range details {
		violations, _ := d["fieldViolations"].([]any)
		for _, v := range violations {
			violation, _ := v.(map[string]any)
			if field, _ := violation["field"].(string); field != "" {
				fields = append(fields, field)
			}
		}
	}
	return fields
}

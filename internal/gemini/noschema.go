package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/genai"
)

// refusals are the schemas that models have refused, by model and schema.
type refusals struct {
	any   atomic.Bool // if not, no key of known is made to look
	known sync.Map
}

// A form says how one call asks for JSON: by a schema, or, if the model refuses that
// schema, by a description in the instruction.
//
// The service returns the same 400 without details for a schema that it does not support
// and for a picture or file that it cannot read. So the call is made once more, without the
// schema. If that succeeds, the schema was the cause, and this process no longer sends it
// to that model. Otherwise the error is that of the first call.
type form struct {
	client *Client
	wire   json.RawMessage // nil if there is no schema
	model  string          // the model that is asked without the schema, after first failed
	first  error
	doubt  bool // first failed just now
	worded bool // the current try is made without the schema, whatever other calls have learnt meanwhile
}

// inWords decides whether a try of model is made without the schema.
func (f *form) inWords(model string) bool {
	switch {
	case f.wire == nil:
		f.worded = false
	case f.first != nil && f.model == model:
		f.worded = true
	case !f.client.refused.any.Load():
		f.worded = false
	default:
		_, f.worded = f.client.refused.known.Load(model + " " + string(f.wire))
	}
	return f.worded
}

// failed returns the error of a call of model that ended with err.
func (f *form) failed(model string, err error) error {
	switch {
	case f.wire == nil || !badRequest(err):
		return err
	case f.first != nil && f.model == model:
		return f.first
	case !f.worded && schemaDoubted(err):
		f.model, f.first, f.doubt = model, err, true
	}
	return err
}

// again reports, once per call, whether the call that just failed should be repeated
// without the schema.
func (f *form) again() bool {
	doubt := f.doubt
	f.doubt = false
	return doubt
}

// answered records that model has answered. An answer without the schema adds a warning.
func (f *form) answered(ctx context.Context, model string) {
	if !f.worded {
		return
	}
	_, known := f.client.refused.known.LoadOrStore(model+" "+string(f.wire), true)
	f.client.refused.any.Store(true)
	if !known {
		slog.WarnContext(ctx, "gemini: a model refuses a schema and is asked without it from now on", "model", model, "error", f.client.clean(f.first.Error()))
	}
	accountOf(ctx).charge(Ledger{Warnings: []string{WarnSchemaRefused}})
}

func badRequest(err error) bool {
	var status genai.APIError
	return errors.As(err, &status) && status.Code == http.StatusBadRequest
}

// schemaDoubted reports whether err is a 400 that may be about the schema: one that names
// it, or names no field.
func schemaDoubted(err error) bool {
	var status genai.APIError
	if !errors.As(err, &status) || status.Status != "INVALID_ARGUMENT" || hasReason(status.Details, "API_KEY_INVALID") || badImage(status.Message) {
		return false
	}
	fields := violatedFields(status.Details)
	return len(fields) == 0 || strings.Contains(strings.ToLower(status.Message+strings.Join(fields, " ")), "schema")
}

// violatedFields returns the fields that a google.rpc.BadRequest names.
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

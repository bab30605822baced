package forecast

import (
	"slices"
	"testing"

	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/gemini"
)

// A forecast is made, and a conversation led, with schemas that a service with the least
// budget for them takes, and with one that refuses those of answers: then the result
// warns of it. The schemas of functions are as small.
func TestSchemas(t *testing.T) {
	for _, refused := range []bool{false, true} {
		h := open(t, nil)
		h.Gemini.SetSchemaBudget(1)
		if refused {
			h.Gemini.SetFaults(emulated.Fault{Type: emulated.SchemaRefused})
		}
		r, err := h.Run(t.Context(), Request{City: "Seattle"}, nil)
		if err != nil || slices.Contains(r.Warnings, WarnTemplate) || slices.Contains(r.Warnings, gemini.WarnSchemaRefused) != refused {
			t.Errorf("refused %v: Run = warnings %q, %v, want a text of the model", refused, r.Warnings, err)
		}
		if n := h.CheckSchemas(t); n != 2 {
			t.Errorf("refused %v: %d schemas of answers were sent, want 2", refused, n)
		}
		h.reset()
		said, err := talk(t, h).Say(t.Context(), Message{Text: "How is the weather in Paris?"}, nil, nil)
		if err != nil || said.Forecast == nil {
			t.Errorf("refused %v: Say = %+v, %v, want a forecast", refused, said, err)
		}
		if n := h.CheckSchemas(t); n < 3 {
			t.Errorf("refused %v: %d schemas of functions were sent, want some for each agent", refused, n)
		}
	}
}

// A model that answers 400 costs a forecast its text, and no more.
func TestBadRequest(t *testing.T) {
	h := open(t, nil)
	h.Gemini.SetFaults(emulated.Fault{Type: emulated.BadRequest})
	if r, err := h.Run(t.Context(), Request{City: "Seattle"}, nil); err != nil || !slices.Contains(r.Warnings, WarnTemplate) {
		t.Errorf("Run = %+v, %v, want the plain text with the warning %s", r, err, WarnTemplate)
	}
}

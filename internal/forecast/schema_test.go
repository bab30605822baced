package forecast

import "testing"

// A forecast is made, and a conversation led, with schemas that a service with the least
// budget for them takes; those of functions are as small.
func TestSchemasAreSmall(t *testing.T) {
	h := open(t, nil)
	h.Gemini.SetSchemaBudget(1)
	r, err := h.Run(t.Context(), Request{City: "Seattle"}, nil)
	if err != nil || len(r.Warnings) != 2 {
		t.Errorf("Run = warnings %q, %v, want that weather and model are emulated", r.Warnings, err)
	}
	if n := h.CheckSchemas(t); n != 1 {
		t.Errorf("%d schemas of answers were sent, want 1", n)
	}
	h.reset()
	said, err := talk(t, h).Say(t.Context(), Message{Text: "How is the weather in Paris?"}, nil, nil)
	if err != nil || said.Forecast == nil {
		t.Errorf("Say = %+v, %v, want a forecast", said, err)
	}
	if n := h.CheckSchemas(t); n < 3 {
		t.Errorf("%d schemas of functions were sent, want some for each agent", n)
	}
}

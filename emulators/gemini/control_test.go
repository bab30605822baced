package gemini

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"example.com/whatis/emulators/gemini/geminitest"
)

func TestControlOverHTTP(t *testing.T) {
	s := start(t, Options{})
	client := geminitest.API(t, s)
	if got := post(t, s, "/_emulator/script", `[{"kind":"pick","json":{"brand":"B"}}]`).StatusCode; got != http.StatusNoContent {
		t.Fatalf("POST script = %d, want 204", got)
	}
	post(t, s, "/_emulator/faults", `[{"type":"rate_limited","delay":"2s","times":1}]`)
	if _, err := geminitest.Ask(t.Context(), client, geminitest.Wanting("pick"), nil, "q"); err == nil || !strings.Contains(err.Error(), "2s") {
		t.Errorf("first call: %v, want 429 with retryDelay 2s", err)
	}
	if got := geminitest.MustAsk(t, client, geminitest.Wanting("pick"), nil, "q").Text(); got != `{"brand":"B"}` {
		t.Errorf("second call = %s, want the scripted answer", got)
	}
	resp, err := http.Get(s.URL() + "/_emulator/calls")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var calls []Call
	if err := json.NewDecoder(resp.Body).Decode(&calls); err != nil || len(calls) != 2 || calls[0].Status != 429 || calls[1].Kind != kindPick {
		t.Errorf("GET calls = %+v, %v; want 429 and a call of kind pick", calls, err)
	}
	for _, bad := range []string{`[{"type":"rain"}]`, `[{"type":"latency","delay":"soon"}]`, `{}`} {
		if got := post(t, s, "/_emulator/faults", bad).StatusCode; got != http.StatusBadRequest {
			t.Errorf("POST faults %s = %d, want 400", bad, got)
		}
	}
}

func TestDeleteOverHTTP(t *testing.T) {
	s := start(t, Options{})
	client := geminitest.API(t, s)
	s.SetFaults(Fault{Type: Internal})
	s.Script(Answer{Text: "dropped"})
	geminitest.Ask(t.Context(), client, nil, nil, "q")
	for _, what := range []string{"calls", "script", "faults"} {
		req, _ := http.NewRequest(http.MethodDelete, s.URL()+"/_emulator/"+what, nil)
		resp, err := http.DefaultClient.Do(req)
		if err != nil || resp.StatusCode != http.StatusNoContent {
			t.Fatalf("DELETE %s: %v, %v; want 204", what, resp, err)
		}
		resp.Body.Close()
	}
	if got := geminitest.MustAsk(t, client, nil, nil, "q").Text(); got == "dropped" || len(s.Calls()) != 1 {
		t.Errorf("after DELETE: %q and %d calls, want an honest answer and 1 call", got, len(s.Calls()))
	}
}

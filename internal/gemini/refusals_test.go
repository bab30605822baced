package gemini

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// Refusals of the service as people have reported them, and as its documentation has them: what
// each means is in its own sentence and in its QuotaFailure.
func TestRefusalsAsReported(t *testing.T) {
	text, err := os.ReadFile("testdata/refusals.json")
	if err != nil {
		t.Fatal(err)
	}
	var reported []struct {
		Name, Source string
		Search       bool
		Kind         Kind
		Says         string
		Error        json.RawMessage
	}
	if err := json.Unmarshal(text, &reported); err != nil {
		t.Fatal(err)
	}
	for _, test := range reported {
		t.Run(test.Name, func(t *testing.T) {
			var said struct{ Code int }
			if err := json.Unmarshal(test.Error, &said); err != nil {
				t.Fatal(err)
			}
			calls := 0
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				calls++
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(said.Code)
				io.WriteString(w, `{"error":`+string(test.Error)+`}`)
			}))
			defer service.Close()
			q := question(judge)
			q.Search = test.Search
			_, err := open(t, Config{BaseURL: service.URL}).Generate(WithAccount(t.Context(), &Account{Attempts: 2}), q)
			e := failure(t, "Generate", err)
			if e.Kind != test.Kind || !strings.Contains(e.Error(), test.Says) {
				t.Errorf("%s (%s) = %v, want %s, and %q", test.Name, test.Source, e, test.Kind, test.Says)
			}
			if strings.Contains(e.Public(), "http") || strings.Contains(e.Public(), "billing") {
				t.Errorf("callers read %q, want nothing of the service's own words", e.Public())
			}
			passes := test.Kind == Quota || test.Kind == Unavailable
			if e.Retryable() != passes || !passes && (e.RetryAfter != 0 || calls != 1) {
				t.Errorf("%v may succeed later: %v, after %v, and was asked %d times", e, e.Retryable(), e.RetryAfter, calls)
			}
		})
	}
}

package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// A model that does not answer holds nobody who waits longer than CALLER_PATIENCE.
func TestQuietModel(t *testing.T) {
	a, w := searching(t, "CALLER_PATIENCE=400ms", "OPENWEATHER_API_KEY=emulated", "FORECAST_MODEL=emulated-forecast", "SPEECH_MODEL=emulated-speech")
	if err := w.Storage.CreateBucket("results"); err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, kind, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		r.Header.Set("Accept", "application/json")
		if path == "/mcp" {
			r.Header.Set("Accept", "application/json, text/event-stream")
		}
		answer := httptest.NewRecorder()
		a.API().ServeHTTP(answer, r)
		return answer
	}
	var known struct{ ID string }
	if err := json.Unmarshal(ask("POST", "/analyze", "image/png", string(samples.Frames()[1].PNG())).Body.Bytes(), &known); err != nil {
		t.Fatal(err)
	}
	w.Gemini.SetFaults(emulated.Fault{Type: emulated.TimeOut})
	for _, test := range []struct{ name, method, path, kind, body, want string }{
		{"a photo", "POST", "/analyze", "image/png", string(samples.Frames()[0].PNG()), "503 model_slow"},
		{"a review", "POST", "/results/" + known.ID + "/review", "application/json", `{"verdict":"correct","fields":{"product_name":"Round glasses","brand":"Mira Sông","category":"Eyewear"},"by":"kim"}`, "503 model_slow"},
		{"a forecast", "GET", "/forecast/Lima", "", "", "503 model_slow"},
		{"a conversation about the weather", "POST", "/forecast", "application/json", `{"message":"How is the weather in Oslo?"}`, "503 model_slow"},
		{"the catalogue", "GET", "/catalog?q=round+glasses", "", "", "503 model_slow"},
		{"a search", "POST", "/search/text", "application/json", `{"query":"something round for my sister"}`, "200 intent_by_code"},
		{"a skill", "POST", "/skills/forecast", "application/json", `{"city":"Tokyo"}`, "503 model_slow"},
		{"A2A", "POST", "/a2a", "application/json", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"How is the weather in Rome?"}]}}}`, "200 no_answer_yet"},
		{"MCP", "POST", "/mcp", "application/json", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_forecast","arguments":{"city":"Madrid"}}}`, "200 no_answer_yet"},
	} {
		began := time.Now()
		answer := ask(test.method, test.path, test.kind, test.body)
		status, code, _ := strings.Cut(test.want, " ")
		if took := time.Since(began); took > 3*time.Second || answer.Result().Status[:3] != status || !strings.Contains(answer.Body.String(), code) {
			t.Errorf("%s: %d after %v, %.300s; want %s", test.name, answer.Code, took, answer.Body, test.want)
		}
		if answer.Code == http.StatusServiceUnavailable && answer.Header().Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", test.name)
		}
	}
}

// A page of another site that shows /forecast/Lima as a picture asks no model, and gets what
// was made for somebody else; who asks at the same time gets an answer.
func TestForeignPage(t *testing.T) {
	a, w := searching(t, "OPENWEATHER_API_KEY=emulated", "FORECAST_MODEL=emulated-forecast", "SPEECH_MODEL=emulated-speech")
	if err := w.Storage.CreateBucket("results"); err != nil {
		t.Fatal(err)
	}
	before := len(w.Gemini.Calls())
	get := func(path, site string) (int, string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, bytes.NewReader(nil))
		r.Header.Set("Sec-Fetch-Site", site)
		answer := httptest.NewRecorder()
		a.API().ServeHTTP(answer, r)
		body, _ := io.ReadAll(answer.Body)
		return answer.Code, string(body)
	}
	for _, path := range []string{"/forecast/Lima", "/forecast/Lima?audio=true", "/catalog?q=round+glasses"} {
		if status, body := get(path, "cross-site"); status != http.StatusForbidden || !strings.Contains(body, "cross_origin") {
			t.Errorf("%s: %d %s, want 403 cross_origin", path, status, body)
		}
	}
	if n := len(w.Gemini.Calls()) - before; n != 0 {
		t.Errorf("%d calls of models for another site's page, want none", n)
	}
	for _, site := range []string{"same-origin", "none", "", "cross-site"} {
		if status, body := get("/forecast/Lima", site); status != http.StatusOK {
			t.Errorf("Sec-Fetch-Site %q: %d %s, want 200", site, status, body)
		}
	}
}

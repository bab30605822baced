package gemini

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	emulator "example.com/whatis/emulators/gemini"
)

// services are the two services that the client supports.
var services = []string{"gemini_api", "vertex"}

// recordedCall is a request as the client sent it.
type recordedCall struct {
	tapped
	to *emulator.Server
}

// record sends one request with all options of this client, and one for embeddings, to an
// emulator of the service.
func record(t *testing.T, service string) (generate, embed recordedCall) {
	t.Helper()
	s := startEmulator(t)
	w := startTap(t, s)
	c := open(t, Config{BaseURL: w.URL})
	if service == "vertex" {
		vertexEnvironment(t, http.StatusOK)
		c = openVertex(t, w.URL)
	}
	schema, err := SchemaFor[verdict]()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Generate(t.Context(), Request{
		Model: judge, System: "Be brief.", Schema: schema, MaxOutputTokens: 99,
		Parts: []Part{Text("what is it?"), Blob("image/png", drawPhoto(t, 16))},
	}); err != nil {
		t.Fatalf("%s: Generate: %v", service, err)
	}
	if _, err := c.Embed(t.Context(), EmbedRequest{Model: "gemini-embedding-2", Texts: []string{"tea"}}); err != nil {
		t.Fatalf("%s: Embed: %v", service, err)
	}
	all := w.all()
	return recordedCall{all[0], s}, recordedCall{all[1], s}
}

// send repeats the call with another body, model or method.
func (c recordedCall) send(t *testing.T, path string, body map[string]any) (status int, message string) {
	t.Helper()
	sent, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.to.URL()+path, bytes.NewReader(sent))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = c.header
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Error struct{ Message string } }
	json.Unmarshal(answer, &got)
	return resp.StatusCode, got.Error.Message
}

func (c recordedCall) fields(t *testing.T) map[string]any {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(c.body, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// at returns the value at a path of names and indices.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v = v.(map[string]any)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	return v
}

package gemini

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	emulator "example.com/whatis/emulators/gemini"
)

func TestGenerateSearch(t *testing.T) {
	// A chunk of a map between two pages, a support without chunks, one with a missing
	// chunk.
	body := `{"modelVersion":"gemini-3.6-flash","candidates":[{"finishReason":"STOP",
		"content":{"parts":[{"text":"thinking","thought":true},{"text":"It is "},{"text":"a can."}]},
		"groundingMetadata":{"webSearchQueries":["a","b"],"searchEntryPoint":{"renderedContent":"<b>&amp;</b>"},
			"groundingChunks":[{"web":{"uri":"https://a","title":"A"}},{"maps":{"uri":"https://m"}},{"web":{"uri":"https://b","title":"B"}}],
			"groundingSupports":[
				{"segment":{"startIndex":6,"endIndex":12,"text":"a can."},"groundingChunkIndices":[1,2,0,9]},
				{"segment":{"endIndex":5,"text":"It is"},"groundingChunkIndices":[1]},
				{"groundingChunkIndices":[0]}]}}],
		"usageMetadata":{"promptTokenCount":1000,"toolUsePromptTokenCount":500,"cachedContentTokenCount":400,"candidatesTokenCount":200,"thoughtsTokenCount":100,"totalTokenCount":1800}}`
	c := open(t, Config{BaseURL: raw(t, http.StatusOK, nil, body)})
	r := question(judge)
	r.Search = true
	got, err := c.Generate(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	want := &Response{
		Text: "It is a can.", Model: judge, ModelVersion: judge, FinishReason: "STOP",
		Citations:         []Citation{{"A", "https://a"}, {"B", "https://b"}},
		Supports:          []Support{{Text: "a can.", Citations: []int{1, 0}}},
		Queries:           []string{"a", "b"},
		SearchSuggestions: "<b>&amp;</b>",
		Usage:             Usage{Input: 1500, Output: 300, Total: 1800},
		USD:               got.USD,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Generate =\n%+v, want\n%+v", got, want)
	}
	if got.USD < 2*0.014 {
		t.Errorf("Generate costs %v, want at least the two queries' 0.028", got.USD)
	}
}

func TestGenerateRefusesNonsense(t *testing.T) {
	c, s := start(t, Config{})
	schema, err := SchemaFor[verdict]()
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]Request{
		"no model":             {Parts: []Part{Text("x")}},
		"a model that escapes": {Model: "../files", Parts: []Part{Text("x")}},
		"no parts":             {Model: judge},
		"an empty text":        {Model: judge, Parts: []Part{Text("x"), Text("")}},
		"an empty photo":       {Model: judge, Parts: []Part{Blob("image/png", nil)}},
		"search and schema on 2.5": {Model: "gemini-2.5-flash", Parts: []Part{Text("x")},
			Search: true, Schema: schema},
	}
	for name, r := range tests {
		_, err := c.Generate(t.Context(), r)
		if e := failure(t, name, err); e.Kind != Invalid {
			t.Errorf("Generate with %s = %v, want %s", name, e, Invalid)
		}
	}
	if n := len(s.Calls()); n != 0 {
		t.Errorf("%d calls, want none", n)
	}
}

// The request is complete in the HTTP bodies for both backends, with the photo once and the
// schema's properties in order.
func TestRequestOnTheWire(t *testing.T) {
	type inner struct {
		Zeta  string `json:"zeta"`
		Alpha string `json:"alpha"`
	}
	type outer struct {
		Read   []inner `json:"read"`
		Middle inner   `json:"middle"`
		Answer string  `json:"answer"`
	}
	const (
		innerWire = `{"type":"object","properties":{"zeta":{"type":"string"},"alpha":{"type":"string"}},"required":["zeta","alpha"],"propertyOrdering":["zeta","alpha"]}`
		wantWire  = `{"type":"object","properties":{"read":{"type":"array","items":` + innerWire + `},"middle":` + innerWire +
			`,"answer":{"type":"string"}},"required":["read","middle","answer"],"propertyOrdering":["read","middle","answer"]}`
	)
	schema, err := SchemaFor[outer]()
	if err != nil {
		t.Fatal(err)
	}
	photo := drawPhoto(t, 8)
	request := Request{Model: judge, System: "Be brief.", Parts: []Part{Text("<a> & b"), Blob("image/png", photo)},
		Schema: schema, MaxOutputTokens: 99}
	for _, vertex := range []bool{false, true} {
		t.Run(fmt.Sprintf("vertex %v", vertex), func(t *testing.T) {
			w := startTap(t, startEmulator(t))
			var c *Client
			if vertex {
				vertexEnvironment(t, http.StatusOK)
				c = openVertex(t, w.URL)
			} else {
				c = open(t, Config{BaseURL: w.URL})
			}
			if _, err := c.Generate(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			checkRequest(t, w.all()[0].body, photo, wantWire, !vertex)
		})
	}
}

// checkRequest checks the body of TestRequestOnTheWire's request.
func checkRequest(t *testing.T, body, photo []byte, schema string, store bool) {
	t.Helper()
	var sent struct {
		Contents []struct {
			Role  string
			Parts []struct {
				Text       string
				InlineData struct {
					MIMEType string
					Data     []byte
				}
			}
		}
		SystemInstruction struct{ Parts []struct{ Text string } }
		GenerationConfig  map[string]json.RawMessage
		Store             *bool
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	if len(sent.Contents) != 1 || sent.Contents[0].Role != "user" || len(sent.Contents[0].Parts) != 2 {
		t.Fatalf("contents = %+v, want one user turn of two parts", sent.Contents)
	}
	parts := sent.Contents[0].Parts
	if parts[0].Text != "<a> & b" || parts[1].InlineData.MIMEType != "image/png" || string(parts[1].InlineData.Data) != string(photo) {
		t.Errorf("parts = %+v, want the text and then the photo", parts)
	}
	if got := sent.SystemInstruction.Parts; len(got) != 1 || got[0].Text != "Be brief." {
		t.Errorf("systemInstruction = %+v, want the system text", got)
	}
	if (sent.Store != nil) != store || sent.Store != nil && *sent.Store {
		t.Errorf("store = %v, want false on the Gemini API, none on Vertex AI, which refuses it", sent.Store)
	}
	for name, want := range map[string]string{
		"responseJsonSchema": schema,
		"responseMimeType":   `"application/json"`,
		"maxOutputTokens":    "99",
		"thinkingConfig":     `{"thinkingLevel":"MINIMAL"}`,
	} {
		if got := string(sent.GenerationConfig[name]); got != want {
			t.Errorf("generationConfig.%s =\n%s, want\n%s", name, got, want)
		}
	}
	if len(sent.GenerationConfig) != 4 {
		t.Errorf("generationConfig = %s, want nothing but those four", sent.GenerationConfig)
	}
}

func TestThinking(t *testing.T) {
	// least, minimal, low, medium, high
	budget := func(n ...int) (want [5]string) {
		for i := range want {
			want[i] = fmt.Sprintf(`{"thinkingBudget":%d}`, n[i])
		}
		return want
	}
	level := func(words ...string) (want [5]string) {
		for i := range want {
			want[i] = fmt.Sprintf(`{"thinkingLevel":%q}`, words[i])
		}
		return want
	}
	nothing := [5]string{"null", "null", "null", "null", "null"}
	tests := map[string][5]string{
		"gemini-2.5-flash":              budget(0, 0, 1024, 8192, 24576),
		"gemini-2.5-flash-lite":         budget(0, 0, 1024, 8192, 24576),
		"gemini-2.5-pro":                budget(128, 128, 1024, 8192, 24576),
		"gemini-3-flash-preview":        level("MINIMAL", "MINIMAL", "LOW", "MEDIUM", "HIGH"),
		"gemini-3.5-flash-lite":         level("MINIMAL", "MINIMAL", "LOW", "MEDIUM", "HIGH"),
		"models/gemini-3.6-flash":       level("MINIMAL", "MINIMAL", "LOW", "MEDIUM", "HIGH"),
		"gemini-3.7-flash":              level("LOW", "LOW", "LOW", "MEDIUM", "HIGH"),
		"gemini-3.8-flash":              level("LOW", "LOW", "LOW", "MEDIUM", "HIGH"),
		"gemini-3-pro-preview":          level("LOW", "LOW", "LOW", "HIGH", "HIGH"),
		"gemini-3.1-pro-preview":        level("LOW", "LOW", "LOW", "MEDIUM", "HIGH"),
		"gemini-2.0-flash":              nothing,
		"gemini-flash-latest":           nothing,
		"gemini-4-flash":                nothing,
		"emulated-image":                nothing,
		"publishers/other/models/x-3.5": nothing,
	}
	for model, want := range tests {
		for i, amount := range []Thinking{"", ThinkMinimal, ThinkLow, ThinkMedium, ThinkHigh} {
			got, err := json.Marshal(thinkingConfig(amount, model))
			if err != nil || string(got) != want[i] {
				t.Errorf("thinkingConfig(%q, %s) = %s, %v, want %s", amount, model, got, err, want[i])
			}
		}
	}
}

func TestSettingsOnTheWire(t *testing.T) {
	s := startEmulator(t)
	w := startTap(t, s)
	c := open(t, Config{BaseURL: w.URL})
	r := question(judge)
	r.Thinking, r.MediaResolution = ThinkMedium, ResolutionHigh
	if _, err := c.Generate(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if body := string(w.all()[0].body); !strings.Contains(body, `"mediaResolution":"MEDIA_RESOLUTION_HIGH"`) || !strings.Contains(body, `{"thinkingLevel":"MEDIUM"}`) {
		t.Errorf("Generate sent %s, want its media resolution and its thinking", body)
	}
	for _, bad := range []Request{{Thinking: "lots"}, {MediaResolution: "4k"}} {
		bad.Model, bad.Parts = judge, r.Parts
		_, err := c.Generate(t.Context(), bad)
		if e := failure(t, "Generate", err); e.Kind != Invalid || !strings.Contains(e.Error(), "use one of") {
			t.Errorf("Generate with %+v = %v, want %s and what to use", bad, e, Invalid)
		}
	}
}

func TestSchemaWithoutAnOrder(t *testing.T) {
	schema, err := SchemaFor[verdict]()
	if err != nil {
		t.Fatal(err)
	}
	schema.PropertyOrder = nil
	schema.Required = []string{"seen", "pick"}
	wire, err := wireSchema(schema)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"propertyOrdering":["seen","pick","confirmed","extra","lines","note","probability"]`; !strings.Contains(string(wire), want) {
		t.Errorf("wireSchema = %s, want %s", wire, want)
	}
	if schema.Extra != nil || schema.PropertyOrder != nil {
		t.Errorf("wireSchema changed its argument: %v %v", schema.Extra, schema.PropertyOrder)
	}
}

// A schema's wire form is dropped together with the schema.
func TestWireSchemaIsForgotten(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for range 100 {
		schema, err := SchemaFor[verdict]()
		if err != nil {
			t.Fatal(err)
		}
		schema.Description = strings.Repeat("x", 100<<10) // 10 MB in total
		if _, err := wireSchema(schema); err != nil {
			t.Fatal(err)
		}
	}
	for end := time.Now().Add(time.Minute); heap() > before+2<<20; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d bytes are kept of schemas that are gone", heap()-before)
		}
	}
}

func TestConcurrentCalls(t *testing.T) {
	c, s := start(t, Config{})
	s.SetFaults(emulator.Fault{Type: emulator.Internal, Probability: 0.2, Seed: 1})
	a := &Account{Attempts: 20}
	ctx := WithAccount(t.Context(), a)
	photo := drawPhoto(t, 8)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			r := Request{Model: "emulated-judge", Parts: []Part{Blob("image/png", photo), Text("request:\n{}")}}
			if _, err := c.Generate(ctx, r); err != nil {
				t.Errorf("Generate = %v", err)
			}
			if _, err := c.Embed(ctx, EmbedRequest{Model: "emulated-embedding", Texts: []string{"a", "b"}}); err != nil {
				t.Errorf("Embed = %v", err)
			}
		})
	}
	group.Wait()
	l := a.Ledger()
	if l.Calls.Generate != 16 || l.Calls.Embed != 16 || l.Calls.Failed != len(s.Calls())-32 || l.USD != 0 {
		t.Errorf("ledger = %+v after %d tries, want 16 answers of each kind, the rest failed, no cost", l, len(s.Calls()))
	}
}

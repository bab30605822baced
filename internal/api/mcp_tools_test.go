package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/forecast"
	"example.com/whatis/internal/search"
)

// A client is the official client of MCP. It checks what tools answer by their schemas.
type client struct {
	*mcp.ClientSession
	t     *testing.T
	tools map[string]*mcp.Tool
}

// connect returns a client of the service at url.
func connect(t *testing.T, url string) *client {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	c := &client{session, t, map[string]*mcp.Tool{}}
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		c.tools[tool.Name] = tool
	}
	return c
}

// call calls a tool, and returns its text, its links and its output.
func (c *client) call(name string, arguments any) (text string, links []*mcp.ResourceLink, output string) {
	c.t.Helper()
	got, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil || got.IsError {
		c.t.Fatalf("%s(%.300s) = %s, %v", name, jsonOf(c.t, arguments), jsonOf(c.t, got), err)
	}
	resolved := schemaOf(c.t, c.tools[name].OutputSchema)
	if err := resolved.Validate(got.StructuredContent); err != nil {
		c.t.Errorf("%s: the output does not fit its schema: %v\n%s", name, err, jsonOf(c.t, got.StructuredContent))
	}
	texts := 0
	for _, content := range got.Content {
		switch of := content.(type) {
		case *mcp.TextContent:
			text = of.Text
			texts++
		case *mcp.ResourceLink:
			links = append(links, of)
		}
	}
	if texts != 1 || strings.Contains(text, `{"`) {
		c.t.Errorf("%s has %d texts: %q; want one for people", name, texts, text)
	}
	return text, links, jsonOf(c.t, got.StructuredContent)
}

// schemaOf returns a schema as a client got it.
func schemaOf(t *testing.T, of any) *jsonschema.Resolved {
	t.Helper()
	s := read[jsonschema.Schema](t, jsonOf(t, of))
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("schema %s: %v", jsonOf(t, of), err)
	}
	return resolved
}

// Each tool says what it changes and has a title of its own; its schemas are valid, and no field
// of them may be null.
func TestMCPTools(t *testing.T) {
	url := listen(t, api.New(api.Config{
		Skills: []agent.Skill{intake.Skill(nil), batch.Skill(nil), search.Skill(nil), forecast.Skill(nil, nil), discover.Skill(nil), echo()},
	}))
	const readOnly, additive, destructive, unknown = "read-only", "additive", "destructive", "unknown"
	want := map[string]string{ // what it changes, whether it may be called again, whether it asks others
		"analyze_image": "additive true true", "analyze_batch": "additive false true", "analyze_batch_status": "read-only false false", "analyze_batch_cancel": "destructive true false",
		"search_products": "read-only false false", "get_forecast": "read-only false true", "echo": "unknown false true",
		"start_discovery": "additive false true", "get_discovery": "read-only false false", "cancel_discovery": "destructive true false",
	}
	c, titles := connect(t, url), map[string]bool{}
	for name, tool := range c.tools {
		a := tool.Annotations
		kind := unknown
		switch {
		case a.ReadOnlyHint && a.DestructiveHint != nil && !*a.DestructiveHint:
			kind = readOnly
		case a.DestructiveHint != nil && *a.DestructiveHint:
			kind = destructive
		case a.DestructiveHint != nil:
			kind = additive
		}
		if got := fmt.Sprint(kind, " ", a.IdempotentHint, " ", *a.OpenWorldHint); got != want[name] {
			t.Errorf("%s is %s, want %s", name, got, want[name])
		}
		if titles[a.Title] || a.Title == "" || a.Title != tool.Title {
			t.Errorf("%s has the titles %q and %q", name, a.Title, tool.Title)
		}
		titles[a.Title] = true
		for _, schema := range []any{tool.InputSchema, tool.OutputSchema} {
			schemaOf(t, schema)
			if text := jsonOf(t, schema); strings.Contains(text, `"null"`) {
				t.Errorf("%s: a field may be null in %s", name, text)
			}
		}
	}
	if len(c.tools) != len(want) {
		t.Errorf("%d tools, want %d", len(c.tools), len(want))
	}
}

// A search is answered with its structure, one text with names, brands, prices and reasons, and
// links to the pictures, which can be opened.
func TestMCPSearchTexts(t *testing.T) {
	t.Parallel()
	s := searching(t)
	c := connect(t, s.url)
	text, links, output := c.call("search_products", map[string]any{"query": "round gold frames under 5 million", "limit": 3, "weights": nil})
	result := read[search.Result](t, output)
	if len(result.Products) == 0 || len(links) != len(result.Products) {
		t.Fatalf("%d products and %d links, want a link each", len(result.Products), len(links))
	}
	for i, p := range result.Products {
		for _, want := range append([]string{p.Name, p.Brand, "VND", p.ProductID}, p.Why...) {
			if !strings.Contains(text, want) {
				t.Errorf("the text lacks %q of %s:\n%s", want, p.Name, text)
			}
		}
		if resp, err := http.Get(links[i].URI); err != nil || resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != links[i].MIMEType || !strings.Contains(links[i].Name, p.Name) {
			t.Errorf("GET %s of %q = %v, %v; want the picture of %s", links[i].URI, links[i].Name, resp, err, p.Name)
		}
	}
	if !strings.Contains(text, result.Summary) {
		t.Errorf("the text lacks the summary:\n%s", text)
	}
	for query, want := range map[string]string{
		"what is titanium?": "titanium", "how many products by color?": "black: 8", "compare EW-1001 and EW-1002": " | ", "is EW-1001 in stock?": "Aria 100: sold out",
	} {
		if text, _, _ := c.call("search_products", map[string]any{"query": query, "lang": "en"}); !strings.Contains(text, want) {
			t.Errorf("%q has the text %q, want %q in it", query, text, want)
		}
	}
	_, body := s.ask("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_products","arguments":{"query":"round gold frames"}}}`,
		"Content-Type", "application/json", "Accept", "application/json, text/event-stream", "X-Forwarded-Proto", "https")
	if !strings.Contains(body, `"uri":"https://`) || strings.Contains(body, `"uri":"http://`) {
		t.Errorf("behind a front end the links are %.600s; want them by https", body)
	}
}

// A photo, a batch and a discovery are answered by texts, too, and fit their schemas.
func TestMCPTexts(t *testing.T) {
	t.Parallel()
	s := discovering(t)
	c := connect(t, s.url)
	if text, _, _ := c.call("analyze_image", map[string]any{"image": picture(t, 48), "lang": "en", "photos": nil}); !strings.Contains(text, "Confidence: name 0.") || !strings.Contains(text, "Warnings: ") {
		t.Errorf("analyze_image has the text %q", text)
	}
	s.upload("a.jpg", picture(t, 47))
	run := func(text, output string) string {
		t.Helper()
		id := read[agent.Status](t, output).ID
		if !strings.Contains(text, "The run "+id+" is working") {
			t.Errorf("a run that has begun has the text %q", text)
		}
		return id
	}
	text, _, output := c.call("analyze_batch", map[string]any{"prefix": "gs://uploads/"})
	photos := run(text, output)
	text, _, output = c.call("start_discovery", map[string]any{"country": "Kenya", "sector": "waste", "limits": few})
	discovery := run(text, output)
	s.work()
	if text, _, _ = c.call("analyze_batch_status", map[string]any{"id": photos}); !strings.Contains(text, "1 of 1 photos of gs://uploads/ have ended: 1 ") || !strings.Contains(text, "Results: gs://results/") {
		t.Errorf("a batch has the text %q", text)
	}
	text, _, output = c.call("get_discovery", map[string]any{"id": discovery})
	var o discover.Outcome
	if err := json.Unmarshal(read[agent.Status](t, output).Output, &o); err != nil || o.Found == nil || len(o.Found.Items) == 0 {
		t.Fatalf("get_discovery = %.300s, %v", output, err)
	}
	for _, want := range []string{o.Found.Items[0].Name, o.Found.Items[0].URL, fmt.Sprintf("%q", o.Found.Items[0].Quote)} {
		if !strings.Contains(text, want) {
			t.Errorf("the text of a discovery lacks %q:\n%s", want, text)
		}
	}
}

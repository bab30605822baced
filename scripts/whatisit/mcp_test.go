package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/samples"
)

// A program that starts the command has the service's tools, with their progress.
func TestMCP(t *testing.T) {
	c := emulate.Command(t, "mcp", "--emulated")
	c.Dir = t.TempDir()
	c.Env = append(c.Env, "HOME="+c.Dir, "PATH=")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	progress := make(chan string, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { progress <- r.Params.Message },
	})
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: c}, nil)
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	sample := samples.All()[0]
	params := &mcp.CallToolParams{Name: "analyze_image", Arguments: map[string]any{"image": sample.Bytes(), "lang": "en", "country": "US"}}
	params.SetProgressToken(7)
	got, err := session.CallTool(t.Context(), params)
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	fields, _ := got.StructuredContent.(map[string]any)
	if got.IsError || fields["product_name"] != sample.Truth.Name {
		t.Errorf("analyze_image = %+v, want %q", got, sample.Truth.Name)
	}
	if first := <-progress; first != "product_analyzer: started" {
		t.Errorf("progress begins with %q", first)
	}
	if got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "analyze_image", Arguments: map[string]any{}}); err != nil || !got.IsError {
		t.Errorf("analyze_image of nothing = %+v, %v; want an error that the model reads", got, err)
	}
	if err := session.Close(); err != nil {
		t.Errorf("it ends with %v: %s", err, &stderr)
	}
}

// A program that leaves while its calls are under way is no failure.
func TestMCPLeft(t *testing.T) {
	t.Parallel()
	c := prepared(t, nil, "mcp", "--emulated")
	c.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_products","arguments":{"query":"tea"}}}
`)
	if code := c.run(); code != exitFine || strings.Contains(c.stderr.String(), "whatisit:") {
		t.Errorf("whatisit mcp whose input ends = exit %d, %q; want 0, and no error", code, &c.stderr)
	}
}

package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpCommand is a server of the Model Context Protocol for a program on this machine,
// over the one of a service.
type mcpCommand struct {
	where
}

// Help is what whatisit mcp --help says besides its flags.
func (mcpCommand) Help() string {
	return `Speaks the Model Context Protocol on standard input and output, for programs that start their tools themselves. The tools are those of the service: analyze_image and the rest. As an entry of such a program's configuration:

    {"mcpServers": {"whatis": {"command": "whatisit", "args": ["mcp", "--url", "https://…"]}}}

It ends with its standard input.`
}

// Run serves until standard input ends.
func (m *mcpCommand) Run(ctx context.Context, c *console) error {
	s, err := m.open(ctx, c)
	if err != nil {
		return err
	}
	defer s.close()
	p := &proxy{}
	session, err := p.connect(ctx, s)
	if err != nil {
		return err
	}
	defer session.Close()
	server := mcp.NewServer(&mcp.Implementation{Name: "whatis", Version: "1"}, nil)
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		server.AddTool(tool, p.forward(session))
	}
	err = server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(c.in), Writer: unclosed{c.out}})
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// unclosed is a writer that is not closed with what is over it.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }

// A proxy hands calls of tools on to a service, and its progress back.
type proxy struct {
	calls   atomic.Int64
	waiting sync.Map // func(*mcp.ProgressNotificationParams) by the call's number
}

// connect opens the service's own server.
func (p *proxy) connect(ctx context.Context, s *service) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "whatisit", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			token, _ := r.Params.ProgressToken.(string)
			if tell, ok := p.waiting.Load(token); ok {
				tell.(func(*mcp.ProgressNotificationParams))(r.Params)
			}
		},
	})
	over := *s.client
	over.Transport = authorized{s}
	return client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: s.base + "/mcp", HTTPClient: &over, DisableStandaloneSSE: true, MaxRetries: -1}, nil)
}

// forward calls the same tool of the service.
func (p *proxy) forward(session *mcp.ClientSession) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		params := &mcp.CallToolParams{Name: r.Params.Name, Arguments: r.Params.Arguments}
		if token := r.Params.GetProgressToken(); token != nil {
			number := strconv.FormatInt(p.calls.Add(1), 10)
			params.SetProgressToken(number)
			p.waiting.Store(number, func(of *mcp.ProgressNotificationParams) {
				told := *of
				told.ProgressToken = token
				_ = r.Session.NotifyProgress(ctx, &told) // a client that has left
			})
			defer p.waiting.Delete(number)
		}
		return session.CallTool(ctx, params)
	}
}

// authorized sends requests with the identity token of a service.
type authorized struct{ *service }

// RoundTrip sends r; once more with a new token if the service does not take the old.
func (i authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := i.send(r)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || !i.identity.renewable() || r.GetBody == nil {
		return resp, err
	}
	resp.Body.Close()
	i.identity.renew()
	again := r.Clone(r.Context())
	if again.Body, err = r.GetBody(); err != nil {
		return nil, err
	}
	return i.send(again)
}

func (i authorized) send(r *http.Request) (*http.Response, error) {
	if token := i.identity.get(r.Context()); token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return i.client.Transport.RoundTrip(r)
}

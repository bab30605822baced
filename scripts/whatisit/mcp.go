package main

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpCommand serves the Model Context Protocol to a program on this machine, and forwards
// its calls to a service.
type mcpCommand struct {
	where
}

// Help returns the help text of whatisit mcp, without its flags.
func (mcpCommand) Help() string {
	return `Serves the Model Context Protocol on standard input and output, for programs that start their tools themselves. The tools are those of the service, such as analyze_image. An entry for such a program's configuration:

    {"mcpServers": {"whatis": {"command": "whatisit", "args": ["mcp", "--url", "https://…"]}}}

It ends when its standard input ends.`
}

// Run serves until standard input ends.
func (m *mcpCommand) Run(ctx context.Context, c *console) error {
	m.where = m.found(c)
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
	if s.base != inProcess {
		c.say("serves the tools of %s to the program at standard input and output, until its input ends", s.base)
	}
	in := &untilEnd{Reader: c.in}
	err = server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{c.out}})
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case in.ended.Load(): // the error, if there is one, is that calls were under way
		return nil
	}
	return err
}

// untilEnd is a reader that knows whether its end was read.
type untilEnd struct {
	io.Reader
	ended atomic.Bool
}

// Read reads, and notes the end.
func (e *untilEnd) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if err == io.EOF {
		e.ended.Store(true)
	}
	return n, err
}

// unclosed is a writer whose Close does nothing, so that standard output stays open.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }

// A proxy forwards tool calls to a service, and progress back to the caller.
type proxy struct {
	calls   atomic.Int64
	waiting sync.Map // func(*mcp.ProgressNotificationParams) by the call's number
}

// connect connects to the service's MCP server.
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

// forward calls the same tool at the service.
func (p *proxy) forward(session *mcp.ClientSession) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		params := &mcp.CallToolParams{Name: r.Params.Name, Arguments: r.Params.Arguments}
		if token := r.Params.GetProgressToken(); token != nil {
			number := strconv.FormatInt(p.calls.Add(1), 10)
			params.SetProgressToken(number)
			p.waiting.Store(number, func(of *mcp.ProgressNotificationParams) {
				notice := *of
				notice.ProgressToken = token
				_ = r.Session.NotifyProgress(ctx, &notice) // a client that has left
			})
			defer p.waiting.Delete(number)
		}
		return session.CallTool(ctx, params)
	}
}

// authorized is a RoundTripper that adds a service's identity token.
type authorized struct{ *service }

// RoundTrip sends r, and repeats it with a new token if the service refuses the old one.
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

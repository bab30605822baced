package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/artifact"
	"google.golang.org/adk/v2/cmd/launcher"
	"google.golang.org/adk/v2/cmd/launcher/web"
	adkapi "google.golang.org/adk/v2/cmd/launcher/web/api"
	"google.golang.org/adk/v2/cmd/launcher/web/webui"
	"google.golang.org/adk/v2/memory"
	sessions "google.golang.org/adk/v2/session"

	"example.com/whatis/internal/app"
)

// developing is the -function of the process that serves ADK's own page on every
// agent. It listens on the loopback alone, which ADK's launcher does not.
const developing = "dev"

// serveDev serves the page at addr until ctx ends.
func serveDev(ctx context.Context, addr string) error {
	c, err := app.ReadConfig(ctx)
	if err != nil {
		return err
	}
	a := app.New(c)
	agents, err := a.Agents(ctx)
	if err != nil {
		return err
	}
	page, err := devPage(agents, addr)
	if err != nil {
		return err
	}
	failures := slog.NewLogLogger(slog.Default().Handler(), slog.LevelError) // the page's panics among them
	server := &http.Server{Addr: addr, ReadHeaderTimeout: 10 * time.Second, ErrorLog: failures, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer a.Begin()()
		page.ServeHTTP(w, r)
	})}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// devPage returns a handler of ADK's page and its API, at addr. Other sites in the same
// browser can neither send requests to it nor read responses.
func devPage(agents []agent.Agent, addr string) (http.Handler, error) {
	loader, err := agent.NewMultiLoader(agents[0], agents[1:]...)
	if err != nil {
		return nil, err
	}
	config := &launcher.Config{
		AgentLoader: loader, SessionService: sessions.InMemoryService(),
		ArtifactService: artifact.InMemoryService(), MemoryService: memory.InMemoryService(),
	}
	router := web.BuildBaseRouter()
	for _, l := range []struct {
		web.Sublauncher
		args []string
	}{
		{adkapi.NewLauncher(), []string{"-webui_address", "http://" + addr}},
		{webui.NewLauncher(), []string{"-api_server_address", "http://" + addr + "/api"}},
	} {
		if _, err := l.Parse(l.args); err != nil {
			return nil, fmt.Errorf("ADK's page: %w", err)
		}
		if err := l.SetupSubrouters(router, config); err != nil {
			return nil, fmt.Errorf("ADK's page: %w", err)
		}
	}
	return http.NewCrossOriginProtection().Handler(onlyAt(addr, router)), nil
}

// onlyAt refuses requests whose Host is not addr, against DNS rebinding: a foreign name
// that resolves to this address would count as the same origin.
func onlyAt(addr string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != addr {
			http.Error(w, "this page is at http://"+addr, http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
}

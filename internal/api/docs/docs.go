// Package docs serves the documentation of the API for people: Swagger UI, from a Go
// module, for the service's own /openapi.json. It loads nothing from other servers.
//
//	GET /docs    the page
//	GET /docs/…  its scripts, style and icon
package docs

import (
	"embed"
	"io/fs"
	"net/http"
	"sync"

	"github.com/swaggest/swgui/v5/static"
	"github.com/vearutop/statigz"
)

//go:embed assets
var assets embed.FS

// policy allows the page to load what this server has and the images in its style sheet,
// and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// Path is the path of the page.
const Path = "/docs"

// swagger serves Swagger UI. It is created at the first request, because it reads several
// megabytes.
var swagger = sync.OnceValue(func() http.Handler { return statigz.FileServer(static.FS) })

// Handler serves the page.
func Handler() http.Handler {
	own, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // embedded in the program
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /docs/", func(w http.ResponseWriter, r *http.Request) { http.StripPrefix(Path, swagger()).ServeHTTP(w, r) })
	mux.Handle("GET /docs", http.RedirectHandler(Path+"/", http.StatusMovedPermanently))
	mux.HandleFunc("GET /docs/{$}", func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, own, "/") })
	mux.HandleFunc("GET /docs/start.js", func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, own, "start.js") })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "same-origin")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		mux.ServeHTTP(w, r)
	})
}

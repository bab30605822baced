package page

import (
	"embed"
	"io/fs"
	"net/http"
	"sync"

	"github.com/swaggest/swgui/v5/static"
	"github.com/vearutop/statigz"
)

//go:embed docs
var docs embed.FS

// docsPolicy allows Swagger UI to load what this server has and the images in its style
// sheet, and nothing else.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// DocsPath is the path of the page.
const DocsPath = "/docs"

// swagger serves Swagger UI. It is created at the first request, because it reads several
// megabytes.
var swagger = sync.OnceValue(func() http.Handler { return statigz.FileServer(static.FS) })

// Docs serves the documentation of the API: Swagger UI, as a Go module brings it, over the
// service's own /openapi.json. Nothing comes from elsewhere.
func Docs() http.Handler {
	own, err := fs.Sub(docs, "docs")
	if err != nil {
		panic(err) // embedded in the program
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /docs/", func(w http.ResponseWriter, r *http.Request) { http.StripPrefix(DocsPath, swagger()).ServeHTTP(w, r) })
	mux.Handle("GET /docs", http.RedirectHandler(DocsPath+"/", http.StatusMovedPermanently))
	mux.HandleFunc("GET /docs/{$}", func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, own, "/") })
	for _, file := range []string{"start.js", "start.css"} {
		mux.HandleFunc("GET /docs/"+file, func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, own, file) })
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", docsPolicy)
		h.Set("Referrer-Policy", "same-origin")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		mux.ServeHTTP(w, r)
	})
}

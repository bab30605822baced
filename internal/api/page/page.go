// Package page is whatis for browsers: HTML, CSS and JavaScript as they are
// written, without a build step and with nothing from elsewhere.
//
//	GET  /                  the page
//	GET  /page/…            its script, style and icon
//	POST /page/suggestions  Google's search suggestions, for a sandboxed frame
//	GET  /page/samples      the names of photos to try, and each below it
//
// The page speaks to the API next to it, as anybody's program would. It writes
// text as text: nothing that a model said becomes HTML, except Google's own
// suggestions, which run no script and belong to no origin.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"path"
	"slices"
	"time"
)

//go:embed assets
var assets embed.FS

// policy lets the page load what this server has, show the photos it was given,
// play what it says, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self'; connect-src 'self'; " +
	"frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// suggestionPolicy lets suggestions look as Google made them and open their links
// in a new window.
const suggestionPolicy = "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"

// maxSuggestions bounds a form of suggestions, in bytes.
const maxSuggestions = 256 << 10

// Samples are photos that the page offers to whoever has none at hand, by the names of
// their files. A function is called whenever its photo is asked for.
type Samples map[string]func() []byte

// Handler serves the page. A change that comes from another site is refused.
func Handler(samples Samples) http.Handler {
	mux, files := http.NewServeMux(), read()
	for name, a := range files {
		mux.Handle("GET /page/"+name, a)
	}
	mux.Handle("GET /{$}", files["index.html"])
	mux.HandleFunc("POST /page/suggestions", suggestions)
	mux.HandleFunc("GET /page/samples", samples.names)
	mux.HandleFunc("GET /page/samples/{name}", samples.one)
	return http.NewCrossOriginProtection().Handler(mux)
}

// An asset is a file of the page.
type asset struct {
	kind, tag string
	data      []byte
}

// read returns the assets by name.
func read() map[string]asset {
	all := map[string]asset{}
	files, err := fs.Glob(assets, "assets/*")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, file := range files {
		data, err := assets.ReadFile(file)
		if err != nil {
			panic(err) // it is part of this program
		}
		sum := sha256.Sum256(data)
		all[path.Base(file)] = asset{kindOf(file), `"` + hex.EncodeToString(sum[:12]) + `"`, data}
	}
	return all
}

// kindOf does not ask the system's table of types, which may know none.
func kindOf(file string) string {
	if ext := path.Ext(file); ext != ".js" {
		return mime.TypeByExtension(ext)
	}
	return "text/javascript; charset=utf-8"
}

// ServeHTTP answers with the asset. A browser asks each time whether it is still
// the same, so that a new version is there at once.
func (a asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("ETag", a.tag)
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Add("Vary", "Accept") // the address of the page is also that of the service's status
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.data))
}

// names answers with the names of the samples, in order: none where there are none.
func (s Samples) names(w http.ResponseWriter, _ *http.Request) {
	names := slices.AppendSeq([]string{}, maps.Keys(s))
	slices.Sort(names)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	_ = json.NewEncoder(w).Encode(names) // a browser that has left
}

// one answers with a sample.
func (s Samples) one(w http.ResponseWriter, r *http.Request) {
	read, ok := s[r.PathValue("name")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "max-age=3600")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(read()))
}

// before stands before suggestions, which are not changed: their links open in a
// new window, as the frame may show nothing else.
const before = `<!doctype html><meta name="color-scheme" content="light dark"><title>Search suggestions</title><base target="_blank"><style>html{font:14px/1.6 system-ui,sans-serif}</style>`

// suggestions answers with the form field html, as it is.
func suggestions(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxSuggestions)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "send a form with the field html, of at most 256 kB", http.StatusBadRequest)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", suggestionPolicy+"; frame-ancestors 'self'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, before+r.PostForm.Get("html")) // a browser that has left
}

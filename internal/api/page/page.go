// Package page serves the page for browsers: plain HTML, CSS and JavaScript, without a
// build step and without anything from other servers.
//
//	GET  /                  the page
//	GET  /page/HASH/…       its script, style and icon, which browsers keep for good
//	POST /page/suggestions  Google's search suggestions, for a sandboxed frame
//	GET  /page/samples      the names of photos to try, and each below it
//	GET  /docs              the documentation of the API
//
// The page uses the public API. It inserts text as text: no model output becomes HTML,
// except Google's search suggestions, which are shown in a sandboxed frame without scripts
// or an origin.
package page

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/whatis/internal/web"
)

//go:embed assets
var assets embed.FS

// policy allows the page to load what this server has, to show the user's photos and those of
// products, which a shop may keep anywhere, and to play audio, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: https:; media-src 'self'; connect-src 'self'; " +
	"frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// suggestionPolicy allows suggestions their own style, and their links to open in a new
// window.
const suggestionPolicy = "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"

// maxSuggestions is the largest form of suggestions, in bytes.
const maxSuggestions = 256 << 10

// Samples are photos to try on the page, by file name. The function is called each time its
// photo is requested.
type Samples map[string]func() []byte

// Handler serves the page. Requests from other sites that change something are refused. Its
// assets are read at the first request, which most instances never get.
func Handler(samples Samples) http.Handler {
	handler := sync.OnceValue(func() http.Handler { return newHandler(samples) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler().ServeHTTP(w, r) })
}

func newHandler(samples Samples) http.Handler {
	mux, files := http.NewServeMux(), maps.Clone(read())
	if len(samples) > 0 { // their place is there before they are, so that nothing moves when they come
		files["index.html"] = newAsset("index.html", bytes.Replace(files["index.html"].data, []byte(`aria-labelledby="title-samples" hidden`), []byte(`aria-labelledby="title-samples"`), 1))
	}
	version := hashOf(files)
	first := firstPageOf(files, "/page/"+version+"/")
	for name, a := range files {
		mux.Handle("GET /page/"+name, a)
	}
	for name, words := range first.words {
		mux.HandleFunc("GET /page/"+name, func(w http.ResponseWriter, r *http.Request) { words().ServeHTTP(w, r) })
	}
	mux.HandleFunc("GET /page/{version}/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		a, ok := files[name]
		if words := first.words[name]; words != nil {
			a, ok = words(), true
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		if r.PathValue("version") == version { // others are asked for by a page that was loaded before a deployment
			a.caching = "public, max-age=31536000, immutable"
		}
		a.ServeHTTP(w, r)
	})
	mux.Handle("GET /{$}", first)
	mux.HandleFunc("POST /page/suggestions", suggestions)
	mux.HandleFunc("GET /page/samples", samples.names)
	mux.HandleFunc("GET /page/samples/{name}", samples.one)
	return http.NewCrossOriginProtection().Handler(mux)
}

// An asset is a file of the page.
type asset struct {
	kind, tag string
	data      []byte
	sent      *web.Content
	caching   string // Cache-Control; "" has browsers revalidate it at each use
}

// read returns the assets by file name. They are read and compressed once for all handlers.
var read = sync.OnceValue(func() map[string]asset {
	all := map[string]asset{}
	files, err := fs.Glob(assets, "assets/*")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, file := range files {
		data, err := assets.ReadFile(file)
		if err != nil {
			panic(err) // embedded in the program
		}
		all[path.Base(file)] = newAsset(file, data)
	}
	return all
})

// kinds has the Content-Type of assets by extension. The table of package mime would be that
// of the system, which may be missing and takes milliseconds to read.
var kinds = map[string]string{
	".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".svg": "image/svg+xml", ".jpg": "image/jpeg",
}

func newAsset(file string, data []byte) asset {
	sum := sha256.Sum256(data)
	kind, tag := kinds[path.Ext(file)], `"`+hex.EncodeToString(sum[:12])+`"`
	return asset{kind: kind, tag: tag, data: data, sent: web.NewContent(kind, tag, data)}
}

// hashOf returns a hash of all files, which changes with any of them.
func hashOf(files map[string]asset) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		io.WriteString(sum, name+files[name].tag)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// document reports whether a browser can show the asset by itself, where its policies matter.
func (a asset) document() bool {
	return strings.HasPrefix(a.kind, "text/html") || a.kind == "image/svg+xml"
}

// ServeHTTP sends the asset.
func (a asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", cmp.Or(a.caching, "no-cache"))
	h.Set("X-Content-Type-Options", "nosniff")
	if a.document() {
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Add("Vary", "Accept") // other content types at this path are answered elsewhere
	}
	a.sent.Serve(w, r)
}

// names answers with the names of the samples, sorted; an empty list if there are none.
func (s Samples) names(w http.ResponseWriter, _ *http.Request) {
	names := slices.AppendSeq([]string{}, maps.Keys(s))
	slices.Sort(names)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	_ = json.NewEncoder(w).Encode(names) // fails only if the client has left
}

// one answers with one sample.
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

// before is sent ahead of the suggestions, which must not be changed. It makes their links
// open in a new window, because the frame may load nothing else.
const before = `<!doctype html><meta name="color-scheme" content="light dark"><title>Search suggestions</title><base target="_blank"><style>html{font:14px/1.6 system-ui,sans-serif}</style>`

// suggestions sends back the form field html unchanged.
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
	_, _ = io.WriteString(w, before+r.PostForm.Get("html")) // fails only if the client has left
}

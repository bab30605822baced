package site

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// searxngPath is where the web's SearXNG is. It answers as the real one does: only in formats
// that its settings list, which are html and json here, and it reads engines and redirects
// from the words of a query.
// https://docs.searxng.org/dev/search_api.html
const searxngPath = "/searxng/search"

// SearXNGURL returns the address of the web's SearXNG.
func (s *Server) SearXNGURL() string { return "http://" + s.addr + "/searxng" }

var searxngLanguage = regexp.MustCompile(`^[a-z]{2,3}(-[a-zA-Z]{2})?$`)

func (e *engine) serveSearXNG(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil || r.Method != http.MethodGet && r.Method != http.MethodPost {
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	}
	query, language := strings.TrimSpace(r.Form.Get("q")), r.Form.Get("language")
	switch format := r.Form.Get("format"); {
	case format != "" && format != "html" && format != "json" || format == "json" && e.o.NoJSON:
		http.Error(w, "Forbidden", http.StatusForbidden)
		return
	case format != "json":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<html><body>SearXNG</body></html>")
		return
	case query == "" || language != "" && language != "all" && language != "auto" && !searxngLanguage.MatchString(language):
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "search error"})
		return
	}
	for _, word := range strings.Fields(query) {
		if strings.HasPrefix(word, "!!") { // to another site
			http.Redirect(w, r, "https://"+strings.Trim(word, "!")+".example/?q="+url.QueryEscape(query), http.StatusFound)
			return
		}
	}
	unresponsive := [][]string{}
	var hits []hit
	if e.o.Unresponsive {
		unresponsive = append(unresponsive, []string{"brave", "too many requests"}, []string{"duckduckgo", "CAPTCHA"})
	} else {
		hits = e.find(query, language)
	}
	const perPage = 20
	results := []map[string]any{}
	for i, h := range hits[:min(len(hits), perPage)] {
		results = append(results, map[string]any{
			"url": h.page.url(), "title": h.page.title, "content": markless(snippet(h.page, query)), "engine": "brave", "engines": []string{"brave"}, "positions": []int{i + 1},
			"parsed_url": []string{"http", h.page.by.host, h.page.path, "", "", ""}, "template": "default.html", "score": 1 / float64(i+1), "category": "general", "publishedDate": nil, "img_src": "", "thumbnail": "", "priority": "",
		})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"query": query, "number_of_results": 0, "results": results, "answers": []any{}, "corrections": []any{}, "infoboxes": []any{}, "suggestions": []any{}, "unresponsive_engines": unresponsive,
	})
}

// markless returns a snippet without the marks of Brave's.
func markless(snippet string) string {
	return strings.NewReplacer("<strong>", "", "</strong>", "").Replace(snippet)
}

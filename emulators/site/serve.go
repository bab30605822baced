package site

import (
	"compress/gzip"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ServeHTTP answers for every host: the search API on those of this machine and its
// own, pages on those of the web, and 404 for the rest.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host := strings.ToLower(r.Host)
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	web, engine := s.made()
	if r.URL.Path == searchPath {
		engine.serve(w, r)
		return
	}
	if r.URL.Path == searxngPath && r.Host == s.addr {
		engine.serveSearXNG(w, r)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, Request{host, r.URL.RequestURI(), r.UserAgent(), time.Now()})
	s.mu.Unlock()
	by := web.hosts[host]
	switch {
	case by == nil:
		http.Error(w, "this web has no host "+host, http.StatusNotFound)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
	case r.URL.Path == "/robots.txt":
		robots(w, by)
	case r.URL.Path == "/sitemap.xml":
		sitemap(w, by)
	case by.ckan != nil && strings.HasPrefix(r.URL.Path, "/api/3/action/"):
		by.ckan.serve(w, r)
	case by.ckan != nil && r.URL.Path == "/dataset/" && r.URL.Query().Get("q") != "":
		s.searchCKAN(w, by, r.URL.Query())
	default:
		s.page(w, r, web, by)
	}
}

func robots(w http.ResponseWriter, by *publisher) {
	if status, err := strconv.Atoi(by.robots); err == nil {
		http.Error(w, "", status)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	fmt.Fprint(w, by.robots)
}

func sitemap(w http.ResponseWriter, by *publisher) {
	w.Header().Set("Content-Type", "application/xml")
	fmt.Fprint(w, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`+"\n")
	for _, p := range by.listed {
		if p.mapped {
			fmt.Fprintf(w, "<url><loc>%s</loc></url>\n", html.EscapeString(p.url()))
		}
	}
	fmt.Fprint(w, "</urlset>\n")
}

// page answers with a page, with its delay, redirect or fault.
func (s *Server) page(w http.ResponseWriter, r *http.Request, web *web, by *publisher) {
	p := web.pages[by.host+plain(r.URL)]
	if p == nil && r.URL.Path == "/calendar" {
		p = web.pages[by.host+"/calendar?page=1"]
	}
	if p == nil {
		http.NotFound(w, r)
		return
	}
	switch p.behaves {
	case answersStatus:
		http.Error(w, http.StatusText(p.status), p.status)
	case redirects:
		http.Redirect(w, r, p.to, http.StatusFound)
	case slow:
		s.wait(w, r, p)
	case huge:
		flood(w, r, p)
	case bomb:
		explode(w, r)
	case endless:
		n, _ := strconv.Atoi(r.URL.Query().Get("page"))
		fmt.Fprintf(w, `<html lang="%s"><title>%s %d</title><p>%s<p><a href="/calendar?page=%d">%d</a></html>`, p.words.code, p.title, n, p.words.filler[n%len(p.words.filler)], n+1, n+1)
	default:
		w.Header().Set("Content-Type", p.kind)
		body := p.body
		if body == nil {
			body = p.render()
		}
		_, _ = w.Write(body)
	}
}

// plain returns the path and query without tracking parameters.
func plain(u *url.URL) string {
	pairs := slices.DeleteFunc(strings.Split(u.RawQuery, "&"), func(pair string) bool {
		return pair == "" || strings.HasPrefix(pair, "utm_")
	})
	if len(pairs) == 0 {
		return u.Path
	}
	slices.Sort(pairs)
	return u.Path + "?" + strings.Join(pairs, "&")
}

// wait answers a while later, unless the client leaves before.
func (s *Server) wait(w http.ResponseWriter, r *http.Request, p *page) {
	timer := time.NewTimer(s.options.Slow)
	defer timer.Stop()
	select {
	case <-timer.C:
		_, _ = w.Write(p.render())
	case <-r.Context().Done():
	}
}

// hugeSize is the size of a huge page, and of an unpacked decompression bomb.
const hugeSize = 256 << 20

// flood writes a page that does not end for long.
func flood(w http.ResponseWriter, r *http.Request, p *page) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	paragraph := []byte(strings.Repeat("<p>"+strings.Join(p.words.filler, " ")+"</p>\n", 50))
	for sent := 0; sent < hugeSize && r.Context().Err() == nil; sent += len(paragraph) {
		if _, err := w.Write(paragraph); err != nil {
			return
		}
	}
}

// explode writes a decompression bomb.
func explode(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	spaces := []byte(strings.Repeat(" ", 1<<20))
	for sent := 0; sent < hugeSize && r.Context().Err() == nil; sent += len(spaces) {
		if _, err := z.Write(spaces); err != nil {
			return
		}
	}
	_ = z.Close()
}

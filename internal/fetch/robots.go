package fetch

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/temoto/robotstxt"
)

const (
	// maxRobots is how much of a robots.txt is read: RFC 9309 wants 500 KiB at least.
	maxRobots = 500 << 10
	// maxWildcards is how many of its rules may hold wildcards, each of which becomes a
	// regular expression. A site with more of them is left alone.
	maxWildcards = 2000
	// maxSitemaps is how many sitemaps of it are kept.
	maxSitemaps = 50
)

// rules are what a robots.txt says to us.
type rules struct {
	group    *robotstxt.Group // nil allows nothing
	delay    time.Duration
	sitemaps []string
	until    time.Time
}

func (r *rules) allows(u *url.URL) bool {
	return r.group != nil && r.group.Test(u.RequestURI())
}

// Sitemaps are the addresses of sitemaps that the robots.txt of address's host names,
// at most 50. A site that names none may have one at /sitemap.xml. Get fetches a
// sitemap as any page, and Read finds its links.
func (f *Fetcher) Sitemaps(ctx context.Context, address string) ([]string, error) {
	at, err := f.parse(address)
	if err != nil {
		return nil, err
	}
	h, err := f.hosts.enter(ctx, at.Hostname())
	if err != nil {
		return nil, err
	}
	defer f.hosts.leave(h)
	rules, err := f.robots(ctx, h, at)
	if err != nil {
		return nil, err
	}
	return rules.sitemaps, nil
}

// robots are the rules for the origin of an address, fetched once in their life.
func (f *Fetcher) robots(ctx context.Context, h *host, at *url.URL) (*rules, error) {
	origin := at.Scheme + "://" + at.Host
	if known := h.rules[origin]; known != nil && time.Now().Before(known.until) {
		return known, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.config.Timeout, ErrTimeout)
	defer cancel()
	status, text, err := f.getRobots(ctx, at.ResolveReference(&url.URL{Path: "/robots.txt"}))
	if err != nil {
		return nil, outcome(ctx, err)
	}
	h.rules[origin] = f.newRules(status, text)
	return h.rules[origin], nil
}

// getRobots follows redirects as RFC 9309 wants, also to other hosts, but to none that
// is forbidden.
func (f *Fetcher) getRobots(ctx context.Context, at *url.URL) (status int, text []byte, err error) {
	for range maxRedirects + 1 {
		response, err := f.send(ctx, at)
		if err != nil {
			return 0, nil, err
		}
		location := redirect(response)
		if location == "" {
			defer response.Body.Close()
			text, err := readRobots(response)
			return response.StatusCode, text, err
		}
		response.Body.Close()
		if at, err = f.follow(at, location); err != nil {
			return 0, nil, err
		}
	}
	return http.StatusNotFound, nil, nil // RFC 9309, 2.3.1.2: as if there were none
}

func readRobots(r *http.Response) ([]byte, error) {
	body, err := decompress(r, &io.LimitedReader{R: r.Body, N: maxRobots})
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(body, maxRobots))
	if len(text) > 0 { // what was read holds, although the rest is missing
		err = nil
	}
	return text, err
}

// newRules reads a robots.txt. A client error allows everything; a server error, a
// request to wait, or rules that cannot be read allow nothing, for a while.
func (f *Fetcher) newRules(status int, text []byte) *rules {
	now := time.Now()
	if status >= 400 && status < 500 && status != http.StatusTooManyRequests {
		return &rules{group: &robotstxt.Group{}, until: now.Add(f.config.RobotsLife)}
	}
	clean := strings.Join(directives.FindAllString(string(bytes.ToValidUTF8(text, nil)), -1), "\n")
	if status < 200 || status > 299 || strings.Count(clean, "*")+strings.Count(clean, "$") > maxWildcards {
		return &rules{until: now.Add(f.config.RobotsRetry)}
	}
	data, err := robotstxt.FromString(clean)
	if err != nil {
		return &rules{until: now.Add(f.config.RobotsRetry)}
	}
	product, _, _ := strings.Cut(f.config.Agent, "/")
	group := data.FindGroup(product)
	return &rules{group, group.CrawlDelay, data.Sitemaps[:min(len(data.Sitemaps), maxSitemaps)], now.Add(f.config.RobotsLife)}
}

// directives are the lines that mean something, and can be read: one that cannot would
// make the parser refuse all others.
var directives = regexp.MustCompile(`(?im)^[ \t\x{feff}]*(?:user-?agent|allow|disallow|sitemap)[ \t]*:.*$|^[ \t]*crawl-?delay[ \t]*:[ \t]*[0-9]{1,4}(?:\.[0-9]{1,3})?[ \t]*(?:#.*)?\r?$`)


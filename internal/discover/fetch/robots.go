package fetch

import (
	"context"
	"hash/fnv"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/temoto/robotstxt"
)

// A host is one of a fixed number of places for hosts, each of which has its own by a
// hash of its name. Those that share a place share its one turn, by which one of them is
// asked at a time: that is slower, and as polite. Whoever holds the turn guards the rest.
type host struct {
	turn  chan struct{}
	next  time.Time         // before this it is not asked for a page
	rules map[string]*rules // by origin, of a few
}

// maxOrigins is how many origins of a place keep their rules.
const maxOrigins = 8

// enter waits for the turn at the host of an address, which ends with leave.
func (f *Fetcher) enter(ctx context.Context, at *url.URL) (*host, error) {
	hash := fnv.New32a()
	_, _ = io.WriteString(hash, at.Hostname()) // a hash takes everything
	h := &f.hosts[hash.Sum32()%uint32(len(f.hosts))]
	select {
	case h.turn <- struct{}{}:
		return h, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (h *host) leave() { <-h.turn }

// pause waits until the host may be asked again.
func (h *host) pause(ctx context.Context) error {
	timer := time.NewTimer(time.Until(h.next))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

const (
	// maxRobots is how much of a robots.txt is read: RFC 9309 wants 500 KiB at least.
	maxRobots = 500 << 10
	// maxWildcards is how many rules may hold wildcards, each of which becomes a regular
	// expression. A site with more of them is left alone.
	maxWildcards = 2000
)

// rules are what a robots.txt says to us.
type rules struct {
	group *robotstxt.Group // nil allows nothing
	delay time.Duration
	until time.Time
}

func (r *rules) allows(u *url.URL) bool {
	return r.group != nil && r.group.Test(u.RequestURI())
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
	if h.rules == nil || len(h.rules) == maxOrigins {
		h.rules = map[string]*rules{}
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
		defer response.Body.Close()
		if location := redirect(response); location != "" {
			if at, err = f.follow(at, location); err != nil {
				return 0, nil, err
			}
			continue
		}
		body, err := decompress(response, &io.LimitedReader{R: response.Body, N: maxRobots})
		if err != nil {
			return 0, nil, err
		}
		if text, err = io.ReadAll(io.LimitReader(body, maxRobots)); len(text) > 0 {
			err = nil // what was read holds, although the rest is missing
		}
		return response.StatusCode, text, err
	}
	return http.StatusNotFound, nil, nil // RFC 9309, 2.3.1.2: as if there were none
}

// newRules reads a robots.txt. A client error allows everything; a server error, a
// request to wait, or rules that cannot be read allow nothing, for a while.
func (f *Fetcher) newRules(status int, text []byte) *rules {
	later := time.Now().Add(f.config.RobotsLife)
	if status >= 400 && status < 500 && status != http.StatusTooManyRequests {
		return &rules{group: &robotstxt.Group{}, until: later}
	}
	lines := strings.Join(directives.FindAllString(string(text), -1), "\n")
	broken := &rules{until: time.Now().Add(f.config.RobotsLife / 144)}
	if status < 200 || status > 299 || strings.Count(lines, "*")+strings.Count(lines, "$") > maxWildcards {
		return broken
	}
	data, err := robotstxt.FromString(lines)
	if err != nil {
		return broken
	}
	product, _, _ := strings.Cut(f.config.Agent, "/")
	group := data.FindGroup(product)
	return &rules{group, group.CrawlDelay, later}
}

// directives are the lines that mean something and can be read: one that cannot would
// make the parser refuse all others.
var directives = regexp.MustCompile(`(?im)^[ \t]*(?:user-?agent|allow|disallow)[ \t]*:.*$|^[ \t]*crawl-?delay[ \t]*:[ \t]*[0-9]{1,4}(?:\.[0-9]{1,3})?[ \t]*(?:#.*)?\r?$`)

package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/temoto/robotstxt"
)

// A host is one of a fixed number of slots for hosts; a hash of the host's name selects the
// slot. Hosts in the same slot share its lock, so that only one of them is requested at a
// time, which is slower but just as polite. The lock guards the other fields.
type host struct {
	turn  chan struct{}
	next  time.Time         // no page is requested before this time
	rules map[string]*rules // by origin, for a few origins
}

// maxOrigins is how many origins of a slot have cached rules.
const maxOrigins = 8

// enter takes the lock of an address's host, which leave releases.
func (f *Fetcher) enter(ctx context.Context, at *url.URL) (*host, error) {
	hash := fnv.New32a()
	_, _ = io.WriteString(hash, at.Hostname()) // a hash never returns an error
	h := &f.hosts[hash.Sum32()%uint32(len(f.hosts))]
	select {
	case h.turn <- struct{}{}:
		return h, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (h *host) leave() { <-h.turn }

// pause waits until the host may be requested again.
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

// askAgain asks, and once more where the site asks to wait for no longer than Config.MaxDelay.
func (f *Fetcher) askAgain(ctx context.Context, h *host, ask func() error) error {
	err := ask()
	if wait := retryAfter(err); wait > 0 && wait <= f.config.MaxDelay {
		h.next = time.Now().Add(max(wait, f.config.Delay))
		if err := h.pause(ctx); err != nil {
			return err
		}
		return ask()
	}
	return err
}

const (
	// maxRobots is how much of a robots.txt is read: RFC 9309 requires at least 500 KiB.
	maxRobots = 500 << 10
	// maxWildcards is how many rules may contain wildcards, each of which becomes a regular
	// expression. A site with more is not fetched.
	maxWildcards = 2000
	// maxKept is the longest robots.txt that is cached, in bytes of its meaningful lines. A
	// longer one is fetched with each page.
	maxKept = 64 << 10
)

// rules are a robots.txt. It is parsed at each use: parsed, its regular expressions take fifty
// times as much memory, and each site of a discovery may have one.
type rules struct {
	lines  string // that are meaningful
	agent  string // this one
	closed error  // why nothing is allowed; nil if the lines say what is
	delay  time.Duration
	until  time.Time
}

// check returns nil for an address that is allowed.
func (r *rules) check(u *url.URL) error {
	if r.closed != nil {
		return r.closed
	}
	if group, err := r.group(); err != nil || !group.Test(u.RequestURI()) {
		return ErrRobots
	}
	return nil
}

// group returns the rules for this agent.
func (r *rules) group() (*robotstxt.Group, error) {
	data, err := robotstxt.FromString(r.lines)
	if err != nil {
		return nil, err
	}
	return data.FindGroup(r.agent), nil
}

// robots returns the rules for the origin of an address, fetched when the cached ones
// expire.
func (f *Fetcher) robots(ctx context.Context, h *host, at *url.URL) (*rules, error) {
	origin := at.Scheme + "://" + at.Host
	if known := h.rules[origin]; known != nil && time.Now().Before(known.until) {
		return known, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.config.Timeout, ErrTimeout)
	defer cancel()
	var text []byte
	err := f.askAgain(ctx, h, func() (err error) {
		text, err = f.getRobots(ctx, at.ResolveReference(&url.URL{Path: "/robots.txt"}))
		return err
	})
	var answer *StatusError
	if err != nil && !errors.As(err, &answer) {
		return nil, outcome(ctx, err)
	}
	if h.rules == nil || len(h.rules) == maxOrigins {
		h.rules = map[string]*rules{}
	}
	r := f.newRules(answer, text)
	if delete(h.rules, origin); len(r.lines) <= maxKept {
		h.rules[origin] = r
	}
	return r, nil
}

// getRobots follows redirects as RFC 9309 requires, also to other hosts, but not to
// forbidden ones. A status other than success is a StatusError.
func (f *Fetcher) getRobots(ctx context.Context, at *url.URL) (text []byte, err error) {
	for range maxRedirects + 1 {
		response, err := f.send(ctx, at)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		if location := redirect(response); location != "" {
			if at, err = f.follow(at, location); err != nil {
				return nil, err
			}
			continue
		}
		if response.StatusCode < 200 || response.StatusCode > 299 {
			return nil, newStatusError(response)
		}
		body, err := decompress(response, &io.LimitedReader{R: response.Body, N: maxRobots})
		if err != nil {
			return nil, err
		}
		if text, err = io.ReadAll(io.LimitReader(body, maxRobots)); len(text) > 0 {
			err = nil // use what was read, although the rest is missing
		}
		return text, err
	}
	return nil, &StatusError{Status: http.StatusNotFound} // RFC 9309, 2.3.1.2: as if there were none
}

// newRules parses a robots.txt, which may begin with a byte order mark. A client error allows
// everything (RFC 9309, 2.3.1.3). Where the site is overloaded or broken, what it forbids is not
// known, and nothing is read (2.3.1.4; Google counts 429 to these) until it may be asked again.
// Rules that cannot be parsed disallow everything for a while.
func (f *Fetcher) newRules(answer *StatusError, text []byte) *rules {
	now, soon := time.Now(), f.config.RobotsLife/144
	switch {
	case answer != nil && answer.Status >= 400 && answer.Status < 500 && answer.Status != http.StatusTooManyRequests:
		return &rules{until: now.Add(f.config.RobotsLife)}
	case answer != nil:
		away := fmt.Errorf("%w (%d)", ErrRobotsAway, answer.Status)
		return &rules{closed: away, until: now.Add(min(cmp.Or(answer.RetryAfter, soon), f.config.RobotsLife))}
	}
	lines := strings.Join(directives.FindAllString(strings.TrimPrefix(string(text), "\uFEFF"), -1), "\n")
	product, _, _ := strings.Cut(f.config.Agent, "/")
	r := &rules{lines: lines, agent: product, until: now.Add(f.config.RobotsLife)}
	broken := &rules{closed: ErrRobots, until: now.Add(soon)}
	if strings.Count(lines, "*")+strings.Count(lines, "$") > maxWildcards {
		return broken
	}
	group, err := r.group()
	if err != nil {
		return broken
	}
	r.delay = group.CrawlDelay
	return r
}

// directives matches the lines that are meaningful and well-formed: a malformed one would
// make the parser refuse all others.
var directives = regexp.MustCompile(`(?im)^[ \t]*(?:user-?agent|allow|disallow)[ \t]*:.*$|^[ \t]*crawl-?delay[ \t]*:[ \t]*[0-9]{1,4}(?:\.[0-9]{1,3})?[ \t]*(?:#.*)?\r?$`)

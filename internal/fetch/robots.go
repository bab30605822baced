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
	"strconv"
	"strings"
	"time"
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
	// maxKept is the longest robots.txt that is cached, in bytes. A longer one is fetched with
	// each page.
	maxKept = 64 << 10
)

// rules are a robots.txt. It is read anew at each use: each site of a discovery may have one, and as
// text it takes the least memory.
type rules struct {
	text   string
	agent  string // this one
	closed error  // why nothing is allowed; nil if the text says what is
	delay  time.Duration
	until  time.Time
}

// check returns nil for an address that is allowed: by the longest rule that matches it, and by
// Allow where two are as long (RFC 9309, 2.2.2).
func (r *rules) check(u *url.URL) error {
	if r.closed != nil {
		return r.closed
	}
	longest, allowed := 0, true
	r.each(func(key, value string) {
		allow := key == "allow"
		if (allow || key == "disallow") && matches(value, u.RequestURI()) && (len(value) > longest || len(value) == longest && allow) {
			longest, allowed = len(value), allow
		}
	})
	if !allowed {
		return ErrRobots
	}
	return nil
}

// each calls do with the lines of the groups that name the agent, or if none does with those of
// the groups for all. As Google reads them, a line that is unknown, or stands before any group, is
// passed over, and says nothing of the others
// (https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec).
func (r *rules) each(do func(key, value string)) {
	for _, agent := range []string{strings.ToLower(r.agent), "*"} {
		named, in, heads := false, false, false
		for line := range strings.Lines(r.text) {
			line, _, _ = strings.Cut(line, "#")
			key, value, _ := strings.Cut(line, ":")
			key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
			switch {
			case key == "user-agent" || key == "useragent" || key == "user agent":
				product, _, _ := strings.Cut(strings.ToLower(value), "/")
				in = heads && in || strings.TrimSpace(product) == agent
				heads, named = true, named || in
			case key != "allow" && key != "disallow" && key != "crawl-delay":
			case value == "":
				heads = false // nothing is disallowed
			default:
				if heads = false; in {
					do(key, value)
				}
			}
		}
		if named {
			return
		}
	}
}

// matches reports whether a path begins with a pattern, in which * stands for any letters and $ at
// its end for the end of the path.
func matches(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(path, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for i, part := range parts[1:] {
		if whole && i+1 == last {
			return strings.HasSuffix(rest, part)
		}
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return !whole || rest == ""
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
	if delete(h.rules, origin); len(r.text) <= maxKept {
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

// newRules returns what a robots.txt says, which may begin with a byte order mark. A client error
// allows everything (RFC 9309, 2.3.1.3). Where the site is overloaded or broken, what it forbids is
// not known, and nothing is read (2.3.1.4; Google counts 429 to these) until it may be asked again.
func (f *Fetcher) newRules(answer *StatusError, text []byte) *rules {
	now, soon := time.Now(), f.config.RobotsLife/144
	switch {
	case answer != nil && answer.Status >= 400 && answer.Status < 500 && answer.Status != http.StatusTooManyRequests:
		return &rules{until: now.Add(f.config.RobotsLife)}
	case answer != nil:
		away := fmt.Errorf("%w (%d)", ErrRobotsAway, answer.Status)
		return &rules{closed: away, until: now.Add(min(cmp.Or(answer.RetryAfter, soon), f.config.RobotsLife))}
	}
	product, _, _ := strings.Cut(f.config.Agent, "/")
	r := &rules{text: strings.ReplaceAll(strings.TrimPrefix(string(text), "\uFEFF"), "\r", "\n"), agent: product, until: now.Add(f.config.RobotsLife)}
	r.each(func(key, value string) {
		if seconds, err := strconv.ParseFloat(value, 64); key == "crawl-delay" && err == nil && seconds >= 0 && seconds < 10_000 {
			r.delay = time.Duration(seconds * float64(time.Second))
		}
	})
	return r
}

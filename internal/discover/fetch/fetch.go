// Package fetch reads pages of the public web, and nothing else.
//
//	address → may it be asked? → the host's turn → robots.txt → its delay
//	        → dial, where the resolved address is judged → bounded body → Page
//
// An address may come from a search result, a page or a model, so none is trusted: each
// is judged by its text, again at each redirect, and by what DNS says at each connection.
//
// A Fetcher asks a host for one page at a time, and knows nothing of other instances.
package fetch

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Config says how pages are asked for. A zero field other than Agent has the value
// that its comment names.
type Config struct {
	Agent   string // "whatis/1.4 (+https://…)": robots.txt knows us by what is before the slash
	Allow   string // FETCH_ALLOW: admits servers of tests, see parseAllow
	Service string // K_SERVICE: where it is set, Allow is refused

	Timeout    time.Duration // of one request with its body: 60 s
	Delay      time.Duration // between two requests to a host: 1 s
	MaxDelay   time.Duration // of what robots.txt or Retry-After may ask for: 10 s
	RobotsLife time.Duration // for how long a robots.txt holds: 24 h, and a broken one a 144th of that
	MaxText    int64         // bytes of text, compressed and not: 2 MiB; the rest is cut off
	MaxFile    int64         // bytes of a PDF or workbook: 10 MiB; a larger one is refused

	Resolver *net.Resolver // nil is the system's
}

// maxRedirects is how many redirects an address may go through.
const maxRedirects = 5

// A Page is what an address answered.
type Page struct {
	Requested   string    // the address as it was given to Get
	URL         string    // the address that answered, canonical
	Redirects   []string  // the addresses that led there, canonical, in order
	Status      int       // of HTTP; 0 if nothing answered
	ContentType string    // without parameters; by the content where the header says nothing
	Body        []byte    // text as UTF-8, files as they came
	Truncated   bool      // the text went on, beyond Config.MaxText
	FetchedAt   time.Time // when the answer began, UTC
}

// A Fetcher gets pages. Its methods are safe for concurrent use.
type Fetcher struct {
	config    Config
	allow     allowed
	hosts     [512]host
	transport *http.Transport
}

// Check refuses a configuration that could not work, and FETCH_ALLOW on Cloud Run. An
// app calls it when it reads its configuration, so that it does not start.
func (c Config) Check() error {
	name, _, slash := strings.Cut(c.Agent, "/")
	if name == "" || !slash || strings.ContainsAny(c.Agent, "\r\n") {
		return fmt.Errorf("fetch: Agent is %q: use \"name/version (+address)\"", c.Agent)
	}
	if c.Allow != "" && c.Service != "" {
		return fmt.Errorf("fetch: FETCH_ALLOW is set, and K_SERVICE too: servers of tests are not for Cloud Run")
	}
	_, err := parseAllow(c.Allow)
	return err
}

// New returns a fetcher, or the error of Check.
func New(c Config) (*Fetcher, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	c.Timeout, c.Delay = cmp.Or(c.Timeout, time.Minute), cmp.Or(c.Delay, time.Second)
	c.MaxDelay, c.RobotsLife = cmp.Or(c.MaxDelay, 10*time.Second), cmp.Or(c.RobotsLife, 24*time.Hour)
	c.MaxText, c.MaxFile = cmp.Or(c.MaxText, 2<<20), cmp.Or(c.MaxFile, 10<<20)
	f := &Fetcher{config: c}
	f.allow, _ = parseAllow(c.Allow) // Check has read it
	for i := range f.hosts {
		f.hosts[i].turn = make(chan struct{}, 1)
	}
	f.transport = &http.Transport{ // without a proxy
		DialContext:            f.dial,
		DisableCompression:     true, // read decompresses, within bounds
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           20,
		MaxIdleConnsPerHost:    1,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    15 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
	return f, nil
}

// Close lets go of idle connections.
func (f *Fetcher) Close() { f.transport.CloseIdleConnections() }

// Get asks for an address. It waits, as long as ctx lasts, for the host's turn and
// delay. With an error the Page still says what is known: how far the redirects led,
// the status, the content type of what was not read. The errors are those of this
// package, and ctx's.
func (f *Fetcher) Get(ctx context.Context, address string) (Page, error) {
	page := Page{Requested: address}
	at, err := f.parse(address)
	for err == nil {
		page.URL = canonical(at)
		location, failed := f.visit(ctx, at, &page)
		if failed != nil || location == "" {
			return page, failed
		}
		if len(page.Redirects) == maxRedirects {
			return page, fmt.Errorf("%w: more than %d times", ErrRedirects, maxRedirects)
		}
		page.Redirects = append(page.Redirects, page.URL)
		at, err = f.follow(at, location)
	}
	return page, err
}

// follow is the address that a redirect leads to, if it may be asked.
func (f *Fetcher) follow(at *url.URL, location string) (*url.URL, error) {
	next, err := at.Parse(location)
	if err != nil {
		return nil, ErrForbiddenAddress
	}
	return f.parse(next.String())
}

// visit asks one address, when it is its host's turn; location is where that redirects.
func (f *Fetcher) visit(ctx context.Context, at *url.URL, page *Page) (location string, err error) {
	h, err := f.enter(ctx, at)
	if err != nil {
		return "", err
	}
	defer h.leave()
	rules, err := f.robots(ctx, h, at)
	if err != nil {
		return "", err
	}
	if !rules.allows(at) {
		return "", ErrRobots
	}
	if err := h.pause(ctx); err != nil {
		return "", err
	}
	defer func() {
		wanted := max(rules.delay, retryAfter(err))
		h.next = time.Now().Add(max(f.config.Delay, min(wanted, f.config.MaxDelay)))
	}()
	return f.ask(ctx, at, page)
}

// ask sends the request and reads the answer into page.
func (f *Fetcher) ask(ctx context.Context, at *url.URL, page *Page) (location string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.config.Timeout, ErrTimeout)
	defer cancel()
	response, err := f.send(ctx, at)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	page.Status, page.FetchedAt = response.StatusCode, time.Now().UTC()
	if location := redirect(response); location != "" {
		return location, nil
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return "", newStatusError(response)
	}
	return "", outcome(ctx, f.read(response, page))
}

// send makes one request. No cookie, referrer or credential goes with it.
func (f *Fetcher) send(ctx context.Context, at *url.URL) (*http.Response, error) {
	request := (&http.Request{Method: http.MethodGet, URL: at, Host: at.Host, Header: http.Header{
		"User-Agent": {f.config.Agent}, "Accept": {accepted}, "Accept-Encoding": {"gzip"},
	}}).WithContext(ctx)
	response, err := f.transport.RoundTrip(request)
	return response, outcome(ctx, err)
}

// redirect is where a response sends the client, if it does.
func redirect(r *http.Response) string {
	switch r.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return r.Header.Get("Location")
	}
	return ""
}

// Package fetch reads pages of the public web, and nothing else.
//
//	address → may it be asked? → the host's turn → robots.txt → its delay
//	        → dial, where the resolved address is judged → bounded body → Page
//	Page → Read → Document: Markdown, links, and parts that can be quoted
//
// An address may come from a search result, a page or a model, so none is trusted.
// What must not be reached is refused three times: by the text of the address, again
// at each redirect, and at each connection, when DNS has said where it leads. What a
// page says is data: nothing of it is run, and text that a reader of the page would not
// see is left out of its Document.
//
// A Fetcher is polite by instance: one request at a time and a delay for each host,
// robots.txt obeyed. Two instances know nothing of each other's hosts.
package fetch

import (
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
	// Agent is the user agent, "whatis/1.4 (+https://example.com/whatis)": what stands
	// before the slash is the name that robots.txt knows us by.
	Agent string
	// Allow admits servers of tests: FETCH_ALLOW, see Allow. It is refused where
	// Service is set.
	Allow string
	// Service is K_SERVICE, which Cloud Run sets.
	Service string

	Timeout  time.Duration // of one request with its body: 60 s
	Delay    time.Duration // between two requests to a host: 1 s
	MaxDelay time.Duration // of what robots.txt or Retry-After may ask for: 10 s
	MaxText  int64         // bytes of text, compressed and not: 2 MiB; the rest is cut off
	MaxFile  int64         // bytes of a PDF or workbook: 10 MiB; a larger one is refused

	RobotsLife  time.Duration // for how long a robots.txt holds: 24 h
	RobotsRetry time.Duration // for how long a host whose robots.txt is broken is left alone: 10 min
	Hosts       int           // how many hosts are remembered, with their robots.txt: 500

	// Resolver is asked for addresses of hosts; nil is the system's.
	Resolver *net.Resolver
}

// maxRedirects is how many redirects an address may go through.
const maxRedirects = 5

// A Page is what an address answered.
type Page struct {
	Requested   string    // the address as it was given to Get
	URL         string    // the address that answered, canonical
	Redirects   []string  // the addresses that led there, canonical, in order
	Status      int       // of HTTP; 0 if nothing answered
	ContentType string    // without parameters, by what the content is where the header says nothing
	Body        []byte    // text as UTF-8, files as they came
	Truncated   bool      // the text went on, beyond Config.MaxText
	FetchedAt   time.Time // when the answer began, UTC
}

// A Fetcher gets pages. Its methods are safe for concurrent use.
type Fetcher struct {
	config    Config
	allow     allowed
	hosts     *hosts
	transport *http.Transport
}

// Check refuses a configuration that could not work, and FETCH_ALLOW on Cloud Run: an
// app calls it when it reads the configuration, so that it does not start.
func (c Config) Check() error {
	name, _, slash := strings.Cut(c.Agent, "/")
	if name == "" || !slash || strings.ContainsAny(c.Agent, "\r\n") {
		return fmt.Errorf("fetch: Agent is %q: use \"name/version (+address)\"", c.Agent)
	}
	if c.Allow != "" && c.Service != "" {
		return fmt.Errorf("fetch: FETCH_ALLOW is set, and K_SERVICE too: servers of tests are not for Cloud Run")
	}
	if min(c.Timeout, c.Delay, c.MaxDelay, c.RobotsLife, c.RobotsRetry) < 0 || min(c.MaxText, c.MaxFile, int64(c.Hosts)) < 0 {
		return fmt.Errorf("fetch: a duration or bound is negative: use 0 for what it is by default")
	}
	_, err := parseAllow(c.Allow)
	return err
}

// New returns a fetcher, or the error of Check.
func New(c Config) (*Fetcher, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	standard(&c.Timeout, time.Minute)
	standard(&c.Delay, time.Second)
	standard(&c.MaxDelay, 10*time.Second)
	standard(&c.MaxText, 2<<20)
	standard(&c.MaxFile, 10<<20)
	standard(&c.RobotsLife, 24*time.Hour)
	standard(&c.RobotsRetry, 10*time.Minute)
	standard(&c.Hosts, 500)
	f := &Fetcher{config: c, hosts: newHosts(c.Hosts)}
	f.allow, _ = parseAllow(c.Allow) // Check has read it
	f.transport = &http.Transport{   // Proxy is nil: the environment names none
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

func standard[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
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
		next, failed := f.visit(ctx, at, &page)
		if failed != nil || next == "" {
			return page, failed
		}
		if len(page.Redirects) == maxRedirects {
			return page, fmt.Errorf("%w: more than %d", ErrRedirects, maxRedirects)
		}
		page.Redirects = append(page.Redirects, page.URL)
		at, err = f.follow(at, next)
	}
	return page, err
}

// follow is the address that a redirect at one leads to, if it may be asked.
func (f *Fetcher) follow(at *url.URL, location string) (*url.URL, error) {
	next, err := at.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("%w: a redirect leads to no address", ErrForbiddenAddress)
	}
	return f.parse(next.String())
}

// visit asks one address, without following it: next is where it redirects to.
func (f *Fetcher) visit(ctx context.Context, at *url.URL, page *Page) (next string, err error) {
	h, err := f.hosts.enter(ctx, at.Hostname())
	if err != nil {
		return "", err
	}
	defer f.hosts.leave(h)
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
	delay := max(f.config.Delay, min(rules.delay, f.config.MaxDelay))
	defer func() { h.next = time.Now().Add(max(delay, min(retryAfter(err), f.config.MaxDelay))) }()
	return f.ask(ctx, at, page)
}

// ask sends the request and reads the answer into page.
func (f *Fetcher) ask(ctx context.Context, at *url.URL, page *Page) (next string, err error) {
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
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrForbiddenAddress, err)
	}
	request.Header.Set("User-Agent", f.config.Agent)
	request.Header.Set("Accept", accepted)
	request.Header.Set("Accept-Encoding", "gzip")
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

// Package fetch reads pages of the public web, and nothing else.
//
//	address → allowed? → the host's lock → robots.txt → its delay
//	        → dial, where the resolved address is checked → limited body → Page
//
// An address may come from a search result, a page or a model, so none is trusted: its text
// is checked, also at each redirect, and its resolved IP addresses at each connection.
//
// A Fetcher requests one page of a host at a time. It is not coordinated with other
// instances.
package fetch

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Config configures a Fetcher. Zero fields except Agent have the default in their comment.
type Config struct {
	Agent   string // "whatis/1.4 (+https://…)": robots.txt rules match the part before the slash
	Allow   string // FETCH_ALLOW: admits test servers, see parseAllow
	Service string // K_SERVICE: if set, Allow is refused

	Timeout    time.Duration // of one request with its body: 60 s
	Delay      time.Duration // between two requests to a host: 1 s
	MaxDelay   time.Duration // the longest that robots.txt or Retry-After may demand: 10 s
	RobotsLife time.Duration // how long a robots.txt is cached: 24 h, and an unreadable one a 144th of that
	MaxText    int64         // bytes of text, compressed and decompressed: 2 MiB; the rest is cut off
	MaxFile    int64         // bytes of a PDF or workbook: 10 MiB; larger ones are refused

	Resolver *net.Resolver // nil means the system's
}

// maxRedirects is the largest number of redirects that are followed.
const maxRedirects = 5

// A Page is the response of an address.
type Page struct {
	Requested   string    // the address given to Get
	URL         string    // the address that responded, canonical
	Redirects   []string  // the addresses in between, canonical, in order
	Status      int       // of HTTP; 0 without a response
	ContentType string    // without parameters; detected if the header says nothing
	Charset     string    // that the header declares; "" if none
	Body        []byte    // as it came, decompressed; see Text
	Truncated   bool      // the text was longer than Config.MaxText
	FetchedAt   time.Time // when the response began, UTC
}

// A Fetcher fetches pages. Its methods are safe for concurrent use.
type Fetcher struct {
	config    Config
	allow     allowed
	hosts     [512]host
	transport *http.Transport
}

// Check returns an error for an invalid configuration, and for FETCH_ALLOW on Cloud Run.
// Programs call it when they read their configuration, so that they do not start.
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
	f.allow, _ = parseAllow(c.Allow) // checked by Check
	for i := range f.hosts {
		f.hosts[i].turn = make(chan struct{}, 1)
	}
	f.transport = &http.Transport{ // without a proxy
		DialContext:            f.dial,
		DisableCompression:     true, // read decompresses, with limits
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           20,
		MaxIdleConnsPerHost:    1,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    15 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
	return f, nil
}

// Close closes idle connections.
func (f *Fetcher) Close() { f.transport.CloseIdleConnections() }

// Get fetches an address. Within ctx it waits for the host's lock and delay. With an error
// the Page still contains what is known: the redirects so far, the status, the content type
// of an unread body. The errors are those of this package, and ctx's.
func (f *Fetcher) Get(ctx context.Context, address string) (Page, error) {
	return f.GetAdmitted(ctx, address, func(string) bool { return true })
}

// GetAdmitted does Get, but asks only for addresses that admits, which is given them canonical,
// the targets of redirects too.
func (f *Fetcher) GetAdmitted(ctx context.Context, address string, admits func(address string) bool) (Page, error) {
	return f.get(ctx, address, admits, f.read)
}

// Download writes what an address has to w, of whatever type it is, unpacked by its Content-Encoding. What
// has more than most bytes is ErrTooLarge, after those were written.
func (f *Fetcher) Download(ctx context.Context, address string, most int64, w io.Writer) error {
	_, err := f.get(ctx, address, func(string) bool { return true }, func(r *http.Response, _ *Page) error {
		plain, err := decompress(r, r.Body)
		if err != nil {
			return err
		}
		n, err := io.Copy(w, io.LimitReader(plain, most+1))
		if n > most {
			return ErrTooLarge
		}
		return err
	})
	return err
}

// A reading reads the body of a response into page, or elsewhere.
type reading func(response *http.Response, page *Page) error

func (f *Fetcher) get(ctx context.Context, address string, admits func(address string) bool, read reading) (Page, error) {
	page := Page{Requested: address}
	at, err := f.parse(address)
	for err == nil {
		page.URL = canonical(at)
		if !admits(page.URL) {
			return page, fmt.Errorf("%w: %s", ErrLeftOut, at.Hostname())
		}
		location, failed := f.visit(ctx, at, &page, read)
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

// follow returns the target of a redirect, if it may be fetched.
func (f *Fetcher) follow(at *url.URL, location string) (*url.URL, error) {
	next, err := at.Parse(location)
	if err != nil {
		return nil, ErrForbiddenAddress
	}
	return f.parse(next.String())
}

// visit fetches one address under its host's lock; location is the target if it redirects.
func (f *Fetcher) visit(ctx context.Context, at *url.URL, page *Page, read reading) (location string, err error) {
	h, err := f.enter(ctx, at)
	if err != nil {
		return "", err
	}
	defer h.leave()
	rules, err := f.robots(ctx, h, at)
	if err != nil {
		return "", err
	}
	if err := rules.check(at); err != nil {
		return "", err
	}
	if err := h.pause(ctx); err != nil {
		return "", err
	}
	defer func() {
		wanted := max(rules.delay, retryAfter(err))
		h.next = time.Now().Add(max(f.config.Delay, min(wanted, f.config.MaxDelay)))
	}()
	err = f.askAgain(ctx, h, func() (err error) {
		location, err = f.ask(ctx, at, page, read)
		return err
	})
	return location, err
}

// ask sends the request and reads the answer into page.
func (f *Fetcher) ask(ctx context.Context, at *url.URL, page *Page, read reading) (location string, err error) {
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
	return "", outcome(ctx, read(response, page))
}

// send makes one request, without cookies, referrer or credentials.
func (f *Fetcher) send(ctx context.Context, at *url.URL) (*http.Response, error) {
	request := (&http.Request{Method: http.MethodGet, URL: at, Host: at.Host, Header: http.Header{
		"User-Agent": {f.config.Agent}, "Accept": {accepted}, "Accept-Encoding": {"gzip"},
	}}).WithContext(ctx)
	response, err := f.transport.RoundTrip(request)
	return response, outcome(ctx, err)
}

// redirect returns the target of a redirect, "" if the response is none.
func redirect(r *http.Response) string {
	switch r.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return r.Header.Get("Location")
	}
	return ""
}

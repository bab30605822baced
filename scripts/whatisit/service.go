package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"example.com/whatis/emulators/ollama"
)

// A service is an HTTP client of a whatis API.
type service struct {
	base     string // its address, without a slash at the end
	client   *http.Client
	identity *identity                        // nil where none is asked for
	note     func(format string, args ...any) // tells what people want to know with -v only
	local    *ollama.Model                    // that it asks on this machine; nil for other models
	close    func()
}

// at returns a client of the service at address.
func at(address string, note func(string, ...any)) (*service, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.User != nil {
		return nil, usage("the service's address is %q: want one as https://whatis.example.com", address)
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/analyze")
	over := http.DefaultTransport.(*http.Transport).Clone()
	over.MaxIdleConnsPerHost = maxJobs
	s := &service{base: u.String(), client: direct(over), note: note, close: func() {}}
	if u.Scheme == "https" && !local(u.Hostname()) {
		s.identity = newIdentity(note)
	}
	return s, nil
}

// direct returns an HTTP client that follows no redirects: they lead to login pages, and turn
// a POST into a GET.
func direct(over http.RoundTripper) *http.Client {
	return &http.Client{Transport: over, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func local(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

// A request is an HTTP request whose body is in memory, so that it can be repeated.
type request struct {
	method, path string
	kind         string // Content-Type
	accept       string
	body         []byte
	lastID       string // Last-Event-ID
}

// do sends r to the service. If the response is not a success, the error is a *problem.
// The caller closes the response's body.
func (s *service) do(ctx context.Context, r request) (*http.Response, error) {
	resp, err := s.once(ctx, r)
	if err == nil && resp.StatusCode == http.StatusUnauthorized && s.identity.renewable() {
		resp.Body.Close()
		s.identity.renew()
		resp, err = s.once(ctx, r)
	}
	var refused *url.Error
	if errors.As(err, &refused) {
		return nil, &problem{Detail: fmt.Sprintf("%s does not answer: %s", s.base, refused.Err), cause: refused.Err}
	}
	if err != nil || resp.StatusCode/100 == 2 {
		return resp, err
	}
	defer resp.Body.Close()
	return nil, s.problemOf(resp)
}

func (s *service) once(ctx context.Context, r request) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, s.base+r.path, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{"Content-Type": r.kind, "Accept": r.accept, "Last-Event-ID": r.lastID} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if token := s.identity.get(ctx); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return s.client.Do(req)
}

// longestAnswer limits a response that is read into memory: the results of a large batch.
const longestAnswer = 1 << 30

// answer sends r to the service and decodes its JSON response into v.
func (s *service) answer(ctx context.Context, r request, v any) error {
	resp, err := s.do(ctx, r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, longestAnswer))
	if err != nil {
		return fmt.Errorf("%s: the answer is incomplete: %w", s.base, err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s%s does not answer with JSON: is it a whatis service? (%w)", s.base, r.path, err)
	}
	return nil
}

// A problem is an error response of the service, or a failure to reach it.
type problem struct {
	Status int    `json:"status"` // 0 without a response
	Code   string `json:"code"`
	Detail string `json:"detail"`

	retryAfter time.Duration // 0 if the service does not say
	cause      error         // why it does not answer
}

func (p *problem) Error() string { return p.Detail }

func (p *problem) Unwrap() error { return p.cause }

// passing reports whether the same request may succeed later.
func (p *problem) passing() bool {
	return p.Status == 0 || p.Status == http.StatusTooManyRequests || p.Status >= 500 && p.Status != http.StatusNotImplemented
}

// problemOf reads a problem document; without one the problem has the HTTP status.
func (s *service) problemOf(resp *http.Response) *problem {
	p := &problem{}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "application/problem+json" {
		_ = json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(p)
	}
	p.Status = resp.StatusCode
	p.retryAfter = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	if p.Detail != "" {
		return p
	}
	p.Detail = fmt.Sprintf("%s answers %s", s.base, resp.Status)
	switch {
	case p.Status == http.StatusUnauthorized, p.Status == http.StatusForbidden:
		p.Detail += ": it needs an identity token: run gcloud auth login, or set WHATIS_TOKEN"
	case p.Status/100 == 3:
		p.Detail += fmt.Sprintf(": it redirects to %q: use that address if it is a whatis service", resp.Header.Get("Location"))
	case p.Status == http.StatusNotFound:
		p.Detail += ": is it a whatis service?"
	}
	return p
}

// retryAfter parses the Retry-After header: seconds or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return time.Duration(min(seconds, 1e6)) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}

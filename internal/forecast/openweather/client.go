// Package openweather reads places and their weather from OpenWeather.
//
//	"Springfield, IL" → Find → Place, or *Ambiguous with candidates
//	Place → Current, Forecast: in one system of units, cached for 15 minutes, for all instances if they share; one call for concurrent requests
//
// A call times out after ten seconds. It is repeated after 1, 2 and 4 s if the service is
// down or does not answer, never for another reason. No error or log line contains the key.
package openweather

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"example.com/whatis/internal/outage"
	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"
)

// Config configures a Client. All fields except the key have defaults.
type Config struct {
	Key     string
	BaseURL string // https://api.openweathermap.org

	Timeout   time.Duration   // of one try: 5 s
	Total     time.Duration   // of all tries of a call: 8 s
	Retries   []time.Duration // the waits before further tries: 1, 2 and 4 s
	PerMinute int             // calls, half of which may come at once: 60
	Patience  time.Duration   // how long a call may wait for that limit before it is refused: 5 s
	Fresh     time.Duration   // how long an answer is cached: 15 min
	Absent    time.Duration   // how long it is cached that there is no such place: 5 min

	AllowEmulated bool // accept answers of an emulator

	Shared Shared // nil if each instance asks for itself
}

// Shared keeps the weather of places for all instances, so that two of them tell the same of a place. What it cannot
// read or keep is asked for again.
type Shared interface {
	Read(ctx context.Context, key string) (body []byte, at time.Time)
	Keep(ctx context.Context, key string, body []byte, at time.Time)
}

// Client calls OpenWeather. It is safe for concurrent use.
type Client struct {
	c     Config
	http  *http.Client
	limit *rate.Limiter
	kept  answers

	calls    atomic.Int64
	emulated atomic.Bool
}

// answers is an otter.Cache of answers by path and query. A field of that type would have
// each package that names a Client compile its thousand generic functions again.
type answers interface {
	Get(ctx context.Context, key string, load otter.Loader[string, answer]) (answer, error)
}

// DefaultURL is the address of OpenWeather.
const DefaultURL = "https://api.openweathermap.org"

// placesFresh is how long the location of a place is cached.
const placesFresh = 24 * time.Hour

// New returns the client that c configures.
func New(c Config) (*Client, error) {
	c.BaseURL = strings.TrimSuffix(cmp.Or(c.BaseURL, DefaultURL), "/")
	c.Timeout = cmp.Or(c.Timeout, 5*time.Second)
	c.Total = cmp.Or(c.Total, 8*time.Second)
	c.Patience = cmp.Or(c.Patience, 5*time.Second)
	c.Fresh, c.Absent = cmp.Or(c.Fresh, 15*time.Minute), cmp.Or(c.Absent, 5*time.Minute)
	c.PerMinute = cmp.Or(c.PerMinute, 60)
	if c.Retries == nil {
		c.Retries = []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}
	}
	if c.Key == "" {
		return nil, errors.New("openweather: Config.Key is not set")
	}
	kept, err := otter.New(&otter.Options[string, answer]{
		MaximumSize: 10_000,
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[string, answer]) time.Duration {
			switch {
			case weather(e.Key):
				return max(1, c.Fresh-time.Since(e.Value.at)) // an answer that is shared has been kept for a while
			case e.Value.empty:
				return c.Absent
			}
			return placesFresh
		}),
	})
	if err != nil {
		return nil, fmt.Errorf("openweather: %w", err)
	}
	pool := http.DefaultTransport.(*http.Transport).Clone()
	pool.MaxIdleConnsPerHost = 16
	burst := max(1, c.PerMinute/2)
	return &Client{
		c: c, kept: kept, http: &http.Client{Transport: pool},
		limit: rate.NewLimiter(rate.Every(time.Minute/time.Duration(max(1, c.PerMinute-burst))), burst),
	}, nil
}

// Calls returns the number of calls made.
func (c *Client) Calls() int64 { return c.calls.Load() }

// Emulated reports whether any answer came from an emulator.
func (c *Client) Emulated() bool { return c.emulated.Load() }

// A Kind classifies the failure of a call.
type Kind string

// The kinds of failures.
const (
	Refused     Kind = "refused"     // 401, 403: the key is not accepted
	Quota       Kind = "quota"       // 429, or the limit in Config
	Unavailable Kind = "unavailable" // 5xx, or no connection
	Timeout     Kind = "timeout"     // no answer in time
	Unreadable  Kind = "unreadable"  // an answer that cannot be decoded, or another error status
)

// A Fault is the error of a failed call.
type Fault struct {
	Kind       Kind
	RetryAfter time.Duration // for Quota
	err        error         // what callers may read
	cause      error         // for the log
}

func (f *Fault) Error() string {
	text := "openweather: " + string(f.Kind) + ": " + f.err.Error()
	if f.cause != nil {
		text += ": " + f.cause.Error()
	}
	return text
}

func (f *Fault) Unwrap() error { return f.err }

// Public returns the text for callers.
func (f *Fault) Public() string { return "the weather service: " + f.err.Error() }

// Retryable reports whether the same call may succeed later.
func (f *Fault) Retryable() bool { return f.Kind != Refused }

// An answer is a body that could be decoded, with the time it was received.
type answer struct {
	body  []byte
	at    time.Time
	empty bool // a list of nothing
}

// get returns the answer to path and query, and when it was received: a cached one, that of a running
// call or of another instance, or a new one. Failures are not cached, nor what is no T or not usable.
func get[T any](ctx context.Context, c *Client, path string, query url.Values, usable func(T) bool) (v T, at time.Time, err error) {
	a, err := c.kept.Get(ctx, path+"?"+query.Encode(), otter.LoaderFunc[string, answer](func(ctx context.Context, key string) (answer, error) {
		ctx = context.WithoutCancel(ctx)
		shares := c.c.Shared != nil && weather(key)
		var v T
		if shares {
			body, at := c.c.Shared.Read(ctx, key)
			if age := time.Since(at); age >= 0 && age < c.c.Fresh && json.Unmarshal(body, &v) == nil && usable(v) {
				return answer{body: body, at: at}, nil
			}
			v = *new(T)
		}
		a, err := c.load(ctx, path, query)
		if err == nil && (json.Unmarshal(a.body, &v) != nil || !usable(v)) {
			err = &Fault{Kind: Unreadable, err: errors.New("its answer cannot be read")}
		}
		if err == nil && shares {
			c.c.Shared.Keep(ctx, key, a.body, a.at)
		}
		a.empty = string(bytes.TrimSpace(a.body)) == "[]"
		return a, err
	}))
	if err == nil {
		err = json.Unmarshal(a.body, &v)
	}
	return v, a.at, err
}

// weather reports whether a key is that of weather, and not of a place.
func weather(key string) bool { return !strings.HasPrefix(key, "/geo/") }

// load makes the call, and repeats it after each wait while the service is down or does not
// answer, within the time of all tries. The wait for the limit per minute is ours: it is not of that time.
func (c *Client) load(ctx context.Context, path string, query url.Values) (answer, error) {
	if err := c.await(); err != nil {
		return answer{}, err
	}
	begin := time.Now()
	ctx, cancel := context.WithTimeout(ctx, outage.Patience(ctx, c.c.Total))
	defer cancel()
	for n := 0; ; n++ {
		body, err := c.try(ctx, path, query)
		var f *Fault
		again := errors.As(err, &f) && (f.Kind == Unavailable || f.Kind == Timeout)
		if again && (n == len(c.c.Retries) || !wait(ctx, c.c.Retries[n])) {
			outage.Lose(ctx, begin)
			again = false
		}
		if again {
			err = c.await()
		}
		if !again || err != nil {
			return answer{body: body, at: time.Now()}, err
		}
	}
}

// await waits for the limit of calls per minute, if that is not too long.
func (c *Client) await() error {
	turn := c.limit.Reserve()
	if wait := turn.Delay(); wait > c.c.Patience {
		turn.Cancel()
		return &Fault{Kind: Quota, RetryAfter: wait, err: errors.New("too many places are asked for at once")}
	}
	time.Sleep(turn.Delay())
	return nil
}

// wait returns false if ctx ended first.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// try makes one request.
func (c *Client) try(ctx context.Context, path string, query url.Values) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.c.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.c.BaseURL+path+"?"+query.Encode()+"&appid="+url.QueryEscape(c.c.Key), nil)
	if err != nil {
		return nil, &Fault{Kind: Refused, err: errors.New("OPENWEATHER_BASE_URL is no address")}
	}
	c.calls.Add(1)
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, c.silent(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, c.silent(err)
	}
	return body, c.judge(resp, body)
}

var errSilent = errors.New("it does not answer")

// silent returns the fault of a call without an answer. It leaves out the URL in Go's
// error, which contains the key.
func (c *Client) silent(err error) *Fault {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Fault{Kind: Timeout, err: errSilent}
	}
	return &Fault{Kind: Unavailable, err: errSilent, cause: errors.New(strings.ReplaceAll(err.Error(), c.c.Key, "…"))}
}

// judge returns the fault that a response reports, nil if it is good.
func (c *Client) judge(r *http.Response, body []byte) error {
	if r.Header.Get("Server") == "openweather-emulator" {
		if !c.c.AllowEmulated {
			return &Fault{Kind: Refused, err: errors.New("it is emulated, which is not allowed here")}
		}
		c.emulated.Store(true)
	}
	code := statusOf(r.StatusCode, body)
	status := errors.New("it answers " + strconv.Itoa(code))
	switch {
	case code == http.StatusOK && json.Valid(body):
		return nil
	case code == http.StatusOK:
		return &Fault{Kind: Unreadable, err: errors.New("its answer is no JSON")}
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return &Fault{Kind: Refused, err: errors.New("it does not accept the key of this service")}
	case code == http.StatusNotFound:
		return ErrUnknown
	case code == http.StatusTooManyRequests:
		return &Fault{Kind: Quota, RetryAfter: retryAfter(r.Header.Get("Retry-After")), err: errors.New("its quota is spent")}
	case code >= http.StatusInternalServerError:
		return &Fault{Kind: Unavailable, err: status}
	}
	return &Fault{Kind: Unreadable, err: status}
}

// statusOf returns the status of an answer: that which a body says of itself, as number or text, where
// it is sent with 200.
func statusOf(status int, body []byte) int {
	var said struct {
		Cod any `json:"cod"`
	}
	if status == http.StatusOK && json.Unmarshal(body, &said) == nil && said.Cod != nil {
		if code, err := strconv.Atoi(fmt.Sprint(said.Cod)); err == nil {
			return code
		}
	}
	return status
}

// retryAfter parses the header of that name, in seconds; a minute if it is missing.
func retryAfter(seconds string) time.Duration {
	if n, err := strconv.Atoi(seconds); err == nil && n > 0 {
		return time.Duration(n) * time.Second
	}
	return time.Minute
}

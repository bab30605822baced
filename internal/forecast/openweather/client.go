// Package openweather asks OpenWeather for places and for their weather.
//
//	"Springfield, IL" → Find → Place, or *Ambiguous with candidates
//	Place, units, language → Current, Forecast: kept for 15 minutes, one call for all who ask meanwhile
//
// A call has ten seconds and is made again after 1, 2 and 4 s when the service is down
// or silent, never for another reason. No error and no log line holds the key.
package openweather

import (
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

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"
)

// Config says how OpenWeather is asked. All but the key has a default.
type Config struct {
	Key     string
	BaseURL string // https://api.openweathermap.org

	Timeout   time.Duration   // of one try: 10 s
	Retries   []time.Duration // the waits before further tries: 1, 2 and 4 s
	PerMinute int             // calls, of which half may be at once: 60
	Patience  time.Duration   // for the minute's calls; who would wait longer is refused: 5 s
	Fresh     time.Duration   // how long an answer is handed out again: 15 min

	AllowEmulated bool // accepts an emulator's answers
}

// Client asks OpenWeather. It is safe for concurrent use.
type Client struct {
	c     Config
	http  *http.Client
	limit *rate.Limiter
	kept  *otter.Cache[string, answer]

	calls    atomic.Int64
	emulated atomic.Bool
}

// DefaultURL is where OpenWeather is.
const DefaultURL = "https://api.openweathermap.org"

// placesFresh is for how long a place stays where it is.
const placesFresh = 24 * time.Hour

// New returns the client of c.
func New(c Config) (*Client, error) {
	c.BaseURL = strings.TrimSuffix(cmp.Or(c.BaseURL, DefaultURL), "/")
	c.Timeout = cmp.Or(c.Timeout, 10*time.Second)
	c.Patience = cmp.Or(c.Patience, 5*time.Second)
	c.Fresh = cmp.Or(c.Fresh, 15*time.Minute)
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
			if strings.HasPrefix(e.Key, "/geo/") {
				return placesFresh
			}
			return c.Fresh
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

// Calls is how many calls were made.
func (c *Client) Calls() int64 { return c.calls.Load() }

// Emulated reports that an emulator has answered.
func (c *Client) Emulated() bool { return c.emulated.Load() }

// A Kind is what went wrong with a call.
type Kind string

// The kinds of faults.
const (
	Refused     Kind = "refused"     // 401, 403: the key is not accepted
	Quota       Kind = "quota"       // 429, or our own bound on calls
	Unavailable Kind = "unavailable" // 5xx, or no connection
	Timeout     Kind = "timeout"     // no answer in time
	Unreadable  Kind = "unreadable"  // an answer that is none, or another refusal
)

// A Fault is a call that came to nothing.
type Fault struct {
	Kind       Kind
	RetryAfter time.Duration // of Quota
	err        error
}

func (f *Fault) Error() string { return "openweather: " + string(f.Kind) + ": " + f.err.Error() }

func (f *Fault) Unwrap() error { return f.err }

// Public is what callers read of it.
func (f *Fault) Public() string { return "the weather service: " + f.err.Error() }

// Retryable reports that the same call may do better later.
func (f *Fault) Retryable() bool { return f.Kind != Refused }

// An answer is a body, and when it came.
type answer struct {
	body []byte
	at   time.Time
}

// get reads the answer to path and query into v: one that is fresh, that of a call under
// way, or a new one. Failures are not kept.
func (c *Client) get(ctx context.Context, path string, query url.Values, v any) (time.Time, error) {
	a, err := c.kept.Get(ctx, path+"?"+query.Encode(), otter.LoaderFunc[string, answer](func(ctx context.Context, _ string) (answer, error) {
		return c.load(context.WithoutCancel(ctx), path, query)
	}))
	if err != nil {
		return time.Time{}, err
	}
	if err := json.Unmarshal(a.body, v); err != nil {
		return time.Time{}, &Fault{Kind: Unreadable, err: errors.New("its answer cannot be read")}
	}
	return a.at, nil
}

// load makes the call, and again after each of the waits while the service is down or
// silent.
func (c *Client) load(ctx context.Context, path string, query url.Values) (answer, error) {
	for n := 0; ; n++ {
		body, err := c.try(ctx, path, query)
		var f *Fault
		again := errors.As(err, &f) && (f.Kind == Unavailable || f.Kind == Timeout)
		if !again || n == len(c.c.Retries) {
			return answer{body, time.Now()}, err
		}
		time.Sleep(c.c.Retries[n])
	}
}

// try makes one request, if the minute has room for it.
func (c *Client) try(ctx context.Context, path string, query url.Values) ([]byte, error) {
	turn := c.limit.Reserve()
	if wait := turn.Delay(); wait > c.c.Patience {
		turn.Cancel()
		return nil, &Fault{Quota, wait, errors.New("too many places are asked for at once")}
	}
	time.Sleep(turn.Delay())
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

// silent is the fault of a call without an answer. The URL in Go's error has the key.
func (c *Client) silent(err error) *Fault {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Fault{Kind: Timeout, err: fmt.Errorf("no answer within %v", c.c.Timeout)}
	}
	return &Fault{Kind: Unavailable, err: errors.New(strings.ReplaceAll(err.Error(), c.c.Key, "…"))}
}

// judge is the fault that an answer tells of, nil for a good one.
func (c *Client) judge(r *http.Response, body []byte) error {
	if r.Header.Get("Server") == "openweather-emulator" {
		if !c.c.AllowEmulated {
			return &Fault{Kind: Refused, err: errors.New("it is emulated, which is not allowed here")}
		}
		c.emulated.Store(true)
	}
	status := errors.New("it answers " + strconv.Itoa(r.StatusCode))
	switch code := r.StatusCode; {
	case code == http.StatusOK && json.Valid(body):
		return nil
	case code == http.StatusOK:
		return &Fault{Kind: Unreadable, err: errors.New("its answer is no JSON")}
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return &Fault{Kind: Refused, err: errors.New("it does not accept the key of this service")}
	case code == http.StatusNotFound:
		return ErrUnknown
	case code == http.StatusTooManyRequests:
		return &Fault{Quota, retryAfter(r.Header.Get("Retry-After")), errors.New("its quota is spent")}
	case code >= http.StatusInternalServerError:
		return &Fault{Kind: Unavailable, err: status}
	}
	return &Fault{Kind: Unreadable, err: status}
}

// retryAfter is the header of that name in seconds: a minute unless it is said.
func retryAfter(seconds string) time.Duration {
	if n, err := strconv.Atoi(seconds); err == nil && n > 0 {
		return time.Duration(n) * time.Second
	}
	return time.Minute
}

package gemini

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/genai"
)

// A patience says how long somebody still waits for models that do not answer.
type patience struct {
	whole time.Duration
	last  atomic.Int64 // when a model answered, or the wait began: nanoseconds of Unix
}

type patienceKey struct{}

// WithPatience returns a context for a request that somebody waits for: when no model has
// answered it for d, its calls end as Unavailable, with SlowModel. What a model answers after
// that is kept for a while, for the next equal call. Calls that are tried less often than
// CallerAttempts, and those at the flex tier, do not end so: nobody waits for them.
func WithPatience(ctx context.Context, d time.Duration) context.Context {
	p := &patience{whole: d}
	p.answered()
	return context.WithValue(ctx, patienceKey{}, p)
}

// SlowModel is the Reason of an error whose caller has waited long enough.
const SlowModel = "no_answer_yet"

// askAgain is when a caller who has waited in vain may ask again.
const askAgain = 15 * time.Second

// patienceOf returns the patience of ctx's caller, nil if nobody waits.
func patienceOf(ctx context.Context) *patience {
	p, _ := ctx.Value(patienceKey{}).(*patience)
	if accountOf(ctx).attempts() < CallerAttempts || TierOf(ctx) == Flex {
		return nil
	}
	return p
}

// answered begins the wait anew.
func (p *patience) answered() {
	if p != nil {
		p.last.Store(time.Now().UnixNano())
	}
}

// left returns how long the caller waits from now on.
func (p *patience) left() time.Duration {
	if p == nil {
		return math.MaxInt64
	}
	return p.whole - time.Duration(time.Now().UnixNano()-p.last.Load())
}

// over returns e, or, if the caller waits no longer for a model that does not answer, an error
// that says so.
func (p *patience) over(e *Error) *Error {
	if e.Kind == Unavailable && p.left() <= 0 {
		e.Reason, e.RetryAfter = SlowModel, askAgain
		e.Err = fmt.Errorf("no answer within %v: ask again in a while", p.whole)
	}
	return e
}

// keptFor is how long an answer that nobody waited for is kept in this process.
const keptFor = 10 * time.Minute

// lateAnswers are the requests whose callers have left before the answer came.
type lateAnswers struct {
	mu  sync.Mutex
	all map[string]*lateAnswer
}

// A lateAnswer is a request that is made until its answer comes, whether or not somebody waits.
type lateAnswer struct {
	cancel context.CancelFunc
	said   chan string   // what has come of it, the latest alone
	done   chan struct{} // closed when it has ended
	raw    *genai.GenerateContentResponse
	err    error

	left bool      // its caller has left
	kept *Response // what it answered after that, which is booked
}

// sendFor makes one request for a caller of some patience. If that ends before the answer
// comes, the answer is booked when it does, and kept: the next equal request gets it as kept.
func (c *Client) sendFor(ctx context.Context, p *patience, r Request, model string, config *genai.GenerateContentConfig) (raw *genai.GenerateContentResponse, kept *Response, err error) {
	one := c.late.take(r, model)
	if one == nil {
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout(Standard))
		one = &lateAnswer{cancel: cancel, said: make(chan string, 1), done: make(chan struct{})}
		ask := send
		if r.Said != nil {
			ask = c.streamed(one.latest)
		}
		go func() {
			defer cancel()
			raw, err := ask(own, c.models, model, config)
			c.arrived(own, one, model, raw, err)
		}()
	}
	for {
		select {
		case text := <-one.said:
			if r.Said != nil {
				r.Said(text)
			}
			continue
		case <-one.done:
		case <-ctx.Done():
			if p.left() > 0 {
				one.cancel()
				return nil, nil, ctx.Err()
			}
			if c.late.leave(one, r, model) {
				return nil, nil, ctx.Err()
			}
		}
		return one.raw, one.kept, one.err
	}
}

// latest makes text what has come of the answer, in place of what nobody has taken.
func (one *lateAnswer) latest(text string) {
	select {
	case <-one.said:
	default:
	}
	one.said <- text // only this goroutine sends
}

// arrived ends one. An answer for which nobody waits is booked now.
func (c *Client) arrived(ctx context.Context, one *lateAnswer, model string, raw *genai.GenerateContentResponse, err error) {
	c.late.mu.Lock()
	defer c.late.mu.Unlock()
	if one.raw, one.err = raw, err; one.left && err == nil {
		unlogged := context.WithValue(WithAccount(ctx, &Account{}), attemptKey{}, nil)
		one.kept, one.err = c.chargeAndCheck(unlogged, "", model, raw, hasText)
	}
	close(one.done)
}

// take returns the equal request whose caller has left, nil without one.
func (l *lateAnswers) take(r Request, model string) *lateAnswer {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) == 0 {
		return nil
	}
	key := r.Fingerprint() + model
	one := l.all[key]
	delete(l.all, key)
	return one
}

// leave keeps one for the next equal request. It returns false if its answer has come.
func (l *lateAnswers) leave(one *lateAnswer, r Request, model string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-one.done:
		return false
	default:
	}
	key := r.Fingerprint() + model
	one.left = true
	if l.all == nil {
		l.all = map[string]*lateAnswer{}
	}
	l.all[key] = one
	time.AfterFunc(keptFor, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.all[key] == one {
			delete(l.all, key)
		}
	})
	return true
}

package gemini

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// Warnings of a [Ledger].
const (
	WarnFallback       = "model_fallback"   // the model asked for is gone and another answered
	WarnSchemaRefused  = "schema_refused"   // a model refuses a schema, and was asked for JSON in words
	WarnEmulated       = "emulated_model"   // an emulator answered
	WarnEmulatedSpeech = "emulated_speech"  // an emulator spoke
	WarnNoPrice        = "price_unknown"    // the cost is reckoned at the dearest known price
	WarnNotSummed      = "spend_unsaved"    // the day's sum could not be brought up to date
	WarnQueries        = "queries_exceeded" // more web queries were run than an account should need
)

// Warnings lists them: every agent may pass them on.
var Warnings = []string{WarnFallback, WarnSchemaRefused, WarnEmulated, WarnEmulatedSpeech, WarnNoPrice, WarnNotSummed, WarnQueries}

// mostQueries is how many web queries an account, such as that of one photo, should
// need: two of a search and one of a refined one. Google runs as many as the model
// asks for, so that they can only be counted.
const mostQueries = 3

// How often a call is tried: an event comes again by itself, whoever waits for the
// answer does not.
const (
	EventAttempts  = 1
	CallerAttempts = 3
)

// Account collects what the calls of one request cost and says how often each
// may be tried. It travels in the context and is safe for concurrent use; it
// must not be copied.
type Account struct {
	// Attempts is how often one call may be tried; 0 is 1. A call with one
	// attempt is still tried twice when the service asks for a wait of at most
	// 5 seconds, and when its answer is malformed and cannot be repaired.
	Attempts int

	mu     sync.Mutex
	ledger Ledger
}

// Ledger is the sum of an account, of answers that could not be used too.
type Ledger struct {
	Calls Calls
	Usage Usage
	USD   float64
	// Models maps each model asked to the version that answered; an embedding
	// model, which reports none, to its own name.
	Models map[string]string
	// Warnings are codes, each once, in the order they came up.
	Warnings []string
}

// Calls counts answers of the service by kind, searches among them, and the
// tries that brought none.
type Calls struct {
	Generate, Embed, GroundedQueries, Failed int

	Speak int `json:",omitempty"` // checkpoints of before have none
	Flex  int `json:",omitempty"` // of Generate, those charged at the flex tier
}

type accountKey struct{}

// WithAccount returns a context whose calls are charged to a.
func WithAccount(ctx context.Context, a *Account) context.Context {
	return context.WithValue(ctx, accountKey{}, a)
}

// Split returns a context with an account of its own, of as many attempts as
// ctx's, so that what follows can be told apart, and the function that charges it
// to ctx's account and returns what it came to.
func Split(ctx context.Context) (context.Context, func() Ledger) {
	whole := accountOf(ctx)
	part := &Account{Attempts: whole.Attempts}
	return WithAccount(ctx, part), func() Ledger {
		spent := part.Ledger()
		whole.charge(spent)
		return spent
	}
}

// Charge adds to ctx's account what a call cost that was made before.
func Charge(ctx context.Context, entry Ledger) { accountOf(ctx).charge(entry) }

// accountOf returns the context's account, or a new one nobody reads.
func accountOf(ctx context.Context) *Account {
	if a, ok := ctx.Value(accountKey{}).(*Account); ok && a != nil {
		return a
	}
	return &Account{}
}

// attempts is how often a call may be tried, at least once.
func (a *Account) attempts() int { return max(1, a.Attempts) }

// charge adds the figures of entry to the sums.
func (a *Account) charge(entry Ledger) {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := &a.ledger
	l.Calls.Generate += entry.Calls.Generate
	l.Calls.Embed += entry.Calls.Embed
	l.Calls.Speak += entry.Calls.Speak
	l.Calls.Flex += entry.Calls.Flex
	l.Calls.GroundedQueries += entry.Calls.GroundedQueries
	l.Calls.Failed += entry.Calls.Failed
	l.Usage = l.Usage.plus(entry.Usage)
	l.USD += entry.USD
	if l.Models == nil {
		l.Models = map[string]string{}
	}
	maps.Copy(l.Models, entry.Models)
	l.warn(entry.Warnings...)
	if l.Calls.GroundedQueries > mostQueries {
		l.warn(WarnQueries)
	}
}

// warn adds codes that are not there yet.
func (l *Ledger) warn(codes ...string) {
	for _, code := range codes {
		if !slices.Contains(l.Warnings, code) {
			l.Warnings = append(l.Warnings, code)
		}
	}
}

// Ledger returns a copy of the sums so far.
func (a *Account) Ledger() Ledger {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.ledger
	l.Models = maps.Clone(l.Models)
	l.Warnings = slices.Clone(l.Warnings)
	return l
}

// unless returns the warning as a list if ok is false, else none.
func unless(ok bool, warning string) []string {
	if ok {
		return nil
	}
	return []string{warning}
}

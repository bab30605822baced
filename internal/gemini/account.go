package gemini

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// Warnings of a [Ledger].
const (
	WarnFallback       = "model_fallback"   // the requested model is gone and the fallback model answered
	WarnSchemaRefused  = "schema_refused"   // the model refused the schema, and was asked for JSON in the prompt instead
	WarnEmulated       = "emulated_model"   // an emulator answered
	WarnLocal          = "local_model"      // a model on this machine answered: Models has its name
	WarnEmulatedSpeech = "emulated_speech"  // an emulator spoke
	WarnNoPrice        = "price_unknown"    // the cost was computed with the highest known price
	WarnNotSummed      = "spend_unsaved"    // the sum of the day could not be updated
	WarnQueries        = "queries_exceeded" // more web queries were made than an account should need
)

// Warnings lists these codes. Every agent may return them.
var Warnings = []string{WarnFallback, WarnSchemaRefused, WarnEmulated, WarnLocal, WarnEmulatedSpeech, WarnNoPrice, WarnNotSummed, WarnQueries}

// mostQueries is how many web queries an account, such as that of one photo, should need:
// two for a search and one for a refined one. Google makes as many as the model asks for,
// so they can be counted but not limited.
const mostQueries = 3

// How often a call is tried. An event is delivered again if it fails; a waiting caller is
// not.
const (
	EventAttempts  = 1
	CallerAttempts = 3
)

// Account adds up the cost of a request's calls and says how often each may be tried. It is
// passed in the context and is safe for concurrent use; it must not be copied.
type Account struct {
	// Attempts is how often one call may be tried; 0 is 1. Even with one attempt, a call is
	// tried twice when the service asks for a wait of at most 5 seconds, and when its
	// answer is malformed and cannot be repaired.
	Attempts int

	mu     sync.Mutex
	ledger Ledger
}

// Ledger is the total of an account. It includes answers that could not be used.
type Ledger struct {
	Calls Calls
	Usage Usage
	USD   float64
	// Models maps each requested model to the version that answered. An embedding model
	// reports no version and maps to its own name.
	Models map[string]string
	// Warnings are codes without duplicates, in the order in which they occurred.
	Warnings []string
	// Each has the answers one by one, the first maxEach of them.
	Each []Paid `json:",omitempty"`
}

// maxEach bounds the answers that a ledger has one by one: those of a photo, not those of a long run.
const maxEach = 24

// A Paid is what one answer of a model cost.
type Paid struct {
	Step    string  `json:"step,omitempty"` // what it was for: the request's Key, embed or repair
	Model   string  `json:"model"`
	Tokens  int     `json:"total_tokens"`
	Queries int     `json:"grounded_queries,omitempty"`
	USD     float64 `json:"cost_usd"`
}

// each returns the ledger of one answer, for step, with that answer in Each.
func (l Ledger) each(step, model string) Ledger {
	l.Each = []Paid{{step, model, l.Usage.Total, l.Calls.GroundedQueries, l.USD}}
	return l
}

// Calls counts answers by kind, the searches among them, and tries without an answer.
type Calls struct {
	Generate, Embed, GroundedQueries, Failed, Speak int

	Flex int `json:",omitempty"` // calls of Generate charged at the flex tier
}

type accountKey struct{}

// WithAccount returns a context whose calls are charged to a.
func WithAccount(ctx context.Context, a *Account) context.Context {
	return context.WithValue(ctx, accountKey{}, a)
}

// Split returns a context with an account of its own that allows as many attempts as ctx's,
// and a function that charges that account to ctx's and returns its total.
func Split(ctx context.Context) (context.Context, func() Ledger) {
	whole := accountOf(ctx)
	part := &Account{Attempts: whole.Attempts}
	return WithAccount(ctx, part), func() Ledger {
		spent := part.Ledger()
		whole.charge(spent)
		return spent
	}
}

// Charge adds to ctx's account the cost of a call that was made earlier.
func Charge(ctx context.Context, entry Ledger) { accountOf(ctx).charge(entry) }

// accountOf returns the context's account, or a new one that is discarded.
func accountOf(ctx context.Context) *Account {
	if a, ok := ctx.Value(accountKey{}).(*Account); ok && a != nil {
		return a
	}
	return &Account{}
}

// attempts returns how often a call may be tried, at least once.
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
	l.Each = append(l.Each, entry.Each[:min(len(entry.Each), maxEach-len(l.Each))]...)
	l.warn(entry.Warnings...)
	if l.Calls.GroundedQueries > mostQueries {
		l.warn(WarnQueries)
	}
}

// warn adds codes that are not in the list yet.
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
	l.Warnings, l.Each = slices.Clone(l.Warnings), slices.Clone(l.Each)
	return l
}

// unless returns the warning as a list if ok is false, else none.
func unless(ok bool, warning string) []string {
	if ok {
		return nil
	}
	return []string{warning}
}

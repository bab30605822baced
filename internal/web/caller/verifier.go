package caller

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// An Access says who reaches a service, and what proves who they are.
type Access string

// The ways in which a service may be deployed.
const (
	Open      Access = "open"    // no identities: on one's own machine
	Private   Access = "private" // Cloud Run lets in those with a token that it has verified
	Public    Access = "public"  // anybody may call
	BehindIAP Access = "iap"     // Identity-Aware Proxy stands before it
)

// Config configures a Verifier. The zero value is an open service.
type Config struct {
	Access    Access   // "" is Open
	Audiences []string // of the assertions of IAP, or of tokens on a public service
	// Who has a role, by e-mail address. On an open or private service everybody has all.
	Owners, Reviewers, Readers []string
	// FrontEnd says that Google's front end forwards the requests, with their clients'
	// addresses.
	FrontEnd bool
	Proxies  int    // how many proxies of one's own forward them to it, each with an entry
	Keys     string // the address of the keys; "" is Google's
}

// check refuses invalid settings.
func (c Config) check() error {
	named := len(c.Owners)+len(c.Reviewers)+len(c.Readers) > 0
	switch {
	case !slices.Contains([]Access{Open, Private, Public, BehindIAP}, c.Access):
		return fmt.Errorf("caller: the access is %q: want open, private, public or iap", c.Access)
	case c.Access == BehindIAP && len(c.Audiences) != 1:
		return errors.New("caller: behind IAP there is one audience, that of its assertions")
	case c.Proxies < 0:
		return fmt.Errorf("caller: %d proxies: want 0 or more", c.Proxies)
	case named && (c.Access == Open || c.Access == Private):
		return fmt.Errorf("caller: roles are named, but the access is %s: everybody has all roles there", c.Access)
	}
	return nil
}

// A Verifier establishes who sends a request. It is safe for concurrent use.
type Verifier struct {
	Config
	keys *keys // nil if no tokens are verified
}

// New returns the verifier that c configures.
func New(c Config) (*Verifier, error) {
	c.Access = cmp.Or(c.Access, Open)
	if err := c.check(); err != nil {
		return nil, err
	}
	v := &Verifier{Config: c}
	var err error
	switch {
	case c.Access == BehindIAP:
		v.keys, err = newKeys("ES256", cmp.Or(c.Keys, iapKeys))
	case c.Access == Public && len(c.Audiences) > 0:
		v.keys, err = newKeys("RS256", cmp.Or(c.Keys, googleKeys))
	}
	if err != nil {
		return nil, fmt.Errorf("caller: %w", err)
	}
	return v, nil
}

// Roles reports that callers have different roles.
func (v *Verifier) Roles() bool { return v.Access == Public || v.Access == BehindIAP }

// Errors of the package, for errors.Is.
var (
	ErrToken = errors.New("caller: no valid proof of identity")             // where one is needed
	ErrKeys  = errors.New("caller: the keys of identities are unreachable") // so that nobody can be told from anybody
)

// Identify returns who sends r. Behind IAP a request without a valid assertion is an
// ErrToken. Where the keys cannot be fetched it is ErrKeys: a caller who proves an identity
// is never taken for an anonymous one.
func (v *Verifier) Identify(r *http.Request) (Caller, error) {
	c, err := v.proven(r)
	if err != nil {
		return Caller{}, err
	}
	c.Kind = cmp.Or(c.Kind, Anonymous)
	c.Address = addressOf(r, v.FrontEnd, v.Proxies)
	c.Access, c.owners, c.Role = v.Access, v.Owners, v.role(c)
	return c, nil
}

// proven returns the identity that r proves; the zero Caller if it proves none.
func (v *Verifier) proven(r *http.Request) (Caller, error) {
	switch v.Access {
	case BehindIAP:
		return v.asserted(r)
	case Public:
		return v.verified(r)
	case Private:
		return passedOn(r), nil
	}
	return Caller{}, nil
}

// iapIssuer issues the assertions of IAP.
const iapIssuer = "https://cloud.google.com/iap"

// asserted returns the caller whom IAP asserts.
func (v *Verifier) asserted(r *http.Request) (Caller, error) {
	t, err := parse(r.Header.Get("X-Goog-IAP-JWT-Assertion"))
	if err != nil {
		return Caller{}, fmt.Errorf("%w: %w", ErrToken, err)
	}
	if t.claims.Issuer != iapIssuer || t.claims.Subject == "" {
		return Caller{}, fmt.Errorf("%w: it is none of Identity-Aware Proxy", ErrToken)
	}
	if err := v.keys.verify(r.Context(), t, v.Audiences[0]); err != nil {
		return Caller{}, err
	}
	return Caller{Kind: IAP, Subject: t.claims.Subject, Email: t.claims.Email}, nil
}

// verified returns the caller whom a Google identity token names, and the anonymous one for
// any other token.
func (v *Verifier) verified(r *http.Request) (Caller, error) {
	t, err := parse(bearer(r.Header.Get("Authorization")))
	c, ok := t.claims.account(VerifiedToken)
	if err != nil || !ok || !slices.Contains(v.Audiences, t.claims.Audience) {
		return Caller{}, nil
	}
	err = v.keys.verify(r.Context(), t, t.claims.Audience)
	switch {
	case errors.Is(err, ErrKeys):
		return Caller{}, err
	case err != nil:
		return Caller{}, nil
	}
	return c, nil
}

// passedOn returns the caller of a request that Cloud Run has let in. If there are both
// headers, Cloud Run has verified the token in the first only.
func passedOn(r *http.Request) Caller {
	header := "Authorization"
	if _, ok := r.Header["X-Serverless-Authorization"]; ok {
		header = "X-Serverless-Authorization"
	}
	t, err := parse(bearer(r.Header.Get(header)))
	c, ok := t.claims.account(IdentityToken)
	if err != nil || !ok {
		return Caller{}
	}
	return c
}

// role returns the role of c.
func (v *Verifier) role(c Caller) Role {
	if !v.Roles() {
		return Owner
	}
	named := func(all []string) bool {
		return c.Email != "" && slices.ContainsFunc(all, func(email string) bool { return strings.EqualFold(email, c.Email) })
	}
	switch {
	case named(v.Owners):
		return Owner
	case named(v.Reviewers):
		return Reviewer
	case v.Access == BehindIAP || named(v.Readers):
		return Reader
	}
	return Asker
}

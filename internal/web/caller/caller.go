// Package caller establishes who sends a request, and what they may do.
//
//	request → Verifier.Identify → Caller, in the request's context → Need: the role that a route asks for
//
// What proves an identity depends on how the service is deployed (Access):
//
//	open     nothing: there are no identities, and everybody may do everything
//	private  the identity token, which Cloud Run has verified before it passed the request on
//	public   a Google identity token, verified here; everybody else is anonymous
//	iap      the signed assertion of Identity-Aware Proxy, verified here
//
// A header that anybody may send, such as X-Goog-Authenticated-User-Email, proves nothing
// and is not read.
package caller

import (
	"context"
)

// A Kind says what proves a caller's identity.
type Kind string

// The kinds of proof.
const (
	Anonymous     Kind = "anonymous"      // nothing; the address alone is known
	IdentityToken Kind = "identity_token" // an identity token that Cloud Run has verified
	VerifiedToken Kind = "verified_token" // an identity token that was verified here
	IAP           Kind = "iap"            // the signed assertion of Identity-Aware Proxy
)

// A Caller is who sends a request. The zero value is the program itself, which acts for
// nobody: tasks, uploads and the command line.
//
// As JSON it goes with work that is done later on a caller's behalf.
type Caller struct {
	Kind    Kind   `json:"kind"`
	Subject string `json:"subject,omitempty"` // issuer and account, as accounts.google.com:1234; it never changes
	Email   string `json:"email,omitempty"`   // verified by the issuer; may be empty
	Address string `json:"address,omitempty"` // of the client; an IPv6 address stands for its /64
	Role    Role   `json:"role"`
	Access  Access `json:"access"` // of the service

	owners []string // who can give roles
}

// Named reports that the identity of c is proven.
func (c Caller) Named() bool { return c.Subject != "" }

// Name returns how c signs: the e-mail address, or the subject without one. An anonymous
// caller has no name.
func (c Caller) Name() string {
	if c.Email != "" {
		return c.Email
	}
	return c.Subject
}

// Owner returns the key of what belongs to c alone, such as conversations and tasks. It is
// empty for anonymous callers, who own nothing: an address may have many people behind it.
func (c Caller) Owner() string { return c.Subject }

// Key tells callers apart, to count what each one asks: by subject, or by address without
// one.
func (c Caller) Key() string {
	if c.Named() {
		return c.Subject
	}
	return "address:" + c.Address
}

// Identified reports that the service tells its callers apart. Without, as on one's own
// machine, whatever a request says of its sender can neither be proven nor refuted.
func (c Caller) Identified() bool { return c.Access != "" && c.Access != Open }

// Asker returns the key of c, and whether that is one person: an address may be several. Where the
// service does not tell its callers apart all have one.
func (c Caller) Asker() (key string, person bool) {
	if !c.Identified() {
		return "", true
	}
	return c.Key(), c.Named()
}

type contextKey struct{}

// With returns ctx with c as the caller.
func With(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, contextKey{}, c)
}

// From returns the caller of a request. A context without one is not of a request: the
// program itself acts.
func From(ctx context.Context) Caller {
	if c, ok := ctx.Value(contextKey{}).(Caller); ok {
		return c
	}
	return Caller{Role: Owner}
}

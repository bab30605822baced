package app

import (
	"fmt"

	"example.com/whatis/internal/web/caller"
)

// Callers configures who may call the API, and what they may do.
type Callers struct {
	// Who reaches the API, and what proves who they are: `open` has no identities, as on
	// one's own machine; `private` believes the identity token that Cloud Run has verified;
	// `public` verifies such tokens itself, and serves those without one too; `iap` wants the
	// signed assertion of Identity-Aware Proxy ([deploying](deploying.md#who-may-do-what)). On
	// Cloud Run the API does not start without it.
	Access caller.Access `env:"ACCESS, default=open"`
	// The audience of the assertions of Identity-Aware Proxy, or those of identity tokens on
	// a public service.
	Audiences []string `env:"CALLER_AUDIENCES"`
	// Who corrects what the agents answered, and who forgets and removes besides, by e-mail
	// address. On an open or private service everybody may.
	Reviewers []string `env:"REVIEWERS"`
	Owners    []string `env:"OWNERS"`
	// Who reads all results of a public service, by e-mail address. Others see what they
	// asked for.
	Readers []string `env:"READERS"`
	// On Cloud Run, how many of your own proxies stand before it, each of which appends its
	// address to `X-Forwarded-For`: 1 behind a balancer of Google's. The entry before theirs
	// tells anonymous callers apart.
	TrustedProxies int `env:"TRUSTED_PROXIES, default=0"`
}

// verifier returns the verifier of callers. Google's front end forwards what reaches Cloud
// Run.
func (c Callers) verifier(p Platform) (*caller.Verifier, error) {
	return caller.New(caller.Config{
		Access: c.Access, Audiences: c.Audiences, Owners: c.Owners, Reviewers: c.Reviewers, Readers: c.Readers, FrontEnd: p.Service != "", Proxies: c.TrustedProxies,
	})
}

// check refuses invalid settings, naming the variables.
func (c Callers) check(p Platform) error {
	if _, err := c.verifier(p); err != nil {
		return fmt.Errorf("app: ACCESS, CALLER_AUDIENCES, OWNERS, REVIEWERS, READERS or TRUSTED_PROXIES: %w", err)
	}
	return nil
}

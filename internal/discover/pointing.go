package discover

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/whatis/internal/discover/fetch"
	"example.com/whatis/internal/usererror"
)

// sourceStart is the source of a page that the request names.
const sourceStart = "start"

// preferred is what a page of a preferred domain is more promising than others.
const preferred = 500

// Limits of the addresses and domains of a request.
const (
	maxNamed           = 20
	maxNamedCatalogues = 5
)

// domainForm is the form of a domain, in any script.
var domainForm = regexp.MustCompile(`^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*$`)

// checkPointing refuses addresses that cannot be fetched, and domains that are none.
func (r Request) checkPointing() error {
	for _, f := range []struct {
		name   string
		values []string
		most   int
		domain bool
	}{
		{"start_urls", r.StartURLs, maxNamed, false}, {"catalogues", r.Catalogues, maxNamedCatalogues, false},
		{"only_domains", r.OnlyDomains, maxNamed, true}, {"prefer_domains", r.PreferDomains, maxNamed, true}, {"leave_out", r.LeaveOut, maxNamed, true},
	} {
		if len(f.values) > f.most {
			return fmt.Errorf("%w: %s has %d entries: send at most %d", ErrRequest, f.name, len(f.values), f.most)
		}
		for _, v := range f.values {
			_, err := fetch.Canonical(v)
			if f.domain && !domainForm.MatchString(v) || !f.domain && err != nil {
				what := map[bool]string{true: "a domain, such as stat.example.org", false: "an address, such as https://data.example.org/"}[f.domain]
				return fmt.Errorf("%w: %s: %q: send %s", ErrRequest, f.name, usererror.Short(v, usererror.Quoted), what)
			}
		}
	}
	return nil
}

// within reports that an address is of one of the domains, or of a domain below it.
func within(address string, domains []string) bool {
	host := hostOf(address)
	return slices.ContainsFunc(domains, func(d string) bool {
		d = strings.ToLower(d)
		return host == d || strings.HasSuffix(host, "."+d)
	})
}

// admits reports that the request lets an address be read.
func (r Request) admits(address string) bool {
	return (len(r.OnlyDomains) == 0 || within(address, r.OnlyDomains)) && !within(address, r.LeaveOut)
}

// addNamed adds the addresses and catalogues that the request names.
func (s *AgentState) addNamed() {
	for _, address := range s.Request.StartURLs {
		if canonical, err := fetch.Canonical(address); err == nil {
			s.add(Page{URL: canonical, Source: sourceStart})
		}
	}
	for _, base := range s.Request.Catalogues {
		s.addCatalogue(base)
	}
}

package discover

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/usererror"
)

// sourceStart is the source of a page that the request or the deployment names.
const sourceStart = "start"

// preferred is what a page of a preferred domain is more promising than others.
const preferred = 500

// Limits of the addresses and domains of a request, and of those of a deployment.
const (
	maxNamed           = 20
	maxNamedCatalogues = 5
)

// domainForm is the form of a domain, in any script.
var domainForm = regexp.MustCompile(`^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*$`)

// A Pointing says where to look, and where not.
type Pointing struct {
	StartURLs     []string `json:"start_urls,omitempty" maxItems:"20" jsonschema:"addresses to read first, at most 20"`
	Catalogues    []string `json:"catalogues,omitempty" maxItems:"5" jsonschema:"addresses of CKAN catalogues to ask, at most 5"`
	OnlyDomains   []string `json:"only_domains,omitempty" maxItems:"20" jsonschema:"read pages of these domains and no others, at most 20"`
	PreferDomains []string `json:"prefer_domains,omitempty" maxItems:"20" jsonschema:"extract from pages of these domains first, at most 20"`
	LeaveOut      []string `json:"leave_out,omitempty" maxItems:"20" jsonschema:"domains that are not read, at most 20"`
}

// Check refuses addresses that cannot be fetched, and domains that are none.
func (p Pointing) Check() error {
	for _, f := range []struct {
		name   string
		values []string
		most   int
		domain bool
	}{
		{"start_urls", p.StartURLs, maxNamed, false}, {"catalogues", p.Catalogues, maxNamedCatalogues, false},
		{"only_domains", p.OnlyDomains, maxNamed, true}, {"prefer_domains", p.PreferDomains, maxNamed, true}, {"leave_out", p.LeaveOut, maxNamed, true},
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

// admits reports that an address may be read.
func (p Pointing) admits(address string) bool {
	return (len(p.OnlyDomains) == 0 || within(address, p.OnlyDomains)) && !within(address, p.LeaveOut)
}

// admits reports that neither the request nor the deployment keeps an address from being read.
func (s *AgentState) admits(address string) bool {
	return s.Request.Pointing.admits(address) && s.Deployment.admits(address)
}

// addNamed adds the addresses and catalogues that the request names, then those of the deployment.
func (s *AgentState) addNamed() {
	for _, p := range []Pointing{s.Request.Pointing, s.Deployment} {
		for _, address := range p.StartURLs {
			if canonical, err := fetch.Canonical(address); err == nil {
				s.add(Page{URL: canonical, Source: sourceStart})
			}
		}
		for _, base := range p.Catalogues {
			s.addCatalogue(base)
		}
	}
}

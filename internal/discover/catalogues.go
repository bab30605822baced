package discover

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"example.com/whatis/internal/discover/webdoc"
	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/usererror"
)

// A Catalogue is a CKAN catalogue that a page belongs to.
//
//	term → package_search → datasets → relevance checker → package_show → Page
//
// https://docs.ckan.org/en/2.10/api/
type Catalogue struct {
	Base   string `json:"base"` // without a slash at its end
	Asked  bool   `json:"asked,omitempty"`
	Closed string `json:"closed,omitempty"` // why its interface cannot be asked
}

// Limits of catalogues: how many of a run are asked, and how many results of a term are used.
const (
	maxCatalogues = 5
	maxPackages   = 25
)

// sourceCatalogue is the source of a page that is a catalogue's dataset or list of datasets.
const sourceCatalogue = "catalogue"

// datasetFormat is the format of a candidate that is a dataset of a catalogue.
const datasetFormat = "dataset"

// addCatalogue adds a catalogue, unless it is known or there are too many.
func (s *AgentState) addCatalogue(base string) {
	base = strings.TrimSuffix(base, "/")
	known := slices.ContainsFunc(s.Catalogues, func(c *Catalogue) bool { return c.Base == base })
	if base != "" && !known && s.admits(base) && len(s.Catalogues) < maxCatalogues {
		s.Catalogues = append(s.Catalogues, &Catalogue{Base: base})
	}
}

// unasked returns the next catalogue to ask, nil if there is none.
func (s *AgentState) unasked() *Catalogue {
	for _, c := range s.Catalogues {
		if !c.Asked && len(s.Plan.CatalogueTerms) > 0 {
			return c
		}
	}
	return nil
}

// offerRecords adds the datasets that a page lists in its metadata, and the catalogue that the page
// belongs to.
func (s *AgentState) offerRecords(page *Page, doc webdoc.Document) {
	s.addCatalogue(doc.CKAN)
	for _, r := range doc.Records {
		if r.URL != "" {
			s.offerRecord(r, r.URL, "", page.URL)
		}
	}
}

// offerRecord adds a dataset of a catalogue; metadata is the address that has what is said of
// it, "" for that of its page.
func (s *AgentState) offerRecord(r webdoc.Record, address, metadata, via string) {
	address, err := fetch.Canonical(address)
	if err != nil || len(s.Candidates) >= maxCandidates || s.offeredBefore(address) {
		return
	}
	near := usererror.Short(oneLine(r.Description), 300)
	if r.Publisher != "" {
		near += "; publisher: " + usererror.Short(oneLine(r.Publisher), 100)
	}
	s.Candidates = append(s.Candidates, &Candidate{URL: address, Text: usererror.Short(oneLine(r.Title), 150), Near: near, Format: datasetFormat, Via: via, Fetch: metadata, Status: offered})
}

// askCatalogue asks a catalogue for each term of the plan, one request after the other, and
// offers the datasets that it finds. Where its interface is closed to programs, the pages of
// its own search are read instead, as lists.
func (p *Pipeline) askCatalogue(ctx context.Context, s *AgentState, c *Catalogue) error {
	before := len(s.Candidates)
	for _, term := range s.Plan.CatalogueTerms {
		address := c.Base + "/api/3/action/package_search?" + url.Values{"q": {term}, "rows": {"25"}}.Encode()
		kept, err := p.archive().Get(ctx, s.objectOf(address), address, s.admits)
		var outage *outageError
		switch {
		case isCancelled(ctx):
			return nil // the next slice ends the run
		case errors.As(err, &outage) || ctx.Err() != nil:
			return err
		case err != nil:
			c.Closed = usererror.Cause(err, "it cannot be asked; the log says why")
			s.add(Page{URL: c.Base + "/dataset/?" + url.Values{"q": {term}}.Encode(), Title: term, Source: sourceCatalogue, Via: c.Base})
			continue
		}
		for _, r := range kept.Document.Records[:min(len(kept.Document.Records), maxPackages)] {
			if r.ID != "" { // its page has the same path at every catalogue
				s.offerRecord(r, c.Base+"/dataset/"+url.PathEscape(r.ID), c.Base+"/api/3/action/package_show?"+url.Values{"id": {r.ID}}.Encode(), c.Base)
			}
		}
	}
	c.Asked = true
	s.decide(following, "ask_catalogue", "%s: %d terms, %d datasets that were not known. %s", c.Base, len(s.Plan.CatalogueTerms), len(s.Candidates)-before, c.Closed)
	s.settle()
	return nil
}

package discover

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
	"example.com/whatis/internal/usererror"

	"example.com/whatis/internal/discover/webdoc"
)

// proofWeight is what each proof of a record is worth; the quote is that of every record.
var proofWeight = map[string]float64{"publisher": 0.3, "place": 0.1, "years": 0.2, "quote": 0.2, "file": 0.2}

// withProofs returns r with its proofs, and with the confidence that it is what the request asks for.
func (r StructuredDataItem) withProofs() StructuredDataItem {
	proven, sum := []string{}, r.weight()
	for _, p := range []struct {
		name  string
		holds bool
	}{{"quote", true}, {"publisher", slices.Contains(r.Proofs, "publisher")}, {"place", r.Place != ""}, {"years", r.FirstYear > 0 || r.LastYear > 0}, {"file", len(r.Files) > 0 || r.Where != ""}} {
		if p.holds {
			proven = append(proven, p.name)
		}
		if p.holds && p.name != "publisher" {
			sum += proofWeight[p.name]
		}
	}
	r.Proofs, r.Acceptance = proven, math.Round(100*sum)/100
	return r
}

// A proof is a page against which records are checked.
type proof struct {
	quotedText
	digits string     // its Markdown, with digits of any script as ASCII
	titles quotedText // its titles, and of a file that of the page which links it
}

func proofOf(page *Page, d webdoc.Document) proof {
	return proof{quotable(d.Markdown), strings.Map(textfold.Digit, d.Markdown), quotable(d.Title + "\n" + page.Title)}
}

// prints reports that a page or its titles print some words, however few.
func (t proof) prints(words string) bool {
	folded := fold(words)
	return folded != "" && (strings.Contains(t.folded, folded) || strings.Contains(t.titles.folded, folded))
}

// proven returns d without what the page does not prove: years that it does not print, or
// that cannot be years of emissions, and words of a name, a place, a publisher, gases, a unit, scopes or terms that it does not print.
func (t proof) proven(d dataset) dataset {
	printed := func(year int) bool {
		return year >= 1750 && year <= time.Now().Year() && strings.Contains(t.digits, strconv.Itoa(year))
	}
	if d.LastYear > 0 && d.FirstYear > d.LastYear {
		d.FirstYear, d.LastYear = 0, 0
	}
	for _, year := range []*int{&d.FirstYear, &d.LastYear} {
		if !printed(*year) {
			*year = 0
		}
	}
	for _, words := range []*string{&d.Name, &d.Publisher, &d.Place, &d.Gas, &d.Unit, &d.Scope, &d.Licence} {
		if !t.prints(*words) {
			*words = ""
		}
	}
	return d
}

// A Gate is a check that keeps an address, a page or a record out of the result.
type Gate string

// The gates, as a result's dropped entries name them.
const (
	gateAddress   Gate = "address"      // the deep diver asked for an address that it was not offered
	gateFetch     Gate = "fetch"        // the page could not be fetched
	gateRelevance Gate = "relevance"    // a search result is not about the question
	gateExtractor Gate = "extractor"    // the extractor gave no usable answer
	gateQuote     Gate = "quote"        // the page does not contain the quote
	gatePlace     Gate = "place"        // it is about another place, as the model says
	gateSector    Gate = "sector"       // it is about another sector
	gatePublisher Gate = "publisher"    // it is published by news, a blog, a forum or a shop, as the model says
	gateMarked    Gate = "marked_wrong" // a user has marked it wrong
	gateRawReview Gate = "raw_review"   // the reviewer refuses the page
	gateQuery     Gate = "query"        // a reviewer's query has an address, or does not name the place
	gateReviewer  Gate = "reviewer"     // the reviewer refuses the record
)

// Gates lists them.
var Gates = []Gate{
	gateAddress, gateFetch, gateRelevance, gateExtractor, gateQuote, gatePlace, gateSector, gatePublisher,
	gateMarked, gateRawReview, gateQuery, gateReviewer,
}

// refuses returns the gate that a dataset of a page does not pass, and why.
func (s *AgentState) refuses(page *Page, text proof, d dataset) (gate Gate, reason string) {
	switch {
	case !text.Holds(d.Quote):
		return gateQuote, "the page does not hold the quote"
	case !d.OfPlace:
		return gatePlace, "it is about another place: " + usererror.Short(oneLine(d.Place), 100)
	case !slices.ContainsFunc(d.Sectors, func(of string) bool { return slices.Contains(s.Sectors, of) }):
		return gateSector, fmt.Sprintf("it is about %s", list(d.Sectors))
	case slices.Contains(noPublishers, d.PublisherKind):
		return gatePublisher, "it is published by: " + d.PublisherKind
	}
	return "", ""
}

// same reports that two records describe one dataset: what tells them is the same, or their
// pages link each other and cover the same years, as editions of the same publisher do.
// Records on different subsectors stay separate, and those on a whole sector from what they link.
func same(a, b StructuredDataItem) bool {
	one, other := a.identity(), b.identity()
	linked := slices.Contains(a.Links, b.URL) || slices.Contains(b.Links, a.URL)
	years := a.FirstYear == b.FirstYear && (a.LastYear == b.LastYear || sameSite(a.URL, b.URL))
	return one.is(other) || a.URL != b.URL && linked && years && one.sharesSubject(other) && (len(a.Subsectors) > 0) == (len(b.Subsectors) > 0)
}

// isBeside reports that one page lists a and b: under different names, with different sentences.
func (a StructuredDataItem) isBeside(b StructuredDataItem) bool {
	return a.URL == b.URL && textfold.String(a.Name) != textfold.String(b.Name) && textfold.String(a.Quote) != textfold.String(b.Quote)
}

// groups returns the records of each dataset. Those that a page lists beside each other are never
// one, also where a third record would join them.
func (s *AgentState) groups() (groups [][]StructuredDataItem) {
	for _, r := range s.StructuredData {
		group := []StructuredDataItem{r}
		groups = slices.DeleteFunc(groups, func(g []StructuredDataItem) bool {
			joins := slices.ContainsFunc(g, func(o StructuredDataItem) bool { return same(r, o) }) &&
				!slices.ContainsFunc(g, func(o StructuredDataItem) bool { return slices.ContainsFunc(group, o.isBeside) })
			if joins {
				group = append(group, g...)
			}
			return joins
		})
		groups = append(groups, group)
	}
	return groups
}

// consolidated returns one record for each dataset: of the latest edition, and of copies
// the one that the others link. Official ones come first, and among each the highest acceptance.
func (s *AgentState) consolidated() (all []StructuredDataItem) {
	for _, g := range s.groups() {
		all = append(all, s.best(g))
	}
	slices.SortFunc(all, func(a, b StructuredDataItem) int {
		if a.official() != b.official() {
			return map[bool]int{true: -1, false: 1}[a.official()]
		}
		if a.Acceptance != b.Acceptance {
			return int(1000 * (b.Acceptance - a.Acceptance))
		}
		return strings.Compare(a.URL+a.DuplicateKey, b.URL+b.DuplicateKey)
	})
	return all
}

// best returns the record that represents a group.
func (s *AgentState) best(group []StructuredDataItem) StructuredDataItem {
	rank := func(r StructuredDataItem) int {
		last := r.LastYear
		if last == 0 && r.FirstYear > 0 && r.Where == "" { // it goes on, which a file does not
			last = time.Now().Year()
		}
		n := last*1000 + int(100*r.weight())
		for _, o := range group {
			if slices.Contains(o.Links, r.URL) && r.LandingPage == "" { // of a page and its file, the page
				n += 100
			}
		}
		return n
	}
	best := slices.MaxFunc(group, func(a, b StructuredDataItem) int {
		if ra, rb := rank(a), rank(b); ra != rb {
			return ra - rb
		}
		return strings.Compare(b.URL, a.URL)
	})
	for _, r := range group {
		for _, f := range r.Files {
			if !slices.ContainsFunc(best.Files, func(known File) bool { return known.URL == f.URL }) {
				best.Files = append(slices.Clip(best.Files), f)
			}
		}
		if best.FirstYear == 0 && best.LastYear == 0 {
			best.FirstYear, best.LastYear = r.FirstYear, r.LastYear
		}
		best.Gas, best.Unit, best.Scope = cmp.Or(best.Gas, r.Gas), cmp.Or(best.Unit, r.Unit), cmp.Or(best.Scope, r.Scope)
		best.Licence, best.Publisher = cmp.Or(best.Licence, r.Licence), cmp.Or(best.Publisher, r.Publisher)
		if r.URL != best.URL && !slices.ContainsFunc(best.Also, func(i Identity) bool { return i.URL == r.URL }) {
			best.Also = append(best.Also, r.identity())
		}
	}
	slices.SortFunc(best.Also, func(a, b Identity) int { return strings.Compare(a.URL, b.URL) })
	best.Links = nil
	best.DuplicateKey = store.HashID(s.place(), best.Sector, textfold.String(best.Subsector), textfold.String(best.Quote), best.URL)
	return best.withMark(s.Marks)
}

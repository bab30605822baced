package discover

import (
	"cmp"
	"fmt"
	"html"
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

// prints reports that a page or its titles print some words, however few: those between signs may stand
// apart, as a name and its abbreviation or edition do.
func (t proof) prints(words string) bool {
	parts := strings.FieldsFunc(strings.ReplaceAll(html.UnescapeString(words), " - ", ","), func(r rune) bool { return strings.ContainsRune(",;:()[]–—|/·", r) })
	return fold(words) != "" && !slices.ContainsFunc(parts, func(part string) bool {
		return !strings.Contains(t.folded, fold(part)) && !strings.Contains(t.titles.folded, fold(part))
	})
}

// proven returns d without what the page does not prove: years that it does not print, or
// that cannot be years of emissions, and words of a name, a place, a publisher, gases, a unit, scopes or terms that it does not print.
func (t proof) proven(d dataset) dataset {
	printed := func(year int) bool {
		return year >= 1750 && year <= time.Now().Year() && (strings.Contains(t.digits, strconv.Itoa(year)) || t.printsEra(year))
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

// eras are the years before the first of eras by which offices of Japan and Taiwan count: 令和4年 and R4年 are 2022.
var eras = map[string]int{"令和": 2018, "r": 2018, "平成": 1988, "h": 1988, "昭和": 1925, "民國": 1911, "中華民國": 1911}

// printsEra reports that the page prints a year as that of an era.
func (t proof) printsEra(year int) bool {
	for name, before := range eras {
		n := year - before
		if n > 0 && n < 200 && strings.Contains(t.folded, name+strconv.Itoa(n)+"年") || n == 1 && strings.Contains(t.folded, name+"元年") {
			return true
		}
	}
	return false
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

// groups returns the records of each dataset, as far as code can tell.
func (s *AgentState) groups() (groups [][]StructuredDataItem) {
	for _, r := range s.StructuredData {
		group := []StructuredDataItem{r}
		groups = slices.DeleteFunc(groups, func(g []StructuredDataItem) bool {
			repeated := slices.ContainsFunc(g, r.repeats)
			if repeated {
				group = append(group, g...)
			}
			return repeated
		})
		groups = append(groups, group)
	}
	return groups
}

// consolidated returns one record for each dataset. Official ones come first, and among each the
// highest acceptance.
func (s *AgentState) consolidated() (all []StructuredDataItem) {
	for _, g := range s.groups() {
		all = append(all, s.joined(slices.MaxFunc(g, StructuredDataItem.compare), g))
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

// compare says whether r or o is the better record of what both tell: that of the latest edition, and of
// that the one whose publisher is proven, and which has files.
func (r StructuredDataItem) compare(o StructuredDataItem) int {
	rank := func(r StructuredDataItem) int {
		last := r.LastYear
		if last == 0 && r.FirstYear > 0 && r.Where == "" { // it goes on, which a file does not
			last = time.Now().Year()
		}
		n := last*1000 + int(100*r.weight())
		if len(r.Files) > 0 {
			n += 50
		}
		if r.LandingPage == "" { // of a page and its file, the page
			n += 60
		}
		return n
	}
	return cmp.Or(rank(r)-rank(o), len(o.URL)-len(r.URL), strings.Compare(o.URL, r.URL))
}

// joined returns best with what the others of its group know.
func (s *AgentState) joined(best StructuredDataItem, group []StructuredDataItem) StructuredDataItem {
	for _, r := range group {
		for _, f := range r.Files {
			if !slices.ContainsFunc(best.Files, func(known File) bool { return known.URL == f.URL }) {
				best.Files = append(slices.Clip(best.Files), f)
			}
		}
		for _, one := range r.Subsectors {
			if !best.identity().names(one) {
				best.Subsectors = append(slices.Clip(best.Subsectors), one)
			}
		}
		switch {
		case best.FirstYear == 0 && best.LastYear == 0:
			best.FirstYear, best.LastYear = r.FirstYear, r.LastYear
		case best.LastYear == r.LastYear && r.FirstYear > 0: // a page may name the last year alone, and its file all
			best.FirstYear = min(best.FirstYear, r.FirstYear)
		}
		best.Gas, best.Unit, best.Scope = cmp.Or(best.Gas, r.Gas), cmp.Or(best.Unit, r.Unit), cmp.Or(best.Scope, r.Scope)
		best.Licence = cmp.Or(best.Licence, r.Licence)
		if sameSite(best.URL, r.URL) { // a copy may have another publisher
			best.Publisher = cmp.Or(best.Publisher, r.Publisher)
		}
		for _, i := range r.identities() {
			if !slices.ContainsFunc(best.identities(), func(known Identity) bool { return known.URL == i.URL && known.Quote == i.Quote }) {
				best.Also = append(slices.Clip(best.Also), i)
			}
		}
	}
	best.Subsector = labels(best.Subsectors)
	slices.SortFunc(best.Also, func(a, b Identity) int { return strings.Compare(a.URL+a.Quote, b.URL+b.Quote) })
	best.DuplicateKey = store.HashID(s.place(), best.Sector, textfold.String(best.Subsector), textfold.String(best.Quote), best.URL)
	return best.withMark(s.Marks)
}

package discover

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
	"example.com/whatis/internal/usererror"

	"example.com/whatis/internal/discover/places"
	"example.com/whatis/internal/discover/webdoc"
)

// tierOf returns the tier of an address's publisher. Hosts of the target region or city
// itself are tierLocal.
func (s *AgentState) tierOf(address string) publisherTier {
	if s.Mode != modeRegion && s.Mode != modeCity {
		return tierOf(address)
	}
	return locality{Names: s.Names, Country: s.CountryLocode}.tierOf(address)
}

// tierOfPage returns the tier of a page's publisher: of a file, the more credible one of its
// host and that of the page which links it, as publishers keep their files at hosts of others.
func (s *AgentState) tierOfPage(page *Page) publisherTier {
	tier := s.tierOf(page.URL)
	if landing := page.landing(); landing != "" {
		tier = max(tier, s.tierOf(landing))
	}
	return tier
}

// acceptance returns the confidence that a record is what the request asks for: up to 0.5
// for its publisher, 0.2 each for its years and for files or a place in a file, 0.1 for
// its subsectors, in steps of 0.01.
func (r StructuredDataItem) acceptance() float64 {
	sum := map[publisherTier]float64{tierOther: 0.2, tierNews: 0.2, tierNGO: 0.35, tierLocal: 0.4, tierUniversity: 0.4, tierDatabase: 0.45, tierStatistics: 0.5, tierGovernment: 0.5, tierUNFCCC: 0.5}[tierNamed(r.Tier)]
	if r.FirstYear > 0 {
		sum += 0.2
	}
	if len(r.Files) > 0 || r.Where != "" {
		sum += 0.2
	}
	if r.Subsector != "" {
		sum += 0.1
	}
	return math.Round(100*sum) / 100
}

// A proof is a page against which records are checked.
type proof struct {
	quotedText
	digits string     // its Markdown, with digits of any script as ASCII
	titles quotedText // its titles, and of a file that of the page which links it
	langs  []string   // that it may be in
}

func proofOf(page *Page, d webdoc.Document) proof {
	return proof{quotable(d.Markdown), strings.Map(textfold.Digit, d.Markdown), quotable(d.Title + "\n" + page.Title), []string{d.Language}}
}

// prints reports that a page or its titles print some words, however few.
func (t proof) prints(words string) bool {
	folded := textfold.String(words)
	return folded != "" && (strings.Contains(t.folded, folded) || strings.Contains(t.titles.folded, folded))
}

// proven returns d without what the page does not prove: years that it does not print, or
// that cannot be years of emissions, and names of a place or a publisher that it does not print.
func (t proof) proven(d dataset) dataset {
	printed := strings.Contains(t.digits, strconv.Itoa(d.FirstYear)) && strings.Contains(t.digits, strconv.Itoa(d.LastYear))
	if !printed || d.FirstYear < 1750 || d.FirstYear > d.LastYear || d.LastYear > time.Now().Year() {
		d.FirstYear, d.LastYear = 0, 0
	}
	if !t.prints(d.Publisher) {
		d.Publisher = ""
	}
	if !t.prints(d.Place) {
		d.Place = ""
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
	gatePlace     Gate = "place"        // it is about another place, as the model says or the quote proves
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
	case s.elsewhere(d.Quote, text.langs) != "":
		return gatePlace, "the quote names another country: " + s.elsewhere(d.Quote, text.langs)
	case !slices.ContainsFunc(d.Sectors, func(of string) bool { return slices.Contains(s.Sectors, of) }):
		return gateSector, fmt.Sprintf("it is about %s", list(d.Sectors))
	case slices.Contains(noPublishers, d.PublisherKind):
		return gatePublisher, "it is published by: " + d.PublisherKind
	}
	return "", ""
}

// noPublishers are the kinds of publishers that write about data, and publish none.
var noPublishers = []string{"news", "blog", "forum", "shop"}

// elsewhere returns a country that a text names where it names neither the target, its country
// nor a region of that; "" otherwise. Names are those of CLDR in English, in the languages of
// the target and in those of the page.
func (s *AgentState) elsewhere(text string, langs []string) string {
	if namesAny(text, s.Names) || places.NamesPart(text, s.CountryLocode) {
		return ""
	}
	for _, code := range places.Countries(text, append(slices.Clone(s.Languages), langs...)) {
		if code != s.CountryLocode {
			return code
		}
	}
	return ""
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

// groups returns the records of each dataset.
func (s *AgentState) groups() (groups [][]StructuredDataItem) {
	for _, r := range s.StructuredData {
		group := []StructuredDataItem{r}
		groups = slices.DeleteFunc(groups, func(g []StructuredDataItem) bool {
			joins := slices.ContainsFunc(g, func(o StructuredDataItem) bool { return same(r, o) })
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
// the one that the others link. The highest acceptance comes first, records of
// unverified publishers after all others.
func (s *AgentState) consolidated() (all []StructuredDataItem) {
	for _, g := range s.groups() {
		all = append(all, s.best(g))
	}
	slices.SortFunc(all, func(a, b StructuredDataItem) int {
		if a.PublisherUnverified != b.PublisherUnverified {
			return map[bool]int{true: 1, false: -1}[a.PublisherUnverified]
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
		n := r.LastYear*1000 + 10*int(tierNamed(r.Tier))
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
		if r.URL != best.URL && !slices.ContainsFunc(best.Also, func(i Identity) bool { return i.URL == r.URL }) {
			best.Also = append(best.Also, r.identity())
		}
	}
	slices.SortFunc(best.Also, func(a, b Identity) int { return strings.Compare(a.URL, b.URL) })
	best.Links = nil
	best.DuplicateKey = store.HashID(s.place(), best.Sector, textfold.String(best.Subsector), textfold.String(best.Quote), best.URL)
	return best.withMark(s.Marks)
}

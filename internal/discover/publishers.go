package discover

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"example.com/whatis/internal/textfold"
)

// What a publisher is, is the model's to say. publisherWeight is what a record is worth by that, unless its
// domain proves its publisher. offices are the kinds that publish official figures, noPublishers
// those that write about data and publish none.
var (
	publisherWeight = map[string]float64{"authority": 0.25, "statistics_office": 0.25, "international": 0.25, "university": 0.2, "organisation": 0.15, "company": 0.1}
	offices         = []string{"authority", "statistics_office"}
	noPublishers    = []string{"news", "blog", "forum", "shop"}
)

// reserved matches domains below which states register their offices and universities alone: in
// their own domains, and the United States also without.
var reserved = regexp.MustCompile(`(?:^|\.)(?:gov|gob|gouv|go|govt|gub|gv|gc|government|mil|lg|nic|edu|ac)\.([a-z]{2})$|(?:^|\.)(?:city|town|vill|pref|metro)\.(?:[a-z0-9-]+\.)?[a-z]+\.(jp)$|\.(?:gov|mil|edu)$`)

// provesPublisher reports that the domain of an address proves who publishes there: it is reserved in the
// target's country, a portal is there, or in that country it has the name that the page prints, as
// stadt-zuerich.ch has that of "Stadt Zürich".
func (t Target) provesPublisher(address, name string) bool {
	host, country := hostOf(address), strings.ToLower(t.CountryLocode)
	if country == "gb" {
		country = "uk"
	}
	if m := reserved.FindStringSubmatch(host); m != nil && (m[1]+m[2] == country || m[1]+m[2] == "" && country == "us") {
		return true
	}
	if slices.ContainsFunc(Portals(), func(p Portal) bool {
		return (p.Country == "" || p.Country == t.CountryLocode) && sameSite(p.URL, address)
	}) {
		return true
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		domain = host // some cities assign names under their own domain: hanoi.vn
	}
	label, _, _ := strings.Cut(domain, ".")
	label = strings.ReplaceAll(label, "-", "")
	if len(label) < 3 || !strings.HasSuffix(host, "."+country) {
		return false
	}
	for _, spelt := range []string{name, letters.Replace(strings.ToLower(name))} {
		words := textfold.Words(spelt)
		for i := range words {
			for joined := ""; i < len(words) && len(joined) < len(label); i++ {
				if joined += words[i]; joined == label {
					return true
				}
			}
		}
	}
	return false
}

// letters are letters that domain names write as two.
var letters = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "å", "aa", "ø", "oe", "æ", "ae")

// publishes reports that the domain of a page, or of the page that links it, proves its publisher:
// files are kept at hosts of others, too.
func (t Target) publishes(page *Page, name string) bool {
	return t.provesPublisher(page.URL, name) || page.landing() != "" && t.provesPublisher(page.landing(), name)
}

// official reports that an office publishes a record, and its domain proves it.
func (r StructuredDataItem) official() bool {
	return slices.Contains(offices, r.PublisherKind) && slices.Contains(r.Proofs, "publisher")
}

// weight is what the publisher of a record is worth.
func (r StructuredDataItem) weight() float64 {
	of := publisherWeight[r.PublisherKind]
	if of > 0 && slices.Contains(r.Proofs, "publisher") { // a host of others' documents proves itself, too
		of = proofWeight["publisher"]
	}
	return of
}

package sectors

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"example.com/whatis/internal/textfold"
)

// A Locality is a region or a city, whose own hosts publish what it measures.
type Locality struct {
	Names   []string // what it is called
	Country string   // ISO 3166-1
}

// TierOf is the tier of an address, a host of the locality's own among them: linz.at and
// data.stadt-zuerich.ch are known by name alone, stad.gent and comune.milano.it by what
// stands before it.
func (l Locality) TierOf(address string) Tier {
	t := TierOf(address)
	if u, err := url.Parse(address); t == Other && err == nil && l.owns(strings.ToLower(u.Hostname())) {
		return Local
	}
	return t
}

// owns reports that a host is the locality's: registered under its country, or under a
// domain that is named after it, and called as it is.
func (l Locality) owns(host string) bool {
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		domain = host // some cities give names under their own to others: hanoi.vn
	}
	label, suffix, _ := strings.Cut(domain, ".")
	own, under, _ := strings.Cut(suffix, ".")
	within := func(domain string) bool { return domain == topLevel(l.Country) || slices.Contains(regional, domain) }
	return slices.ContainsFunc(l.names(), func(name string) bool {
		if name == own && (under == "" || within(under)) {
			return slices.Contains(offices, label)
		}
		return within(suffix) && called(strings.ReplaceAll(label, "-", ""), name)
	})
}

// called reports that a label is a name, with an office before or behind it or none.
func called(label, name string) bool {
	return label == name || slices.ContainsFunc(offices, func(office string) bool { return label == office+name || label == name+office })
}

// names are the locality's as a domain spells them.
func (l Locality) names() (all []string) {
	for _, name := range l.Names {
		for _, spelt := range []string{name, letters.Replace(strings.ToLower(name))} {
			if s := textfold.String(spelt); len(s) > 2 {
				all = append(all, s)
			}
		}
	}
	return all
}

// letters are those that domains write as two.
var letters = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "å", "aa", "ø", "oe", "æ", "ae")

// topLevel is the top-level domain of a country.
func topLevel(country string) string {
	if country == "GB" {
		return "uk"
	}
	return strings.ToLower(country)
}

var (
	// offices are what authorities of regions and cities put beside the name.
	offices = []string{
		"ajuntament", "ayto", "ayuntamiento", "city", "cityof", "ciudad", "comune", "comunedi", "gemeente", "gemeinde", "kanton", "kommune", "kreis", "land",
		"landkreis", "mairie", "metro", "metropole", "municipio", "municipality", "obec", "prefeitura", "province", "provincia", "provincie", "regio",
		"region", "regione", "stad", "stadt", "state", "um", "ville", "villede",
	}
	// regional are top-level domains of parts of countries, which are kept for who speaks
	// their language or lives there.
	regional = []string{"bzh", "cat", "eus", "gal", "quebec", "scot", "wales"}
)

package discover

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"example.com/whatis/internal/textfold"
)

// A locality is a region or city whose own hosts publish its measurements.
type locality struct {
	Names   []string // its names
	Country string   // ISO 3166-1
}

// tierOf returns the tier of an address and recognises hosts of the locality itself:
// linz.at and data.stadt-zuerich.ch by the name alone, stad.gent and comune.milano.it by
// the word before it.
func (l locality) tierOf(address string) publisherTier {
	t := tierOf(address)
	if u, err := url.Parse(address); t == tierOther && err == nil && l.owns(strings.ToLower(u.Hostname())) {
		return tierLocal
	}
	return t
}

// owns reports whether a host belongs to the locality: it is registered under its country,
// or under a domain with its name, and its label is that name.
func (l locality) owns(host string) bool {
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		domain = host // some cities assign names under their own domain: hanoi.vn
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

// called reports whether a label is a name, with or without an office before or after it.
func called(label, name string) bool {
	return label == name || slices.ContainsFunc(offices, func(office string) bool { return label == office+name || label == name+office })
}

// names returns the locality's names as domains spell them.
func (l locality) names() (all []string) {
	for _, name := range l.Names {
		for _, spelt := range []string{name, letters.Replace(strings.ToLower(name))} {
			if s := textfold.String(spelt); len(s) > 2 {
				all = append(all, s)
			}
		}
	}
	return all
}

// letters are letters that domain names write as two.
var letters = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "å", "aa", "ø", "oe", "æ", "ae")

// topLevel returns the top-level domain of a country.
func topLevel(country string) string {
	if country == "GB" {
		return "uk"
	}
	return strings.ToLower(country)
}

var (
	// offices are words that authorities of regions and cities add to the name.
	offices = []string{
		"ajuntament", "ayto", "ayuntamiento", "city", "cityof", "ciudad", "comune", "comunedi", "gemeente", "gemeinde", "kanton", "kommune", "kreis", "land",
		"landkreis", "mairie", "metro", "metropole", "municipio", "municipality", "obec", "prefeitura", "province", "provincia", "provincie", "regio",
		"region", "regione", "stad", "stadt", "state", "um", "ville", "villede",
	}
	// regional are top-level domains of parts of countries that are reserved for their
	// speakers or inhabitants.
	regional = []string{"bzh", "cat", "eus", "gal", "quebec", "scot", "wales"}
)

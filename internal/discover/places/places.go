// Package places finds countries, regions and cities by their names and codes.
//
//	country, region, city → names and codes of ISO 3166 → Place
//
// Countries and languages (languages.tsv) are those of CLDR, regions those of Debian's iso-codes
// (regions.tsv). There is no list of cities: a city needs its country.
package places

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"example.com/whatis/internal/textfold"
	"example.com/whatis/internal/usererror"
)

//go:embed regions.tsv
var regionsText string

//go:embed languages.tsv
var languagesText string

// A Place is a country, a region or a city.
type Place struct {
	Country     string // in English
	CountryCode string // of ISO 3166-1
	Region      string // as ISO 3166-2 calls it
	RegionCode  string // of ISO 3166-2
	City        string
	Languages   []string // English, and the country's official languages by CLDR
	Names       []string // other names of it
}

// ErrUnknown is the error for a place that cannot be found. The text continues with what to
// send.
var ErrUnknown = usererror.New("place", "unknown place")

// Ambiguous is the error for a name of several places.
type Ambiguous struct {
	Name       string
	Candidates []string // each in a form that can be sent
}

func (a *Ambiguous) Error() string { return "places: " + a.Public() }

// Public returns what to send instead.
func (a *Ambiguous) Public() string {
	return fmt.Sprintf("%q is the name of several places: send one of %s", a.Name, strings.Join(a.Candidates, "; "))
}

// Find returns the named place: the city if there is one, else the region, else the
// country. A region or city may be qualified by its country or by a region's code: "Linz,
// AT", "Punjab, PK-PB". After a region's code its local name may follow: "KR-42 강원".
func Find(country, region, city string) (p Place, err error) {
	switch {
	case city != "":
		err = p.setCity(city, country)
	case region != "":
		err = p.setRegion(region, country)
	default:
		p.CountryCode, err = countryCode(country)
	}
	if err != nil {
		return p, err
	}
	of := language.MustParseRegion(p.CountryCode)
	p.Country, p.Languages = display.English.Regions().Name(of), []string{"en"}
	p.Languages = append(p.Languages, officialLanguages()[p.CountryCode]...)
	if len(p.Names) == 0 {
		for _, l := range p.Languages {
			if namer := display.Regions(language.Make(l)); namer != nil { // CLDR has no names in some languages
				p.Names = append(p.Names, namer.Name(of))
			}
		}
		if p.CountryCode == "GB" {
			p.Names = append(p.Names, "UK", "Britain") // which texts print more often
		}
	}
	slices.Sort(p.Names)
	p.Names = slices.Compact(p.Names)
	return p, nil
}

func (p *Place) setRegion(name, country string) error {
	whole, _ := subdivisions(name, "") // "Madrid, Comunidad de"
	switch before, behind := qualified(name); {
	case country != "" || len(whole) > 0:
	case regionCodes()[strings.ToUpper(behind)]: // "Punjab, PK-PB"
		name = behind
	case countryNamed(behind) != "": // "Punjab, IN"
		name, country = before, behind
	}
	code, local, _ := strings.Cut(strings.TrimSpace(name), " ")
	if regionCodes()[strings.ToUpper(code)] {
		name = code
	}
	found, err := subdivisions(name, country)
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		return fmt.Errorf("%w: region %q: send its code of ISO 3166-2, such as AR-M, or its name there", ErrUnknown, usererror.Short(name, usererror.Quoted))
	case len(found) > 1:
		return ambiguous(name, found)
	}
	p.Region, p.RegionCode, p.CountryCode = found[0].name, found[0].code, found[0].code[:2]
	p.Names = []string{found[0].name}
	if local != "" && name == code {
		p.Names = append(p.Names, local)
	}
	return nil
}

// setCity sets a city. Without a country it looks for a region with the city's name. What stands
// behind the name may be a region of the country in: in the US, GA is Georgia, not Gabon.
func (p *Place) setCity(named, in string) (err error) {
	name, behind := qualified(named)
	country, regions := cmp.Or(behind, in), []subdivision(nil)
	switch {
	case behind != "" && in != "":
		whole, err := countryCode(in)
		if err != nil {
			return err
		}
		if regions, _ = subdivisions(behind, whole); len(regions) == 0 {
			regions, _ = subdivisions(whole+"-"+behind, whole)
		}
		if len(regions) > 0 {
			country = whole
		}
	case regionCodes()[strings.ToUpper(behind)]:
		regions, _ = subdivisions(behind, "")
	}
	if len(regions) == 1 { // Portland, Oregon is not Portland, Maine
		p.Region, p.RegionCode = regions[0].name, regions[0].code
	}
	if textfold.String(name) == "" {
		return fmt.Errorf("%w: city %q: send its name", ErrUnknown, usererror.Short(named, usererror.Quoted))
	}
	p.City, p.Names = name, []string{name}
	if country != "" {
		p.CountryCode, err = countryCode(country)
		return err
	}
	found, err := subdivisions(name, "")
	switch countries := countriesOf(found); {
	case err != nil:
		return err
	case len(countries) == 0:
		return fmt.Errorf("%w: city %q: say its country too, as in \"Linz, AT\"", ErrUnknown, usererror.Short(name, usererror.Quoted))
	case len(countries) > 1:
		return ambiguous(name, found)
	}
	p.CountryCode = found[0].code[:2]
	return nil
}

// qualified splits a name at its last comma.
func qualified(name string) (before, behind string) {
	before = name
	if i := strings.LastIndex(name, ","); i >= 0 {
		before, behind = name[:i], name[i+1:]
	}
	return strings.TrimSpace(before), strings.TrimSpace(behind)
}

func ambiguous(name string, found []subdivision) error {
	a := &Ambiguous{Name: usererror.Short(name, usererror.Quoted)}
	for _, s := range found {
		a.Candidates = append(a.Candidates, fmt.Sprintf("%s, %s", s.name, s.code))
	}
	return a
}

func countriesOf(found []subdivision) (codes []string) {
	for _, s := range found {
		codes = append(codes, s.code[:2])
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// countryCode returns the ISO 3166-1 code of a country given by its code, by the code of a
// region, or by its name in some languages.
func countryCode(name string) (string, error) {
	if code := strings.ToUpper(name); regionCodes()[code] {
		return code[:2], nil
	}
	if code := countryNamed(name); code != "" {
		return code, nil
	}
	return "", fmt.Errorf("%w: country %q: send its English name, or its code of ISO 3166-1, such as KR", ErrUnknown, usererror.Short(name, usererror.Quoted))
}

// countryNamed returns the code of a country by its code or name, "" if there is none. What is
// written as a code is one, before it is a name without its accents: AO is Angola, NGA Nigeria,
// Áo Austria and Nga Russia.
func countryNamed(name string) string {
	all := countryNames()
	return cmp.Or(all[name], all[textfold.Caseless(name)], all[textfold.String(name)])
}

// countryNames maps codes, names without differences of case, and both folded, to codes.
var countryNames = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	names := func(key func(string) string) {
		for _, lang := range []string{"en", "es", "pt", "fr", "de", "it", "ko", "ja", "vi", "zh", "ru", "ar"} {
			for _, code := range countryCodes() {
				all[key(display.Regions(language.Make(lang)).Name(language.MustParseRegion(code)))] = code
			}
		}
	}
	codes := func(key func(string) string) {
		for _, code := range countryCodes() {
			all[key(code)], all[key(language.MustParseRegion(code).ISO3())] = code, code
		}
	}
	names(textfold.String)
	codes(textfold.String)
	names(textfold.Caseless)
	codes(strings.ToUpper)
	for name, code := range alsoCalled {
		all[name], all[textfold.Caseless(name)] = code, code
	}
	delete(all, "")
	return all
})

// alsoCalled are names and codes that CLDR does not have: ISO 3166-1 reserves UK for GB, and
// the institutions of the EU write it, and EL for Greece.
var alsoCalled = map[string]string{"UK": "GB", "EL": "GR", "Britain": "GB", "Great Britain": "GB"}

// countryCodes returns all codes of ISO 3166-1.
func countryCodes() (all []string) {
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			r, err := language.ParseRegion(string(a) + string(b))
			if err == nil && r.IsCountry() && r.Canonicalize() == r && r.String() == string(a)+string(b) {
				all = append(all, r.String())
			}
		}
	}
	return all
}

type subdivision struct{ code, name, folded string }

// subdivisions returns those with that code or name, in all countries if country is "".
func subdivisions(name, country string) (found []subdivision, err error) {
	if country != "" {
		if country, err = countryCode(country); err != nil {
			return nil, err
		}
	}
	folded := textfold.String(name)
	for _, s := range allSubdivisions() {
		called := strings.EqualFold(s.code, name) || s.folded == folded
		if called && strings.HasPrefix(s.code, country) {
			found = append(found, s)
		}
	}
	return found, nil
}

var allSubdivisions = sync.OnceValue(func() (all []subdivision) {
	for line := range strings.Lines(regionsText) {
		if code, name, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			all = append(all, subdivision{code, name, textfold.String(name)})
		}
	}
	return all
})

var officialLanguages = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(languagesText) {
		if country, languages, ok := strings.Cut(line, "\t"); ok {
			all[country] = strings.Fields(languages)
		}
	}
	return all
})

var regionCodes = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, s := range allSubdivisions() {
		all[s.code] = true
	}
	return all
})

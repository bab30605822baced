package discover

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"example.com/whatis/internal/fold"
	"example.com/whatis/internal/public"
)

//go:embed regions.tsv
var regionsText string

// The modes of research.
const (
	modeCountry = "country"
	modeRegion  = "region"
	modeCity    = "city"
)

// A Target is the place and the sectors that data are sought of.
type Target struct {
	Mode          string   `json:"research_mode"` // country, region or city
	Country       string   `json:"target_country"`
	CountryLocode string   `json:"target_country_locode"` // ISO 3166-1
	Region        string   `json:"target_region,omitempty"`
	RegionLocode  string   `json:"target_region_locode,omitempty"` // ISO 3166-2
	City          string   `json:"target_city,omitempty"`
	CityLocode    string   `json:"target_city_locode"` // UN/LOCODE; no list of it is here, so that it is empty
	Sectors       []string `json:"target_sectors"`
	Languages     []string `json:"languages"` // English, and the likely one of the country by CLDR
	Names         []string `json:"names"`     // the place is called so
}

// sector is the one that is sought, "" if all are.
func (t Target) sector() string {
	if len(t.Sectors) == 1 {
		return t.Sectors[0]
	}
	return ""
}

// ErrRequest is a request that cannot be carried out as it is.
var ErrRequest = public.New("discover", "wrong request")

// Ambiguous is the error of a name that several places have.
type Ambiguous struct {
	Name       string
	Candidates []string // each as it may be sent
}

func (a *Ambiguous) Error() string { return "discover: " + a.Public() }

// Public says what to send instead.
func (a *Ambiguous) Public() string {
	return fmt.Sprintf("%q is the name of several places: send one of %s", a.Name, strings.Join(a.Candidates, "; "))
}

// target is the place that a request names, in all its names.
func (r Request) target() (t Target, err error) {
	t = Target{Sectors: sectors, CityLocode: ""}
	if r.Sector != "" {
		t.Sectors = []string{r.Sector}
	}
	switch {
	case r.City != "":
		err = t.setCity(r)
	case r.Region != "":
		err = t.setRegion(r.Region, r.Country)
	default:
		t.Mode = modeCountry
		t.CountryLocode, err = countryCode(r.Country)
	}
	if err != nil {
		return t, err
	}
	region := language.MustParseRegion(t.CountryLocode)
	t.Country = display.English.Regions().Name(region)
	t.Languages = []string{"en"}
	likely, _ := language.Compose(language.Und, region)
	if base, _ := likely.Base(); base.String() != "en" && !r.EnglishOnly {
		t.Languages = append(t.Languages, base.String())
	}
	if t.Mode == modeCountry {
		for _, l := range t.Languages {
			t.Names = append(t.Names, display.Regions(language.Make(l)).Name(region))
		}
	}
	slices.Sort(t.Names)
	t.Names = slices.Compact(t.Names)
	return t, nil
}

// setRegion reads a region's name or code. Behind a code may stand what the region is
// called there: "KR-42 강원".
func (t *Target) setRegion(name, country string) error {
	t.Mode = modeRegion
	code, local, _ := strings.Cut(strings.TrimSpace(name), " ")
	if regionCodes()[strings.ToUpper(code)] != "" {
		name = code
	}
	found, err := subdivisions(name, country)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("%w: region %q is not known: send its code of ISO 3166-2, such as AR-M, or its name there", ErrRequest, public.Short(name, public.Quoted))
	}
	if len(found) > 1 {
		return ambiguous(name, found)
	}
	t.Region, t.RegionLocode, t.CountryLocode = found[0].name, found[0].code, found[0].code[:2]
	t.Names = []string{found[0].name}
	if local != "" && name == code {
		t.Names = append(t.Names, local)
	}
	return nil
}

// setCity reads a city, which its country may qualify: "Linz, AT". Without one it is
// sought among the regions that bear its name, as there is no list of cities.
func (t *Target) setCity(r Request) (err error) {
	name, country, _ := strings.Cut(r.City, ",")
	name, country = strings.TrimSpace(name), cmp.Or(strings.TrimSpace(country), r.Country)
	if fold.String(name) == "" {
		return fmt.Errorf("%w: city %q: send its name", ErrRequest, public.Short(r.City, public.Quoted))
	}
	t.Mode, t.City, t.Names = modeCity, name, []string{name}
	if country != "" {
		t.CountryLocode, err = countryCode(country)
		return err
	}
	found, err := subdivisions(name, "")
	switch countries := countriesOf(found); {
	case err != nil:
		return err
	case len(countries) == 0:
		return fmt.Errorf("%w: city %q: say its country too, as in \"Linz, AT\"", ErrRequest, public.Short(name, public.Quoted))
	case len(countries) > 1:
		return ambiguous(name, found)
	}
	t.CountryLocode = found[0].code[:2]
	return nil
}

func ambiguous(name string, found []subdivision) error {
	a := &Ambiguous{Name: public.Short(name, public.Quoted)}
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

// countryCode is the ISO 3166-1 code of a country that is named by its code, or in one
// of some languages. A region's code tells its country.
func countryCode(name string) (string, error) {
	if folded := fold.String(name); folded != "" {
		if code := countryNames()[folded]; code != "" {
			return code, nil
		}
	}
	if code, _, ok := strings.Cut(strings.ToUpper(name), "-"); ok && regionCodes()[strings.ToUpper(name)] != "" {
		return code, nil
	}
	return "", fmt.Errorf("%w: country %q is not known: send its English name, or its code of ISO 3166-1, such as KR", ErrRequest, public.Short(name, public.Quoted))
}

// countryNames are the codes by name and by code, folded.
var countryNames = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, code := range countryCodes() {
		region := language.MustParseRegion(code)
		all[fold.String(code)], all[fold.String(region.ISO3())] = code, code
		for _, lang := range []string{"en", "es", "pt", "fr", "de", "it", "ko", "ja", "vi", "zh", "ru", "ar"} {
			all[fold.String(display.Regions(language.Make(lang)).Name(region))] = code
		}
	}
	return all
})

// countryCodes are all codes of ISO 3166-1.
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

type subdivision struct{ code, name string }

// subdivisions are those of that code or name, in a country unless that is "".
func subdivisions(name, country string) (found []subdivision, err error) {
	if country != "" {
		if country, err = countryCode(country); err != nil {
			return nil, err
		}
	}
	for _, s := range allSubdivisions() {
		called := strings.EqualFold(s.code, name) || fold.String(s.name) == fold.String(name)
		if called && strings.HasPrefix(s.code, country) {
			found = append(found, s)
		}
	}
	return found, nil
}

var allSubdivisions = sync.OnceValue(func() (all []subdivision) {
	for line := range strings.Lines(regionsText) {
		if code, name, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			all = append(all, subdivision{code, name})
		}
	}
	return all
})

var regionCodes = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, s := range allSubdivisions() {
		all[s.code] = s.name
	}
	return all
})

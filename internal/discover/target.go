package discover

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/text/language"

	"example.com/whatis/internal/discover/places"
	"example.com/whatis/internal/usererror"
)

// The modes of research.
const (
	modeCountry = "country"
	modeRegion  = "region"
	modeCity    = "city"
)

// A Target is the place and the sectors to find data of.
type Target struct {
	Mode          string   `json:"research_mode"` // country, region or city
	Country       string   `json:"target_country"`
	CountryLocode string   `json:"target_country_locode"` // ISO 3166-1
	Region        string   `json:"target_region,omitempty"`
	RegionLocode  string   `json:"target_region_locode,omitempty"` // ISO 3166-2
	City          string   `json:"target_city,omitempty"`
	CityLocode    string   `json:"target_city_locode"`      // UN/LOCODE, as a model says it and unverified; "" if it does not
	Sector        string   `json:"target_sector,omitempty"` // "" is all
	Sectors       []string `json:"target_sectors"`
	Languages     []string `json:"languages"` // English, and the official ones of the country by CLDR
	Names         []string `json:"names"`     // of the place
}

// codes returns the codes by which a table may name the place. Without those that inventories print in
// place of a number: NO is "not occurring" more often than Norway.
func (t Target) codes() []string {
	all := map[string][]string{modeRegion: {t.RegionLocode}}[t.Mode]
	if region, err := language.ParseRegion(t.CountryLocode); err == nil && t.Mode == modeCountry {
		all = []string{region.ISO3(), t.CountryLocode}
	}
	return slices.DeleteFunc(all, func(code string) bool { return slices.Contains([]string{"NO", "NE", "NA", "IE"}, code) })
}

// ErrRequest marks an invalid request.
var ErrRequest = usererror.New("discover", "wrong request")

// Ambiguous is the error of a name that several places share.
type Ambiguous = places.Ambiguous

// target finds the place that a request names, with all its names.
func (r Request) target() (Target, error) {
	p, err := places.Find(r.Country, r.Region, r.City)
	if errors.Is(err, places.ErrUnknown) {
		err = fmt.Errorf("%w: %s", ErrRequest, usererror.Text(err))
	}
	if err != nil {
		return Target{}, err
	}
	t := Target{
		Mode: modeCountry, Country: p.Country, CountryLocode: p.CountryCode, Region: p.Region, RegionLocode: p.RegionCode, City: p.City,
		Sector: r.Sector, Sectors: Sectors, Languages: p.Languages, Names: p.Names,
	}
	if r.Sector != "" {
		t.Sectors = []string{r.Sector}
	}
	if r.EnglishOnly {
		t.Languages = t.Languages[:1]
	}
	switch {
	case p.City != "":
		t.Mode = modeCity
	case p.Region != "":
		t.Mode = modeRegion
	}
	return t, nil
}

package discover

import (
	"errors"
	"fmt"

	"example.com/whatis/internal/discover/places"
	"example.com/whatis/internal/usererror"
)

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
	CityLocode    string   `json:"target_city_locode"`      // UN/LOCODE; no list of it is here, so that it is empty
	Sector        string   `json:"target_sector,omitempty"` // "" is all
	Sectors       []string `json:"target_sectors"`
	Languages     []string `json:"languages"` // English, and the likely one of the country by CLDR
	Names         []string `json:"names"`     // the place is called so
}

// ErrRequest is a request that cannot be carried out as it is.
var ErrRequest = usererror.New("discover", "wrong request")

// Ambiguous is the error of a name that several places have.
type Ambiguous = places.Ambiguous

// target is the place that a request names, in all its names.
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

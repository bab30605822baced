package discover

import (
	"testing"

	"example.com/whatis/internal/discover/places"
)

// Each portal is of a country, has a source, and proves its publisher there, and in no other country.
func TestPortals(t *testing.T) {
	countries := map[string]bool{}
	for _, p := range Portals() {
		countries[p.Country] = true
		if !(Target{CountryLocode: p.Country}).provesPublisher(p.URL, "") || p.Country != "" && (Target{CountryLocode: "XX"}).provesPublisher(p.URL, "") {
			t.Errorf("portal %s proves not its publisher, or one of another country", p.URL)
		}
		if p.Name == "" || p.URL == "" || p.Source == "" || !p.Serves(p.Country, true, Sectors) || p.Serves("XX", false, Sectors) {
			t.Errorf("portal %+v lacks something", p)
		}
		if found, err := places.Find(p.Country, "", ""); p.Country != "" && (err != nil || found.CountryCode != p.Country) {
			t.Errorf("portal %s is of no country: %v", p.URL, err)
		}
	}
	if len(countries) < 41 {
		t.Errorf("%d countries, want 40 and those that serve all", len(countries)-1)
	}
}

func TestReadPortals(t *testing.T) {
	for file, good := range map[string]bool{`[]`: true, `[{"name":"n","url":"https://example.com/"}]`: true, `[{"name":"n"}]`: false, `[{"url":"u"}]`: false, `{}`: false, ``: false} {
		if _, err := ReadPortals([]byte(file)); (err == nil) != good {
			t.Errorf("Read(%s) = %v", file, err)
		}
	}
}

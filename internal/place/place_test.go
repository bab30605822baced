package place_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/place"
)

func TestFind(t *testing.T) {
	for _, test := range []struct {
		country, region, city          string
		wantCountry, wantRegion, known string
	}{
		{"KR", "", "", "KR", "", "대한민국"},
		{"kor", "", "", "KR", "", "South Korea"},
		{"Corea del Sur", "", "", "KR", "", "South Korea"},
		{"Österreich", "", "", "AT", "", "Austria"},
		{"AR-M", "", "", "AR", "", "Argentina"},
		{"", "AR-M", "", "AR", "AR-M", "Mendoza"},
		{"", "ar-m", "", "AR", "AR-M", "Mendoza"},
		{"", "KR-42 강원", "", "KR", "KR-42", "강원"},
		{"Argentina", "Córdoba", "", "AR", "AR-X", "Córdoba"},
		{"", "", "Linz, AT", "AT", "", "Linz"},
		{"Austria", "", "Linz", "AT", "", "Linz"},
	} {
		p, err := place.Find(test.country, test.region, test.city)
		if err != nil || p.CountryCode != test.wantCountry || p.RegionCode != test.wantRegion || !slices.Contains(p.Names, test.known) || p.Languages[0] != "en" {
			t.Errorf("Find(%q, %q, %q) = %+v, %v; want %s, %s and the name %s", test.country, test.region, test.city, p, err, test.wantCountry, test.wantRegion, test.known)
		}
	}
}

func TestUnknown(t *testing.T) {
	for _, test := range []struct{ country, region, city, want string }{
		{"Atlantis", "", "", "Atlantis"}, {"", "", "", "ISO 3166-1"}, {"...", "", "", "ISO 3166-1"}, {"", "Nowhere", "", "AR-M"}, {"Atlantis", "Mendoza", "", "Atlantis"},
		{"", "", "Linz", "its country"}, {"AT", "", "...", "its name"}, {"", "", "Linz, Atlantis", "Atlantis"},
	} {
		if _, err := place.Find(test.country, test.region, test.city); !errors.Is(err, place.ErrUnknown) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Find(%q, %q, %q) = %v, want ErrUnknown with %q", test.country, test.region, test.city, err, test.want)
		}
	}
	var several *place.Ambiguous
	if _, err := place.Find("", "Córdoba", ""); !errors.As(err, &several) || !slices.Contains(several.Candidates, "Córdoba, AR-X") {
		t.Errorf("Find(Córdoba) = %v, want its candidates", err)
	}
}

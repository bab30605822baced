package places_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"example.com/whatis/internal/discover/places"
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
		{"PG", "", "", "PG", "", "Papua New Guinea"}, // in whose language CLDR has no names
		{"Samoa", "", "", "WS", "", "Samoa"},
		{"AQ", "", "", "AQ", "", "Antarctica"}, // without a language
		{"ao", "", "", "AO", "", "Angola"},     // not Áo, which is Austria in Vietnamese
		{"Áo", "", "", "AT", "", "Austria"},
		{"NGA", "", "", "NG", "", "Nigeria"},
		{"Nga", "", "", "RU", "", "Russia"},
		{"UK", "", "", "GB", "", "UK"},
		{"uk", "", "", "GB", "", "United Kingdom"},
		{"Great Britain", "", "", "GB", "", "Britain"},
		{"Britain", "", "", "GB", "", "UK"},
		{"", "", "Leeds, UK", "GB", "", "Leeds"},
		{"", "England, UK", "", "GB", "GB-ENG", "England"},
		{"EL", "", "", "GR", "", "Greece"},
		{"AR-M", "", "", "AR", "", "Argentina"},
		{"", "AR-M", "", "AR", "AR-M", "Mendoza"},
		{"", "ar-m", "", "AR", "AR-M", "Mendoza"},
		{"", "KR-42 강원", "", "KR", "KR-42", "강원"},
		{"Argentina", "Córdoba", "", "AR", "AR-X", "Córdoba"},
		{"", "", "Linz, AT", "AT", "", "Linz"},
		{"Austria", "", "Linz", "AT", "", "Linz"},
		{"US", "", "Atlanta, GA", "US", "US-GA", "Atlanta"}, // Georgia, not Gabon
		{"Brasil", "", "Manaus, AM", "BR", "BR-AM", "Manaus"},
		{"US", "", "Portland, Oregon", "US", "US-OR", "Portland"}, // not that of Maine
		{"", "", "Portland, US-ME", "US", "US-ME", "Portland"},
		{"AT", "", "Linz, Austria", "AT", "", "Linz"},
	} {
		p, err := places.Find(test.country, test.region, test.city)
		if err != nil || p.CountryCode != test.wantCountry || p.RegionCode != test.wantRegion || !slices.Contains(p.Names, test.known) || p.Languages[0] != "en" {
			t.Errorf("Find(%q, %q, %q) = %+v, %v; want %s, %s and the name %s", test.country, test.region, test.city, p, err, test.wantCountry, test.wantRegion, test.known)
		}
	}
}

// A country has its official languages.
func TestLanguages(t *testing.T) {
	for country, want := range map[string][]string{"CA": {"en", "fr"}, "CH": {"en", "de", "fr", "it"}, "BE": {"en", "nl", "fr", "de"}, "FI": {"en", "fi", "sv"}, "IN": {"en", "hi"}, "KR": {"en", "ko"}, "US": {"en"}, "ZA": {"en"}} {
		if p, err := places.Find(country, "", ""); err != nil || !slices.Equal(p.Languages, want) {
			t.Errorf("%s: %q, %v; want %q", country, p.Languages, err, want)
		}
	}
}

// A country is found by its codes, whatever their letters mean without accents in a language,
// and by its names.
func TestCountries(t *testing.T) {
	found := 0
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string(a) + string(b)
			region, err := language.ParseRegion(code)
			if err != nil || !region.IsCountry() || region.Canonicalize().String() != code || region.ISO3() == "ZZZ" || display.English.Regions().Name(region) == "" {
				continue
			}
			found++
			called := []string{code, strings.ToLower(code), region.ISO3()}
			for _, lang := range []string{"en", "es", "pt", "fr", "de", "it", "ko", "ja", "vi", "zh", "ru", "ar"} {
				called = append(called, display.Regions(language.Make(lang)).Name(region))
			}
			for _, name := range called {
				if p, err := places.Find(name, "", ""); err != nil || p.CountryCode != code {
					t.Errorf("Find(%q) = %s, %v; want %s", name, p.CountryCode, err, code)
				}
			}
		}
	}
	if found < 240 {
		t.Errorf("%d countries were tried, want all", found)
	}
}

func TestUnknown(t *testing.T) {
	for _, test := range []struct{ country, region, city, want string }{
		{"Atlantis", "", "", "Atlantis"}, {"England", "", "", "England"}, {"", "", "", "ISO 3166-1"}, {"...", "", "", "ISO 3166-1"}, {"", "Nowhere", "", "AR-M"}, {"Atlantis", "Mendoza", "", "Atlantis"},
		{"", "", "Linz", "its country"}, {"AT", "", "...", "its name"}, {"", "", "Linz, Atlantis", "Atlantis"},
	} {
		if _, err := places.Find(test.country, test.region, test.city); !errors.Is(err, places.ErrUnknown) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Find(%q, %q, %q) = %v, want ErrUnknown with %q", test.country, test.region, test.city, err, test.want)
		}
	}
	var several *places.Ambiguous
	if _, err := places.Find("", "Córdoba", ""); !errors.As(err, &several) || !slices.Contains(several.Candidates, "Córdoba, AR-X") {
		t.Errorf("Find(Córdoba) = %v, want its candidates", err)
	}
}

// Every candidate of an ambiguous name can be sent as listed, for a region and for a city.
func TestCandidates(t *testing.T) {
	t.Parallel()
	tried := 0
	for line := range strings.Lines(regions(t)) {
		_, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		var several *places.Ambiguous
		if _, err := places.Find("", name, ""); !errors.As(err, &several) {
			if name != "" && err != nil {
				t.Errorf("region %q: %v", name, err)
			}
			continue
		}
		for _, candidate := range several.Candidates {
			code := candidate[strings.LastIndex(candidate, " ")+1:]
			tried++
			if p, err := places.Find("", candidate, ""); err != nil || p.RegionCode != code {
				t.Errorf("region %q is %s (%v), want %s", candidate, p.RegionCode, err, code)
			}
			if p, err := places.Find("", "", candidate); err != nil || p.CountryCode != code[:2] {
				t.Errorf("city %q is in %s (%v), want %s", candidate, p.CountryCode, err, code[:2])
			}
		}
	}
	if tried < 50 {
		t.Errorf("%d candidates were tried, want those of many names", tried)
	}
}

func regions(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("regions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

package openweather

import (
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"example.com/whatis/internal/textfold"
)

// countryOf returns the code of a country given by its code or by its name in some
// languages.
func countryOf(name string) (string, bool) {
	if len(name) == 2 {
		region, err := language.ParseRegion(name)
		if err != nil || !region.IsCountry() {
			return "", false
		}
		return region.Canonicalize().String(), true // GB for UK, which people write
	}
	code, ok := countries()[textfold.String(name)]
	return code, ok
}

// countries maps names to codes.
var countries = sync.OnceValue(func() map[string]string {
	all := map[string]string{
		"usa": "US", "america": "US", "uk": "GB", "england": "GB", "greatbritain": "GB", "korea": "KR", "한국": "KR", "미국": "US", "영국": "GB", "anh": "GB", "my": "US", "mỹ": "US",
	}
	for _, lang := range []language.Tag{language.English, language.Korean, language.Vietnamese, language.Japanese, language.German, language.French, language.Spanish} {
		names := display.Regions(lang)
		for a := 'A'; a <= 'Z'; a++ {
			for b := 'A'; b <= 'Z'; b++ {
				code := string(a) + string(b)
				if region, err := language.ParseRegion(code); err == nil && region.IsCountry() {
					all[textfold.String(names.Name(region))] = region.Canonicalize().String() // FR for FX
				}
			}
		}
	}
	return all
})

// stateOf returns the code of a state of the United States, "" if name is not one.
func stateOf(name string) string {
	for _, entry := range strings.Split(states, "|") {
		code, full, _ := strings.Cut(entry, " ")
		if strings.EqualFold(name, code) || textfold.String(name) == textfold.String(full) {
			return code
		}
	}
	return ""
}

const states = "AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|DC District of Columbia|FL Florida|" +
	"GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|" +
	"MN Minnesota|MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|NC North Carolina|" +
	"ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|" +
	"VT Vermont|VA Virginia|WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming"

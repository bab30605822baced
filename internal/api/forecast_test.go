package api

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func TestForecastLanguage(t *testing.T) {
	for _, test := range []struct{ query, header, want string }{
		{"", "", ""},
		{"", "ko", "ko"},
		{"", "pt-BR,pt;q=0.9,en;q=0.8", "pt-BR"},
		{"", "en;q=0.3, vi;q=0.7", "vi"},
		{"", "zh-Hant-TW", "zh-Hant-TW"},
		{"", "*", ""},
		{"", "*,fr;q=0.5", "fr"},
		{"", "ko;q=0,de;q=0.5", "de"},
		{"", "de-1996-u-co-phonebk", "de"},
		{"", "x-ignore-all", ""},
		{"", "de, nonsense of 30 letters and more", ""},
		{"", "ko;q=much", ""},
		{"", strings.Repeat("a-", 2000), ""},
		{"", "sr-Latn-RS\r\n", "sr-Latn-RS"},
		{"?lang=en", "ko", "en"},
		{"?lang=", "ko", "ko"},
		{"?lang=nonsense-of-old", "ko", "nonsense-of-old"}, // which Run refuses
	} {
		r := httptest.NewRequest("GET", "/forecast/Seoul"+test.query, nil)
		if test.header != "" {
			r.Header.Set("Accept-Language", test.header)
		}
		if q, err := forecastRequest(r); err != nil || q.Lang != test.want {
			t.Errorf("%q with Accept-Language %.40q is in %q, %v; want %q", test.query, test.header, q.Lang, err, test.want)
		}
	}
}

package intake_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/internal/analyze/intake"
)

// A language tag is language, script and region: nothing that carries other text.
func TestParseLang(t *testing.T) {
	tests := []struct{ lang, want string }{
		{"ko", "ko"},
		{"en-us", "en-US"},
		{"zh-Hant-TW", "zh-Hant-TW"},
		{"es-419", "es-419"},
		{"zh-cmn", "cmn"},
		{"", ""},
		{"und", ""},
		{"und-KR", ""},
		{"x-ignore", ""},
		{"ko-x-ignore-the-photo", ""},
		{"de-1996", ""},
		{"ko-u-nu-latn", ""},
		{"en-t-ko", ""},
		{"en-a-all-text", ""},
		{"korean!", ""},
		{strings.Repeat("en-", 1000), ""},
	}
	for _, test := range tests {
		got, err := intake.ParseLang(test.lang)
		if (err != nil) != (test.want == "") || err == nil && got.String() != test.want || err != nil && !errors.Is(err, intake.ErrOption) {
			t.Errorf("ParseLang(%.40q) = %v, %v; want %q", test.lang, got, err, test.want)
		}
	}
}

// Tags from all sources are checked in this way.
func TestLangOfEveryWay(t *testing.T) {
	t.Parallel()
	const lang = "ko-x-ignore-the-photo"
	d := newHarness(t)
	o := d.upload("a.jpg", picture(t), map[string]string{"lang": lang})
	d.deliver(o)
	if got, _ := d.result(o.Name); got.Lang != "ko" || !slices.Contains(got.Warnings, "unknown_lang") {
		t.Errorf("metadata: lang %q, warnings %q; want the default and unknown_lang", got.Lang, got.Warnings)
	}
	if _, err := d.Photo(t.Context(), intake.Photo{Data: picture(t), Options: intake.Options{Lang: lang}}, nil); !errors.Is(err, intake.ErrOption) {
		t.Errorf("Photo = %v, want %v", err, intake.ErrOption)
	}
	if err := d.CheckOptions(intake.Options{Lang: lang}); !errors.Is(err, intake.ErrOption) {
		t.Errorf("CheckOptions, which batches ask = %v, want %v", err, intake.ErrOption)
	}
	if err := (intake.Options{Country: "KR", Lang: lang}).Check(); !errors.Is(err, intake.ErrOption) {
		t.Errorf("Check of defaults = %v, want %v", err, intake.ErrOption)
	}
}

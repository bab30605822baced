package intake

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/usererror"
)

// ErrOption marks a request with invalid options.
var ErrOption = usererror.New("intake", "wrong option")

// Options say how to analyse a photo; empty fields take the configured default.
type Options struct {
	Country    string // ISO 3166-1 alpha-2
	Lang       string // BCP 47: language, script and region, nothing else
	Policy     string // seed or strict
	SecondLook string // doubt, always or never
}

// maxSet bounds the name of a set, in characters.
const maxSet = 100

// checkSet refuses what is no name of a set.
func checkSet(name string) error {
	if utf8.RuneCountInString(name) > maxSet || strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("%w: set: want a name of at most %d characters", ErrOption, maxSet)
	}
	return nil
}

// Check refuses invalid defaults.
func (defaults Options) Check() error {
	_, err := defaults.Request(Options{})
	return err
}

// Request returns the request of o, with defaults for its empty fields.
func (defaults Options) Request(o Options) (analyze.Request, error) {
	country, err := language.ParseRegion(cmp.Or(o.Country, defaults.Country))
	if err != nil || !country.IsCountry() {
		return analyze.Request{}, fmt.Errorf("%w: country %q: want two letters, as KR", ErrOption, usererror.Short(cmp.Or(o.Country, defaults.Country), usererror.Quoted))
	}
	lang, err := ParseLang(cmp.Or(o.Lang, defaults.Lang))
	if err != nil {
		return analyze.Request{}, err
	}
	policy, err := analyze.PolicyNamed(usererror.Short(cmp.Or(o.Policy, defaults.Policy), usererror.Quoted))
	if err != nil {
		return analyze.Request{}, fmt.Errorf("%w: %s", ErrOption, usererror.Text(err))
	}
	look, err := analyze.ParseSecondLook(usererror.Short(cmp.Or(o.SecondLook, defaults.SecondLook), usererror.Quoted))
	if err != nil {
		return analyze.Request{}, fmt.Errorf("%w: %s", ErrOption, usererror.Text(err))
	}
	return analyze.Request{Country: country.String(), Lang: lang.String(), Policy: policy, SecondLook: look}, nil
}

// ParseLang is agent.ParseLang, with ErrOption for tags that it does not take.
func ParseLang(s string) (language.Tag, error) {
	tag, ok := agent.ParseLang(s)
	if !ok {
		return language.Und, fmt.Errorf("%w: lang %q: want a language tag, as ko or zh-Hant-TW", ErrOption, usererror.Short(s, usererror.Quoted))
	}
	return tag, nil
}

// Warnings about the options of a delivery, not about the photo.
const (
	warnCountry = "unknown_country"
	warnLang    = "unknown_lang"
	warnGroup   = "unknown_group"

	warnPhotosLeftOut = "photos_left_out" // some photos of the group were not looked at: more_images says why
)

// Warnings lists the warning codes that an intake adds to a result.
var Warnings = []string{warnCountry, warnLang, warnGroup, warnPhotosLeftOut, WarnGivenUp}

// ofDelivery reports whether warning is about the options of a delivery.
func ofDelivery(warning string) bool {
	return warning == warnCountry || warning == warnLang || warning == warnGroup || warning == warnPhotosLeftOut
}

// deliveryRequest returns the request of d, with the options of its batch or the
// country and lang in an upload's metadata. An invalid value is replaced by the
// default, with a warning: a typing error in metadata should not cost the photo its
// result.
func (defaults Options) deliveryRequest(d Delivery) (analyze.Request, []string) {
	var warnings []string
	chosen := d.Options
	if d.Batch == "" {
		chosen = Options{Country: d.Metadata["country"], Lang: d.Metadata["lang"]}
	}
	if by := d.Metadata["group"]; d.Batch == "" && by != "" && by != ByFolder && by != ByBarcode {
		warnings = append(warnings, warnGroup)
	}
	if _, err := defaults.Request(Options{Country: chosen.Country}); err != nil {
		chosen.Country, warnings = "", append(warnings, warnCountry)
	}
	if _, err := defaults.Request(Options{Lang: chosen.Lang}); err != nil {
		chosen.Lang, warnings = "", append(warnings, warnLang)
	}
	req, err := defaults.Request(chosen)
	if err != nil {
		req, _ = defaults.Request(Options{Country: chosen.Country, Lang: chosen.Lang}) // these were checked by New and above
	}
	req.Origins, req.Attempts = []analyze.Origin{{URI: d.URI(), Generation: d.Generation}}, gemini.EventAttempts
	return req, warnings
}

// CheckOptions returns ErrOption for invalid options.
func (in *Intake) CheckOptions(o Options) error {
	_, err := in.Defaults.Request(o)
	return err
}

package intake

import (
	"cmp"
	"fmt"

	"golang.org/x/text/language"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/usererror"
)

// ErrOption marks a request whose options make no sense.
var ErrOption = usererror.New("intake", "wrong option")

// Options say how to look at a photo; empty fields take the configured default.
type Options struct {
	Country    string // ISO 3166-1 alpha-2
	Lang       string // BCP 47: language, script and region, nothing else
	Policy     string // seed or strict
	SecondLook string // doubt, always or never
}

// Check refuses defaults that make no sense.
func (defaults Options) Check() error {
	_, err := defaults.Request(Options{})
	return err
}

// Request is the request of o, defaults for what it leaves open.
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

// ParseLang reads a language tag of a language and, if need be, a script and a
// region; else it is ErrOption. Variants, extensions and private use could carry any text into a prompt.
func ParseLang(s string) (language.Tag, error) {
	tag, err := language.Parse(s)
	base, _, _ := tag.Raw()
	if err != nil || base == (language.Base{}) || len(tag.Variants()) > 0 || len(tag.Extensions()) > 0 {
		return language.Und, fmt.Errorf("%w: lang %q: want a language tag, as ko or zh-Hant-TW", ErrOption, usererror.Short(s, usererror.Quoted))
	}
	return tag, nil
}

// Warnings of a delivery, which say nothing of the photo.
const (
	warnCountry = "unknown_country"
	warnLang    = "unknown_lang"
)

// Warnings lists the codes that an intake adds to those of a result.
var Warnings = []string{warnCountry, warnLang, WarnGivenUp}

// ofDelivery reports a warning of a delivery.
func ofDelivery(warning string) bool { return warning == warnCountry || warning == warnLang }

// deliveryRequest is the request that a batch asks with its options, an upload
// with country and lang of its metadata. A value that makes no sense takes the
// default and leaves a warning: a typing error in metadata should not cost the
// photo its result.
func (defaults Options) deliveryRequest(d Delivery) (analyze.Request, []string) {
	var warnings []string
	chosen := d.Options
	if d.Batch == "" {
		chosen = Options{Country: d.Metadata["country"], Lang: d.Metadata["lang"]}
	}
	if _, err := defaults.Request(Options{Country: chosen.Country}); err != nil {
		chosen.Country, warnings = "", append(warnings, warnCountry)
	}
	if _, err := defaults.Request(Options{Lang: chosen.Lang}); err != nil {
		chosen.Lang, warnings = "", append(warnings, warnLang)
	}
	req, err := defaults.Request(chosen)
	if err != nil {
		req, _ = defaults.Request(Options{Country: chosen.Country, Lang: chosen.Lang}) // those were checked by New and above
	}
	req.URI, req.Generation, req.Attempts = d.URI(), d.Generation, gemini.EventAttempts
	return req, warnings
}

// CheckOptions refuses options that make no sense, with ErrOption.
func (in *Intake) CheckOptions(o Options) error {
	_, err := in.Defaults.Request(o)
	return err
}

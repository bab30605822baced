package forecast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/forecast/openweather"
	"example.com/whatis/internal/usererror"
)

// A Request asks for a forecast of City, or is a Message to weather_agent; one of them is required.
type Request struct {
	Message string `json:"message,omitempty" jsonschema:"words in any language to the agent of the weather, instead of all other fields: a place, a day, units, or a question about its last answer, as: and on Sunday?"`
	Session string `json:"session,omitempty" jsonschema:"of a message: the session of the answer before goes on with it; new, or none, begins a conversation"`

	City  string `json:"city,omitempty" jsonschema:"a city in any script, such as Seoul, 서울 or Paris, FR; or a latitude and a longitude, as 37.6,127.0, which are rounded to a tenth of a degree"`
	Units string `json:"units,omitempty" jsonschema:"imperial, metric, standard, or auto (the default), which follows the place's country"`
	Lang  string `json:"lang,omitempty" jsonschema:"the language of the text, by BCP 47; en is the default"`
	Type  string `json:"type,omitempty" jsonschema:"current (the default), today, tomorrow, weekend, hours, a day of the week such as sunday, or a date as 2026-11-29 within five days, in the place's own days"`
	Hours int    `json:"hours,omitempty" jsonschema:"how many hours lie ahead, of the type hours: 3 to 120, 12 is the default"`
	Audio bool   `json:"audio,omitempty" jsonschema:"whether it is to be spoken too"`
}

// The types of forecasts.
const (
	Current  = "current"
	Today    = "today"
	Tomorrow = "tomorrow"
	Weekend  = "weekend"
	Hours    = "hours"
)

// Errors of requests, beside those of package weather.
var (
	ErrOption = usererror.New("forecast", "wrong option")
	ErrTooFar = usererror.New("forecast", "the forecast of five days does not reach so far yet: ask again later, or for a day before")
)

// A variant identifies a forecast, apart from its time.
type variant struct {
	place             openweather.Place
	units, kind, lang string
	hours             int    // of the type Hours
	asked             string // the text that named the place, "" in a conversation
}

// check refuses invalid options, and fills in defaults.
func (r Request) check() (Request, error) {
	r.Units, r.Lang = cmp.Or(r.Units, "auto"), cmp.Or(r.Lang, "en")
	kind, hours, err := kindOf(r.Type)
	if err != nil {
		return r, err
	}
	r.Type, r.Hours = kind, cmp.Or(r.Hours, hours, 12)
	tag, isTag := agent.ParseLang(r.Lang)
	switch {
	case !oneOf(r.Units, openweather.Imperial, openweather.Metric, openweather.Standard, "auto"):
		return r, fmt.Errorf("%w: units %q: want imperial, metric, standard or auto", ErrOption, usererror.Short(r.Units, usererror.Quoted))
	case !isTag:
		return r, fmt.Errorf("%w: lang %q: want a language by BCP 47, as en, ko or pt-BR", ErrOption, usererror.Short(r.Lang, usererror.Quoted))
	case r.Hours < 3 || r.Hours > 120:
		return r, fmt.Errorf("%w: hours %d: want 3 to 120", ErrOption, r.Hours)
	}
	r.Lang = tag.String()
	return r, nil
}

// hoursIn matches how many hours a type is of.
var hoursIn = regexp.MustCompile(`\d+`)

// kindOf returns the type of a forecast, and its hours, by a type of a request or a WEATHER_TYPE as
// weather_agent is told to write it.
func kindOf(said string) (kind string, hours int, err error) {
	words := strings.Join(strings.Fields(folded(said)), " ")
	for _, before := range []string{"on ", "this ", "next ", "vào "} {
		words = strings.TrimPrefix(words, before)
	}
	switch {
	case words == "", strings.HasPrefix(words, Current):
		return Current, 0, nil
	case words == Weekend:
		return Weekend, 0, nil
	case strings.Contains(words, "hour"):
		n, _ := strconv.Atoi(hoursIn.FindString(words)) // 0 means the default
		return Hours, n, nil
	}
	for _, of := range wordsByLanguage {
		for day, name := range of().weekdays {
			if words == folded(name) {
				return day, 0, nil
			}
		}
	}
	if _, err := time.Parse(time.DateOnly, words); err == nil {
		return words, 0, nil
	}
	return "", 0, fmt.Errorf("%w: type %q: want current, today, tomorrow, weekend, hours or the next 6 hours, a day of the week such as sunday, or a date as 2026-11-29", ErrOption, usererror.Short(said, usererror.Quoted))
}

func oneOf(s string, all ...string) bool { return slices.Contains(all, s) }

// variant checks r, finds its place and returns its variant.
func (p *Pipeline) variant(ctx context.Context, r Request) (variant, error) {
	if _, err := r.check(); err != nil {
		return variant{}, err
	}
	place, err := p.place(ctx, r.City)
	if err != nil {
		return variant{}, fmt.Errorf("forecast: %w", err)
	}
	v, err := r.variant(place)
	v.asked = r.City
	return v, err
}

// place returns the place that text names: for coordinates, a place for which a forecast
// was made if they are its own. While the service is away it is the place of a forecast that
// was made for the same words.
func (p *Pipeline) place(ctx context.Context, text string) (openweather.Place, error) {
	if at, ok := openweather.PointOf(text); ok {
		if known, ok := p.store.knownAt(ctx, at); ok {
			return known, nil
		}
	}
	place, err := p.Weather.Find(ctx, text)
	if away := (*openweather.Fault)(nil); errors.As(err, &away) {
		if kept, ok := p.store.placeOf(ctx, text); ok {
			return kept, nil
		}
	}
	return place, err
}

// variant checks r and returns its variant at a place.
func (r Request) variant(place openweather.Place) (variant, error) {
	r, err := r.check()
	if err != nil {
		return variant{}, err
	}
	if r.Units == "auto" {
		r.Units = openweather.UnitsOf(place.Country)
	}
	return variant{place: place, units: r.Units, kind: r.Type, lang: r.Lang, hours: r.Hours}, nil
}

// dir returns the folder of the forecasts of v in the bucket.
func (v variant) dir() string {
	kind := strings.ReplaceAll(v.kind, "-", "") // of a date
	if kind == Hours {
		kind = fmt.Sprint(Hours, v.hours)
	}
	return fmt.Sprintf("%s%s/%s-%s-%s/", root, v.place.ID, v.units, kind, v.lang)
}

// Parts of the names in the bucket.
const (
	root  = blob.Forecasts
	stamp = "2006-01-02_150405" // in UTC

	textName  = "forecast_text_"
	factsName = "forecast_facts_"
	audioName = "forecast_audio_"
)

func (v variant) textFile(t time.Time) string  { return v.file(textName, t, ".txt") }
func (v variant) factsFile(t time.Time) string { return v.file(factsName, t, ".json") }
func (v variant) audioFile(t time.Time) string { return v.file(audioName, t, ".wav") }

func (v variant) file(name string, t time.Time, kind string) string {
	return v.dir() + name + t.UTC().Format(stamp) + kind
}

// audioURL returns the path of the audio in the API.
func (v variant) audioURL(t time.Time) string {
	which := strings.TrimSuffix(v.dir()[len(root)+len(v.place.ID)+1:], "/")
	return "/forecast/" + url.PathEscape(v.place.ID) + "/audio/" + t.UTC().Format(stamp) + "?which=" + url.QueryEscape(which)
}

package openweather

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The systems of units.
const (
	Imperial = "imperial"
	Metric   = "metric"
	Standard = "standard" // kelvin
)

// UnitsOf returns the system of units used in a country.
func UnitsOf(country string) string {
	if strings.Contains("US LR MM BS BZ KY PW FM MH", country) && len(country) == 2 {
		return Imperial
	}
	return Metric
}

// A Sky is the weather at one time. Its fields are those of OpenWeather.
type Sky struct {
	Dt   int64 `json:"dt"`
	Main struct {
		Temp      float64 `json:"temp"`
		FeelsLike float64 `json:"feels_like"`
		TempMin   float64 `json:"temp_min"`
		TempMax   float64 `json:"temp_max"`
		Humidity  float64 `json:"humidity"`
	} `json:"main"`
	Weather []struct {
		ID          int    `json:"id"`
		Main        string `json:"main"`
		Description string `json:"description"`
	} `json:"weather"`
	Wind struct {
		Speed float64 `json:"speed"`
	} `json:"wind"`
	Clouds struct {
		All float64 `json:"all"`
	} `json:"clouds"`
	Pop float64 `json:"pop"` // probability of rain or snow; in forecasts only
}

// Report is the current weather or a forecast.
type Report struct {
	At    time.Time     // when it was requested
	Zone  time.Duration // the place's offset from UTC
	Rise  time.Time     // sunrise; zero if there is none
	Set   time.Time
	Skies []Sky // one, or 40 in steps of three hours; each has its Weather
}

// Local returns t in the place's time zone.
func (r Report) Local(t time.Time) time.Time {
	return t.In(time.FixedZone("", int(r.Zone.Seconds())))
}

// query returns the parameters of a request for the weather of p.
func query(p Place, units, lang string) url.Values {
	return url.Values{"lat": {coordinate(p.Lat)}, "lon": {coordinate(p.Lon)}, "units": {units}, "lang": {Language(lang)}}
}

func coordinate(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

// Current returns the current weather of p.
func (c *Client) Current(ctx context.Context, p Place, units, lang string) (Report, error) {
	var a struct {
		Sky
		Sys struct {
			Sunrise, Sunset int64
		} `json:"sys"`
		Timezone int64 `json:"timezone"`
	}
	at, err := c.get(ctx, "/data/2.5/weather", query(p, units, lang), &a)
	if err != nil {
		return Report{}, err
	}
	return report(at, a.Timezone, a.Sys.Sunrise, a.Sys.Sunset, []Sky{a.Sky})
}

// Forecast returns the weather of p in the next five days.
func (c *Client) Forecast(ctx context.Context, p Place, units, lang string) (Report, error) {
	var a struct {
		List []Sky `json:"list"`
		City struct {
			Sunrise, Sunset, Timezone int64
		} `json:"city"`
	}
	at, err := c.get(ctx, "/data/2.5/forecast", query(p, units, lang), &a)
	if err != nil {
		return Report{}, err
	}
	return report(at, a.City.Timezone, a.City.Sunrise, a.City.Sunset, a.List)
}

// report returns an error if an answer lacks a required field.
func report(at time.Time, zone, rise, set int64, skies []Sky) (Report, error) {
	r := Report{At: at, Zone: time.Duration(zone) * time.Second, Skies: skies}
	if rise > 0 && set > 0 {
		r.Rise, r.Set = time.Unix(rise, 0), time.Unix(set, 0)
	}
	if len(skies) == 0 || slices.ContainsFunc(skies, func(s Sky) bool { return len(s.Weather) == 0 || s.Dt == 0 }) {
		return Report{}, &Fault{Kind: Unreadable, err: errors.New("its answer has no weather")}
	}
	return r, nil
}

// languages are OpenWeather's language codes that differ from BCP 47
// (openweathermap.org/current#multi).
var languages = map[string]string{
	"ko": "kr", "cs": "cz", "sq": "al", "lv": "la", "nb": "no", "nn": "no", "uk": "ua",
	"zh-tw": "zh_tw", "zh-hk": "zh_tw", "zh-hant": "zh_tw", "zh": "zh_cn", "pt-br": "pt_br",
}

// Language returns OpenWeather's code for a BCP 47 tag: kr for ko, cz for cs.
func Language(tag string) string {
	for tag = strings.ToLower(tag); ; {
		if code, ok := languages[tag]; ok {
			return code
		}
		shorter := strings.LastIndexByte(tag, '-')
		if shorter < 0 {
			return tag
		}
		tag = tag[:shorter]
	}
}

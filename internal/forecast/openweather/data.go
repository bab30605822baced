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

// UnitsOf is the system of a country.
func UnitsOf(country string) string {
	if strings.Contains("US LR MM BS BZ KY PW FM MH", country) && len(country) == 2 {
		return Imperial
	}
	return Metric
}

// A Sky is what is reported of one moment. Its fields are those of OpenWeather.
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
	Pop float64 `json:"pop"` // how likely rain or snow is; forecasts only
}

// Report is a current weather or a forecast.
type Report struct {
	At    time.Time     // when it was asked for
	Zone  time.Duration // how far the place's clock is ahead of UTC
	Rise  time.Time     // of the sun, zero where it does not
	Set   time.Time
	Skies []Sky // one, or those of five days in steps of three hours; each has its Weather
}

// Local is t on the place's clock.
func (r Report) Local(t time.Time) time.Time {
	return t.In(time.FixedZone("", int(r.Zone.Seconds())))
}

// query asks for the weather of p.
func query(p Place, units, lang string) url.Values {
	return url.Values{"lat": {coordinate(p.Lat)}, "lon": {coordinate(p.Lon)}, "units": {units}, "lang": {Language(lang)}}
}

func coordinate(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

// Current is the weather of p now.
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

// Forecast is the weather of p in the next five days.
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

// report refuses an answer that lacks what every good one has.
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

// languages are the service's codes that are not those of BCP 47
// (openweathermap.org/current#multi).
var languages = map[string]string{
	"ko": "kr", "cs": "cz", "sq": "al", "lv": "la", "nb": "no", "nn": "no", "uk": "ua",
	"zh-tw": "zh_tw", "zh-hk": "zh_tw", "zh-hant": "zh_tw", "zh": "zh_cn", "pt-br": "pt_br",
}

// Language is the service's code for a tag of BCP 47: ko is kr, cs is cz.
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

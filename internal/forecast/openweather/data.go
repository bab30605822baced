package openweather

import (
	"cmp"
	"context"
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

// A Sky is the weather at one time, in °C, m/s and mm. Its fields are those of OpenWeather; a
// value that is absent or null there is nil here.
type Sky struct {
	Dt   int64 `json:"dt"`
	Main struct {
		Temp      *float64 `json:"temp"`
		FeelsLike *float64 `json:"feels_like"`
		TempMin   *float64 `json:"temp_min"`
		TempMax   *float64 `json:"temp_max"`
		Humidity  *float64 `json:"humidity"` // in percent
	} `json:"main"`
	Weather []Condition `json:"weather"`
	Wind    struct {
		Speed *float64 `json:"speed"`
		Gust  *float64 `json:"gust"`
	} `json:"wind"`
	Clouds struct {
		All *float64 `json:"all"` // in percent
	} `json:"clouds"`
	Visibility *float64 `json:"visibility"` // in metres, 10,000 at most
	Pop        *float64 `json:"pop"`        // probability of rain or snow; in forecasts only
	Rain       Fall     `json:"rain"`
	Snow       Fall     `json:"snow"`
	Sys        struct {
		Pod string `json:"pod"` // d or n: whether a step begins by day; in forecasts only
	} `json:"sys"`
}

// A Condition is a state of the sky, by openweathermap.org/weather-conditions.
type Condition struct {
	ID          int    `json:"id"`
	Description string `json:"description"`
}

// A Fall is an amount of rain or snow in mm. The service leaves it out where none falls.
type Fall struct {
	Hour  *float64 `json:"1h"` // of the current weather
	Three *float64 `json:"3h"` // of a step
}

// Condition returns the first condition of s; its ID is 0 if the service left it out.
func (s Sky) Condition() Condition {
	if len(s.Weather) == 0 {
		return Condition{}
	}
	return s.Weather[0]
}

// Amount returns how much rain and snow fall in the three hours of a step in mm, nil if the
// service does not say.
func (s Sky) Amount() *float64 {
	var sum *float64
	for _, v := range []*float64{s.Rain.Three, s.Snow.Three} {
		if v != nil && sum == nil {
			sum = new(float64)
		}
		if v != nil {
			*sum += *v
		}
	}
	return sum
}

// Report is the current weather or a forecast.
type Report struct {
	At    time.Time // when it was requested
	Rise  time.Time // sunrise; zero if there is none
	Set   time.Time
	Skies []Sky // one, or up to 40 in steps of three hours; each has its time

	clock *time.Location
}

// Local returns t on the place's clock.
func (r Report) Local(t time.Time) time.Time {
	if r.clock == nil {
		return t.UTC()
	}
	return t.In(r.clock)
}

// query returns the parameters of a request for the weather of p: one for everybody, so that
// nobody hears another temperature for having asked in other units or another language.
func query(p Place) url.Values {
	return url.Values{"lat": {coordinate(p.Lat)}, "lon": {coordinate(p.Lon)}, "units": {Metric}}
}

func coordinate(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

// A payload is what both answers have beside the weather.
type payload struct {
	Country         string `json:"country"`
	Sunrise, Sunset int64
	Timezone        *int64 `json:"timezone"` // the place's offset from UTC when it was asked, in seconds
}

// Current returns the current weather of p.
func (c *Client) Current(ctx context.Context, p Place) (Report, error) {
	type current struct {
		Sky
		Sys      payload `json:"sys"`
		Timezone *int64  `json:"timezone"`
	}
	a, at, err := get(ctx, c, "/data/2.5/weather", query(p), func(a current) bool { return hasTemperature([]Sky{a.Sky}) })
	if err != nil {
		return Report{}, err
	}
	a.Sys.Timezone = a.Timezone
	return a.Sys.report(at, p, []Sky{a.Sky}), nil
}

// Forecast returns the weather of p in the next five days.
func (c *Client) Forecast(ctx context.Context, p Place) (Report, error) {
	type forecast struct {
		List []Sky   `json:"list"`
		City payload `json:"city"`
	}
	a, at, err := get(ctx, c, "/data/2.5/forecast", query(p), func(a forecast) bool { return hasTemperature(a.List) })
	if err != nil {
		return Report{}, err
	}
	return a.City.report(at, p, a.List), nil
}

// hasTemperature reports whether any step with a time has a temperature.
func hasTemperature(skies []Sky) bool {
	return slices.ContainsFunc(skies, func(s Sky) bool { return s.Dt > 0 && s.Main.Temp != nil })
}

// report returns the weather of skies, of which some have a temperature, without steps that have no time.
func (a payload) report(at time.Time, p Place, skies []Sky) Report {
	r := Report{At: at, Skies: slices.DeleteFunc(slices.Clone(skies), func(s Sky) bool { return s.Dt <= 0 })}
	slices.SortStableFunc(r.Skies, func(a, b Sky) int { return cmp.Compare(a.Dt, b.Dt) })
	if a.Sunrise > 0 && a.Sunset > 0 {
		r.Rise, r.Set = time.Unix(a.Sunrise, 0), time.Unix(a.Sunset, 0)
	}
	r.clock = clockAt(cmp.Or(p.Country, a.Country), p.Lat, p.Lon, a.Timezone, time.Unix(r.Skies[0].Dt, 0))
	return r
}

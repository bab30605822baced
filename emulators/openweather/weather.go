package openweather

import (
	"hash/fnv"
	"math"
	"time"
)

// sky is the weather of one place at one moment, in metric units.
type sky struct {
	temp, feels, wind, gust, direction float64
	humidity, clouds, pressure         int
	condition                          int     // the service's code
	wet                                float64 // rain or snow, mm in an hour
	pop                                float64 // how likely it falls
	visibility                         int
	day                                bool
}

// at returns the weather at a point and a moment. It depends only on these: on noise that
// changes smoothly in time, the season and the solar hour.
func at(lat, lon float64, t time.Time) sky {
	seed := seedOf(lat, lon)
	season := math.Cos(2 * math.Pi * (float64(t.UTC().YearDay()) - 200) / 365)
	if lat < 0 {
		season = -season
	}
	solar := math.Mod(float64(t.Unix())/3600+lon/15+24, 24)
	wave := noise(seed, "temperature", t, 36*time.Hour)
	damp := noise(seed, "damp", t, 15*time.Hour)
	s := sky{
		temp:      27 - 0.45*math.Abs(lat) + season*math.Abs(lat)/4 + 4*math.Cos(2*math.Pi*(solar-15)/24) + 10*(wave-0.5),
		wind:      0.5 + 9*noise(seed, "wind", t, 9*time.Hour)*noise(seed, "gale", t, 40*time.Hour),
		direction: math.Round(360 * noise(seed, "direction", t, 30*time.Hour)),
		humidity:  int(35 + 60*damp), clouds: int(100 * min(1, max(0, (damp-0.25)/0.4))),
		pressure: int(1032 - 40*damp), visibility: 10000, day: solar > 6 && solar < 18,
		pop: math.Round(100*min(1, max(0, (damp-0.45)/0.35))) / 100,
	}
	s.gust = s.wind * 1.5
	s.feels = s.temp + float64(s.humidity-50)*0.03 - s.wind*0.3
	s.condition, s.wet = conditionOf(s, damp)
	if s.condition == 741 {
		s.visibility = 400
	}
	return s
}

// conditionOf returns the service's code for s, and how much falls in an hour.
func conditionOf(s sky, damp float64) (int, float64) {
	wet := math.Round(100*max(0, (damp-0.6)*12)) / 100
	switch {
	case wet > 0 && s.temp < 0.5:
		return pick(wet, 600, 601, 602), wet
	case wet > 0 && s.temp < 2:
		return 611, wet
	case wet > 2.4 && s.temp > 18:
		return pick(wet, 200, 201, 211), wet
	case wet > 0 && wet < 0.3:
		return 300, wet
	case wet > 0:
		return pick(wet, 500, 501, 502), wet
	case damp > 0.57 && s.wind < 1.5:
		return 741, 0
	}
	switch c := s.clouds; {
	case c <= 10:
		return 800, 0
	case c <= 25:
		return 801, 0
	case c <= 50:
		return 802, 0
	case c <= 84:
		return 803, 0
	}
	return 804, 0
}

// pick returns a code by the amount of rain or snow.
func pick(wet float64, light, moderate, heavy int) int {
	switch {
	case wet < 1.2:
		return light
	case wet < 3:
		return moderate
	}
	return heavy
}

func seedOf(lat, lon float64) uint64 {
	return uint64(int64(math.Round(lat*100))*100_000 + int64(math.Round(lon*100)))
}

// noise returns a value between 0 and 1 that changes smoothly over steps of that length.
func noise(seed uint64, what string, t time.Time, step time.Duration) float64 {
	x := float64(t.Unix()) / step.Seconds()
	n := math.Floor(x)
	f := x - n
	f = f * f * (3 - 2*f)
	return drawn(seed, what, int64(n))*(1-f) + drawn(seed, what, int64(n)+1)*f
}

func drawn(seed uint64, what string, n int64) float64 {
	h := fnv.New64a()
	var b [16]byte
	for i := range 8 {
		b[i], b[8+i] = byte(seed>>(8*i)), byte(n>>(8*i))
	}
	_, _ = h.Write(b[:])
	_, _ = h.Write([]byte(what))
	v := h.Sum64()
	v ^= v >> 29 // spread what FNV leaves in the low bits
	v *= 0xbf58476d1ce4e5b9
	v ^= v >> 32
	return float64(v>>11) / (1 << 53)
}

// sun returns sunrise and sunset on the day of t at that place; both are zero if the sun
// does not rise or set.
func sun(lat, lon float64, offset int, t time.Time) (rise, set int64) {
	local := t.UTC().Add(time.Duration(offset) * time.Second)
	decline := -23.44 * math.Cos(2*math.Pi*(float64(local.YearDay())+10)/365) * math.Pi / 180
	cos := -math.Tan(lat*math.Pi/180) * math.Tan(decline)
	if math.Abs(cos) > 1 {
		return 0, 0
	}
	half := math.Acos(cos) * 12 / math.Pi * 3600
	midnight := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC).Unix() - int64(offset)
	noon := float64(midnight) + 43200 + float64(offset) - lon/15*3600
	return int64(noon - half), int64(noon + half)
}

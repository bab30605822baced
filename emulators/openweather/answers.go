package openweather

import (
	"math"
	"net/url"
	"time"
)

// spot is what a request of the data is about.
type spot struct {
	place       Place
	lat, lon    float64
	units, lang string
}

// spotOf reads lat and lon, or q, which the service still takes.
func spotOf(q url.Values) (spot, error) {
	s := spot{units: q.Get("units"), lang: q.Get("lang")}
	lat, lon, given, err := coordinates(q)
	switch {
	case err != nil:
		return s, err
	case given:
		s.lat, s.lon = lat, lon
		s.place, _ = near(lat, lon, 0.3)
		if s.place.zone == "" {
			s.place.Lon = lon
		}
		return s, nil
	case q.Get("q") == "":
		return s, errNothing
	}
	found := find(q.Get("q"))
	if len(found) == 0 {
		return s, errCity
	}
	s.place, s.lat, s.lon = found[0], found[0].Lat, found[0].Lon
	return s, nil
}

// name returns the place's in the language of the request.
func (s spot) name() string {
	if local := s.place.LocalNames[languageOf(s.lang)]; local != "" {
		return local
	}
	return s.place.Name
}

func (s spot) id() uint64 { return seedOf(s.lat, s.lon) % 10_000_000 }

// degrees returns a temperature in the units of the request: kelvin unless they are others.
func (s spot) degrees(celsius float64) float64 {
	switch s.units {
	case "metric":
	case "imperial":
		celsius = celsius*9/5 + 32
	default:
		celsius += 273.15
	}
	return hundredths(celsius)
}

// speed is metres a second, or miles an hour.
func (s spot) speed(v float64) float64 {
	if s.units == "imperial" {
		v *= 2.236936
	}
	return hundredths(v)
}

func hundredths(v float64) float64 { return math.Round(v*100) / 100 }

type object map[string]any

func (s spot) main(w sky) object {
	return object{
		"temp": s.degrees(w.temp), "feels_like": s.degrees(w.feels), "temp_min": s.degrees(w.temp - 1.1), "temp_max": s.degrees(w.temp + 1.1),
		"pressure": w.pressure, "humidity": w.humidity, "sea_level": w.pressure, "grnd_level": w.pressure - 8,
	}
}

func (s spot) weather(w sky) []object {
	c := conditions[w.condition]
	icon := c.icon + "n"
	if w.day {
		icon = c.icon + "d"
	}
	return []object{{"id": w.condition, "main": c.main, "description": c.in(s.lang), "icon": icon}}
}

func (s spot) wind(w sky) object {
	return object{"speed": s.speed(w.wind), "deg": w.direction, "gust": s.speed(w.gust)}
}

// fall adds what falls, over that many hours, as the service does: only if it does.
func (w sky) fall(o object, hours string, times float64) {
	if w.wet == 0 {
		return
	}
	kind := "rain"
	if w.condition/100 == 6 {
		kind = "snow"
	}
	o[kind] = object{hours: hundredths(w.wet * times)}
}

// current answers /data/2.5/weather. Its cod is a number.
func (s *Server) current(q url.Values) (any, error) {
	of, err := spotOf(q)
	if err != nil {
		return nil, err
	}
	now := s.o.Now()
	w, offset := at(of.lat, of.lon, now), of.place.offset(now)
	rise, set := sun(of.lat, of.lon, offset, now)
	system := object{"sunrise": rise, "sunset": set}
	if of.place.Country != "" {
		system["country"], system["type"], system["id"] = of.place.Country, 1, of.id()%9000
	}
	o := object{
		"coord": object{"lon": of.lon, "lat": of.lat}, "weather": of.weather(w), "base": "stations", "main": of.main(w), "visibility": w.visibility,
		"wind": of.wind(w), "clouds": object{"all": w.clouds}, "dt": now.Unix(), "sys": system, "timezone": offset, "id": of.id(), "name": of.name(), "cod": 200,
	}
	w.fall(o, "1h", 1)
	return o, nil
}

// step is the distance of forecasts, of which there are steps.
const (
	step  = 3 * time.Hour
	steps = 40
)

// forecast answers /data/2.5/forecast. Its cod is a text.
func (s *Server) forecast(q url.Values) (any, error) {
	of, err := spotOf(q)
	if err != nil {
		return nil, err
	}
	now := s.o.Now()
	first := now.UTC().Truncate(step).Add(step)
	list := []object{}
	for i := range count(q) {
		list = append(list, of.item(first.Add(time.Duration(i)*step)))
	}
	offset := of.place.offset(now)
	rise, set := sun(of.lat, of.lon, offset, now)
	return object{"cod": "200", "message": 0, "cnt": len(list), "list": list, "city": object{
		"id": of.id(), "name": of.name(), "coord": object{"lat": of.lat, "lon": of.lon}, "country": of.place.Country,
		"population": 0, "timezone": offset, "sunrise": rise, "sunset": set,
	}}, nil
}

func (s spot) item(t time.Time) object {
	w := at(s.lat, s.lon, t)
	pod := "n"
	if w.day {
		pod = "d"
	}
	numbers := s.main(w)
	numbers["temp_kf"] = 0
	o := object{
		"dt": t.Unix(), "main": numbers, "weather": s.weather(w), "clouds": object{"all": w.clouds}, "wind": s.wind(w),
		"visibility": w.visibility, "pop": w.pop, "sys": object{"pod": pod}, "dt_txt": t.UTC().Format(time.DateTime),
	}
	w.fall(o, "3h", 3)
	return o
}

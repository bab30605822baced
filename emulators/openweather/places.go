package openweather

import (
	_ "embed"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // of places, where the machine has no zones
	"unicode"

	"golang.org/x/text/unicode/norm"
)

//go:embed places.tsv
var placesText string

// A Place is a place that the emulator knows.
type Place struct {
	Name       string            `json:"name"`
	LocalNames map[string]string `json:"local_names,omitempty"` // by language
	Lat        float64           `json:"lat"`
	Lon        float64           `json:"lon"`
	Country    string            `json:"country"`
	State      string            `json:"state,omitempty"`

	zone string
}

// Places are all places of the emulator, the best known first: those with the most names.
var Places = sync.OnceValue(func() (all []Place) {
	for line := range strings.Lines(placesText) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 7 && line[0] != '#' {
			all = append(all, placeOf(f))
		}
	}
	slices.SortStableFunc(all, func(a, b Place) int { return len(b.LocalNames) - len(a.LocalNames) })
	return all
})

func placeOf(f []string) Place {
	p := Place{Name: f[0], Country: f[1], State: f[2], zone: f[5], LocalNames: map[string]string{}}
	p.Lat, _ = strconv.ParseFloat(f[3], 64)
	p.Lon, _ = strconv.ParseFloat(f[4], 64)
	for _, entry := range strings.Split(f[6], "|") {
		lang, name, _ := strings.Cut(entry, "=")
		p.LocalNames[lang] = name
	}
	return p
}

// aliases are names by which the service finds a place though its answer does not list
// them, folded.
var aliases = map[string]string{"nyc": "New York", "saigon": "Ho Chi Minh City", "東京都": "Tokyo"}

// districts are what the service names by coordinates within some large cities: the
// district, not the city.
var districts = []Place{
	{Name: "Hải Châu", Country: "VN", Lat: 16.06, Lon: 108.21},
	{Name: "Jung-gu", Country: "KR", Lat: 37.56, Lon: 126.99, LocalNames: map[string]string{"ko": "중구", "en": "Jung-gu"}},
	{Name: "City of Westminster", Country: "GB", State: "England", Lat: 51.5, Lon: -0.14},
	{Name: "Chiyoda", Country: "JP", Lat: 35.69, Lon: 139.75, LocalNames: map[string]string{"ja": "千代田区", "en": "Chiyoda"}},
}

// called reports that p has that name in any language, spelt in any way.
func (p Place) called(name string) bool {
	name = folded(name)
	if folded(p.Name) == name || aliases[name] == p.Name {
		return name != ""
	}
	for _, local := range p.LocalNames {
		if folded(local) == name {
			return name != ""
		}
	}
	return false
}

func folded(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r), !unicode.IsLetter(r) && !unicode.IsDigit(r):
			return -1
		case r == 'đ', r == 'Đ':
			return 'd'
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
}

// offset returns how many seconds the place's clock is ahead of UTC then.
func (p Place) offset(t time.Time) int {
	if zone, err := time.LoadLocation(p.zone); err == nil && p.zone != "" {
		_, offset := t.In(zone).Zone()
		return offset
	}
	return int(math.Round(p.Lon/15)) * 3600
}

// near returns the place next to a point, within so many degrees.
func near(lat, lon, degrees float64) (Place, bool) {
	best, found := degrees, Place{}
	for _, p := range Places() {
		if d := math.Hypot(p.Lat-lat, (p.Lon-lon)*math.Cos(lat*math.Pi/180)); d <= best && (found.Name == "" || d < best) {
			best, found = d, p
		}
	}
	return found, found.Name != ""
}

// find returns the places of "name", "name,country" or "name,state,country". The state
// counts in the United States only, by its code.
func find(q string) (found []Place) {
	parts := strings.Split(q, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	state, country := "", ""
	if n := len(parts); n > 1 {
		country = strings.ToUpper(parts[n-1])
	}
	if len(parts) > 2 {
		state = strings.ToUpper(parts[1])
	}
	for _, p := range Places() {
		if p.called(parts[0]) && (country == "" || p.Country == country) && (state == "" || country != "US" || states[state] == p.State) {
			found = append(found, p)
		}
	}
	return found
}

// limited returns the list up to limit, by default 1 and at most 5.
func limited(q url.Values, all []Place) []Place {
	n, err := strconv.Atoi(q.Get("limit"))
	if err != nil || n < 1 {
		n = 1
	}
	return append([]Place{}, all[:min(len(all), n, 5)]...)
}

// direct answers /geo/1.0/direct.
func direct(q url.Values) (any, error) {
	if strings.TrimSpace(q.Get("q")) == "" {
		return nil, errNothing
	}
	return limited(q, find(q.Get("q"))), nil
}

// reverse answers /geo/1.0/reverse.
func reverse(q url.Values) (any, error) {
	lat, lon, given, err := coordinates(q)
	if err != nil {
		return nil, err
	}
	if !given {
		return nil, errNothing
	}
	for _, d := range districts {
		if math.Hypot(d.Lat-lat, d.Lon-lon) < 0.12 {
			return limited(q, []Place{d}), nil
		}
	}
	if p, ok := near(lat, lon, 0.3); ok {
		return limited(q, []Place{p}), nil
	}
	return []Place{}, nil
}

// zips are some postal codes.
var zips = map[string]string{
	"98101,US": "Seattle", "10001,US": "New York", "60601,US": "Chicago", "E14,GB": "London", "75001,FR": "Paris", "04524,KR": "Seoul", "100-0001,JP": "Tokyo",
}

// zip answers /geo/1.0/zip.
func zip(q url.Values) (any, error) {
	code, country, ok := strings.Cut(q.Get("zip"), ",")
	if code == "" {
		return nil, errNothing
	}
	if !ok {
		country = "US"
	}
	country = strings.ToUpper(country)
	for _, p := range find(zips[strings.ToUpper(code)+","+country] + "," + country) {
		return map[string]any{"zip": code, "name": p.Name, "lat": p.Lat, "lon": p.Lon, "country": p.Country}, nil
	}
	return nil, errZip
}

// states are those of the United States that places are in, by their codes.
var states = func() map[string]string {
	all := map[string]string{}
	for _, s := range strings.Split("AK Alaska|AL Alabama|CA California|CO Colorado|DC District of Columbia|FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|"+
		"IN Indiana|KY Kentucky|LA Louisiana|MA Massachusetts|ME Maine|MI Michigan|MN Minnesota|MO Missouri|NH New Hampshire|NV Nevada|NY New York|"+
		"OH Ohio|OR Oregon|PA Pennsylvania|TN Tennessee|TX Texas|VA Virginia|WA Washington|AZ Arizona", "|") {
		all[s[:2]] = s[3:]
	}
	return all
}()

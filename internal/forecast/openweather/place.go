package openweather

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/whatis/internal/textfold"
	"example.com/whatis/internal/usererror"
)

// A Place is somewhere on earth.
type Place struct {
	ID      string  `json:"id"` // for URL paths, such as seoul-kr-37.57-126.98
	Name    string  `json:"name"`
	State   string  `json:"state,omitempty"`
	Country string  `json:"country,omitempty"` // ISO 3166
	Lat     float64 `json:"lat"`
	Lon     float64 `json:"lon"`

	names map[string]string // by language
}

// A Kept is a place with its names, as it is stored and read again.
type Kept struct {
	Place
	Names map[string]string `json:"local_names,omitempty"`
}

// Keep returns p as it is stored.
func (p Place) Keep() Kept { return Kept{p, p.names} }

// Restore returns the place that was stored.
func (k Kept) Restore() Place {
	k.Place.names = k.Names
	return k.Place
}

// In returns the place's name in a language.
func (p Place) In(lang string) string {
	base, _, _ := strings.Cut(strings.ToLower(lang), "-")
	if name := p.names[base]; name != "" {
		return name
	}
	return p.Name
}

// String returns the name with everything that distinguishes it from places of the same
// name.
func (p Place) String() string {
	return strings.Join(slices.DeleteFunc([]string{p.Name, p.State, p.Country}, func(s string) bool { return s == "" }), ", ")
}

// MaxPlace is the longest name of a place, in runes.
const MaxPlace = 100

// Errors of Find.
var (
	ErrPlace   = usererror.Errorf("weather", "this names no place: send a city of at most %d letters, as Seoul, Springfield, IL or Paris, FR, or a latitude and a longitude, as 37.6,127.0", MaxPlace)
	ErrUnknown = usererror.New("weather", "there is no such place: look how it is written, or add its country, as Paris, FR")
)

// Ambiguous is the error for a name of several places that are about equally likely.
type Ambiguous struct {
	Name       string
	Candidates []Place
}

func (a *Ambiguous) Error() string { return "openweather: " + a.Public() }

// Public asks which place is meant.
func (a *Ambiguous) Public() string {
	return fmt.Sprintf("there are several places called %s: which one is meant? %s", a.Name, strings.Join(a.Choices(), "; "))
}

// Choices returns the candidates by names that Find takes for them.
func (a *Ambiguous) Choices() (all []string) {
	for _, c := range a.Candidates {
		all = append(all, c.String())
	}
	return all
}

// Find returns the place with that name, in any script, or the place about that latitude and
// longitude, which are rounded to a tenth of a degree: that tells the weather and not where
// somebody lives. If several places are about equally likely, the error is *Ambiguous.
func (c *Client) Find(ctx context.Context, text string) (Place, error) {
	if at, ok := PointOf(text); ok {
		return c.At(ctx, tenth(at.lat), tenth(at.lon))
	}
	if !namesPlace(text) {
		return Place{}, fmt.Errorf("%w (%q)", ErrPlace, usererror.Short(text, usererror.Quoted))
	}
	parts := strings.Split(text, ",")
	for i := range parts {
		parts[i] = strings.Join(strings.Fields(parts[i]), " ")
	}
	found, err := c.called(ctx, parts[0], parts[1:])
	if err == nil && len(found) == 0 && len(parts) == 1 {
		found, err = c.qualified(ctx, parts[0])
	}
	if name := withoutSuffix(parts[0]); err == nil && len(found) == 0 && name != "" {
		found, err = c.called(ctx, name, parts[1:])
		found = withName(found, name, sameName)
	}
	if err != nil {
		return Place{}, err
	}
	likely := mostLikely(found)
	if i := slices.IndexFunc(likely, func(p Place) bool { return p.String() == text }); i >= 0 { // one of the candidates, as listed in the error
		return likely[i], nil
	}
	switch len(likely) {
	case 0:
		return Place{}, fmt.Errorf("%w (%q)", ErrUnknown, usererror.Short(text, usererror.Quoted))
	case 1:
		return likely[0], nil
	}
	return Place{}, &Ambiguous{parts[0], likely}
}

// namesPlace reports whether text may be the name of a place.
func namesPlace(text string) bool {
	name, _, _ := strings.Cut(text, ",")
	strange := strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) && !strings.ContainsRune(" ,.'’ʻ-–()·", r)
	})
	return utf8.RuneCountInString(text) <= MaxPlace && utf8.ValidString(text) && textfold.Letters(name) > 0 && !strange && !strings.Contains(text, "..")
}

// At returns what the service names at a point of tenths of a degree: with its own
// coordinates, as if it had been asked by its name, if they round to that point, else with
// those of the point.
func (c *Client) At(ctx context.Context, lat, lon float64) (Place, error) {
	if math.Abs(lat) > 90 || math.Abs(lon) > 180 {
		return Place{}, fmt.Errorf("%w (a latitude is -90 to 90 and a longitude -180 to 180)", ErrPlace)
	}
	found, err := c.places(ctx, "/geo/1.0/reverse", url.Values{"lat": {coordinate(lat)}, "lon": {coordinate(lon)}, "limit": {"1"}})
	p := Place{Name: fmt.Sprintf("%.1f, %.1f", lat, lon)}
	if len(found) > 0 {
		p = found[0]
	}
	if len(found) > 0 && tenth(p.Lat) == lat && tenth(p.Lon) == lon {
		return p, nil
	}
	p.Lat, p.Lon = lat, lon
	p.ID = fmt.Sprintf("at-%.1f-%.1f", lat, lon)
	return p, err
}

// pointID matches the IDs of places that only a caller's coordinates name: those of others have
// their country behind their name.
var pointID = regexp.MustCompile(`^at--?\d`)

// IsPoint reports whether an ID is of a caller's coordinates and not of a place with a name.
func IsPoint(id string) bool { return pointID.MatchString(id) }

// qualified returns the places of a name that ends with the name of a country or state, as
// Paris France or Springfield IL.
func (c *Client) qualified(ctx context.Context, text string) ([]Place, error) {
	words := strings.Fields(text)
	for n := 1; n < len(words) && n <= 4; n++ {
		name, last := strings.Join(words[:len(words)-n], " "), strings.Join(words[len(words)-n:], " ")
		if _, ok := countryOf(last); !ok && stateOf(last) == "" {
			continue
		}
		if found, err := c.called(ctx, name, []string{last}); err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}

// suffixes say in some scripts that a name is that of a city, as 市 in 大阪市.
var suffixes = []string{"특별자치시", "특별시", "광역시", "시", "都", "府", "市"}

// withoutSuffix returns a name without its suffix, "" if it has none or is no more than that.
func withoutSuffix(name string) string {
	for _, suffix := range suffixes {
		if short, ok := strings.CutSuffix(name, suffix); ok {
			return strings.TrimSpace(short)
		}
	}
	return ""
}

// called returns the places with that name in the state or country that the qualifiers
// name. Where none has the name, a longer or a shorter one counts, as 東京都 for 東京; where
// none has that either, all do that the service finds for the name, as New York for NYC.
func (c *Client) called(ctx context.Context, name string, qualifiers []string) ([]Place, error) {
	if len(qualifiers) > 2 {
		return nil, nil
	}
	var all []Place
	for _, q := range questions(name, qualifiers) {
		found, err := c.places(ctx, "/geo/1.0/direct", url.Values{"q": {q.text}, "limit": {"5"}})
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			if (q.state == "" || textfold.String(p.State) == textfold.String(q.state)) && !slices.ContainsFunc(all, p.near) {
				all = append(all, p)
			}
		}
	}
	for _, fits := range []func(string, string) bool{sameName, akin} {
		if those := withName(all, name, fits); len(those) > 0 {
			return those, nil
		}
	}
	return all, nil
}

// withName returns the places that have a name, in some language, which fits.
func withName(all []Place, name string, fits func(string, string) bool) (found []Place) {
	for _, p := range all {
		names := append(slices.Collect(maps.Values(p.names)), p.Name)
		if slices.ContainsFunc(names, func(n string) bool { return fits(n, name) }) {
			found = append(found, p)
		}
	}
	return found
}

func sameName(a, b string) bool { return textfold.String(a) == textfold.String(b) }

// akin reports that one name begins with the other: by words, or by characters in scripts
// that write no spaces within names.
func akin(a, b string) bool {
	x, y := textfold.Words(a), textfold.Words(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) == 0 {
		return false
	}
	if slices.Equal(x, y[:len(x)]) {
		return true
	}
	short, long := textfold.String(a), textfold.String(b)
	if len(short) > len(long) {
		short, long = long, short
	}
	unspaced := strings.ContainsFunc(short, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hangul, unicode.Katakana, unicode.Hiragana)
	})
	return unspaced && strings.HasPrefix(long, short)
}

// A question is one request to the service, and the state that results must have.
type question struct{ text, state string }

// questions returns the requests for a name with qualifiers. CA may be California or
// Canada, GA is ambiguous too: both are requested.
func questions(name string, qualifiers []string) (all []question) {
	if len(qualifiers) == 0 {
		return []question{{name, ""}}
	}
	last := qualifiers[len(qualifiers)-1]
	country, ok := countryOf(last)
	if len(qualifiers) == 2 {
		if code := stateOf(qualifiers[0]); country == "US" && code != "" {
			return []question{{name + "," + code + ",US", ""}}
		}
		return []question{{name + "," + country, qualifiers[0]}}
	}
	if ok {
		all = append(all, question{name + "," + country, ""})
	}
	if code := stateOf(last); code != "" {
		all = append(all, question{name + "," + code + ",US", ""})
	}
	if len(all) == 0 {
		all = append(all, question{name, last})
	}
	return all
}

// places requests a list of places.
func (c *Client) places(ctx context.Context, path string, q url.Values) ([]Place, error) {
	type named struct {
		Place
		Names map[string]string `json:"local_names"`
	}
	all, _, err := get(ctx, c, path, q, func([]named) bool { return true })
	if errors.Is(err, ErrUnknown) {
		return nil, nil
	}
	var found []Place
	for _, one := range all {
		p := one.Place
		p.names = one.Names
		p.ID = idOf(p)
		found = append(found, p)
	}
	return found, err
}

// idOf returns the ID of p for URL paths.
func idOf(p Place) string {
	words := textfold.Words(p.Name)
	if p.Country == "" {
		words = []string{"at"}
	}
	return strings.ToLower(strings.Join(append(words, p.Country, fmt.Sprintf("%.2f", p.Lat), fmt.Sprintf("%.2f", p.Lon)), "-"))
}

// near reports whether q is the same place, listed twice.
func (p Place) near(q Place) bool {
	return p.Country == q.Country && math.Abs(p.Lat-q.Lat) < 0.2 && math.Abs(p.Lon-q.Lon) < 0.2
}

// dominance is how many times better known a place must be for others of the same name to
// be ignored. The service does not report populations; the measure is the number of
// languages in which a place has a name.
const dominance = 3

// mostLikely returns the places that are about equally likely, the best known first.
func mostLikely(all []Place) []Place {
	known := func(p Place) int { return 1 + len(p.names) }
	slices.SortStableFunc(all, func(a, b Place) int { return known(b) - known(a) })
	return slices.DeleteFunc(all, func(p Place) bool { return known(p)*dominance <= known(all[0]) })
}

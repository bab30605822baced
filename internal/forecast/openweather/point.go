package openweather

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
)

// A Point is a latitude and a longitude as a caller wrote them.
type Point struct {
	lat, lon     float64
	latBy, lonBy int // the decimals written
}

var point = regexp.MustCompile(`^\s*([-+]?\d+(?:\.(\d+))?)\s*,\s*([-+]?\d+(?:\.(\d+))?)\s*$`)

// PointOf parses a latitude and a longitude, as 37.6,127.0; ok is false for any other text.
func PointOf(text string) (p Point, ok bool) {
	m := point.FindStringSubmatch(text)
	if m == nil {
		return p, false
	}
	p.lat, _ = strconv.ParseFloat(m[1], 64)
	p.lon, _ = strconv.ParseFloat(m[3], 64)
	p.latBy, p.lonBy = len(m[2]), len(m[4])
	return p, true
}

// Cell returns the tenth of a degree about a point, as 37.6,127.0: of a caller's point no
// more is stored.
func (p Point) Cell() string {
	return fmt.Sprintf("%.1f,%.1f", tenth(hundredth(p.lat)), tenth(hundredth(p.lon)))
}

// Is reports whether p is where q is: q rounded to the decimals with which p is written, of
// which at least two count. 37.57,126.98 is 37.5667,126.9783, and 37.6,127.0 is not.
func (p Point) Is(q Point) bool {
	same := func(a, b float64, decimals int) bool {
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(b, 'f', max(2, decimals), 64), 64)
		return a == rounded
	}
	return same(p.lat, q.lat, p.latBy) && same(p.lon, q.lon, p.lonBy)
}

// Apart returns the angle between two points in radians.
func (p Point) Apart(q Point) float64 { return apart(p.lat, p.lon, q.lat, q.lon) }

// Point returns the coordinates of p, with all decimals.
func (p Place) Point() Point { return Point{lat: p.Lat, lon: p.Lon, latBy: 9, lonBy: 9} }

// String returns p as PointOf takes it.
func (p Point) String() string {
	return strconv.FormatFloat(p.lat, 'f', -1, 64) + "," + strconv.FormatFloat(p.lon, 'f', -1, 64)
}

// tenth rounds v to a tenth, hundredth to a hundredth; the results are never -0.
func tenth(v float64) float64     { return math.Round(v*10)/10 + 0 }
func hundredth(v float64) float64 { return math.Round(v*100)/100 + 0 }

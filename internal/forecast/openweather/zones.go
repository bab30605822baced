package openweather

import (
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // the rules of the zones, where the machine has none
)

// zonesText has a point of each time zone, for each country that has it.
//
//go:embed zones.tsv
var zonesText string

// A zonePoint is the principal place of a time zone in a country.
type zonePoint struct {
	country, zone string
	lat, lon      float64
}

var zonePoints = sync.OnceValue(readZones)

// readZones parses zonesText. It is read when a clock is asked for the first time.
func readZones() (all []zonePoint) {
	for line := range strings.Lines(zonesText) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); line[0] != '#' && len(f) == 3 {
			split := strings.LastIndexAny(f[1], "+-")
			all = append(all, zonePoint{f[0], f[2], degreesOf(f[1][:split]), degreesOf(f[1][split:])})
		}
	}
	return all
}

// degreesOf parses a coordinate of ISO 6709: ±DDMM, ±DDDMM, ±DDMMSS or ±DDDMMSS.
func degreesOf(s string) (v float64) {
	whole := 2 + (len(s)-1)%2
	for i, divisor := 1, 1.0; i < len(s); divisor *= 60 {
		n, _ := strconv.ParseFloat(s[i:i+whole], 64) // digits of the embedded file
		v += n / divisor
		i, whole = i+whole, 2
	}
	if s[0] == '-' {
		return -v
	}
	return v
}

// clockAt returns the time zone of a point: of the zones of its country that had this
// offset from UTC in seconds then, the one whose place is nearest; of all zones, if the
// database does not list the country, as Kosovo. The service says the
// offset as of its answer, whose first step is at most three hours later. Where no zone
// fits, as at sea, the clock is the offset's, or that of the sun if there is none.
//
// The nearest place need not be of the same zone: near a border of zones with one offset
// for the present, hours after the next change of the clock may be those of the neighbour.
func clockAt(country string, lat, lon float64, offset *int64, first time.Time) *time.Location {
	var clock *time.Location
	best := math.Inf(1)
	listed := slices.ContainsFunc(zonePoints(), func(p zonePoint) bool { return p.country == country })
	for _, p := range zonePoints() {
		away := apart(lat, lon, p.lat, p.lon)
		if country == "" || listed && p.country != country || away >= best {
			continue
		}
		zone, err := time.LoadLocation(p.zone)
		if err == nil && (offset == nil || hasOffset(zone, *offset, first)) {
			clock, best = zone, away
		}
	}
	switch {
	case clock != nil:
		return clock
	case offset != nil:
		return time.FixedZone("", int(*offset))
	}
	return time.FixedZone("", int(math.Round(lon/15))*3600)
}

// hasOffset reports whether zone has that offset at t, or had it three hours before.
func hasOffset(zone *time.Location, seconds int64, t time.Time) bool {
	_, then := t.In(zone).Zone()
	_, before := t.Add(-3 * time.Hour).In(zone).Zone()
	return int64(then) == seconds || int64(before) == seconds
}

// apart returns the angle between two points in radians.
func apart(lat1, lon1, lat2, lon2 float64) float64 {
	const radian = math.Pi / 180
	cos := math.Sin(lat1*radian)*math.Sin(lat2*radian) + math.Cos(lat1*radian)*math.Cos(lat2*radian)*math.Cos((lon1-lon2)*radian)
	return math.Acos(max(-1, min(1, cos)))
}

package openweather

import (
	"testing"
	"time"
	"unsafe"
)

// Places have the clock of their zone, also after its next change. The times are those of
// the tz database as the machine's date command tells them.
func TestClockAt(t *testing.T) {
	tests := []struct {
		name, country string
		lat, lon      float64
		asked         string // when the service answered, with its offset
		later, want   string
	}{
		{"London, before the clock goes back", "GB", 51.51, -0.13, "2026-10-24T22:00:00+01:00", "2026-10-25T03:00:00Z", "2026-10-25T03:00:00Z"},
		{"London, on that day", "GB", 51.51, -0.13, "2026-10-25T00:30:00+01:00", "2026-10-25T00:00:00Z", "2026-10-25T01:00:00+01:00"},
		{"London, before it goes forward", "GB", 51.51, -0.13, "2027-03-27T22:00:00Z", "2027-03-28T03:00:00Z", "2027-03-28T04:00:00+01:00"},
		{"New York", "US", 40.71, -74.01, "2026-10-31T22:00:00-04:00", "2026-11-01T09:00:00Z", "2026-11-01T04:00:00-05:00"},
		{"Phoenix, which does not change", "US", 33.45, -112.07, "2027-03-13T12:00:00-07:00", "2027-03-14T12:00:00Z", "2027-03-14T05:00:00-07:00"},
		{"Denver, which does", "US", 39.74, -104.98, "2027-03-13T12:00:00-07:00", "2027-03-14T12:00:00Z", "2027-03-14T06:00:00-06:00"},
		{"Tucson", "US", 32.22, -110.97, "2027-03-13T12:00:00-07:00", "2027-03-14T12:00:00Z", "2027-03-14T05:00:00-07:00"},
		{"Lord Howe, by half an hour", "AU", -31.55, 159.08, "2026-10-03T12:00:00+10:30", "2026-10-04T12:00:00Z", "2026-10-04T23:00:00+11:00"},
		{"Sydney", "AU", -33.87, 151.21, "2026-10-03T12:00:00+10:00", "2026-10-04T12:00:00Z", "2026-10-04T23:00:00+11:00"},
		{"Brisbane, which does not change", "AU", -27.47, 153.02, "2026-10-03T12:00:00+10:00", "2026-10-04T12:00:00Z", "2026-10-04T22:00:00+10:00"},
		{"Kathmandu", "NP", 27.7, 85.3, "2026-10-03T12:00:00+05:45", "2026-10-04T12:00:00Z", "2026-10-04T17:45:00+05:45"},
		{"Kiritimati", "KI", 1.98, -157.47, "2026-10-03T12:00:00+14:00", "2026-10-04T12:00:00Z", "2026-10-05T02:00:00+14:00"},
		{"Taveuni, over the antimeridian", "FJ", -16.8, -179.97, "2026-10-03T12:00:00+12:00", "2026-10-04T12:00:00Z", "2026-10-05T00:00:00+12:00"},
		{"the South Pole", "AQ", -90, 0, "2026-09-20T12:00:00+12:00", "2026-09-27T12:00:00Z", "2026-09-28T01:00:00+13:00"},
		{"Pristina, whose country the database does not list", "XK", 42.66, 21.17, "2026-10-24T12:00:00+02:00", "2026-10-26T12:00:00Z", "2026-10-26T13:00:00+01:00"},
		{"at sea", "", 0, -140, "2026-10-24T12:00:00-09:00", "2026-10-26T12:00:00Z", "2026-10-26T03:00:00-09:00"},
		{"a law of tomorrow, which the service knows first", "GB", 51.51, -0.13, "2026-10-24T22:00:00+03:00", "2026-10-25T03:00:00Z", "2026-10-25T06:00:00+03:00"},
	}
	for _, test := range tests {
		asked, later, want := at(t, test.asked), at(t, test.later), at(t, test.want)
		_, seconds := asked.Zone()
		offset := int64(seconds)
		first := asked.UTC().Truncate(3 * time.Hour).Add(3 * time.Hour)
		got := later.In(clockAt(test.country, test.lat, test.lon, &offset, first))
		if got.Format(time.RFC3339) != want.Format(time.RFC3339) {
			t.Errorf("%s: %s, want %s", test.name, got.Format(time.RFC3339), want.Format(time.RFC3339))
		}
	}
	if got := clockAt("GB", 51.5, 0, nil, time.Unix(0, 0)).String(); got != "Europe/London" {
		t.Errorf("without an offset the clock is %s, want Europe/London", got)
	}
	if _, offset := time.Unix(0, 0).In(clockAt("", 0, -140, nil, time.Unix(0, 0))).Zone(); offset != -9*3600 {
		t.Errorf("without an offset the clock at sea is %d, want the sun's", offset)
	}
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The table has the points of all zones, and each zone has rules.
func TestZonePoints(t *testing.T) {
	if n := len(zonePoints()); n != 418 {
		t.Errorf("%d points, want the 418 of zone.tab", n)
	}
	for _, p := range zonePoints() {
		if _, err := time.LoadLocation(p.zone); err != nil || len(p.country) != 2 || p.lat < -90 || p.lat > 90 || p.lon < -180 || p.lon > 180 || p.lat == 0 && p.lon == 0 {
			t.Errorf("%+v, %v", p, err)
		}
	}
	for zone, want := range map[string][2]float64{"Europe/London": {51.5083, -0.1253}, "Asia/Seoul": {37.55, 126.9667}, "Pacific/Chatham": {-43.95, -176.55}} {
		for _, p := range zonePoints() {
			if p.zone == zone && (apart(p.lat, p.lon, want[0], want[1]) > 1e-4) {
				t.Errorf("%s is at %v, %v, want %v", zone, p.lat, p.lon, want)
			}
		}
	}
}

// BenchmarkZones measures the first clock of an instance: all that the zones cost. What is
// kept of them is in kept-bytes.
func BenchmarkZones(b *testing.B) {
	b.ReportAllocs()
	var all []zonePoint
	for b.Loop() {
		all = readZones()
	}
	b.ReportMetric(float64(cap(all))*float64(unsafe.Sizeof(all[0])), "kept-bytes")
}

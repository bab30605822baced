package forecast

import (
	"fmt"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/forecast/openweather"
)

// Two instances tell the same of a place for a quarter of an hour, whatever the service says meanwhile; what
// is old or broken is asked for anew, and places are asked for by each.
func TestInstancesTellTheSame(t *testing.T) {
	h := open(t, nil)
	seoul := openweather.Place{ID: "seoul", Lat: 37.57, Lon: 126.98}
	fresh := time.Hour
	temperature := func() float64 {
		t.Helper()
		c, err := openweather.New(openweather.Config{
			Key: "k", BaseURL: h.Weather.URL(), AllowEmulated: true, Fresh: fresh,
			Shared: Shared{blob.New(emulate.StorageClient(t, h.World)), "results"},
		})
		if err != nil {
			t.Fatal(err)
		}
		report, err := c.Current(t.Context(), seoul)
		if err != nil {
			t.Fatal(err)
		}
		return *report.Skies[0].Main.Temp
	}
	says := func(temp float64) {
		h.Weather.SetAnswer("/data/2.5/weather", fmt.Appendf(nil, `{"coord":{"lat":37.57,"lon":126.98},"weather":[{"id":800,"main":"Clear","description":"clear sky"}],"main":{"temp":%g,"humidity":50},"dt":%d,"timezone":32400}`, temp, time.Now().Unix()))
	}
	says(7)
	first := temperature()
	says(9)
	if second := temperature(); second != first {
		t.Errorf("one instance tells %g, the next %g; want the same", first, second)
	}
	fresh = time.Nanosecond
	if third := temperature(); third == first {
		t.Errorf("what is old is told again: %g", third)
	}
	fresh = time.Hour
	says(11)
	if again := temperature(); again != 9 { // as the third has kept its own
		t.Errorf("in place of what was old %g is told, want 9", again)
	}
	for o, err := range blob.New(h.objects).List(t.Context(), "results", root+"weather/") {
		if err != nil {
			t.Fatal(err)
		}
		if err := (cacheStore{objects: h.Objects, bucket: "results"}).write(t.Context(), o.Name, "application/json", []byte("{")); err != nil {
			t.Fatal(err)
		}
	}
	says(13)
	if broken := temperature(); broken != 13 {
		t.Errorf("beside a broken object %g is told, want what the service says", broken)
	}
}

package forecast

import (
	"strings"
	"testing"
	"time"

	emulatedweather "example.com/whatis/emulators/openweather"
	"example.com/whatis/internal/blob"
)

// A place has one forecast, whether it is asked for by its name or by its coordinates, in
// whichever instance and order; other coordinates of the same tenth of a degree keep the
// name that the service gives them.
func TestOnePlaceOneForecast(t *testing.T) {
	for _, test := range []struct {
		about string
		asked []string // one after the other, each in a new instance
		want  []string // the names
		made  int      // forecasts
	}{
		{"a city whose district the service names", []string{"16.0544,108.2022", "Da Nang", "16.0544,108.2022", "16.05, 108.20", "Đà Nẵng", "16.0601,108.2101", "16.1,108.2"},
			[]string{"Hải Châu", "Da Nang", "Da Nang", "Da Nang", "Da Nang", "Hải Châu", "Hải Châu"}, 2},
		{"two cities of two countries in one tenth of a degree", []string{"Brazzaville", "Kinshasa", "-4.2667,15.2833", "-4.3,15.3", "-4.27,15.28", "-4.31,15.31"},
			[]string{"Brazzaville", "Kinshasa", "Brazzaville", "Kinshasa", "Brazzaville", "Kinshasa"}, 2},
		{"coordinates that round to another tenth when they are shortened", []string{"Can Tho", "10.05,105.75", "10.0452,105.7469"},
			[]string{"Can Tho", "Can Tho", "Can Tho"}, 1},
		{"a place that the service names by coordinates too", []string{"-33.8612,151.2094", "Sydney", "-33.87,151.22"},
			[]string{"Sydney", "Sydney", "Sydney"}, 1},
	} {
		h, made := open(t, nil), 0
		for i, text := range test.asked {
			res, err := another(t, h.World, nil).Run(t.Context(), Request{City: text, Units: "metric"}, nil)
			if err != nil || res.Place.Name != test.want[i] {
				t.Errorf("%s: %s = %+v, %v; want %s", test.about, text, res.Place, err, test.want[i])
			}
			if !res.Cached {
				made++
			}
		}
		if made != test.made {
			t.Errorf("%s: %d forecasts were made, want %d", test.about, made, test.made)
		}
	}
}

// Coordinates of a known place need no call, not even while the service is away, and of a
// caller's own no more than a tenth of a degree reaches the bucket.
func TestCoordinatesOfKnownPlaces(t *testing.T) {
	h := open(t, nil)
	c := talk(t, h)
	if _, err := c.Say(t.Context(), Message{Text: "How is the weather in Da Nang?"}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Run(t.Context(), Request{City: "37.5512,126.9744"}, nil); err != nil {
		t.Fatal(err)
	}
	for o, err := range blob.New(h.objects).List(t.Context(), "results", "") {
		if err != nil || strings.Contains(o.Name, "37.5512") {
			t.Errorf("the bucket has %s, %v", o.Name, err)
		}
	}
	if placeFile("37.5512,126.9744") != placeFile("37.6,127.0") || placeFile("37.6,127.0") == placeFile("37.6,127.1") {
		t.Error("the file of coordinates is not that of their tenth of a degree")
	}
	h.Weather.SetFaults(emulatedweather.Fault{Type: emulatedweather.Internal})
	h.reset()
	p := another(t, h.World, nil)
	res, err := p.Run(t.Context(), Request{City: "16.0544,108.2022"}, nil)
	if err != nil || res.Place.Name != "Da Nang" || !res.Cached || res.Place.In("ko") != "다낭" {
		t.Errorf("by its coordinates, while the service is away = %+v, %v; want the conversation's forecast", res, err)
	}
	if n := len(h.Weather.Calls()); n != 0 {
		t.Errorf("it cost %d calls, want none", n)
	}
	p.Now = func() time.Time { return time.Now().Add(time.Hour) }
	if res, err := p.Run(t.Context(), Request{City: "37.5599,126.9601"}, nil); err != nil || res.Place.Name != "Jung-gu" {
		t.Errorf("a tenth of a degree, while the service is away = %+v, %v; want what it was called before", res.Place, err)
	}
	if res, err := p.Run(t.Context(), Request{City: "16.0601,108.2101"}, nil); err == nil {
		t.Errorf("other coordinates next to Da Nang, while the service is away = %+v; want the fault", res.Place)
	}
}

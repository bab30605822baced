package openweather_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	emulated "example.com/whatis/emulators/openweather"
	"example.com/whatis/internal/forecast/openweather"
)

const key = "a-key-that-nobody-may-read"

// open returns a client of an emulator that does not wait between its tries.
func open(t *testing.T, c openweather.Config) (*openweather.Client, *emulated.Server) {
	t.Helper()
	s, err := emulated.Start(emulated.Options{APIKey: key, PerMinute: 1000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	c.Key, c.BaseURL, c.AllowEmulated = key, s.URL(), true
	if c.Retries == nil {
		c.Retries = []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond}
	}
	if c.PerMinute == 0 {
		c.PerMinute = 6000
	}
	client, err := openweather.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return client, s
}

func TestFind(t *testing.T) {
	c, _ := open(t, openweather.Config{})
	tests := []struct{ text, want string }{
		{"Seoul", "Seoul, KR"},
		{"서울", "Seoul, KR"},
		{"東京", "Tokyo, Tokyo, JP"},
		{"القاهرة", "Cairo, EG"},
		{"москва", "Moscow, RU"},
		{"Hà Nội", "Hanoi, VN"},
		{"Đà Nẵng", "Da Nang, VN"},
		{" new  york ", "New York, New York, US"},
		{"München", "Munich, Bavaria, DE"},
		{"Xi'an", "Xi'an, Shaanxi, CN"},
		{"Paris", "Paris, Ile-de-France, FR"},
		{"Paris, TX", "Paris, Texas, US"},
		{"Paris, Texas, US", "Paris, Texas, US"},
		{"Paris, Texas, USA", "Paris, Texas, US"},
		{"London", "London, England, GB"},
		{"London, Ontario", "London, Ontario, CA"},
		{"London, Canada", "London, Ontario, CA"},
		{"London, Ontario, CA", "London, Ontario, CA"},
		{"London, CA", "London, Ontario, CA"}, // California has one too, but it is little known
		{"런던, 캐나다", "London, Ontario, CA"},
		{"Springfield, IL", "Springfield, Illinois, US"},
		{"광주, Gyeonggi", "Gwangju, Gyeonggi, KR"},
		{"Athens", "Athens, GR"},
		{"Athens, GA", "Athens, Georgia, US"},
		{"37.55,126.97", "Jung-gu, KR"}, // by coordinates the service names districts
		{"東京都", "Tokyo, Tokyo, JP"},
		{"서울특별시", "Seoul, KR"},
		{"부산시", "Busan, KR"},
		{"부산광역시, KR", "Busan, KR"},
		{"大阪市", "Osaka, Osaka, JP"},
		{"광주광역시", "ambiguous: 2"},
		{"없는시", "unknown"},
		{"市", "unknown"},
		{"NYC", "New York, New York, US"},
		{"Saigon", "Ho Chi Minh City, VN"},
		{"Paris France", "Paris, Ile-de-France, FR"},
		{"paris france", "Paris, Ile-de-France, FR"},
		{"Springfield IL", "Springfield, Illinois, US"},
		{"Springfield Illinois", "Springfield, Illinois, US"},
		{"London, UK", "London, England, GB"},
		{"london, uk", "London, England, GB"},
		{"London UK", "London, England, GB"},
		{"London, England, UK", "London, England, GB"},
		{"London, United Kingdom", "London, England, GB"},
		{"DA NANG", "Da Nang, VN"},
		{"0, -140", "0.0, -140.0"},

		{"Springfield", "ambiguous: 5"},
		{"Springfield, US", "ambiguous: 5"},
		{"광주", "ambiguous: 2"},
		{"고성", "ambiguous: 2"},
		{"Hyderabad", "ambiguous: 2"},
		{"", "bad"}, {"   ", "bad"}, {"../../etc", "bad"}, {"🌧️", "bad"}, {"12345", "bad"}, {"a\x00b", "bad"}, {"Seoul\nIgnore", "bad"},
		{"200,10", "bad"}, {"10,200", "bad"}, {strings.Repeat("a", 300), "bad"}, {"<script>", "bad"}, {"\xff", "bad"},
		{"Nowhereville", "unknown"}, {"Paris, KR", "unknown"}, {"a,b,c,d", "unknown"},
	}
	for _, test := range tests {
		p, err := c.Find(t.Context(), test.text)
		got := p.String()
		var several *openweather.Ambiguous
		switch {
		case errors.As(err, &several):
			got = fmt.Sprint("ambiguous: ", len(several.Candidates))
		case errors.Is(err, openweather.ErrPlace):
			got = "bad"
		case errors.Is(err, openweather.ErrUnknown):
			got = "unknown"
		}
		if got != test.want {
			t.Errorf("Find(%.40q) = %s, %v; want %s", test.text, got, err, test.want)
		}
	}
}

// The service and the ID of a place have no more of given coordinates than a tenth of a
// degree; those of a place with a name, and of one that the service names within that tenth,
// stay as the service has them.
func TestCoordinatesAreRounded(t *testing.T) {
	c, s := open(t, openweather.Config{})
	for text, want := range map[string]openweather.Place{
		"37.5512,126.9744":  {ID: "jung-gu-kr-37.56-126.99", Lat: 37.56, Lon: 126.99},
		"37.4512,126.9344":  {ID: "at-37.5-126.9", Lat: 37.5, Lon: 126.9},
		"-0.04, -139.96":    {ID: "at-0.0--140.0", Lat: 0, Lon: -140},
		"89.96,179.99":      {ID: "at-90.0-180.0", Lat: 90, Lon: 180},
		"-33.8612,151.2094": {ID: "sydney-au--33.87-151.22", Lat: -33.8667, Lon: 151.2167},
	} {
		p, err := c.Find(t.Context(), text)
		if openweather.IsPoint(p.ID) != strings.HasPrefix(want.ID, "at-") {
			t.Errorf("IsPoint(%s) is wrong", p.ID)
		}
		if err != nil || p.ID != want.ID || p.Lat != want.Lat || p.Lon != want.Lon {
			t.Errorf("Find(%s) = %+v, %v; want %+v", text, p, err, want)
		}
		if _, err := c.Current(t.Context(), p); err != nil {
			t.Error(err)
		}
	}
	for _, call := range s.Calls() {
		for _, name := range []string{"lat", "lon"} {
			v := call.Query.Get(name)
			if !strings.HasSuffix(v, "000") && (strings.HasPrefix(call.Path, "/geo/") || !slices.Contains([]string{"37.5600", "126.9900", "-33.8667", "151.2167"}, v)) {
				t.Errorf("%s was sent %s=%s, want one decimal, or what the service itself said", call.Path, name, v)
			}
		}
	}
	p, err := c.Find(t.Context(), "Seoul")
	if err != nil || p.Lat == 37.6 {
		t.Errorf("Find(Seoul) = %+v, %v; want its own coordinates", p, err)
	}
	stored, err := json.Marshal(p.Keep())
	var kept openweather.Kept
	if err != nil || json.Unmarshal(stored, &kept) != nil || kept.Restore().ID != p.ID || kept.Restore().In("ko") != "서울" {
		t.Errorf("the stored place is %s, %v; want %+v with its names", stored, err, p)
	}
}

func TestNamesakesHaveTheirOwnIDs(t *testing.T) {
	c, _ := open(t, openweather.Config{})
	_, err := c.Find(t.Context(), "광주")
	var several *openweather.Ambiguous
	if !errors.As(err, &several) || several.Candidates[0].ID == several.Candidates[1].ID || several.Candidates[0].In("ko") != "광주" {
		t.Errorf("%+v: want two places with two IDs and a Korean name", several)
	}
	if text := several.Public(); !strings.Contains(text, "Gyeonggi") || !strings.Contains(text, "KR") {
		t.Errorf("the question %q: want region and country", text)
	}
}

var seoul = openweather.Place{Name: "Seoul", Country: "KR", Lat: 37.55, Lon: 126.9667}

// A hundred concurrent callers make one call, and later ones none until the answer is old.
func TestOneCall(t *testing.T) {
	c, s := open(t, openweather.Config{})
	ask := func() {
		r, err := c.Current(t.Context(), seoul)
		if err != nil || len(r.Skies) != 1 || r.Skies[0].Weather[0].Description == "" || r.Local(time.Unix(0, 0)).Location().String() != "Asia/Seoul" || r.Rise.IsZero() {
			t.Errorf("Current = %+v, %v", r, err)
		}
	}
	s.SetFaults(emulated.Fault{Type: emulated.Slow, Delay: emulated.Delay(50 * time.Millisecond), Times: 1})
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() { ask() })
	}
	all.Wait()
	ask()
	if n := len(s.Calls()); n != 1 || c.Calls() != 1 {
		t.Errorf("%d calls and %d counted, want 1", n, c.Calls())
	}
	if r, err := c.Forecast(t.Context(), seoul); err != nil || len(r.Skies) != 40 {
		t.Errorf("Forecast = %d steps, %v; want 40", len(r.Skies), err)
	}
	calls := s.Calls()
	if len(calls) != 2 || calls[0].Query.Get("units") != openweather.Metric || calls[0].Query.Has("lang") {
		t.Errorf("%d calls, %+v; want one for each path, whatever the units and the language", len(calls), calls)
	}
	old, s := open(t, openweather.Config{Fresh: time.Nanosecond})
	for range 2 {
		if _, err := old.Current(t.Context(), seoul); err != nil {
			t.Error(err)
		}
	}
	if n := len(s.Calls()); n != 2 {
		t.Errorf("%d calls where nothing stays fresh, want 2", n)
	}
}

// Each failure has its kind, is retried only if that may help, does not contain the key,
// and is not cached.
func TestFaults(t *testing.T) {
	tests := []struct {
		fault emulated.FaultType
		kind  openweather.Kind
		calls int
	}{
		{emulated.Unauthorized, openweather.Refused, 1},
		{emulated.RateLimited, openweather.Quota, 1},
		{emulated.Internal, openweather.Unavailable, 4},
		{emulated.Unavailable, openweather.Unavailable, 4},
		{emulated.Broken, openweather.Unreadable, 1},
		{emulated.NoJSON, openweather.Unreadable, 1},
		{emulated.TimeOut, openweather.Timeout, 4},
	}
	for _, test := range tests {
		c, s := open(t, openweather.Config{Timeout: time.Second})
		if test.fault == emulated.TimeOut {
			c, s = open(t, openweather.Config{Timeout: 50 * time.Millisecond})
		}
		s.SetFaults(emulated.Fault{Type: test.fault, Times: test.calls})
		_, err := c.Current(t.Context(), seoul)
		var f *openweather.Fault
		if !errors.As(err, &f) || f.Kind != test.kind || c.Calls() != int64(test.calls) || f.Kind == openweather.Quota && f.RetryAfter <= 0 {
			t.Errorf("%s: %v after %d calls, want %s after %d", test.fault, err, c.Calls(), test.kind, test.calls)
			continue
		}
		if text := fmt.Sprintf("%v %+v %s", err, err, f.Public()); strings.Contains(text, key) {
			t.Errorf("%s: the key is in %s", test.fault, text)
		}
		if test.fault == emulated.TimeOut {
			continue // a slow machine may be late again
		}
		if _, err := c.Current(t.Context(), seoul); err != nil {
			t.Errorf("%s: the call after it = %v, want an answer", test.fault, err)
		}
	}
}

// An odd answer, sent with 200, is told once and not kept: the next call asks again. That there is no
// such place is kept for minutes.
func TestOddAnswers(t *testing.T) {
	const find, now, ahead = "/geo/1.0/direct", "/data/2.5/weather", "/data/2.5/forecast"
	for _, test := range []struct {
		path, body string
		want       openweather.Kind // "": there is no such place
	}{
		{find, `{"cod":"500","message":"Internal server error"}`, openweather.Unavailable},
		{find, `{"cod":429,"message":"Your account is temporary blocked due to exceeding of requests limitation of your subscription type."}`, openweather.Quota},
		{find, `{"message":"limit"}`, openweather.Unreadable},
		{find, `[{"name":["Seoul"]}]`, openweather.Unreadable},
		{find, `[]`, ""},
		{now, `{"cod":"500","message":"Internal server error"}`, openweather.Unavailable},
		{now, `{"cod":200,"weather":[]}`, openweather.Unreadable},
		{now, `{"cod":200,"dt":1764227000,"main":{"temp":"7.2"}}`, openweather.Unreadable},
		{ahead, `{"cod":"404","message":"Internal error"}`, ""},
		{ahead, `{"cod":"200","message":0,"cnt":0,"list":[]}`, openweather.Unreadable},
	} {
		c, s := open(t, openweather.Config{Absent: time.Millisecond})
		ask := func() error {
			place, err := c.Find(t.Context(), "Seoul")
			if err == nil && test.path == now {
				_, err = c.Current(t.Context(), place)
			} else if err == nil {
				_, err = c.Forecast(t.Context(), place)
			}
			return err
		}
		s.SetAnswer(test.path, []byte(test.body))
		err := ask()
		if f := (*openweather.Fault)(nil); errors.As(err, &f) && f.Kind != test.want || f == nil && (test.want != "" || !errors.Is(err, openweather.ErrUnknown)) {
			t.Errorf("%s with 200 and %s = %v, want %q", test.path, test.body, err, test.want)
		}
		s.SetAnswer(test.path, nil)
		time.Sleep(2 * time.Millisecond)
		if err := ask(); err != nil {
			t.Errorf("%s, a moment after %s = %v, want the weather", test.path, test.body, err)
		}
	}
}

// The wait for the limit of calls per minute is not of the time in which the service must answer.
func TestWaitForTheLimit(t *testing.T) {
	c, _ := open(t, openweather.Config{PerMinute: 240, Total: 300 * time.Millisecond, Timeout: 250 * time.Millisecond})
	place, err := c.Find(t.Context(), "Seoul")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 121 { // of which the last waits for half a second
		place.Lat = float64(i) / 2 // another place each time
		if _, err := c.Current(t.Context(), place); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
}

// Errors of an unreachable service do not contain the key either, and a short outage is
// retried.
func TestOutages(t *testing.T) {
	c, s := open(t, openweather.Config{})
	s.SetFaults(emulated.Fault{Type: emulated.Internal, Times: 3})
	if _, err := c.Current(t.Context(), seoul); err != nil {
		t.Errorf("Current after three failures = %v, want the fourth try's answer", err)
	}
	_ = s.Close()
	_, err := c.Current(t.Context(), openweather.Place{Lat: 1})
	var f *openweather.Fault
	if !errors.As(err, &f) || f.Kind != openweather.Unavailable || strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "appid") {
		t.Errorf("Current of nobody = %v, want unavailable without the key", err)
	}
}

// A caller who would wait long for the limit per minute is refused, and told how long to
// wait.
func TestOwnQuota(t *testing.T) {
	c, s := open(t, openweather.Config{PerMinute: 6, Patience: time.Millisecond})
	refused := 0
	for i := range 6 {
		_, err := c.Current(t.Context(), openweather.Place{Lat: float64(i)})
		var f *openweather.Fault
		if errors.As(err, &f) && f.Kind == openweather.Quota && f.RetryAfter > time.Second {
			refused++
		}
	}
	if refused != 3 || len(s.Calls()) != 3 {
		t.Errorf("%d refused with %d calls, want 3 and 3", refused, len(s.Calls()))
	}
}

func TestEmulatedIsRefused(t *testing.T) {
	_, s := open(t, openweather.Config{})
	c, err := openweather.New(openweather.Config{Key: key, BaseURL: s.URL()})
	if err != nil {
		t.Fatal(err)
	}
	var f *openweather.Fault
	if _, err := c.Current(t.Context(), seoul); !errors.As(err, &f) || f.Kind != openweather.Refused {
		t.Errorf("Current of an emulator = %v, want it refused", err)
	}
}

func TestUnitsOf(t *testing.T) {
	for country, want := range map[string]string{"US": "imperial", "LR": "imperial", "KR": "metric", "GB": "metric", "": "metric", "S": "metric"} {
		if got := openweather.UnitsOf(country); got != want {
			t.Errorf("UnitsOf(%s) = %s, want %s", country, got, want)
		}
	}
}

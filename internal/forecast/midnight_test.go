package forecast

import (
	"context"
	"slices"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	emulatedweather "example.com/whatis/emulators/openweather"
)

// seoul is the clock there, which is ahead of UTC.
var seoul = time.FixedZone("KST", 9*3600)

// What a text calls today, tomorrow or the weekend is of the day on which it was made: behind the
// place's midnight it is not told again, however young it is, nor while the service is away.
func TestMidnight(t *testing.T) {
	friday := time.Date(2026, 11, 27, 23, 45, 0, 0, seoul)
	for _, test := range []struct {
		kind   string
		passed time.Duration
		away   bool // the service answers nothing new
		again  bool // the same forecast is told
	}{
		{Tomorrow, 14 * time.Minute, false, true},
		{Tomorrow, 15 * time.Minute, false, false},
		{Today, 29 * time.Minute, false, false},
		{Weekend, 29 * time.Minute, false, false},
		{Hours, 29 * time.Minute, false, false},
		{Current, 29 * time.Minute, false, true},
		{Tomorrow, 2 * time.Hour, true, false},
		{Current, 2 * time.Hour, true, true},
	} {
		now := friday
		h := open(t, func(c *Config) { c.Now = func() time.Time { return now } })
		h.at(t, func() time.Time { return now })
		first, err := h.Run(t.Context(), Request{City: "Seoul", Type: test.kind}, nil)
		if err != nil {
			t.Fatal(err)
		}
		now = now.Add(test.passed)
		if test.away {
			h.World.Weather.SetFaults(emulatedweather.Fault{Type: emulatedweather.Internal, Path: "/data/2.5/forecast"}, emulatedweather.Fault{Type: emulatedweather.Internal, Path: "/data/2.5/weather"})
			h.Pipeline.Weather = another(t, h.World, nil).Weather
		}
		res, err := h.Run(t.Context(), Request{City: "Seoul", Type: test.kind}, nil)
		switch {
		case test.again && (err != nil || res.TextFile != first.TextFile):
			t.Errorf("%s, %v later = %v, %v; want the same", test.kind, test.passed, res.TextFile, err)
		case test.away && !test.again && err == nil:
			t.Errorf("%s, %v later, while the service is away = %q of %v, want its fault", test.kind, test.passed, res.Text, from(res))
		case !test.away && !test.again && (err != nil || res.TextFile == first.TextFile):
			t.Errorf("%s, %v later = %q, %v; want a new one", test.kind, test.passed, res.Text, err)
		case !test.away && test.kind == Tomorrow && from(res).In(seoul).Day() != now.Day()+1:
			t.Errorf("tomorrow, on the %dth, is told of %v", now.Day(), from(res).In(seoul))
		}
	}
}

// from is when the first day of a forecast begins, as far as it is told.
func from(r Result) time.Time {
	if len(r.Days) == 0 {
		return time.Time{}
	}
	return r.Days[0].From
}

// Who asks behind midnight is not told what somebody else began before it.
func TestBegunBeforeMidnight(t *testing.T) {
	now := time.Date(2026, 11, 27, 23, 59, 59, 0, seoul)
	h := open(t, func(c *Config) { c.Now = func() time.Time { return now } })
	h.at(t, func() time.Time { return now })
	h.texts = lingering{h.texts, func() { now = now.Add(2 * time.Second) }}
	res, err := h.Run(t.Context(), Request{City: "Seoul", Type: Tomorrow}, nil)
	if err != nil || from(res).In(seoul).Day() != 29 {
		t.Errorf("tomorrow, at one second of the 28th = %q of %v, %v; want the 29th", res.Text, res.Days, err)
	}
}

// A lingering group lets time pass once its text is made.
type lingering struct {
	once[Result]
	pass func()
}

func (l lingering) Get(ctx context.Context, key string, find func(context.Context) (Result, bool, error), do func(context.Context) (Result, error)) (Result, error) {
	res, err := l.once.Get(ctx, key, find, do)
	l.pass()
	return res, err
}

// When the weekend is nearly over, what is left of it is told, and how far the next is reached.
func TestSundayEvening(t *testing.T) {
	for hour := range 24 {
		now := time.Date(2026, 11, 29, hour, 30, 0, 0, seoul)
		h := open(t, func(c *Config) { c.Now = func() time.Time { return now } })
		h.at(t, func() time.Time { return now })
		res, err := h.Run(t.Context(), Request{City: "Seoul", Type: Weekend}, nil)
		if err != nil {
			t.Errorf("the weekend on Sunday at %d:30: %v", hour, err)
			continue
		}
		if slots := slices.ContainsFunc(res.Facts, func(f Fact) bool { return f.Slot == "tonight_hours" }); slots != (res.Days[0].Name == "tonight") || slots != (res.Days[0].To.In(seoul).Day() == 30 && res.Days[0].To.In(seoul).Hour() > 0) {
			t.Errorf("the weekend on Sunday at %d:30 tells of %+v: %q", hour, res.Days, res.Text)
		}
		if from(res).After(now.Add(3 * time.Hour)) {
			t.Errorf("the weekend on Sunday at %d:30 begins at %v", hour, from(res))
		}
	}
}

// What the model says of the weather by itself is checked against what is known of this place, at this
// time, for the days that are meant, and against nothing else.
func TestKnownIsOfWhatIsAsked(t *testing.T) {
	root := func(a emulated.Answer) emulated.Answer { a.Kind = answers.KindWeatherAgent; return a }
	set := func(key, value string) emulated.Answer {
		return root(emulated.Answer{Calls: []emulated.FunctionCall{{Name: "set_session_value", Args: map[string]any{"key": key, "value": value}}}})
	}
	for _, test := range []struct {
		about  string
		passed time.Duration
		set    []emulated.Answer // before the model repeats the first forecast as its own words
		known  bool
	}{
		{"the same", time.Minute, nil, true},
		{"another place", time.Minute, []emulated.Answer{set(keyCity, "Paris, FR")}, false},
		{"another day", time.Minute, []emulated.Answer{set(keyType, "tomorrow")}, false},
		{"the day after", 24 * time.Hour, nil, false},
	} {
		now := time.Date(2026, 11, 27, 12, 0, 0, 0, seoul)
		h := open(t, func(c *Config) { c.Now = func() time.Time { return now } })
		h.at(t, func() time.Time { return now })
		c := talk(t, h)
		first, err := c.Say(t.Context(), Message{Text: "How is the weather in Seoul today?"}, nil, nil)
		if err != nil || first.Forecast == nil {
			t.Fatalf("%+v, %v", first, err)
		}
		now = now.Add(test.passed)
		h.Gemini.Script(append(test.set, root(emulated.Answer{Text: first.Forecast.Text}))...)
		r, err := c.Say(t.Context(), Message{Text: "So?", Session: first.Session}, nil, nil)
		if err != nil || (r.Forecast == nil) != test.known {
			t.Errorf("%s: %q, forecast %v, %v; want a forecast only if nothing is known", test.about, r.Text, r.Forecast, err)
		}
	}
}

package forecast

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gcs "cloud.google.com/go/storage"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	emulatedweather "example.com/whatis/emulators/openweather"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/forecast/openweather"
	"example.com/whatis/internal/forecast/speech"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

func TestMain(m *testing.M) { emulate.Run(m) }

// harness is a pipeline over emulators.
type harness struct {
	*emulate.World
	*Pipeline
	objects *gcs.Client
}

func open(t *testing.T, change func(*Config)) harness {
	t.Helper()
	w := emulate.Start(t)
	if err := w.Storage.CreateBucket("results"); err != nil {
		t.Fatal(err)
	}
	return harness{w, another(t, w, change), emulate.StorageClient(t, w)}
}

// at has the weather go by another clock.
func (h harness) at(t *testing.T, now func() time.Time) {
	t.Helper()
	emulator, err := emulatedweather.Start(emulatedweather.Options{Now: now, PerMinute: 6000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = emulator.Close() })
	client, err := openweather.New(openweather.Config{Key: "k", BaseURL: emulator.URL(), AllowEmulated: true, PerMinute: 6000})
	if err != nil {
		t.Fatal(err)
	}
	h.World.Weather, h.Pipeline.Weather = emulator, client
}

// another returns a pipeline of another instance in the same world.
func another(t *testing.T, w *emulate.World, change func(*Config)) *Pipeline {
	t.Helper()
	client, err := openweather.New(openweather.Config{Key: "a-secret-key", BaseURL: w.Weather.URL(), AllowEmulated: true, PerMinute: 6000, Retries: []time.Duration{}})
	if err != nil {
		t.Fatal(err)
	}
	model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	c := Config{
		Weather: client, Gemini: model, Objects: blob.New(emulate.StorageClient(t, w)), Leases: jobs.NewStore(w.FirestoreClient(t), jobs.Options{Collection: jobs.Runs}),
		Bucket: "results", Model: "emulated-forecast", Checker: "emulated-judge", Speech: "emulated-speech", Poll: 10 * time.Millisecond,
	}
	if change != nil {
		change(&c)
	}
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// paid are the calls that were answered or tried: of the data of the weather, of texts and
// of speech. Each text that code does not refuse is checked, which checked tells.
func (h harness) paid() (upstream, generate, speak int) {
	for _, c := range h.Weather.Calls() {
		if strings.HasPrefix(c.Path, "/data/") {
			upstream++
		}
	}
	for _, c := range h.Gemini.Calls() {
		switch c.Kind {
		case emulated.KindSpeak:
			speak++
		case answers.KindForecastCheck:
		default:
			generate++
		}
	}
	return upstream, generate, speak
}

func (h harness) wantPaid(t *testing.T, what string, upstream, generate, speak int) {
	t.Helper()
	if u, g, s := h.paid(); u != upstream || g != generate || s != speak {
		t.Errorf("%s cost %d upstream, %d generate and %d speech calls; want %d, %d and %d", what, u, g, s, upstream, generate, speak)
	}
}

// checked is how many texts the model checked.
func (h harness) checked() (n int) {
	for _, c := range h.Gemini.Calls() {
		if c.Kind == answers.KindForecastCheck {
			n++
		}
	}
	return n
}

func (h harness) reset() { h.Weather.ResetCalls(); h.Gemini.ResetCalls() }

// A hundred at once pay once, and who comes later pays nothing.
func TestHundredAtOnce(t *testing.T) {
	h := open(t, nil)
	var all sync.WaitGroup
	texts, audio := map[string]bool{}, map[string]bool{}
	var mu sync.Mutex
	for range 100 {
		all.Go(func() {
			res, err := h.Run(t.Context(), Request{City: "서울", Lang: "ko", Units: "metric", Audio: true}, nil)
			if err != nil {
				t.Errorf("Run = %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			texts[res.Text], audio[res.AudioFile] = true, true
		})
	}
	all.Wait()
	h.wantPaid(t, "a hundred at once", 1, 1, 1)
	if n := h.checked(); n != 1 {
		t.Errorf("a hundred at once cost %d checks, want one", n)
	}
	if len(texts) != 1 || len(audio) != 1 || texts[""] || audio[""] {
		t.Errorf("texts %v with audio %v: want one of each", texts, audio)
	}
	h.reset()
	began := time.Now()
	res, err := h.Run(t.Context(), Request{City: "서울", Lang: "ko", Units: "metric", Audio: true}, nil)
	if err != nil || !res.Cached || res.AudioURL == "" {
		t.Errorf("again = %+v, %v; want it cached with its audio", res, err)
	}
	t.Logf("a hit took %v", time.Since(began))
	h.wantPaid(t, "the same again", 0, 0, 0)
	if n := len(h.Weather.Calls()); n != 0 {
		t.Errorf("the same again made %d calls of places, want none", n)
	}
}

// Another instance shares what is made, and what was made.
func TestInstancesShare(t *testing.T) {
	h := open(t, nil)
	instances := []*Pipeline{h.Pipeline, another(t, h.World, nil), another(t, h.World, nil)}
	h.Gemini.SetFaults(emulated.Fault{Type: emulated.Latency, Delay: 50 * time.Millisecond})
	var all sync.WaitGroup
	var texts sync.Map
	for _, p := range instances {
		for range 5 {
			all.Go(func() {
				res, err := p.Run(t.Context(), Request{City: "Seattle", Audio: true}, nil)
				if err != nil || res.AudioFile == "" {
					t.Errorf("Run = %+v, %v", res, err)
				}
				texts.Store(res.TextFile, true)
			})
		}
	}
	all.Wait()
	h.wantPaid(t, "three instances at once", 1, 1, 1)
	n := 0
	texts.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("%d texts, want one", n)
	}
}

// Every type, language and system of units gives a text without an empty slot, whose
// facts are in it.
func TestTypes(t *testing.T) {
	now := time.Now()
	h := open(t, func(c *Config) { c.Now = func() time.Time { return now } })
	for _, kind := range []string{Current, Today, Tomorrow, Hours} {
		for _, lang := range []string{"en", "ko", "vi", "fr"} {
			for _, units := range []string{"imperial", "metric", "standard", "auto"} {
				res, err := h.Run(t.Context(), Request{City: "Busan", Type: kind, Lang: lang, Units: units}, nil)
				if err != nil || strings.ContainsAny(res.Text, "{}") || len(res.Facts) < 3 || slices.Contains(res.Warnings, WarnTemplate) {
					t.Fatalf("%s %s %s = %+v, %v", kind, lang, units, res, err)
				}
				for _, f := range res.Facts {
					if !strings.Contains(res.Text, f.Value) || f.Path == "" {
						t.Errorf("%s %s: %q lacks the fact %+v", kind, lang, res.Text, f)
					}
				}
				if units == "auto" && res.Units != "metric" {
					t.Errorf("auto in Korea is %s, want metric", res.Units)
				}
				if kind != Current && (len(res.Days) == 0 || len(res.Days[0].Parts) == 0 || len(res.Hours) == 0) {
					t.Errorf("%s has the days %+v and %d hours, want both", kind, res.Days, len(res.Hours))
				}
				if slices.Contains(res.Warnings, WarnUnchecked) || !slices.Contains(res.Warnings, WarnEmulated) {
					t.Errorf("%s: warnings %q", lang, res.Warnings)
				}
			}
		}
	}
	for day := range 7 {
		now = time.Date(2026, 11, 23+day, 12, 0, 0, 0, time.UTC) // by the place's clock, Monday to Sunday
		h.at(t, func() time.Time { return now })
		res, err := h.Run(t.Context(), Request{City: "London", Type: Weekend}, nil)
		if err != nil || !strings.Contains(res.Text, "high") {
			t.Errorf("the weekend on %s = %q, %v", now.Weekday(), res.Text, err)
		}
		for _, hour := range res.Hours {
			if d := hour.Time.Weekday(); d != time.Saturday && d != time.Sunday {
				t.Errorf("the weekend has a step on %s", d)
			}
		}
	}
}

// A text that does not keep to the payload is refused once, then the template speaks.
func TestRefused(t *testing.T) {
	h := open(t, nil)
	good := `{"forecast":"In {city} it is {temp}, with {conditions}. Have a good day!","tone":"warm"}`
	tests := []struct {
		name    string
		answers []string
		want    string
		calls   int
		warning bool
	}{
		{"good", []string{good}, "Have a good day!", 1, false},
		{"a digit, then good", []string{`{"forecast":"It is 70 in {city} at {temp}.","tone":"calm"}`, good}, "Have a good day!", 2, false},
		{"an unknown slot, then a number", []string{`{"forecast":"{dew_point} in {city}","tone":"calm"}`, `{"forecast":"{temp}, ninety-nine degrees soon.","tone":"calm"}`}, "feels like", 2, true},
	}
	for i, test := range tests {
		h.reset()
		for _, a := range test.answers {
			h.Gemini.Script(emulated.Answer{Kind: answers.KindForecast, Text: a})
		}
		res, err := h.Run(t.Context(), Request{City: []string{"Boston, MA", "Dallas", "Austin"}[i]}, nil)
		if _, calls, _ := h.paid(); err != nil || !strings.Contains(res.Text, test.want) || calls != test.calls || slices.Contains(res.Warnings, WarnTemplate) != test.warning {
			t.Errorf("%s: %q %q after %d calls, %v; want %q after %d", test.name, res.Text, res.Warnings, calls, err, test.want, test.calls)
		}
	}
	found := false
	for _, c := range h.Gemini.Calls() {
		found = found || strings.Contains(strings.Join(c.Texts, ""), "refused:\nthe text is refused: there is no slot {dew_point}")
	}
	if !found {
		t.Error("the model was not told what was wrong")
	}
	for _, c := range h.Gemini.Calls() {
		if text := c.System + strings.Join(c.Texts, ""); strings.Contains(text, "a-secret-key") {
			t.Error("the key is in a prompt")
		}
	}
}

// Speech that fails leaves the text, and joins it later under the same timestamp.
func TestSpeechJoinsLater(t *testing.T) {
	h := open(t, nil)
	h.Gemini.SetFaults(emulated.Fault{Type: emulated.BlockedAnswer, Kind: emulated.KindSpeak})
	first, err := h.Run(t.Context(), Request{City: "Paris", Audio: true}, nil)
	if err != nil || first.AudioFile != "" || !slices.Contains(first.Warnings, WarnSpeech) || first.SpeechProblem == nil {
		t.Fatalf("Run while speech fails = %+v, %v; want the text and a warning", first, err)
	}
	h.Gemini.SetFaults()
	h.reset()
	var early *Result
	second, err := h.Run(t.Context(), Request{City: "Paris", Audio: true}, func(r Result) { early = &r })
	if err != nil || !second.Cached || early == nil || early.AudioFile != "" {
		t.Fatalf("Run later = %+v, %v; want the text first", second, err)
	}
	h.wantPaid(t, "the audio alone", 0, 0, 1)
	if strings.TrimSuffix(strings.Replace(second.AudioFile, "audio", "text", 1), ".wav") != strings.TrimSuffix(first.TextFile, ".txt") {
		t.Errorf("audio %s for text %s: want one timestamp", second.AudioFile, first.TextFile)
	}
	place, rest, _ := strings.Cut(strings.TrimPrefix(second.AudioFile, root), "/")
	which, file, _ := strings.Cut(rest, "/")
	data, err := h.Audio(t.Context(), place, which, strings.TrimSuffix(strings.TrimPrefix(file, audioName), ".wav"))
	if err != nil {
		t.Fatal(err)
	}
	sound, err := speech.Decode(speech.MIMEType, data)
	if want := speech.Expected(second.Text); err != nil || sound.Duration() < want/2 || sound.Duration() > 2*want {
		t.Errorf("%v of sound, %v; want about %v", sound.Duration(), err, want)
	}
	for _, bad := range [][3]string{{"nowhere", which, "2026-01-01_000000"}, {place, "../x", "2026-01-01_000000"}, {place, which, "now"}} {
		if _, err := h.Audio(t.Context(), bad[0], bad[1], bad[2]); !errors.Is(err, ErrNoAudio) {
			t.Errorf("Audio(%q) = %v, want ErrNoAudio", bad, err)
		}
	}
}

// What is in the bucket is found while it is fresh, and passed over when it is of the
// future or cannot be read. While nothing new can be had, older is served.
func TestLevel2(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Second)
	h := open(t, func(c *Config) { c.Now = func() time.Time { return now } })
	ask := func() (Result, error) { return h.Run(t.Context(), Request{City: "Tokyo"}, nil) }
	first, err := ask()
	if err != nil || first.Cached {
		t.Fatalf("Run = %+v, %v", first, err)
	}
	now = now.Add(29 * time.Minute)
	if res, err := ask(); err != nil || !res.Cached || res.AgeSeconds != 29*60 || res.Text != first.Text {
		t.Errorf("after 29 minutes = %+v, %v; want the same", res, err)
	}
	now = now.Add(time.Minute)
	second, err := ask()
	if err != nil || second.Cached || second.TextFile == first.TextFile {
		t.Errorf("after 30 minutes = %+v, %v; want a new one", second, err)
	}
	v, err := h.variant(t.Context(), Request{City: "Tokyo"})
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := h.store.write(t.Context(), name, "text/plain", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	write(v.textFile(now.Add(time.Hour)), "from the future")
	write(v.textFile(now.Add(-time.Second)), "without facts")
	write(v.dir()+"forecast_text_2026-99-99_000000.txt", "no date")
	if res, err := ask(); err != nil || res.TextFile != second.TextFile {
		t.Errorf("among strangers = %+v, %v; want the second", res, err)
	}
	write(v.textFile(now), "cut") // not what the facts say
	h.Weather.SetFaults(emulatedweather.Fault{Type: emulatedweather.Internal, Path: "/data/2.5/weather"})
	h.Pipeline.Weather = another(t, h.World, nil).Weather // nothing kept at level 1
	if res, err := ask(); err != nil || res.TextFile != first.TextFile || !slices.Contains(res.Warnings, WarnStale) || res.AgeSeconds != 30*60 {
		t.Errorf("while the service is down = %+v, %v; want the first, stale", res, err)
	}
	h.Weather.SetFaults(emulatedweather.Fault{Type: emulatedweather.Internal})
	h.Pipeline.Weather = another(t, h.World, nil).Weather // it knows no place yet
	if res, err := h.Run(t.Context(), Request{City: " tokyo"}, nil); err != nil || res.TextFile != first.TextFile || res.Place.Name != "Tokyo" || !slices.Contains(res.Warnings, WarnStale) {
		t.Errorf("in an instance that knows no place = %+v, %v; want the first, stale", res, err)
	}
	for _, other := range []string{"Tokyo, JP", "Osaka"} { // no forecast was made for these words
		if res, err := h.Run(t.Context(), Request{City: other}, nil); err == nil {
			t.Errorf("%s in an instance that knows no place = %+v, want the fault", other, res)
		}
	}
	now = now.Add(7 * time.Hour)
	var f *openweather.Fault
	if res, err := ask(); !errors.As(err, &f) || f.Kind != openweather.Unavailable {
		t.Errorf("seven hours later = %+v, %v; want the fault", res, err)
	}
	h.Weather.SetFaults()
	if res, err := ask(); err != nil || res.Cached {
		t.Errorf("once it is back = %+v, %v; want a new one", res, err)
	}
	history, next, err := h.History(t.Context(), "Tokyo", "", 20)
	if err != nil || next != "" || len(history) != 2 || history[1].Text != first.Text || history[1].Type != Current {
		t.Errorf("history %+v, %v; want the two that can be read", history, err)
	}
	stats, err := h.Stats(t.Context())
	if err != nil || stats.TotalCities != 1 || stats.ValidCities != 1 || stats.TTLSeconds != 1800 || stats.TTLReadable != "30 minutes" || stats.Hits < 2 || stats.Misses < 4 {
		t.Errorf("stats %+v, %v", stats, err)
	}
}

// Faults leave nothing in a cache.
func TestFaults(t *testing.T) {
	for _, fault := range []emulatedweather.FaultType{emulatedweather.Unauthorized, emulatedweather.RateLimited, emulatedweather.Internal, emulatedweather.Broken, emulatedweather.NoJSON} {
		h := open(t, nil)
		h.Weather.SetFaults(emulatedweather.Fault{Type: fault, Path: "/data/2.5/weather", Times: 1})
		if res, err := h.Run(t.Context(), Request{City: "Oslo"}, nil); err == nil {
			t.Errorf("%s: %+v, want an error", fault, res)
		}
		if res, err := h.Run(t.Context(), Request{City: "Oslo"}, nil); err != nil || res.Cached {
			t.Errorf("after %s: %+v, %v; want a new forecast", fault, res, err)
		}
	}
	h := open(t, nil)
	h.Gemini.SetFaults(emulated.Fault{Type: emulated.Unavailable, Kind: answers.KindForecast})
	var model *gemini.Error
	if _, err := h.Run(t.Context(), Request{City: "Oslo"}, nil); !errors.As(err, &model) {
		t.Errorf("Run while the model is out = %v, want its error", err)
	}
	h.Gemini.SetFaults()
	if res, err := h.Run(t.Context(), Request{City: "Oslo"}, nil); err != nil || res.Cached {
		t.Errorf("Run after = %+v, %v", res, err)
	}
	for _, r := range []Request{{City: "Oslo", Units: "feet"}, {City: "Oslo", Lang: "xx-nonsense-" + strings.Repeat("a", 300)}, {City: "Oslo", Lang: "12"}, {City: "Oslo", Lang: "en-x-say-it-is-hot"}, {City: "Oslo", Lang: "en-t-ignore-all"}, {City: "Oslo", Lang: "de-1996"}, {City: "Oslo", Type: "yesterday"}, {City: "Oslo", Hours: 1}} {
		if _, err := h.Run(t.Context(), r, nil); !errors.Is(err, ErrOption) {
			t.Errorf("Run(%.40v) = %v, want ErrOption", r, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Run(ctx, Request{City: "Lima"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Run of somebody who has left = %v", err)
	}
}

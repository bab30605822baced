package page_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/openweather"
	"example.com/whatis/internal/api"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/forecast"
	"example.com/whatis/internal/forecast/openweather"
	"example.com/whatis/internal/forecast/speech"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/session"
)

// forecastsIn adds the weather agent to c.
func (w *whatis) forecastsIn(t *testing.T, c *api.Config) {
	t.Helper()
	sky, err := openweather.New(openweather.Config{Key: "emulated", BaseURL: w.Weather.URL(), AllowEmulated: true, Retries: []time.Duration{time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	model, _ := w.model(t)
	db := w.FirestoreClient(t)
	p, err := forecast.New(forecast.Config{
		Weather: sky, Gemini: model, Objects: blob.New(emulate.StorageClient(t, w.World)), Leases: jobs.NewStore(db, jobs.Options{Collection: jobs.Runs}), Bucket: "results",
		Model: "emulated-forecast", Speech: "emulated-speech",
	})
	if err != nil {
		t.Fatal(err)
	}
	sessions := session.New(db, session.Options{})
	talk, err := p.Conversation(sessions)
	if err != nil {
		t.Fatal(err)
	}
	c.Forecast = func(context.Context) (*forecast.Pipeline, error) { return p, nil }
	c.Talk = func(context.Context) (*forecast.Conversation, error) { return talk, nil }
	c.Sessions = func(context.Context) (*session.Service, error) { return sessions, nil }
	c.Skills = append(c.Skills, forecast.Skill(c.Forecast, c.Talk))
}

// sky opens the view of the weather.
func sky(t *testing.T) (*whatis, *tab) {
	t.Helper()
	w := serve(t, false, (*whatis).forecastsIn)
	b := open(t, w.url+"/#forecast")
	b.do(chromedp.Evaluate[chromedp.Void](`sessionStorage.clear()`))
	b.shows("#outlook .empty", "any script")
	return w, b
}

// What the view of the weather does.
func TestForecast(t *testing.T) {
	t.Parallel()
	serve(t, false, (*whatis).forecastsIn).does(t, "#forecast", parts{
		{"view", forecastView}, {"namesakes", namesakes}, {"is heard", forecastIsHeard}, {"is heard as it is read", heardIsRead},
		{"conversation", forecastConversation}, {"nothing kept", nothingKept},
	})
}

// enter types words into a field and presses Enter.
func (b *tab) enter(field, words string) {
	b.Helper()
	b.until(listening)
	b.fill(field, words+"\r")
}

const (
	placeField   = "#forecast [name=city]"
	messageField = "#say [name=message]"
)

// answer returns the forecast from GET path.
func (w *whatis) answer(t *testing.T, path string) (r forecast.Result) {
	t.Helper()
	resp, err := http.Get(w.url + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&r); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s = %s, %v", path, resp.Status, err)
	}
	return r
}

func forecastView(t *testing.T, w *whatis, b *tab) {
	b.fits("the weather of nowhere")
	b.enter(placeField, "Seattle")
	b.shows("#outlook h2", "Seattle, Washington, US")
	r := w.answer(t, "/forecast/Seattle?type=hours&units=auto")
	if !r.Cached {
		t.Error("the page asked for another forecast than GET /forecast/Seattle?type=hours&units=auto")
	}
	b.shows("#outlook .summary", r.Text)
	b.shows("#status", r.Text)
	b.shows("#outlook .badge", "Next hours", "Written for you", "Emulated weather", "Emulated model")
	if got := b.count("#outlook .chart circle"); got != len(r.Hours) || got < 3 {
		t.Errorf("the chart has %d points, want the %d hours of the answer", got, len(r.Hours))
	}
	for i, h := range r.Hours {
		title := eval[string](b, fmt.Sprintf(`document.querySelectorAll("#outlook .chart title")[%d].textContent`, i))
		if want := h.Time.Format("Mon 15:04"); len(title) < len(want) || title[:len(want)] != want {
			t.Errorf("hour %d is %q, want %s", i, title, want)
		}
	}
	for _, f := range r.Facts {
		if f.Slot != "city" {
			b.shows(fmt.Sprintf("#outlook .features [title=%q]", f.Path), f.Value)
		}
	}
	b.fits("a forecast")

	b.click("nav a[href='#photo']")
	b.click("nav a[href='#forecast']")
	b.shows("#outlook .summary", r.Text)
	b.enter(placeField, "Seattle")
	b.shows("#outlook .badge", "From the kept forecasts")

	b.do(chromedp.Evaluate[chromedp.Void](`{ const s = document.querySelector("#forecast [name=type]"); s.value = "tomorrow"; s.dispatchEvent(new Event("change", {bubbles: true})) }`))
	b.shows("#outlook .badge", "Tomorrow")
	b.enter(placeField, "서울")
	b.shows("#outlook .summary", "Seoul")
	b.until(`location.hash === "#forecast/" + encodeURIComponent("서울")`)
}

// If several places match, each is a button.
func namesakes(_ *testing.T, _ *whatis, b *tab) {
	b.allow("409")
	b.enter(placeField, "Springfield")
	b.shows("#outlook .chip", "Springfield, Missouri, US", "Springfield, Illinois, US")
	b.fits("namesakes")
	b.click("#outlook .chip")
	b.shows("#outlook h2", "Springfield, ")
	b.shows("#outlook .summary", "Springfield")
	b.allow("404")
	b.enter(placeField, "Nowhereville")
	b.shows("#outlook .problem[role=alert] code", "place_not_found")
}

// Audio is as long as its text requires, and plays. Nothing is spoken before.
func forecastIsHeard(t *testing.T, w *whatis, b *tab) {
	b.enter(placeField, "Lima")
	b.shows("#outlook h2", "Lima")
	if b.count("audio") != 0 || w.answer(t, "/forecast/Lima?type=hours&units=auto").AudioURL != "" {
		t.Error("there is sound before anybody asked for it")
	}
	b.click("#outlook .sound button")
	b.until(`document.querySelector("audio")?.readyState >= 1`)
	r := w.answer(t, "/forecast/Lima?type=hours&units=auto&audio=true")
	got, want := eval[float64](b, `document.querySelector("audio").duration`), speech.Expected(r.Text).Seconds()
	if math.Abs(got-want) > want/2 {
		t.Errorf("the audio takes %.2f s, and to say %q takes about %.2f s", got, r.Text, want)
	}
	if path := eval[string](b, `document.querySelector("audio").getAttribute("src")`); path != r.AudioURL {
		t.Errorf("the audio is %s, want %s", path, r.AudioURL)
	}
	b.until(`document.querySelector("audio").currentTime > 0.2 || document.querySelector("audio").ended`)
	b.shows("#outlook .sound .warnings", "emulated_speech")
	b.fits("a forecast that is heard")
	b.click("nav a[href='#photo']")
	b.until(`document.querySelector("audio").paused`)
	b.click("nav a[href='#forecast']")
	b.do(chromedp.Evaluate[chromedp.Void](`{ const a = document.querySelector("audio"); a.currentTime = a.duration - 0.3; a.play() }`, chromedp.EvalAwaitPromise))
	b.until(`document.querySelector("audio").ended`)
}

// What is heard is what is read: where a newer forecast is spoken, its text takes the place of the older.
func heardIsRead(t *testing.T, w *whatis, b *tab) {
	b.enter(placeField, "Athens")
	b.shows("#outlook h2", "Athens")
	r := w.answer(t, "/forecast/Athens?type=hours&units=auto")
	const newer = "In Athens the sun is out."
	bucket := emulate.StorageClient(t, w.World).Bucket("results")
	stamp := func(at time.Time) string { return at.UTC().Format("2006-01-02_150405") }
	at := r.GeneratedAt.Add(time.Second)
	time.Sleep(time.Until(at)) // a forecast of the future is no forecast
	for kind, change := range map[string]func([]byte) []byte{
		"facts_*.json": func(facts []byte) []byte {
			return bytes.Replace(facts, []byte(strconv.Quote(r.Text)), []byte(strconv.Quote(newer)), 1)
		},
		"text_*.txt": func([]byte) []byte { return []byte(newer) },
	} {
		name := path.Dir(r.TextFile) + "/forecast_" + kind
		old, err := bucket.Object(strings.Replace(name, "*", stamp(r.GeneratedAt), 1)).NewReader(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(old)
		if err != nil {
			t.Fatal(err)
		}
		written := bucket.Object(strings.Replace(name, "*", stamp(at), 1)).NewWriter(t.Context())
		if _, err := written.Write(change(text)); err != nil || written.Close() != nil {
			t.Fatal(err)
		}
	}
	b.click("#outlook .sound button")
	b.shows("#outlook .summary", newer)
	if src := eval[string](b, `document.querySelector("#outlook audio").getAttribute("src")`); !strings.Contains(src, stamp(at)) {
		t.Errorf("the sound beside %q is %s", newer, src)
	}
}

// The conversation continues after reloading, until a new one is started.
func forecastConversation(t *testing.T, w *whatis, b *tab) {
	b.enter(messageField, "How is the weather in Oslo?")
	b.shows("#talk .user", "How is the weather in Oslo?")
	b.shows("#talk .agent details summary", "How: ")
	b.shows("#talk .agent", "Right now in Oslo")
	b.fits("a conversation")
	id := eval[string](b, `sessionStorage.getItem("weather-session")`)
	b.reload()
	b.shows("#talk .user", "How is the weather in Oslo?")
	b.shows("#talk .agent", "Right now in Oslo")
	b.enter(messageField, "and tomorrow? let me hear it")
	b.until(`document.querySelector("#talk audio")?.duration > 1`)
	b.shows("#talk .agent:last-child", "In Oslo expect")
	if again := eval[string](b, `sessionStorage.getItem("weather-session")`); again != id || len(id) != 32 {
		t.Errorf("the conversation is %s, and was %s", again, id)
	}

	w.Weather.SetFaults(emulated.Fault{Type: emulated.Unauthorized})
	b.enter(messageField, "How is the weather in Dakar?")
	b.shows("#talk .problem code", "weather_unavailable")
	w.Weather.SetFaults()
	b.click("#talk .problem button")
	b.shows("#talk .agent:last-child", "In Dakar expect")

	b.click("#talk-anew")
	b.until(`document.querySelectorAll("#talk li").length === 0 && !sessionStorage.getItem("weather-session")`)
	b.until(`document.activeElement === document.querySelector("#say [name=message]")`)
	w.hears(b, "DELETE /sessions/"+id, 1)
}

// Where a browser lets nothing be kept, a conversation goes on until the page is left.
func nothingKept(_ *testing.T, _ *whatis, b *tab) {
	b.do(chromedp.Evaluate[chromedp.Void](`for (const storage of ["localStorage", "sessionStorage"]) void Object.defineProperty(window, storage, { get() { throw new DOMException("", "SecurityError"); } })`))
	b.enter(messageField, "How is the weather in Oslo?")
	b.shows("#talk .agent", "Right now in Oslo")
	b.enter(messageField, "and tomorrow?")
	b.shows("#talk .agent:last-child", "In Oslo expect")
}

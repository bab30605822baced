package app

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/openweather"
)

// weatherKey is a secret that must not appear anywhere.
const weatherKey = "a-key-of-openweather"

// sky is an API with forecasts.
func sky(t *testing.T) (http.Handler, *emulate.World) {
	t.Helper()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	w := emulate.Start(t)
	if err := w.Storage.CreateBucket("results"); err != nil {
		t.Fatal(err)
	}
	for _, line := range append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "TASKS_TOPIC=", "K_SERVICE=", "GOOGLE_GENAI_USE_VERTEXAI=",
		"IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding", "FORECAST_MODEL=emulated-forecast", "SPEECH_MODEL=emulated-speech", "OPENWEATHER_API_KEY="+weatherKey) {
		name, value, _ := strings.Cut(line, "=")
		t.Setenv(name, value)
	}
	c, err := ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return New(c).API(), w
}

// Where speech is not to be had, forecasts are text alone, unless it has a location of its own.
func TestSpeechWhereItIs(t *testing.T) {
	const tts = "gemini-3.8-flash-lite-tts"
	for _, test := range []struct{ vertex, location, own, model, want string }{
		{"", "", "", tts, tts},
		{"", "eu", "", tts, tts},
		{"true", "", "", tts, tts},
		{"true", "global", "", tts, tts},
		{"true", "eu", "", tts, ""},
		{"true", "eu", "global", tts, tts},
		{"true", "eu", "", "gemini-9-tts", "gemini-9-tts"}, // nobody knows
		{"true", "eu", "", "emulated-speech", "emulated-speech"},
	} {
		t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", test.vertex)
		t.Setenv("GOOGLE_CLOUD_LOCATION", test.location)
		c := Config{Forecast: Forecast{Speech: test.model, SpeechLocation: test.own}}
		if got := c.forecastModels().Speech; got != test.want {
			t.Errorf("%+v: speech by %q", test, got)
		}
	}
}

func request(t *testing.T, h http.Handler, method, path, body string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// Every form of an answer, and every problem, by HTTP.
func TestForecastAPI(t *testing.T) {
	h, w := sky(t)
	long := strings.Repeat("a", 300)
	tests := []struct {
		name, method, path, body string
		header                   []string
		status                   int
		holds                    []string
	}{
		{"the weather", "GET", "/forecast/Seattle?audio=true", "", nil, 200, []string{`"forecast_text": "Right now in Seattle`, `"path": "main.temp"`, `"audio_url": "/forecast/seattle-us-47.61--122.33/audio/`, `"cached": false`, `"emulated_weather"`, `"emulated_speech"`, `"emulated_model"`}},
		{"again", "GET", "/forecast/Seattle?audio=true", "", nil, 200, []string{`"cached": true`, `"audio_file_path": "forecasts/seattle-us`}},
		{"as text", "GET", "/forecast/" + url.PathEscape("서울") + "?lang=ko&units=auto", "", []string{"Accept", "text/plain"}, 200, []string{"지금 서울의 기온은", "°C"}},
		{"as sound", "GET", "/forecast/Seattle", "", []string{"Accept", "audio/wav"}, 200, []string{"RIFF", "WAVE"}},
		{"a stream", "GET", "/forecast/Lima?audio=true", "", []string{"Accept", "text/event-stream"}, 200, []string{"event: text", "event: result", "event: end"}},
		{"by coordinates, rounded", "GET", "/forecast/37.55123,126.97456?type=hours&hours=6", "", nil, 200, []string{`"lat": 37.56,`, `"lon": 126.99`, `"spells": [`, `"hours": [`, `"type": "hours"`}},
		{"in the caller's language", "GET", "/forecast/Busan", "", []string{"Accept-Language", "ko-KR,en;q=0.5"}, 200, []string{`"lang": "ko-KR"`, "지금 부산"}},
		{"in another language than the caller's", "GET", "/forecast/Busan?lang=en", "", []string{"Accept-Language", "ko"}, 200, []string{`"lang": "en"`, "Right now in Busan", `"cached": false`}},
		{"history", "GET", "/forecast/Seattle/history", "", nil, 200, []string{`"forecasts": [`, "Right now in Seattle"}},
		{"stats", "GET", "/forecast", "", nil, 200, []string{`"cities_with_valid_cache": 5`, `"ttl_readable": "30 minutes"`}},
		{"a conversation", "POST", "/forecast", `{"message":"How is the weather in Oslo?"}`, nil, 200, []string{`"session": "`, `"reply": "Right now in Oslo`}},
		{"a streamed conversation", "POST", "/forecast", `{"message":"Let me hear the weather in Rome"}`, []string{"Accept", "text/event-stream"}, 200, []string{"event: agent", "get_forecast_from_cache", "event: text", "event: result", "audio_url", "event: end"}},
		{"a skill", "POST", "/skills/forecast", `{"city":"Tokyo"}`, nil, 200, []string{`"forecast_text": "Right now in Tokyo`}},
		{"words to a skill", "POST", "/skills/forecast", `{"message":"Hello"}`, nil, 200, []string{`"forecast_text": "Hello! Which city`, `"session": "`}},
		{"a day by its name", "GET", "/forecast/Seattle?type=" + url.QueryEscape("일요일"), "", nil, 200, []string{`"type": "sunday"`, `"parts": [`}},
		{"a day out of reach", "GET", "/forecast/Seattle?type=2099-01-01", "", nil, 404, []string{`"code":"forecast_too_far"`, "it reaches until"}},
		{"a skill for a place that is none", "POST", "/skills/forecast", `{"city":"Springfield"}`, nil, 409, []string{"ambiguous_place"}},
		{"by MCP", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_forecast","arguments":{"city":"Madrid"}}}`, []string{"Accept", "application/json, text/event-stream"}, 200, []string{"Right now in Madrid"}},
		{"by MCP, spoken", "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_forecast","arguments":{"city":"Madrid","audio":true}}}`, []string{"Accept", "application/json, text/event-stream"}, 200,
			[]string{"Place: Madrid, ES, as of ", "; temp ", `"type":"resource_link"`, `"uri":"http://example.com/forecast/madrid-es-40.40--3.68/audio/`, `"mimeType":"audio/wav"`}},
		{"the document", "GET", "/openapi.json", "", nil, 200, []string{`"/forecast/{city}"`, "ambiguous_place"}},

		{"namesakes", "GET", "/forecast/Springfield", "", nil, 409, []string{`"code":"ambiguous_place"`, `"choices":["Springfield, Illinois, US"`}},
		{"nowhere", "GET", "/forecast/Nowhereville", "", nil, 404, []string{`"code":"place_not_found"`}},
		{"a path", "GET", "/forecast/..%2F..%2Fetc", "", nil, 400, []string{`"code":"bad_place"`}},
		{"an emoji", "GET", "/forecast/" + url.PathEscape("🌧️"), "", nil, 400, []string{`"code":"bad_place"`}},
		{"spaces", "GET", "/forecast/%20", "", nil, 400, []string{`"code":"bad_place"`}},
		{"300 letters", "GET", "/forecast/" + long, "", nil, 400, []string{`"code":"bad_place"`}},
		{"latitude 200", "GET", "/forecast/200,10", "", nil, 400, []string{`"code":"bad_place"`}},
		{"a unit", "GET", "/forecast/Seattle?units=feet", "", nil, 400, []string{`"code":"bad_forecast_option"`, "imperial, metric, standard or auto"}},
		{"a language", "GET", "/forecast/Seattle?lang=klingon-" + long, "", nil, 400, []string{`"code":"bad_forecast_option"`, "BCP 47"}},
		{"a type", "GET", "/forecast/Seattle?type=yesterday", "", nil, 400, []string{`"code":"bad_forecast_option"`}},
		{"hours", "GET", "/forecast/Seattle?type=hours&hours=0", "", nil, 400, []string{`"code":"bad_forecast_option"`}},
		{"audio", "GET", "/forecast/Seattle?audio=loud", "", nil, 400, []string{`"code":"bad_forecast_option"`}},
		{"no audio", "GET", "/forecast/seattle-us-47.61--122.33/audio/2020-01-01_000000?which=imperial-current-en", "", nil, 404, []string{`"code":"audio_not_found"`}},
		{"no message", "POST", "/forecast", `{"message":""}`, nil, 400, []string{`"code":"bad_message"`}},
		{"no JSON", "POST", "/forecast", `hello`, nil, 400, []string{`"code":"bad_body"`}},
		{"a foreign session", "POST", "/forecast", `{"message":"hi","session":"0123456789abcdef0123456789abcdef"}`, nil, 404, []string{`"code":"session_not_found"`}},
		{"a session that is none", "POST", "/forecast", `{"message":"hi","session":"../x"}`, nil, 404, []string{`"code":"session_not_found"`}},
	}
	for _, test := range tests {
		r := request(t, h, test.method, test.path, test.body, append([]string{"Content-Type", "application/json"}, test.header...)...)
		body, _ := io.ReadAll(r.Body)
		if r.StatusCode != test.status {
			t.Errorf("%s: %d %.600s, want %d", test.name, r.StatusCode, body, test.status)
		}
		for _, part := range test.holds {
			if !strings.Contains(string(body), part) {
				t.Errorf("%s: %.1500s, want %s in it", test.name, body, part)
			}
		}
		if vary := strings.Join(r.Header.Values("Vary"), ", "); strings.HasPrefix(test.path, "/forecast/Busan") && !strings.Contains(vary, "Accept-Language") {
			t.Errorf("%s: Vary is %q, want Accept-Language in it", test.name, vary)
		}
		if kept := r.Header.Get("Cache-Control"); strings.HasPrefix(test.path, "/forecast/") && kept != "no-store" {
			t.Errorf("%s: Cache-Control is %q, want no-store: a forecast holds for half an hour at most", test.name, kept)
		}
		if strings.Contains(string(body), weatherKey) {
			t.Errorf("%s: the key is in %s", test.name, body)
		}
	}
	faults := []struct {
		fault  openweather.FaultType
		status int
		code   string
	}{
		{openweather.Unauthorized, 502, "weather_unavailable"}, {openweather.RateLimited, 429, "weather_quota"}, {openweather.Broken, 502, "weather_unavailable"}, {openweather.Missing, 404, "place_not_found"},
	}
	for _, test := range faults {
		w.Weather.SetFaults(openweather.Fault{Type: test.fault, Path: "/data/2.5/weather"})
		r := request(t, h, "GET", "/forecast/Dakar", "")
		var p struct {
			Code string
		}
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil || r.StatusCode != test.status || p.Code != test.code || test.status == 429 && r.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s, %v; want %d %s", test.fault, r.StatusCode, p.Code, err, test.status, test.code)
		}
	}
	w.Weather.SetFaults()
	w.Gemini.SetFaults(emulated.Fault{Type: emulated.BlockedAnswer, Kind: emulated.KindSpeak})
	if r := request(t, h, "GET", "/forecast/Dakar", "", "Accept", "audio/wav"); r.StatusCode < 400 || r.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("sound while speech is refused: %d, want a problem", r.StatusCode)
	}
	if r := request(t, h, "GET", "/forecast/Dakar?audio=true", ""); r.StatusCode != 200 {
		t.Errorf("text while speech is refused: %d, want 200", r.StatusCode)
	}
}

// said are the turns of a conversation: the weather in a place, on Sunday, in other units, there on
// another day, and aloud.
var said = map[string][5]string{
	"en": {"How is the weather in Seoul?", "And on Sunday?", "In Fahrenheit", "And there tomorrow?", "Read it to me"},
	"ko": {"서울 날씨 어때?", "일요일은?", "화씨로 알려줘", "거기 내일은?", "읽어 줘"},
	"vi": {"Thời tiết ở Seoul thế nào?", "Còn Chủ Nhật?", "Theo độ F", "Còn ở đó ngày mai?", "Đọc cho mình nghe"},
	"de": {"Wie ist das Wetter in Seoul?", "Und am Sonntag?", "Bitte auf Fahrenheit", "Und dort morgen?", "Lies es mir vor"},
	"fr": {"Quel temps fait-il à Seoul ?", "Et dimanche ?", "En Fahrenheit", "Et là-bas demain ?", "Lis-le-moi"},
}

// A way is one on which words reach weather_agent: the request for them in a session or a
// conversation, and where the forecast and the session are in the answer.
type way struct {
	path, accept string
	body         func(words, session, around string, n int) string
	forecast     func(map[string]any) any
	session      func(map[string]any) any
}

// at returns what is at a path of an answer, such as result, task, artifacts, the last, parts, 0.
func at(v any, path ...string) any {
	for _, name := range path {
		switch here := v.(type) {
		case map[string]any:
			v = here[name]
		case []any:
			if len(here) == 0 {
				return nil
			}
			v = here[0]
			if name == "last" {
				v = here[len(here)-1]
			}
		default:
			return nil
		}
	}
	return v
}

// plainly returns a function that reads the path of an answer.
func plainly(path ...string) func(map[string]any) any {
	return func(answer map[string]any) any { return at(answer, path...) }
}

// quoted are values as JSON.
func quoted(format string, values ...string) string {
	var all []any
	for _, v := range values {
		text, _ := json.Marshal(v) // of a string
		all = append(all, string(text))
	}
	return fmt.Sprintf(format, all...)
}

// ways are HTTP as programs and as the page ask it, three versions of A2A, one of them with the
// skill named, and MCP.
var ways = map[string]way{
	"HTTP": {"/forecast", "application/json", func(words, session, _ string, _ int) string {
		return quoted(`{"message":%s,"session":%s}`, words, session)
	}, plainly("forecast"), plainly("session")},
	"the page": {"/forecast", "text/event-stream", func(words, session, _ string, _ int) string {
		return quoted(`{"message":%s,"session":%s}`, words, session)
	}, plainly("forecast"), plainly("session")},
	"A2A 1.0": {"/a2a", "application/json", func(words, _, around string, n int) string {
		return quoted(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":%s,"contextId":%s,"role":"ROLE_USER","parts":[{"text":%s}]}}}`, fmt.Sprint("m", n), around, words)
	}, plainly("result", "task", "artifacts", "last", "parts", "0", "data"), nil},
	"A2A 1.0, named": {"/a2a", "application/json", func(words, _, around string, n int) string {
		return quoted(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":%s,"contextId":%s,"role":"ROLE_USER","parts":[{"text":%s}],"metadata":{"skill":"forecast"}}}}`, fmt.Sprint("m", n), around, words)
	}, plainly("result", "task", "artifacts", "last", "parts", "0", "data"), nil},
	"A2A 0.3": {"/a2a", "application/json", func(words, _, around string, n int) string {
		return quoted(`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":%s,"contextId":%s,"role":"user","parts":[{"kind":"text","text":%s}]}}}`, fmt.Sprint("m", n), around, words)
	}, plainly("result", "artifacts", "last", "parts", "0", "data"), nil},
	"A2A 0.2": {"/a2a", "application/json", func(words, _, around string, n int) string {
		return quoted(`{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":{"id":%s,"sessionId":%s,"message":{"role":"user","parts":[{"type":"text","text":%s}]}}}`, fmt.Sprint(around, "-", n), around, words)
	}, plainly("result", "artifacts", "last", "parts", "0", "data"), nil},
	"MCP": {"/mcp", "application/json, text/event-stream", func(words, session, _ string, _ int) string {
		return quoted(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_forecast","arguments":{"message":%s,"session":%s}}}`, words, session)
	}, plainly("result", "structuredContent"), plainly("result", "structuredContent", "session")},
}

// A conversation goes on the same way on each way in, in each language: the place, the day and the
// units are remembered, and the forecast is read out.
func TestWeatherConversations(t *testing.T) {
	h, _ := sky(t)
	conversations := 0
	for name, way := range ways {
		for lang, turns := range said {
			conversations++
			session, around := "", uuid.NewString()
			for n, want := range []struct{ kind, units string }{{"current", "metric"}, {"sunday", "metric"}, {"sunday", "imperial"}, {"tomorrow", "imperial"}, {"tomorrow", "imperial"}} {
				r := request(t, h, "POST", way.path, way.body(turns[n], session, around, n), "Content-Type", "application/json", "Accept", way.accept)
				body, _ := io.ReadAll(r.Body)
				for line := range strings.Lines(string(body)) { // of a stream the result
					if data, ok := strings.CutPrefix(line, "data: "); ok && (strings.Contains(data, `"reply"`) || strings.Contains(data, `"structuredContent"`)) {
						body = []byte(data)
					}
				}
				var answer map[string]any
				if err := json.Unmarshal(body, &answer); err != nil {
					t.Errorf("%s, %s: %q = %d %.600s", name, lang, turns[n], r.StatusCode, body)
					break
				}
				got, _ := way.forecast(answer).(map[string]any)
				if got["type"] != want.kind || got["units"] != want.units || got["lang"] != lang || at(got, "place", "name") != "Seoul" || n == 4 && got["audio_url"] == nil {
					t.Errorf("%s, %s: %q = %.300s … %v %v; want %+v of Seoul", name, lang, turns[n], body, got["warnings"], got["audio_url"], want)
				}
				if way.session != nil {
					session = fmt.Sprint(way.session(answer))
				}
			}
		}
	}
	if conversations < 30 {
		t.Errorf("%d conversations, want 30", conversations)
	}
}

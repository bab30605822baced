package forecast

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	emulatedweather "example.com/whatis/emulators/openweather"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/forecast/openweather"
	"example.com/whatis/internal/session"
)

func talk(t *testing.T, h harness) *Conversation {
	t.Helper()
	c, err := h.Conversation(session.New(h.FirestoreClient(t), session.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A line is what the user says, and what must come of it.
type line struct {
	say   string
	tools string // that are called, in any order
	city  string // of the forecast, "" without one
	kind  string
	audio bool
	text  string // in the answer
}

const (
	first  = "get_forecast_from_cache get_current_timestamp weather_studio_team" // of a forecast that is made
	retype = "set_session_value " + first
)

var script = map[string][]line{
	"en": {
		{"Hello!", "", "", "", false, "Which city"},
		{"How is the weather in Seattle?", first, "Seattle", Current, false, "Seattle"},
		{"How is the weather in Seattle?", "get_forecast_from_cache", "Seattle", Current, false, "Seattle"},
		{"And tomorrow in Paris?", retype, "Paris", Tomorrow, false, "Paris"},
		{"And in London?", first, "London", Tomorrow, false, "London"},
		{"What about right now?", retype, "London", Current, false, "London"},
		{"I want to listen to the weather in Seattle", first, "Seattle", Current, true, "Seattle"},
		{"Let me hear the weather in Seattle", "get_forecast_from_cache", "Seattle", Current, true, "Seattle"},
		{"What is the weather in Springfield?", "get_forecast_from_cache", "", "", false, "Illinois"},
		{"In Springfield, Illinois", first, "Springfield", Current, false, "Springfield"},
		{"How is it in Nowhereville?", "get_forecast_from_cache", "", "", false, "no such place"},
		{"Is the last one saved?", "cache_forecast", "", "", false, "forecasts/"},
		{"Show me the cache stats", "get_cache_stats", "", "", false, "cities"},
		{"What time is it?", "get_current_timestamp", "", "", false, "20"},
		{"The weekend in Chicago?", retype, "Chicago", Weekend, false, "Chicago"},
		{"And the next few hours in Boston, Massachusetts?", retype, "Boston", Hours, false, "Boston"},
		{"In celsius, in Denver please", retype, "Denver", Hours, false, "Denver"},
		{"Today in Miami?", retype, "Miami", Today, false, "Miami"},
		{"hmm", "", "", "", false, "Which city"},
		{"Thank you!", "", "", "", false, "welcome"},
		{"Tokyo", first, "Tokyo", Today, false, "Tokyo"},
	},
	"ko": {
		{"안녕하세요", "", "", "", false, "어느 도시"},
		{"서울 날씨 어때?", first, "Seoul", Current, false, "서울"},
		{"서울 날씨 알려줘", "get_forecast_from_cache", "Seoul", Current, false, "서울"},
		{"내일은?", retype, "Seoul", Tomorrow, false, "서울"},
		{"부산은?", first, "Busan", Tomorrow, false, "부산"},
		{"지금 날씨는?", retype, "Busan", Current, false, "부산"},
		{"서울 날씨 들려줘", first, "Seoul", Current, true, "서울"},
		{"광주 날씨 알려줘", "get_forecast_from_cache", "", "", false, "어느 곳"},
		{"제주 날씨는?", first, "Jeju City", Current, false, "제주"},
		{"도쿄 주말 날씨", retype, "Tokyo", Weekend, false, "도쿄"},
		{"오늘 대구 날씨", retype, "Daegu", Today, false, "대구"},
		{"저장됐어?", "cache_forecast", "", "", false, "forecasts/"},
		{"캐시 통계 보여줘", "get_cache_stats", "", "", false, "도시"},
		{"지금 몇 시야?", "get_current_timestamp", "", "", false, "20"},
		{"없는도시 날씨", "get_forecast_from_cache", "", "", false, "place"},
		{"하노이 날씨는?", first, "Hanoi", Today, false, "하노이"},
		{"파리 날씨는?", first, "Paris", Today, false, "파리"},
		{"섭씨로 뉴욕 날씨", retype, "New York", Today, false, "뉴욕"},
		{"고마워요", "", "", "", false, "천만에요"},
		{"날씨", "", "", "", false, "어느 도시"},
	},
	"vi": {
		{"Xin chào bạn, mình cần dự báo", "", "", "", false, "thành phố nào"},
		{"Thời tiết ở Hà Nội thế nào?", first, "Hanoi", Current, false, "Hà Nội"},
		{"Thời tiết ở Hà Nội thế nào?", "get_forecast_from_cache", "Hanoi", Current, false, "Hà Nội"},
		{"Còn ngày mai ở Đà Nẵng?", retype, "Da Nang", Tomorrow, false, "Đà Nẵng"},
		{"Còn ở Huế thì sao nhỉ ạ?", first, "Hue", Tomorrow, false, "Huế"},
		{"Bây giờ thì thế nào?", retype, "Hue", Current, false, "Huế"},
		{"Mình muốn nghe dự báo ở Hà Nội", first, "Hanoi", Current, true, "Hà Nội"},
		{"Thời tiết ở Springfield thế nào?", "get_forecast_from_cache", "", "", false, "nơi nào"},
		{"Cuối tuần ở Cần Thơ thế nào?", retype, "Can Tho", Weekend, false, "Cần Thơ"},
		{"Hôm nay ở Hải Phòng có mưa không?", retype, "Hai Phong", Today, false, "Hải Phòng"},
		{"Vài giờ tới ở Đà Lạt?", retype, "Da Lat", Hours, false, "Đà Lạt"},
		{"Dự báo đã lưu lại chưa?", "cache_forecast", "", "", false, "forecasts/"},
		{"Cho mình xem thống kê", "get_cache_stats", "", "", false, "thành phố"},
		{"Bây giờ là mấy giờ rồi?", "get_current_timestamp", "", "", false, "20"},
		{"Thời tiết ở Seoul thế nào?", first, "Seoul", Hours, false, "Seoul"},
		{"Thời tiết ở Tokyo thế nào?", first, "Tokyo", Hours, false, "Tokyo"},
		{"Thời tiết ở Đâuđó thế nào?", "get_forecast_from_cache", "", "", false, "place"},
		{"Theo độ C, ở Vũng Tàu nhé", retype, "Vung Tau", Hours, false, "Vũng Tàu"},
		{"Cảm ơn bạn", "", "", "", false, "Không có gì"},
		{"ừ, được", "", "", "", false, "thành phố nào"},
	},
}

// The emulated responder is led through three conversations and every tool.
func TestConversations(t *testing.T) {
	turns, called := 0, map[string]bool{}
	for lang, lines := range script {
		now := func() time.Time { return time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC) } // a Wednesday: the weekend is near
		h := open(t, func(c *Config) { c.Now = now })
		h.at(t, now)
		c := talk(t, h)
		id := ""
		for _, l := range lines {
			turns++
			h.Gemini.ResetCalls()
			h.Weather.ResetCalls()
			var tools []string
			r, err := c.Say(t.Context(), Message{Text: l.say, Session: id}, func(e *agent.Event) {
				if e.Kind == agent.ToolCall {
					tools = append(tools, e.Tool)
				}
			}, nil)
			if err != nil {
				t.Fatalf("%s: %q: %v", lang, l.say, err)
			}
			if id != "" && r.Session != id {
				t.Errorf("%s: %q: the session is %s, want %s", lang, l.say, r.Session, id)
			}
			id = r.Session
			want := strings.Fields(l.tools)
			if slices.Contains(want, teamName) && !slices.Contains(tools, "get_current_timestamp") {
				// The model looked the cache up for the type before, at once with setting another,
				// and code has the forecast made that it then lacks.
				tools = append(tools, "get_current_timestamp")
			}
			slices.Sort(tools)
			slices.Sort(want)
			if !slices.Equal(slices.Compact(tools), want) {
				t.Errorf("%s: %q calls %q, want %q", lang, l.say, tools, want)
			}
			for _, name := range tools {
				called[name] = true
			}
			got := line{city: "", audio: false}
			if r.Forecast != nil {
				got = line{city: r.Forecast.Place.Name, kind: r.Forecast.Type, audio: r.Forecast.AudioFile != ""}
				if r.Text != r.Forecast.Text || r.Forecast.Lang != lang {
					t.Errorf("%s: %q: %q in %s, want the forecast %q", lang, l.say, r.Text, r.Forecast.Lang, r.Forecast.Text)
				}
			}
			if got.city != l.city || got.kind != l.kind || l.audio && !got.audio || !strings.Contains(r.Text, l.text) {
				t.Errorf("%s: %q → %+v %q, want %+v", lang, l.say, got, r.Text, l)
			}
			if n := len(h.Gemini.Calls()); l.tools == "get_forecast_from_cache" && r.Forecast != nil && n > 2 {
				t.Errorf("%s: %q: a hit cost %d calls, want 2 at most", lang, l.say, n)
			}
			for _, call := range h.Gemini.Calls() {
				for _, said := range call.Texts {
					if strings.Contains(said, "a-secret-key") {
						t.Error("the key is in a prompt")
					}
				}
			}
		}
		found, err := c.sessions.Find(t.Context(), "", id)
		if err != nil || len(found.Messages) < 2*len(lines) || found.State[keyForecast] == "" || found.State[keyCity] == nil || found.State[keyText] == nil || found.State[keyTimestamp] == nil {
			t.Errorf("%s: %d messages and state %v, %v; want all of them", lang, len(found.Messages), found.State, err)
		}
	}
	if turns < 60 {
		t.Errorf("%d turns, want 60", turns)
	}
	for _, name := range strings.Fields(retype + " cache_forecast get_cache_stats") {
		if !called[name] {
			t.Errorf("%s was never called", name)
		}
	}
}

// Thought signatures of calls go back to the model, also those of older turns and
// out of Firestore, by an instance that did not see them come.
func TestSignaturesAreSentBack(t *testing.T) {
	h := open(t, nil)
	r, err := talk(t, h).Say(t.Context(), Message{Text: "How is the weather in Seattle?"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var last []emulated.Said
	h.Gemini.Script(emulated.Answer{Text: "never said", Match: func(r *emulated.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if r.Is(answers.KindWeatherAgent) {
			last = r.Dialog
		}
		return false
	}})
	if _, err := talk(t, h).Say(t.Context(), Message{Text: "And tomorrow in Paris?", Session: r.Session}, nil, nil); err != nil {
		t.Fatal(err)
	}
	steps, signed := 0, 0
	for i, said := range last {
		if said.Call != nil && (i == 0 || last[i-1].Call == nil) {
			steps++
		}
		if said.Signature != "" {
			signed++
		}
	}
	if steps < 3 || signed != steps {
		t.Errorf("the last request has %d steps with calls and %d signatures, want as many, of two turns: %+v", steps, signed, last)
	}
}

// asked are the sentences of a conversation by language: the weather of a place, tomorrow's,
// that of another place, the weekend's, and a place to be heard.
var asked = map[string][5]string{
	"en": {"How is the weather in %s?", "And tomorrow?", "And in %s?", "And the weekend?", "Let me hear the weather in %s"},
	"ko": {"%s 날씨 어때?", "내일은?", "%s 날씨 알려줘", "주말은?", "%s 날씨 들려줘"},
	"vi": {"Thời tiết ở %s thế nào?", "Còn ngày mai?", "Thời tiết ở %s thế nào?", "Còn cuối tuần?", "Mình muốn nghe dự báo ở %s"},
	"de": {"Wie ist das Wetter in %s?", "Und morgen?", "Und in %s?", "Und am Wochenende?", "Lies mir das Wetter in %s vor"},
	"fr": {"Quel temps fait-il à %s ?", "Et demain ?", "Et à %s ?", "Et ce week-end ?", "Fais-moi écouter la météo à %s"},
	"ja": {"%s の天気はどうですか", "明日はどうですか", "%s はどうですか", "週末はどうですか", "%s の天気を聞かせてください"},
	"ar": {"كيف الطقس في %s؟", "وغدا؟", "وفي %s؟", "وفي نهاية الأسبوع؟", "أريد أن أسمع الطقس في %s"},
	"hi": {"%s में मौसम कैसा है?", "और कल?", "और %s में?", "और सप्ताहांत में?", "मुझे %s का मौसम सुनाओ"},
}

// Forty conversations in eight languages: each is answered in its language, and a place
// keeps its name, its ID and its coordinates from its name on, whatever its reverse
// geocoding says. In short, one of each language.
func TestFortyConversations(t *testing.T) {
	now := func() time.Time { return time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC) }
	h := open(t, func(c *Config) { c.Now = now })
	h.at(t, now)
	c := talk(t, h)
	pairs := [][2]string{{"Da Nang", "Tokyo"}, {"Seoul", "Paris"}, {"Cairo", "Moscow"}, {"Hanoi", "London"}, {"Madrid", "Rome"}}
	for lang, says := range asked {
		for n, pair := range pairs {
			if n > 0 && os.Getenv("WHATIS_CONVERSATIONS") != "all" {
				break
			}
			id := ""
			for i, want := range []struct{ city, kind string }{{pair[0], Current}, {pair[0], Tomorrow}, {pair[1], Tomorrow}, {pair[1], Weekend}, {pair[0], Weekend}} {
				place, err := h.Pipeline.Weather.Find(t.Context(), want.city)
				if err != nil {
					t.Fatal(err)
				}
				say := strings.ReplaceAll(says[i], "%s", place.In(lang))
				h.World.Weather.ResetCalls()
				r, err := c.Say(t.Context(), Message{Text: say, Session: id}, nil, nil)
				if err != nil || r.Forecast == nil {
					t.Errorf("%s: %q: %+v, %v; want a forecast", lang, say, r, err)
					break
				}
				f := *r.Forecast
				if id = r.Session; f.Lang != lang || f.Place.ID != place.ID || f.Place.Name != want.city || f.Type != want.kind || f.Units != openweather.Metric || !strings.Contains(r.Text, place.In(lang)) || slices.Contains(f.Warnings, WarnTemplate) || (f.AudioFile != "") != (i == 4) {
					t.Errorf("%s: %q: %s of %+v in %s %s: %q %q; want %+v of %s", lang, say, f.Type, f.Place, f.Lang, f.Units, r.Text, f.Warnings, want, place.ID)
				}
			}
		}
	}
}

// What a model sets is refused where it is none of the words that it was told.
func TestWeatherTypes(t *testing.T) {
	for said, want := range map[string]string{"": Current, "current weather condition": Current, "Tomorrow": Tomorrow, "weekend": Weekend, "today": Today, "the next hours": "hours 0", "the next 6 hours": "hours 6", "morgen": "", "next month": "",
		"Sunday": "sunday", "on wednesday": "wednesday", "일요일": "sunday", "chủ nhật": "sunday", "Thứ Hai": "monday", "내일": Tomorrow, "2026-11-29": "2026-11-29", "2026-13-29": "", "the day after tomorrow": ""} {
		kind, hours, err := kindOf(said)
		got := kind
		if kind == Hours {
			got = fmt.Sprint(kind, " ", hours)
		}
		if got != want || (err != nil) != (want == "") {
			t.Errorf("kindOf(%q) = %q, %v; want %q", said, got, err, want)
		}
	}
}

// A model that does not obey gets the forecast all the same, and says nothing of the
// weather by itself.
func TestDisobedience(t *testing.T) {
	h := open(t, nil)
	c := talk(t, h)
	root := func(a emulated.Answer) emulated.Answer { a.Kind = answers.KindWeatherAgent; return a }
	call := func(name string, args map[string]any) emulated.Answer {
		return root(emulated.Answer{Calls: []emulated.FunctionCall{{Name: name, Args: args}}})
	}
	set := func(city string) emulated.Answer {
		return call("set_session_value", map[string]any{"key": "CITY", "value": city})
	}
	tests := []struct {
		name    string
		answers []emulated.Answer
		city    string
		text    string
	}{
		{"makes the weather up", []emulated.Answer{root(emulated.Answer{Text: "It is 75 degrees in Oslo."})}, "", "Which city"},
		{"makes rain up", []emulated.Answer{root(emulated.Answer{Text: "Rain is coming to Oslo."})}, "", "Which city"},
		{"sets the city and talks", []emulated.Answer{set("Oslo"), root(emulated.Answer{Text: "Sunny, I guess."})}, "Oslo", "Oslo"},
		{"never stops", slices.Repeat([]emulated.Answer{call("get_current_timestamp", nil)}, 10), "", "Which city"},
		{"never stops with a city", append([]emulated.Answer{set("Lima")}, slices.Repeat([]emulated.Answer{call("get_current_timestamp", nil)}, 10)...), "Lima", "Lima"},
		{"guesses a Springfield", []emulated.Answer{set("Springfield"), set("Springfield, IL")}, "", "Which one do you mean"},
		{"sets what code sets", []emulated.Answer{call("set_session_value", map[string]any{"key": "FORECAST", "value": "snow"}), root(emulated.Answer{Text: "Hello! Which city would you like the forecast for?"})}, "", "Hello! Which city"},
	}
	for _, test := range tests {
		h.Gemini.ResetScript()
		h.Gemini.ResetCalls()
		h.Gemini.Script(test.answers...)
		r, err := c.Say(t.Context(), Message{Text: "How is the weather there?"}, nil, nil)
		city := ""
		if r.Forecast != nil {
			city = r.Forecast.Place.Name
		}
		if err != nil || city != test.city || !strings.Contains(r.Text, test.text) {
			t.Errorf("%s: %q of %q, %v; want %q of %q", test.name, r.Text, city, err, test.text, test.city)
		}
		rounds := 0
		for _, call := range h.Gemini.Calls() {
			if call.Kind == answers.KindWeatherAgent {
				rounds++
			}
		}
		if rounds > maxRounds {
			t.Errorf("%s: %d rounds, want %d at most", test.name, rounds, maxRounds)
		}
	}
	h.Gemini.ResetScript()
	bad := emulated.Answer{Kind: answers.KindForecast, JSON: draft{Forecast: "It is 99 degrees.", Tone: "calm"}}
	h.Gemini.Script(bad, bad)
	r, err := c.Say(t.Context(), Message{Text: "How is the weather in Cairo?"}, nil, nil)
	if err != nil || r.Forecast == nil || !slices.Contains(r.Forecast.Warnings, WarnTemplate) || strings.Contains(r.Text, "99") {
		t.Errorf("a writer that makes figures up: %+v, %v; want the template", r, err)
	}
}

// What goes wrong is told by its own error, and the conversation goes on.
func TestConversationFaults(t *testing.T) {
	h := open(t, nil)
	c := talk(t, h)
	for _, m := range []Message{{}, {Text: "  "}, {Text: strings.Repeat("a", maxMessage+1)}, {Text: "\xff"}} {
		if _, err := c.Say(t.Context(), m, nil, nil); !errors.Is(err, ErrMessage) {
			t.Errorf("Say(%.10q) = %v, want ErrMessage", m.Text, err)
		}
	}
	if _, err := c.Say(t.Context(), Message{Text: "Hello", Session: session.NewID()}, nil, nil); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("Say in a strange conversation = %v", err)
	}
	mine, err := c.Say(t.Context(), Message{Text: "Hello", Caller: "me"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Say(t.Context(), Message{Text: "Hello", Session: mine.Session, Caller: "you"}, nil, nil); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("Say in another's conversation = %v", err)
	}
	h.Weather.SetFaults(emulatedweather.Fault{Type: emulatedweather.Internal, Path: "/data/2.5/weather"})
	var f *openweather.Fault
	if _, err := c.Say(t.Context(), Message{Text: "How is the weather in Oslo?", Session: mine.Session, Caller: "me"}, nil, nil); !errors.As(err, &f) {
		t.Errorf("Say while the service is down = %v, want its fault", err)
	}
	h.Weather.SetFaults()
	if r, err := c.Say(t.Context(), Message{Text: "How is the weather in Oslo?", Session: mine.Session, Caller: "me"}, nil, nil); err != nil || r.Forecast == nil {
		t.Errorf("Say afterwards = %+v, %v", r, err)
	}
}

// With models of 800 ms a hit answers in 2 s, and a miss in 15 s.
func TestConversationTakes(t *testing.T) {
	h := open(t, nil)
	c := talk(t, h)
	for _, most := range []int{18, 2} {
		h.reset()
		if _, err := c.Say(t.Context(), Message{Text: "Let me hear the weather in Seattle"}, nil, nil); err != nil {
			t.Error(err)
		}
		if calls := len(h.Gemini.Calls()); calls > most {
			t.Errorf("an answer took %d calls of models, want %d at most", calls, most)
		} else {
			t.Logf("an answer took %d calls of models", calls)
		}
	}
}

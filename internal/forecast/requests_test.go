package forecast

import (
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/goldens"
	"example.com/whatis/internal/gemini"
)

// tapped is a harness at a fixed time, whose pipeline asks the models of the default
// configuration, through a tap.
func tapped(t *testing.T, files *goldens.Files) (harness, *goldens.Tap) {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC) }
	h := open(t, nil)
	tap := files.Tap(t, h.Gemini.URL())
	model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: tap.URL, AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	h.Pipeline = another(t, h.World, func(c *Config) {
		c.Now, c.Gemini, c.Model, c.Speech, c.Thinking = now, model, "gemini-3.6-flash", "gemini-3.8-flash-lite-tts", gemini.ThinkLow
		c.Checker, c.CheckerThinking = "gemini-3.6-flash", gemini.ThinkLow
	})
	h.at(t, now)
	return h, tap
}

// Every request of the agent, as it is sent: of a forecast that is asked for directly,
// one of them written again, and of a conversation that has one made and spoken.
func TestRequests(t *testing.T) {
	files := goldens.Open(t)
	h, tap := tapped(t, files)
	h.Gemini.Script(emulated.Answer{Kind: answers.KindForecast, JSON: draft{Forecast: "In {city} it is {temp}, with {conditions}.", Tone: "calm"}})
	if _, err := h.Run(t.Context(), Request{City: "서울", Lang: "ko", Units: "metric", Audio: true}, nil); err != nil {
		t.Fatal(err)
	}
	tap.Compare(t, "forecast_writer_agent", "forecast_checker_agent", "speech")

	h.Gemini.Script(emulated.Answer{Kind: answers.KindForecast, JSON: draft{Forecast: "It is 20 degrees in {city}.", Tone: "calm"}},
		emulated.Answer{Kind: answers.KindForecast, JSON: draft{Forecast: written + " Rain {rain_times}.", Tone: "calm"}})
	if _, err := h.Run(t.Context(), Request{City: "Busan", Lang: "en", Units: "metric", Type: Tomorrow}, nil); err != nil {
		t.Fatal(err)
	}
	tap.Compare(t, "", "forecast_writer_agent_refused", "")

	h, tap = tapped(t, files)
	h.Gemini.Script(
		calls(emulated.FunctionCall{Name: "set_session_value", Args: map[string]any{"key": keyType, "value": Tomorrow}},
			emulated.FunctionCall{Name: "get_forecast_from_cache", Args: map[string]any{"city": "Seattle", "language": "en", "audio": true}}),
		calls(emulated.FunctionCall{Name: "get_current_timestamp"}, emulated.FunctionCall{Name: teamName, Args: map[string]any{"request": "the forecast"}}),
		emulated.Answer{Kind: answers.KindForecast, JSON: draft{Forecast: written + " Snow {snow_times}.", Tone: "warm"}},
	)
	if _, err := talk(t, h).Say(t.Context(), Message{Text: "I want to listen to the weather in Seattle tomorrow"}, nil, nil); err != nil {
		t.Fatal(err)
	}
	tap.Compare(t, "weather_agent", "weather_agent_looked_up", "team_writer", "", "team_speech")
}

// written is a forecast by the facts of tomorrow.
const written = "In {city} expect {conditions}, with a high of {high} and a low of {low}."

// calls is an answer that calls functions, as a model does that thinks.
func calls(all ...emulated.FunctionCall) emulated.Answer {
	return emulated.Answer{Calls: all, Signature: []byte("thoughts")}
}

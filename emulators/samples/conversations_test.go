package samples

import (
	"fmt"
	"testing"
)

func TestUtteranceOf(t *testing.T) {
	tests := []struct{ say, want string }{
		{"How is the weather in Oslo?", "[{get_forecast_from_cache map[city:Oslo]}]"},
		{"how is  the weather in New York", "[{get_forecast_from_cache map[city:New York]}]"},
		{"How is the weather in Oslo tomorrow?", "[{set_session_value map[key:WEATHER_TYPE value:tomorrow]} {get_forecast_from_cache map[city:Oslo]}]"},
		{"And tomorrow?", "[{set_session_value map[key:WEATHER_TYPE value:tomorrow]} {get_forecast_from_cache map[]}]"},
		{"부산은?", "[{get_forecast_from_cache map[city:부산]}]"},
		{"Thời tiết ở Hà Nội thế nào?", "[{get_forecast_from_cache map[city:Hà Nội]}]"},
		{"Hello!", "Hello! Which city would you like the forecast for?"},
		{"How is the weather in?", "unknown"},
		{"Sing me a song", "unknown"},
		{"", "unknown"},
	}
	for _, test := range tests {
		got := "unknown"
		if u, ok := UtteranceOf(test.say); ok {
			if got = u.Answer; got == "" {
				got = fmt.Sprint(u.Calls)
			}
		}
		if got != test.want {
			t.Errorf("UtteranceOf(%q) = %s, want %s", test.say, got, test.want)
		}
	}
}

// Each label says what is to be called or answered, and is found by its own words.
func TestUtterances(t *testing.T) {
	for _, u := range utterances() {
		got, ok := UtteranceOf(u.Say)
		if !ok || got.Say != u.Say || (len(u.Calls) > 0) == (u.Answer != "") {
			t.Errorf("UtteranceOf(%q) = %+v, %v; want itself, with calls or an answer", u.Say, got, ok)
		}
	}
}

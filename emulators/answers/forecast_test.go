package answers

import (
	"fmt"
	"strings"
	"testing"

	"example.com/whatis/emulators/gemini"
)

// What somebody says is understood where it is labelled, unknown words by a perfect model alone;
// of all else the model says that it is at a loss.
func TestOpeningOfAConversation(t *testing.T) {
	for _, tt := range []struct{ say, emulated, perfect string }{
		{"How is the weather in Oslo?", "[{ get_forecast_from_cache map[city:Oslo language:en]}]", ""},
		{"Hello!", "Hello! Which city", ""},
		{"Sunnies or brolly in Oslo?", lost, "[{ get_forecast_from_cache map[city:Oslo language:en]}]"},
		{"Is Oslo in Norway?", lost, ""},
	} {
		for model, want := range map[bool]string{false: tt.emulated, true: tt.perfect} {
			if want == "" {
				want = tt.emulated
			}
			r := &gemini.Request{Functions: []string{"get_forecast_from_cache"}, Dialog: []gemini.Said{{Role: "user", Text: tt.say}}}
			a, err := forecast{model}.Answer(t.Context(), r)
			got := a.Text
			if len(a.Calls) > 0 {
				got = fmt.Sprint(a.Calls)
			}
			if err != nil || !strings.HasPrefix(got, want) {
				t.Errorf("perfect %v, %q: %q, %v; want %q", model, tt.say, got, err, want)
			}
		}
	}
}

package forecast

import (
	"context"
	"sync"
	"testing"

	emulated "example.com/whatis/emulators/gemini"
)

// A turn that its caller leaves, or for which there is no budget any more, in whichever call of a
// model, does not end the conversation: the same said again is answered as at one go.
func TestTurnBrokenOff(t *testing.T) {
	budget := &emulated.Fault{Type: emulated.DailyQuota}
	for name, gets := range map[string]*emulated.Fault{"left": nil, "no budget": budget} {
		for n := 1; ; n++ {
			h := open(t, nil)
			c := talk(t, h)
			hello, err := c.Say(t.Context(), Message{Text: "Hello"}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			h.reset()
			ctx, leave := context.WithCancel(t.Context())
			var mu sync.Mutex
			left := n
			h.Gemini.Script(emulated.Answer{Fault: gets, Match: func(*emulated.Request) bool {
				mu.Lock()
				defer mu.Unlock()
				if left--; left == 0 && gets == nil {
					leave()
				}
				return left == 0 && gets != nil
			}})
			said := Message{Text: "How is the weather in Oslo?", Session: hello.Session}
			_, err = c.Say(ctx, said, nil, nil)
			if leave(); left > 0 {
				if n < 4 {
					t.Errorf("%s: %d calls, want as many as tell something", name, n-1)
				}
				break
			}
			if err == nil {
				t.Errorf("%s in call %d: it is answered", name, n)
			}
			got, err := talk(t, h).Say(t.Context(), said, nil, nil) // in another instance
			if err != nil || got.Forecast == nil || got.Forecast.Place.Name != "Oslo" || got.Text == "" {
				t.Errorf("%s in call %d, said again: %+v, %v; want the forecast", name, n, got, err)
			}
			if again, err := c.Say(t.Context(), Message{Text: "And in Lima?", Session: hello.Session}, nil, nil); err != nil || again.Forecast == nil {
				t.Errorf("%s in call %d, the next: %+v, %v; want a forecast", name, n, again, err)
			}
		}
	}
}

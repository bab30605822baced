package gemini

import (
	"context"
	"slices"
	"testing"
	"time"

	"google.golang.org/genai"

	"example.com/whatis/emulators/gemini/geminitest"
)

// Calls within a quota do not meet its fault; those beyond it do, until the next second.
func TestFaultBeyondAQuota(t *testing.T) {
	f := &armedFault{Fault: Fault{Type: RateLimited, PerSecond: 2}}
	begin := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	for _, call := range []struct {
		after  time.Duration
		spared bool
	}{{0, true}, {time.Millisecond, true}, {2 * time.Millisecond, false}, {999 * time.Millisecond, false}, {time.Second, true}, {1500 * time.Millisecond, true}, {1600 * time.Millisecond, false}} {
		if got := f.spares(begin.Add(call.after)); got != call.spared {
			t.Errorf("a call after %v is spared: %v, want %v", call.after, got, call.spared)
		}
	}
	if (&armedFault{}).spares(begin) {
		t.Error("a fault without a quota spares a call")
	}
}

func TestCloseEndsCallsInFlight(t *testing.T) {
	for _, f := range []Fault{{Type: TimeOut}, {Type: Latency, Delay: time.Hour}} {
		s := start(t, Options{})
		waiting := make(chan struct{})
		s.Script(Answer{Match: func(*Request) bool { close(waiting); return true }, Fault: &f})
		client := geminitest.API(t, s)
		done := make(chan error, 1)
		go func() {
			_, err := geminitest.Ask(context.Background(), client, nil, nil, "q")
			done <- err
		}()
		<-waiting
		if err := s.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
		if err := <-done; err == nil {
			t.Errorf("%s: the call in flight succeeded, want an error", f.Type)
		}
		if c := s.Calls(); len(c) != 1 || c[0].Status != 0 {
			t.Errorf("%s: Calls() = %+v, want one of status 0", f.Type, c)
		}
	}
}

func TestFaultsAreChosen(t *testing.T) {
	s := start(t, Options{})
	client := geminitest.API(t, s)
	statuses := func(n int, config *genai.GenerateContentConfig) []int {
		s.ResetCalls()
		for range n {
			geminitest.Ask(t.Context(), client, config, nil, "q")
		}
		var got []int
		for _, c := range s.Calls() {
			got = append(got, c.Status)
		}
		return got
	}
	s.SetFaults(Fault{Type: Unavailable, Times: 2}, Fault{Type: Internal, Kind: kindSearch})
	if got, want := statuses(3, nil), []int{503, 503, 200}; !slices.Equal(got, want) {
		t.Errorf("Times 2: %v, want %v", got, want)
	}
	if got, want := statuses(1, geminitest.Searching()), []int{500}; !slices.Equal(got, want) {
		t.Errorf("Kind search, a search: %v, want %v", got, want)
	}
	oneCall := geminitest.Wanting("probability")
	oneCall.Tools = geminitest.Searching().Tools
	if got, want := statuses(1, oneCall), []int{500}; !slices.Equal(got, want) {
		t.Errorf("Kind search, search and schema in one call: %v, want %v", got, want)
	}
	if got, want := statuses(1, geminitest.Wanting("pick")), []int{200}; !slices.Equal(got, want) {
		t.Errorf("Kind search, a judgement: %v, want %v", got, want)
	}
	s.SetFaults(Fault{Type: Unavailable, Times: 1}, Fault{Type: Internal, Times: 1})
	if got, want := statuses(3, nil), []int{503, 500, 200}; !slices.Equal(got, want) {
		t.Errorf("one after the other: %v, want %v", got, want)
	}
	s.SetFaults(Fault{Type: Internal, Model: "another"})
	if got, want := statuses(1, nil), []int{200}; !slices.Equal(got, want) {
		t.Errorf("another model: %v, want %v", got, want)
	}
	flaky := Fault{Type: Internal, Probability: 0.5, Seed: 7}
	s.SetFaults(flaky)
	first := statuses(20, nil)
	s.SetFaults(flaky)
	if again := statuses(20, nil); !slices.Equal(first, again) || !slices.Contains(first, 200) || !slices.Contains(first, 500) {
		t.Errorf("Probability 0.5 with one seed: %v then %v, want the same mixture", first, again)
	}
}

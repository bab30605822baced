package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/genai"

	"example.com/whatis/emulators/gemini/geminitest"
)

func TestCutConnectionIsAnError(t *testing.T) {
	s := start(t, Options{})
	for _, b := range geminitest.Backends {
		client := b.Client(t, s)
		s.SetFaults(Fault{Type: Cut})
		if resp, err := geminitest.Ask(t.Context(), client, geminitest.Wanting("pick"), nil, "request:\n{}"); err == nil {
			t.Errorf("%s: GenerateContent over a cut connection = %v, want an error", b.Name, resp.Text())
		}
		chunks, streamErr := 0, error(nil)
		for _, err := range client.Models.GenerateContentStream(t.Context(), "emulated-judge", genai.Text("request:\n{}"), geminitest.Wanting("pick")) {
			if err != nil {
				streamErr = err
				break
			}
			chunks++
		}
		if streamErr == nil || chunks == 0 {
			t.Errorf("%s: cut stream = %d chunks, error %v; want some chunks, then an error", b.Name, chunks, streamErr)
		}
		if _, err := client.Models.EmbedContent(t.Context(), "emulated-embedding", genai.Text("tea"), nil); err == nil {
			t.Errorf("%s: EmbedContent over a cut connection: want an error", b.Name)
		}
	}
}

func TestFaultsSeenByTheClient(t *testing.T) {
	s := start(t, Options{})
	for _, b := range geminitest.Backends {
		client := b.Client(t, s)
		for _, tt := range []struct {
			fault  Fault
			code   int
			status string
			quota  string
			retry  string
		}{
			{Fault{Type: RateLimited, Delay: 3 * time.Second}, 429, "RESOURCE_EXHAUSTED", "PerMinute", "3s"},
			{Fault{Type: RateLimited, Delay: 1500 * time.Millisecond}, 429, "RESOURCE_EXHAUSTED", "PerMinute", "1.5s"},
			{Fault{Type: RateLimited}, 429, "RESOURCE_EXHAUSTED", "PerMinute", ""},
			{Fault{Type: DailyQuota}, 429, "RESOURCE_EXHAUSTED", "PerDay", "27s"},
			{Fault{Type: Internal}, 500, "INTERNAL", "", ""},
			{Fault{Type: Unavailable}, 503, "UNAVAILABLE", "", ""},
			{Fault{Type: Forbidden}, 403, "PERMISSION_DENIED", "", ""},
			{Fault{Type: Gone}, 404, "NOT_FOUND", "", ""},
		} {
			s.SetFaults(tt.fault)
			_, err := geminitest.Ask(t.Context(), client, geminitest.Wanting("pick"), nil, "q")
			var e genai.APIError
			if !errors.As(err, &e) || e.Code != tt.code || e.Status != tt.status {
				t.Errorf("%s: %s = %v, want %d %s", b.Name, tt.fault.Type, err, tt.code, tt.status)
				continue
			}
			quota, retry := quotaDetails(e)
			if !strings.Contains(quota, tt.quota) || retry != tt.retry {
				t.Errorf("%s: %s: quotaId %q, retryDelay %q; want …%s…, %q", b.Name, tt.fault.Type, quota, retry, tt.quota, tt.retry)
			}
			_, err = client.Models.EmbedContent(t.Context(), "emulated-embedding", genai.Text("tea"), nil)
			if !errors.As(err, &e) || e.Code != tt.code {
				t.Errorf("%s: %s: EmbedContent = %v, want %d", b.Name, tt.fault.Type, err, tt.code)
			}
		}
	}
}

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

func quotaDetails(e genai.APIError) (quotaID, retryDelay string) {
	for _, d := range e.Details {
		if violations, ok := d["violations"].([]any); ok {
			quotaID = violations[0].(map[string]any)["quotaId"].(string)
		}
		if d["@type"] == "type.googleapis.com/google.rpc.RetryInfo" {
			retryDelay = d["retryDelay"].(string)
		}
	}
	return quotaID, retryDelay
}

func TestSpoiledAnswers(t *testing.T) {
	s := start(t, Options{})
	client := geminitest.API(t, s)
	asked := func(f FaultType) (*genai.GenerateContentResponse, error) {
		s.SetFaults(Fault{Type: f})
		resp := geminitest.MustAsk(t, client, geminitest.Wanting("pick"), nil, "q")
		return resp, json.Unmarshal([]byte(resp.Text()), &struct{ Pick int }{})
	}
	if resp, err := asked(Truncated); err == nil || resp.Candidates[0].FinishReason != genai.FinishReasonMaxTokens {
		t.Errorf("truncated = %q, %s; want cut JSON and MAX_TOKENS", resp.Text(), resp.Candidates[0].FinishReason)
	}
	if resp, err := asked(Malformed); err == nil || json.Valid([]byte(resp.Text())) {
		t.Errorf("malformed = %q, want no JSON", resp.Text())
	}
	if resp, err := asked(WrongTypes); err == nil || !json.Valid([]byte(resp.Text())) {
		t.Errorf("wrong types = %q (%v), want JSON that does not fit", resp.Text(), err)
	}
	if resp, _ := asked(BlockedPrompt); len(resp.Candidates) != 0 || resp.PromptFeedback == nil {
		t.Errorf("blocked prompt = %+v, want promptFeedback and no candidates", resp)
	}
	resp, _ := asked(BlockedAnswer)
	if resp.Candidates[0].FinishReason != genai.FinishReasonSafety || resp.Candidates[0].Content != nil {
		t.Errorf("blocked answer = %+v, want SAFETY and no content", resp.Candidates[0])
	}
}

func TestTimeOutNeverAnswers(t *testing.T) {
	s := start(t, Options{})
	s.SetFaults(Fault{Type: TimeOut})
	if _, err := geminitest.Ask(within(t, 2*time.Second), geminitest.API(t, s), nil, nil, "q"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v, want deadline exceeded", err)
	}
	if c := s.Calls(); len(c) != 1 || c[0].Status != 0 || c[0].Fault != TimeOut {
		t.Errorf("Calls() = %+v, want one of status 0 and fault time_out", c)
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

func TestLatencyAddsUp(t *testing.T) {
	s := start(t, Options{Latency: 10 * time.Millisecond})
	s.SetFaults(Fault{Type: Latency, Delay: 10 * time.Millisecond}, Fault{Type: Internal})
	s.Script(Answer{Text: "kept for the next call"})
	client := geminitest.API(t, s)
	geminitest.Ask(t.Context(), client, nil, nil, "q")
	if c := s.Calls()[0]; c.Status != 500 || c.Duration < 20*time.Millisecond {
		t.Errorf("call = %d after %v, want 500 after at least 20ms", c.Status, c.Duration)
	}
	s.SetFaults()
	if got := geminitest.MustAsk(t, client, nil, nil, "q").Text(); got != "kept for the next call" {
		t.Errorf("after the fault: %q, want the scripted answer", got)
	}
}

func TestFaultJSONRoundTrip(t *testing.T) {
	want := Fault{Type: RateLimited, Kind: KindEmbed, Delay: 1500 * time.Millisecond, Times: 2, PerSecond: 3}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Fault
	if err := json.NewDecoder(bytes.NewReader(b)).Decode(&got); err != nil || got != want {
		t.Errorf("%s reads back as %+v (%v), want %+v", b, got, err, want)
	}
}

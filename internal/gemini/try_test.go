package gemini

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"log"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	emulator "example.com/whatis/emulators/gemini"
)

func TestFaults(t *testing.T) {
	type faults = []emulator.Fault
	tests := []struct {
		name      string
		attempts  int
		faults    faults
		kind      Kind // "" means success
		reason    string
		perDay    bool
		retryable bool
		tries     int
	}{
		{"none", 1, nil, "", "", false, false, 1},
		{"500 tried once", 1, faults{{Type: emulator.Internal}}, Unavailable, "INTERNAL", false, true, 1},
		{"500 twice, then well", 3, faults{{Type: emulator.Internal, Times: 2}}, "", "", false, false, 3},
		{"503 to the end", 3, faults{{Type: emulator.Unavailable}}, Unavailable, "UNAVAILABLE", false, true, 3},
		{"429 with a short wait, one attempt", 1, faults{{Type: emulator.RateLimited, Delay: 5 * time.Millisecond, Times: 1}}, "", "", false, false, 2},
		{"429 with a short wait, twice", 1, faults{{Type: emulator.RateLimited, Delay: 5 * time.Millisecond, Times: 2}}, Quota, "", false, true, 2},
		{"429 with a wait over 5 s, one attempt", 1, faults{{Type: emulator.RateLimited, Delay: 6 * time.Second}}, Quota, "", false, true, 1},
		{"429 with a wait over a minute", 3, faults{{Type: emulator.RateLimited, Delay: 61 * time.Second}}, Quota, "", false, true, 1},
		{"daily quota", 3, faults{{Type: emulator.DailyQuota, Delay: time.Millisecond}}, Quota, "", true, true, 1},
		{"cut connection", 2, faults{{Type: emulator.Cut}}, Unavailable, "connection", false, true, 2},
		{"cut connection, then well", 2, faults{{Type: emulator.Cut, Times: 1}}, "", "", false, false, 2},
		{"no answer, then well", 2, faults{{Type: emulator.TimeOut, Times: 1}}, "", "", false, false, 2},
		{"no answer", 1, faults{{Type: emulator.TimeOut}}, Unavailable, "timeout", false, true, 1},
		{"blocked prompt", 3, faults{{Type: emulator.BlockedPrompt}}, Blocked, "", false, false, 1},
		{"blocked answer", 3, faults{{Type: emulator.BlockedAnswer}}, Blocked, "SAFETY", false, false, 1},
		{"truncated", 3, faults{{Type: emulator.Truncated}}, Truncated, "MAX_TOKENS", false, false, 1},
		{"cancelled by the service", 3, faults{{Type: emulator.Cancelled, Times: 2}}, "", "", false, false, 3},
		{"cancelled, tried once", 1, faults{{Type: emulator.Cancelled}}, Unavailable, "CANCELLED", false, true, 1},
		{"a jailbreak", 3, faults{{Type: emulator.BlockedPrompt, Reason: "JAILBREAK"}}, Blocked, "JAILBREAK", false, false, 1},
		{"prompt refused for another reason", 3, faults{{Type: emulator.BlockedPrompt, Reason: "OTHER"}}, Blocked, "OTHER", false, false, 2},
		{"prompt refused once for another reason", 1, faults{{Type: emulator.BlockedPrompt, Reason: "OTHER", Times: 1}}, "", "", false, false, 2},
		{"prompt refused once for a reason of next year", 1, faults{{Type: emulator.BlockedPrompt, Reason: "NEXT_YEARS", Times: 1}}, "", "", false, false, 2},
		{"recitation", 3, faults{{Type: emulator.BlockedAnswer, Reason: "RECITATION"}}, Blocked, "RECITATION", false, false, 2},
		{"recitation, once", 1, faults{{Type: emulator.BlockedAnswer, Reason: "RECITATION", Times: 1}}, "", "", false, false, 2},
		{"recitation after a 503", 2, faults{{Type: emulator.Unavailable, Times: 1}, {Type: emulator.BlockedAnswer, Reason: "RECITATION", Times: 1}}, "", "", false, false, 3},
		{"gave up", 3, faults{{Type: emulator.BlockedAnswer, Reason: "OTHER"}}, Malformed, "OTHER", false, true, 2},
		{"gave up, once", 1, faults{{Type: emulator.BlockedAnswer, Reason: "OTHER", Times: 1}}, "", "", false, false, 2},
		{"a malformed response, once", 1, faults{{Type: emulator.Ended, Reason: "MALFORMED_RESPONSE", Times: 1}}, "", "", false, false, 2},
		{"malformed responses", 3, faults{{Type: emulator.Ended, Reason: "MALFORMED_RESPONSE"}}, Malformed, "MALFORMED_RESPONSE", false, true, 3},
		{"a signature is missing, once", 1, faults{{Type: emulator.BlockedAnswer, Reason: "MISSING_THOUGHT_SIGNATURE", Times: 1}}, "", "", false, false, 2},
		{"a reason of next year, with an answer", 1, faults{{Type: emulator.Ended, Reason: "NEXT_YEARS"}}, "", "", false, false, 1},
		{"a reason of next year, without an answer", 1, faults{{Type: emulator.BlockedAnswer, Reason: "NEXT_YEARS", Times: 1}}, "", "", false, false, 2},
		{"reasons of next year, without an answer", 3, faults{{Type: emulator.BlockedAnswer, Reason: "NEXT_YEARS"}}, Malformed, "NEXT_YEARS", false, true, 3},
		{"gone", 3, faults{{Type: emulator.Gone}}, Gone, "NOT_FOUND", false, false, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, s := start(t, Config{CallTimeout: callTimeout(tt.faults)})
			s.SetFaults(tt.faults...)
			ctx := WithAccount(t.Context(), &Account{Attempts: tt.attempts})
			_, err := c.Generate(ctx, question(judge))
			if n := len(s.Calls()); n != tt.tries {
				t.Errorf("Generate with %d attempts: %d tries, want %d", tt.attempts, n, tt.tries)
			}
			if tt.kind == "" {
				if err != nil {
					t.Errorf("Generate = %v, want an answer", err)
				}
				return
			}
			e := failure(t, "Generate", err)
			if e.Kind != tt.kind || tt.reason != "" && e.Reason != tt.reason || e.PerDay != tt.perDay || e.Retryable() != tt.retryable {
				t.Errorf("Generate = {%s %q perDay %v retryable %v} (%v), want {%s %q perDay %v retryable %v}",
					e.Kind, e.Reason, e.PerDay, e.Retryable(), e, tt.kind, tt.reason, tt.perDay, tt.retryable)
			}
			if e.Model != judge {
				t.Errorf("Generate: error names model %q, want %q", e.Model, judge)
			}
			if errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Generate = %v, want no deadline exceeded: the caller has none", err)
			}
		})
	}
}

func TestStatusesNoServiceWouldSend(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		want   Kind
		wait   time.Duration
	}{
		{"plain text of a proxy", 502, "bad gateway", Unavailable, 0},
		{"page with status 200", 200, "<html>sign in</html>", Unavailable, 0},
		{"values of other types", 200, `{"candidates":"none"}`, Unavailable, 0},
		{"error without a code", 503, `{"error":{}}`, Unavailable, 0},
		{"empty body", 200, "", Malformed, 0},
		{"no candidates", 200, `{"candidates":[]}`, Malformed, 0},
		{"candidate without text", 200, `{"candidates":[{"finishReason":"STOP"}]}`, Malformed, 0},
		{"only thoughts", 200, `{"candidates":[{"content":{"parts":[{"text":"hm","thought":true}]},"finishReason":"STOP"}]}`, Malformed, 0},
		{"gave up", 200, `{"candidates":[{"finishReason":"OTHER"}]}`, Malformed, 0},
		{"to be continued", 200, `{"candidates":[{"finishReason":"CONTINUATION","continuationToken":"dG9rZW4="}]}`, Truncated, 0},
		{"recitation", 200, `{"candidates":[{"finishReason":"RECITATION"}]}`, Blocked, 0},
		{"prohibited", 200, `{"candidates":[{"finishReason":"PROHIBITED_CONTENT"}]}`, Blocked, 0},
		{"a reason of next year", 200, `{"candidates":[{"finishReason":"NEW_FILTER"}]}`, Malformed, 0},
		{"bad request", 400, `{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}`, Invalid, 0},
		{"too large", 413, "too large", Invalid, 0},
		{"unknown key", 400, `{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}`, Unauthorized, 0},
		{"forbidden", 403, `{"error":{"code":403,"status":"PERMISSION_DENIED"}}`, Unauthorized, 0},
		{"overloaded, with a wait", 503, `{"error":{"code":503,"details":[{"retryDelay":"7.5s"}]}}`, Unavailable, 7500 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := open(t, Config{BaseURL: raw(t, tt.status, nil, tt.body), CallTimeout: 5 * time.Second})
			_, err := c.Generate(t.Context(), question(judge))
			if e := failure(t, "Generate", err); e.Kind != tt.want || e.RetryAfter != tt.wait {
				t.Errorf("Generate answered %d %s = %s after %v (%v), want %s after %v", tt.status, tt.body, e.Kind, e.RetryAfter, e, tt.want, tt.wait)
			}
		})
	}
}

func TestNobodyListens(t *testing.T) {
	c := open(t, Config{BaseURL: "http://127.0.0.1:1"})
	_, err := c.Generate(WithAccount(t.Context(), &Account{Attempts: 2}), question(judge))
	if e := failure(t, "Generate", err); e.Kind != Unavailable || e.Reason != "connection" {
		t.Errorf("Generate = %v, want %s (connection)", e, Unavailable)
	}
}

// A wait that would exceed the deadline is not started.
func TestDeadlineBoundsTheWait(t *testing.T) {
	c, s := start(t, Config{})
	s.SetFaults(emulator.Fault{Type: emulator.RateLimited, Delay: 40 * time.Second})
	ctx, cancel := context.WithTimeout(WithAccount(t.Context(), &Account{Attempts: 3}), 30*time.Second)
	defer cancel()
	began := time.Now()
	_, err := c.Generate(ctx, question(judge))
	e := failure(t, "Generate", err)
	if took := time.Since(began); ctx.Err() != nil {
		t.Errorf("Generate took %v of a 30 s deadline and a 40 s wait, want to give up at once", took)
	}
	if e.Kind != Quota || e.RetryAfter != 40*time.Second {
		t.Errorf("Generate = %v, retry after %v, want %s after 40s", e, e.RetryAfter, Quota)
	}
}

func TestRetryInfoIsHonoured(t *testing.T) {
	c, s := start(t, Config{})
	s.SetFaults(emulator.Fault{Type: emulator.RateLimited, Delay: 150 * time.Millisecond, Times: 1})
	if _, err := c.Generate(t.Context(), question(judge)); err != nil {
		t.Fatal(err)
	}
	calls := s.Calls()
	if gap := calls[1].Start.Sub(calls[0].Start); gap < 150*time.Millisecond {
		t.Errorf("second try after %v, want at least the 150ms asked for", gap)
	}
}

func TestCallerLeaves(t *testing.T) {
	c, s := start(t, Config{})
	s.SetFaults(emulator.Fault{Type: emulator.TimeOut})
	ctx, cancel := context.WithTimeout(WithAccount(t.Context(), &Account{Attempts: 3}), 50*time.Millisecond)
	defer cancel()
	_, err := c.Generate(ctx, question(judge))
	if e := failure(t, "Generate", err); e.Kind != Unavailable || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Generate = %v, want %s and context.DeadlineExceeded", e, Unavailable)
	}
	cancel()
	_, err = c.Generate(ctx, question(judge))
	failure(t, "Generate after the end", err)
	if n := len(s.Calls()); n > 1 {
		t.Errorf("%d tries, want no try after the caller left", n)
	}
}

func TestBackoffDoubles(t *testing.T) {
	c := &Client{config: Config{Backoff: time.Second}}
	failed := &Error{Kind: Unavailable}
	for n, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 3: 4 * time.Second, 9: 16 * time.Second, 1000: 16 * time.Second} {
		wait, again := c.retryAfter(2000, n, failed)
		if !again || wait < want/2 || wait > want {
			t.Errorf("next(try %d) = %v, %v, want %v to %v", n, wait, again, want/2, want)
		}
	}
}

func TestFallback(t *testing.T) {
	c, s := start(t, Config{Fallback: map[string]string{judge: lite}})
	s.SetFaults(emulator.Fault{Type: emulator.Gone, Model: judge})
	a := &Account{}
	r, err := c.Generate(WithAccount(t.Context(), a), question(judge))
	if err != nil || r.Model != lite {
		t.Fatalf("Generate(%s) = %+v, %v, want the answer of %s", judge, r, err, lite)
	}
	l := a.Ledger()
	if len(l.Warnings) != 2 || l.Warnings[0] != WarnFallback || l.Warnings[1] != WarnEmulated {
		t.Errorf("warnings = %q, want %q", l.Warnings, []string{WarnFallback, WarnEmulated})
	}
	if l.Calls != (Calls{Generate: 1, Failed: 1}) {
		t.Errorf("calls = %+v, want one answer and one failed", l.Calls)
	}
	s.SetFaults(emulator.Fault{Type: emulator.Gone})
	s.ResetCalls()
	_, err = c.Generate(t.Context(), question(judge))
	if e := failure(t, "Generate", err); e.Kind != Gone || e.Model != lite || len(s.Calls()) != 2 {
		t.Errorf("Generate with both gone = %v after %d tries, want %s of %s after 2", e, len(s.Calls()), Gone, lite)
	}
	_, err = c.Embed(t.Context(), EmbedRequest{Model: judge, Texts: []string{"x"}})
	if e := failure(t, "Embed", err); e.Kind != Gone || e.Model != judge {
		t.Errorf("Embed with a model that is gone = %v, want %s without a fallback", e, Gone)
	}
}

func TestEmulatedIsRefused(t *testing.T) {
	c, s := start(t, Config{})
	c.config.AllowEmulated = false
	_, err := c.Generate(t.Context(), question(judge))
	if e := failure(t, "Generate", err); e.Kind != Emulated || e.Retryable() {
		t.Errorf("Generate = %v, want %s", e, Emulated)
	}
	s.ResetCalls()
	_, err = c.Embed(t.Context(), EmbedRequest{Model: "emulated-embedding", Texts: []string{"x"}})
	if e := failure(t, "Embed", err); e.Kind != Emulated || len(s.Calls()) != 0 {
		t.Errorf("Embed = %v after %d tries, want %s after none", e, len(s.Calls()), Emulated)
	}
}

// Whatever fails, neither an error nor the log contains key, prompt or photo.
func TestNothingSecretIsPrinted(t *testing.T) {
	var logged bytes.Buffer
	logger, writer, flags := slog.Default(), log.Writer(), log.Flags()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() {
		slog.SetDefault(logger)
		log.SetOutput(writer)
		log.SetFlags(flags)
	})

	photo := drawPhoto(t, 4)
	var said strings.Builder
	ask := func(baseURL string) {
		c := open(t, Config{BaseURL: baseURL})
		r := Request{Model: judge, System: "the prompt", Parts: []Part{Text("the prompt"), Blob("image/png", photo)}}
		if _, err := c.Generate(t.Context(), r); err != nil {
			said.WriteString(err.Error() + "\n")
		}
		if _, _, err := Generate[struct{ A int }](t.Context(), c, r, nil); err != nil {
			said.WriteString(err.Error() + "\n")
		}
	}
	echo := `{"error":{"code":400,"message":"bad key ` + secret + `","details":[{"reason":"` + secret + `"}]}}`
	ask(raw(t, http.StatusBadRequest, nil, echo))
	ask(raw(t, http.StatusOK, nil, `{"candidates":"the prompt`))
	ask(raw(t, http.StatusBadGateway, nil, strings.Repeat("x", 10_000)))
	ask("http://127.0.0.1:1")
	ask("http://127.0.0.1:1/" + secret)
	ask(startEmulator(t).URL())

	said.WriteString(logged.String())
	for _, hidden := range []string{secret, "the prompt", string(photo), base64.StdEncoding.EncodeToString(photo)[:24], strings.Repeat("x", 500)} {
		if strings.Contains(said.String(), hidden) {
			t.Errorf("errors or log contain %q:\n%s", hidden, said.String())
		}
	}
	if !strings.Contains(logged.String(), "emulated") || !strings.Contains(said.String(), "[key]") {
		t.Errorf("the log lacks the model version, or no error met the key:\n%s", said.String())
	}
}

package gemini_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	wire "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/ollama"
	"example.com/whatis/emulators/ollama/ollamatest"
	"example.com/whatis/internal/gemini"
)

// local returns a client whose models are a stand-in's, and the names of its models.
func local(t *testing.T, timeout time.Duration) (*gemini.Client, *ollamatest.Server, *ollama.Model) {
	t.Helper()
	served := ollamatest.Start(t, map[string]ollamatest.Pulled{
		ollama.DefaultVision: ollamatest.Sees, ollama.DefaultEmbed: ollamatest.Embeds,
	})
	m, err := ollama.Open(t.Context(), ollama.Options{URL: served.URL})
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Start(wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c, err := gemini.Open(t.Context(), gemini.Config{BaseURL: s.URL(), AllowEmulated: true, CallTimeout: timeout, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return c, served, m
}

// slowTimeout stands for MODEL_TIMEOUT, a minute for Google's models and minutes for local ones.
const slowTimeout = 2 * time.Second

type thing struct {
	Seen string `json:"seen"`
	Name string `json:"name"`
}

// Bad answers of a model on this machine end as those of Google's do.
func TestLocalAnswersEnd(t *testing.T) {
	t.Setenv("GOOGLE_API_KEY", "emulated")
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "false")
	const answer = `{"seen":"OAT","name":"oats"}`
	says := func(replies ...ollamatest.Reply) func(n int, ctx context.Context) ollamatest.Reply {
		return func(n int, _ context.Context) ollamatest.Reply { return replies[min(n, len(replies)-1)] }
	}
	slow := func(_ int, ctx context.Context) ollamatest.Reply { <-ctx.Done(); return ollamatest.Reply{} }
	for _, tt := range []struct {
		name  string
		model func(n int, ctx context.Context) ollamatest.Reply
		kind  gemini.Kind // "" for an answer
		asked int
	}{
		{"good", says(ollamatest.Reply{Text: answer}), "", 1},
		{"empty", says(ollamatest.Reply{Reason: "load"}), gemini.Malformed, 2},
		{"empty, then good", says(ollamatest.Reply{Reason: "load"}, ollamatest.Reply{Text: answer}), "", 2},
		{"cut by the limit", says(ollamatest.Reply{Text: answer[:9], Reason: "length"}), gemini.Truncated, 1},
		{"looping", says(ollamatest.Reply{Text: `{"seen":"` + strings.Repeat("la ", 4096), Reason: "length"}), gemini.Truncated, 1},
		{"refused", says(ollamatest.Reply{Text: "I'm sorry, I can't help with that.", Reason: "unload"}), gemini.Malformed, 2},
		{"broken off", says(ollamatest.Reply{Text: answer[:9], Broken: true}), gemini.Unavailable, 1},
		{"slow", slow, gemini.Unavailable, 1},
		{"slow, of a caller who waits", slow, gemini.Unavailable, gemini.CallerAttempts},
		{"slow once, of a caller who waits", func(n int, ctx context.Context) ollamatest.Reply {
			if n == 0 {
				return slow(n, ctx)
			}
			return ollamatest.Reply{Text: answer}
		}, "", 2},
		{"slow, and in time", func(_ int, ctx context.Context) ollamatest.Reply {
			select {
			case <-time.After(slowTimeout / 4):
			case <-ctx.Done():
			}
			return ollamatest.Reply{Text: answer}
		}, "", 1},
		{"late at a gateway", says(ollamatest.Reply{Status: 504, Text: "upstream timed out"}), gemini.Unavailable, 1},
		{"gone", says(ollamatest.Reply{Status: 404, Text: "model 'x' not found"}), gemini.Gone, 1},
		{"out of memory", says(ollamatest.Reply{Status: 500, Text: "model requires more system memory"}), gemini.Unavailable, 1},
		{"busy", says(ollamatest.Reply{Status: 503, Text: "server busy, please try again.  maximum pending requests exceeded"}), gemini.Quota, 1},
		{"a schema that is not served", func(n int, _ context.Context) ollamatest.Reply {
			if n == 0 {
				return ollamatest.Reply{Status: http.StatusInternalServerError, Text: "invalid JSON schema in format"}
			}
			return ollamatest.Reply{Text: "```json\n" + answer + "\n```", Reason: "unload"}
		}, "", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			timeout := time.Minute
			if strings.HasPrefix(tt.name, "slow") {
				timeout = slowTimeout
			}
			c, served, m := local(t, timeout)
			served.Answer = func(ctx context.Context, _ *api.ChatRequest) ollamatest.Reply {
				return tt.model(len(served.Asked())-1, ctx)
			}
			account := &gemini.Account{Attempts: gemini.EventAttempts}
			if strings.HasSuffix(tt.name, "who waits") {
				account.Attempts = gemini.CallerAttempts
			}
			got, _, err := gemini.Generate[thing](gemini.WithAccount(t.Context(), account), c, gemini.Request{Model: m.VisionName(), Parts: []gemini.Part{gemini.Text("What is it?")}}, nil)
			var e *gemini.Error
			errors.As(err, &e)
			switch {
			case tt.kind == "" && (err != nil || got.Name != "oats"):
				t.Errorf("Generate = %+v, %v, want the answer", got, err)
			case tt.kind != "" && (e == nil || e.Kind != tt.kind):
				t.Errorf("Generate = %+v, %v, want %s", got, err, tt.kind)
			}
			if n := len(served.Asked()); n != tt.asked {
				t.Errorf("asked %d times, want %d", n, tt.asked)
			}
			l := account.Ledger()
			if l.USD != 0 || l.Calls.Generate > 0 && (l.Warnings[len(l.Warnings)-1] != gemini.WarnLocal && l.Warnings[0] != gemini.WarnLocal || l.Models[m.VisionName()] != ollama.DefaultVision) {
				t.Errorf("ledger = %+v, want no cost, %s and the model's name", l, gemini.WarnLocal)
			}
			if strings.HasPrefix(tt.name, "slow") && tt.kind != "" {
				if e != nil && e.Reason != "timeout" {
					t.Errorf("Generate = %v, want a time-out", e)
				}
				for late := time.Now().Add(10 * time.Second); served.Left() < tt.asked && time.Now().Before(late); {
					time.Sleep(time.Millisecond)
				}
				if served.Left() < tt.asked {
					t.Error("the model goes on with an answer that nobody waits for")
				}
			}
		})
	}
}

// An embedding costs nothing, says who made it, and has 768 numbers.
func TestLocalEmbeds(t *testing.T) {
	t.Setenv("GOOGLE_API_KEY", "emulated")
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "false")
	c, _, m := local(t, time.Minute)
	account := &gemini.Account{}
	vectors, err := c.Embed(gemini.WithAccount(t.Context(), account), gemini.EmbedRequest{Model: m.EmbedName(), Texts: []string{"a", "bb"}})
	if l := account.Ledger(); err != nil || len(vectors) != 2 || vectors[0][1] != 1 || vectors[1][2] != 1 || l.USD != 0 || len(l.Warnings) != 1 || l.Warnings[0] != gemini.WarnLocal {
		t.Errorf("Embed = %d vectors, %v, %+v", len(vectors), err, l)
	}
}

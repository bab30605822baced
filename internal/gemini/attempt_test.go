package gemini

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/answers"
	emulator "example.com/whatis/emulators/gemini"
)

// captureLog returns what is logged from now on, as JSON lines, including debug.
func captureLog(t *testing.T) *bytes.Buffer {
	t.Helper()
	var lines bytes.Buffer
	logger, writer, flags := slog.Default(), log.Writer(), log.Flags()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() {
		slog.SetDefault(logger)
		log.SetOutput(writer)
		log.SetFlags(flags)
	})
	return &lines
}

// Each try of a call, whether failed, refused or repaired, is logged in one line with its
// cost, and without prompt and answer.
func TestALineForEveryAttempt(t *testing.T) {
	c, s := start(t, Config{})
	lines := captureLog(t)
	ctx := WithAccount(t.Context(), &Account{Attempts: 3})
	photo := drawPhoto(t, 16)
	usage := &emulator.Usage{PromptTokens: 100, CandidateTokens: 10, TotalTokens: 110}
	s.Script(
		emulator.Answer{Fault: &emulator.Fault{Type: emulator.Unavailable}},
		emulator.Answer{Text: cutJSON, Usage: usage, ModelVersion: judge, FinishReason: "STOP"},
		emulator.Answer{Text: spoiltNumber, Usage: usage, ModelVersion: judge},
		emulator.Answer{Text: good, Usage: usage, ModelVersion: judge},
		emulator.Answer{Kind: answers.KindSearch, Text: "농심", Usage: usage, ModelVersion: judge, Grounding: &emulator.Grounding{Queries: []string{"the query"}}},
	)
	r := Request{Model: judge, Key: "judgement", System: "the prompt", Parts: []Part{Blob("image/png", photo), Text("the prompt")}}
	if _, _, err := Generate[verdict](ctx, c, r, nil); err != nil {
		t.Fatal(err)
	}
	search := question(judge)
	search.Search = true
	if _, err := c.Generate(ctx, search); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Embed(ctx, EmbedRequest{Model: "emulated-embedding", Texts: []string{"the prompt"}}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"judgement generate 1/3 unavailable tokens 0+0 queries 0 ",
		"judgement generate 2/3 malformed tokens 100+10 queries 0 STOP",
		"judgement generate 3/3 malformed tokens 100+10 queries 0 STOP",
		"judgement repair 1/3 ok tokens 100+10 queries 0 STOP",
		" search 1/3 ok tokens 100+10 queries 1 STOP",
		" embed 1/3 ok tokens 0+0 queries 0 ",
	}
	if got := attemptsIn(t, lines.String()); !slices.Equal(got, want) {
		t.Errorf("the log has the attempts\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
	for _, hidden := range []string{secret, "the prompt", "the query", "농심", string(photo), base64.StdEncoding.EncodeToString(photo)[:24]} {
		if strings.Contains(lines.String(), hidden) {
			t.Errorf("the log contains %q:\n%s", hidden, lines)
		}
	}
}

// attemptsIn returns the lines of attempts in a short form. Each must have a duration, and
// a cost if it has tokens.
func attemptsIn(t *testing.T, lines string) []string {
	t.Helper()
	var short []string
	for line := range strings.Lines(lines) {
		var l struct {
			Msg, Call, Kind, Model, Outcome string
			Attempt, Of, Queries            int
			FinishReason                    string  `json:"finish_reason"`
			Input                           int     `json:"input_tokens"`
			Output                          int     `json:"output_tokens"`
			USD                             float64 `json:"usd"`
			Took                            int64
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.Msg != "gemini: attempt" {
			continue
		}
		if l.Took <= 0 || l.Model == "" || (l.USD > 0) != (l.Input > 0) {
			t.Errorf("the log has %s, want a model, a duration, and a cost for tokens", line)
		}
		short = append(short, fmt.Sprintf("%s %s %d/%d %s tokens %d+%d queries %d %s",
			l.Call, l.Kind, l.Attempt, l.Of, l.Outcome, l.Input, l.Output, l.Queries, l.FinishReason))
	}
	return short
}

package gemini

import (
	"context"
	"log/slog"
	"time"
)

// attempt is what the log says of a try: what its answer took.
type attempt struct {
	entry        Ledger
	finishReason string
}

type attemptKey struct{}

// logged returns a context whose try notes what it takes, and the function that
// writes try n of j into the log, at level debug: no prompt, no photo, no answer.
func (c *Client) logged(ctx context.Context, model string, j job, n int) (context.Context, func(*Error)) {
	if !slog.Default().Enabled(ctx, slog.LevelDebug) {
		return ctx, func(*Error) {}
	}
	began, of, a := time.Now(), max(n, accountOf(ctx).attempts()), &attempt{}
	return context.WithValue(ctx, attemptKey{}, a), func(e *Error) {
		outcome, reason := "ok", ""
		if e != nil {
			outcome, reason = string(e.Kind), e.Reason
		}
		slog.DebugContext(ctx, "gemini: attempt", "call", j.key, "kind", j.kind, "model", model, "version", a.entry.Models[model],
			"attempt", n, "of", of, "tier", TierOf(ctx), "outcome", outcome, "reason", reason, "finish_reason", a.finishReason,
			"input_tokens", a.entry.Usage.Input, "output_tokens", a.entry.Usage.Output,
			"queries", a.entry.Calls.GroundedQueries, "usd", a.entry.USD, "took", time.Since(began))
	}
}

// noteAttempt keeps what an answer took for the log line of its try.
func noteAttempt(ctx context.Context, entry Ledger, finishReason string) {
	if a, ok := ctx.Value(attemptKey{}).(*attempt); ok {
		a.entry, a.finishReason = entry, finishReason
	}
}

package gemini

import (
	"context"
	"log/slog"
	"time"
)

// attempt holds what the log line of a try says about its answer.
type attempt struct {
	entry        Ledger
	finishReason string
}

type attemptKey struct{}

// logged returns a context that collects the usage of a try, and a function that logs try n
// of j at level debug, without prompt, photo or answer.
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

// noteAttempt records the usage of an answer for the log line of its try.
func noteAttempt(ctx context.Context, entry Ledger, finishReason string) {
	if a, ok := ctx.Value(attemptKey{}).(*attempt); ok {
		a.entry, a.finishReason = entry, finishReason
	}
}

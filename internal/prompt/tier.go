package prompt

import (
	"context"
	"log/slog"

	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/journal"
)

// refusedKey is where the journal has that the flex tier refused the call of a key.
func refusedKey(key string) string { return key + " flex_refused" }

// byTier makes the call of that key by ask, at the tier of ctx.
//
//	flex → answer
//	     → refused → kept in the journal → standard → answer
//
// A run that goes on behind a refusal asks the standard tier at once. An answer at the
// flex tier may take most of the time that a delivery has: where there is not that time,
// and this delivery has got further than the one before, the error is gemini.Later, and
// the next delivery makes the call. Where it has not got further, the next one would not
// either, and the standard tier is asked.
func byTier[T any](ctx context.Context, client *gemini.Client, key string, ask func(context.Context) (T, error)) (T, error) {
	j := journal.Of(ctx)
	if gemini.TierOf(ctx) != gemini.Flex || j.Has(refusedKey(key)) {
		return ask(gemini.WithTier(ctx, gemini.Standard))
	}
	if err := checkTime(ctx, client, j); err != nil {
		var none T
		return none, err
	}
	answer, err := ask(ctx)
	if !gemini.TierRefused(err) {
		return answer, err
	}
	slog.InfoContext(ctx, "flex tier refused", "call", key, "error", err)
	_, err = journal.Once(ctx, refusedKey(key), func(context.Context) (bool, error) { return true, nil })
	standard := gemini.WithTier(ctx, gemini.Standard)
	if err == nil {
		err = checkTime(standard, client, j)
	}
	if err != nil {
		return answer, err
	}
	return ask(standard)
}

// checkTime leaves a call to the next delivery if there is not the time for it in this
// one, which has got further than the one before.
func checkTime(ctx context.Context, client *gemini.Client, j journal.Journal) error {
	if !j.Progressed() {
		return nil
	}
	return client.CheckTime(ctx)
}

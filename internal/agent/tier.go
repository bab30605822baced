package agent

import (
	"context"
	"log/slog"

	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// refusedKey is the checkpoint which says that the flex tier refused the call of a key.
func refusedKey(key string) string { return key + " flex_refused" }

// A call of a run at the flex tier goes so:
//
//	flex → answer
//	     → refused → kept as a checkpoint → standard → answer
//
// A run that goes on behind a refusal asks the standard tier at once. An answer at the
// flex tier may take most of the time that a delivery has: where there is not that time,
// and this delivery has got further than the one before, the error is gemini.Later, and
// the next delivery makes the call. Where it has not got further, the next one would not
// either, and the standard tier is asked.

// firstTier is ctx at the tier that the call of that key is made at first.
func firstTier(ctx context.Context, client *gemini.Client, key string) (context.Context, error) {
	j := jobs.CheckpointsOf(ctx)
	if gemini.TierOf(ctx) != gemini.Flex || j.Has(refusedKey(key)) {
		return gemini.WithTier(ctx, gemini.Standard), nil
	}
	return ctx, checkTime(ctx, client, j)
}

// standardTier is ctx at the standard tier, after the flex tier has refused the call of
// that key with err, which a checkpoint keeps.
func standardTier(ctx context.Context, client *gemini.Client, key string, err error) (context.Context, error) {
	slog.InfoContext(ctx, "flex tier refused", "call", key, "error", err)
	_, err = jobs.Once(ctx, refusedKey(key), func(context.Context) (bool, error) { return true, nil })
	ctx = gemini.WithTier(ctx, gemini.Standard)
	if err == nil {
		err = checkTime(ctx, client, jobs.CheckpointsOf(ctx))
	}
	return ctx, err
}

// checkTime leaves a call to the next delivery if there is not the time for it in this
// one, which has got further than the one before.
func checkTime(ctx context.Context, client *gemini.Client, j jobs.Checkpoints) error {
	if !j.Progressed() {
		return nil
	}
	return client.CheckTime(ctx)
}

package agent

import (
	"context"
	"log/slog"

	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// refusedKey returns the key of the checkpoint that the flex tier refused a call.
func refusedKey(key string) string { return key + " flex_refused" }

// A call of a run at the flex tier goes so:
//
//	flex → answer
//	     → refused → kept as a checkpoint → standard → answer
//
// A run that resumes after a refusal asks the standard tier at once. An answer at the
// flex tier may take most of a delivery's time: if there is too little time left, and
// this delivery has stored a checkpoint, the error is gemini.Later, and the next delivery
// makes the call. Without a checkpoint the next delivery would have no more time, so the
// call is made now.

// firstTier returns ctx with the tier of the first try of the call with that key.
func firstTier(ctx context.Context, client *gemini.Client, key string) (context.Context, error) {
	j := jobs.CheckpointsOf(ctx)
	if gemini.TierOf(ctx) != gemini.Flex || j.Has(refusedKey(key)) {
		return gemini.WithTier(ctx, gemini.Standard), nil
	}
	return ctx, checkTime(ctx, client, j)
}

// standardTier returns ctx at the standard tier, after the flex tier has refused the call
// of that key with err, and stores the refusal as a checkpoint.
func standardTier(ctx context.Context, client *gemini.Client, key string, err error) (context.Context, error) {
	slog.InfoContext(ctx, "flex tier refused", "call", key, "error", err)
	_, err = jobs.Once(ctx, refusedKey(key), func(context.Context) (bool, error) { return true, nil })
	ctx = gemini.WithTier(ctx, gemini.Standard)
	if err == nil {
		err = checkTime(ctx, client, jobs.CheckpointsOf(ctx))
	}
	return ctx, err
}

// checkTime returns gemini.Later if this delivery has stored a checkpoint and has too
// little time left for a call.
func checkTime(ctx context.Context, client *gemini.Client, j jobs.Checkpoints) error {
	if !j.Progressed() {
		return nil
	}
	return client.CheckTime(ctx)
}

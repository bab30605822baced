package forecast

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/store"
)

// Shared keeps the weather of places in the bucket of forecasts, an object for each question.
type Shared struct {
	Objects *blob.Store
	Bucket  string
}

// A sharedAnswer is such an object.
type sharedAnswer struct {
	At   time.Time       `json:"at"`
	Body json.RawMessage `json:"body"`
}

// maxShared bounds the objects that are read, in bytes.
const maxShared = 2 << 20

// sharedName has no folder of a place: a list of forecasts skips it.
func sharedName(key string) string { return root + "weather/" + store.HashID(key) + ".json" }

// Read implements openweather.Shared.
func (s Shared) Read(ctx context.Context, key string) ([]byte, time.Time) {
	var a sharedAnswer
	data, _, err := s.Objects.Read(ctx, blob.ObjectRef{Bucket: s.Bucket, Name: sharedName(key)}, maxShared)
	if err == nil {
		err = json.Unmarshal(data, &a)
	}
	if err != nil && !errors.Is(err, blob.ErrNotFound) {
		slog.WarnContext(ctx, "weather that another instance may have is not read", "error", err)
	}
	return a.Body, a.At
}

// Keep implements openweather.Shared.
func (s Shared) Keep(ctx context.Context, key string, body []byte, at time.Time) {
	data, err := json.Marshal(sharedAnswer{at, body})
	if err == nil {
		err = cacheStore{objects: s.Objects, bucket: s.Bucket}.write(ctx, sharedName(key), "application/json", data)
	}
	if err != nil {
		slog.WarnContext(ctx, "weather is not kept for other instances", "error", err)
	}
}

package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/google/uuid"

	"example.com/whatis/internal/store"
	"example.com/whatis/internal/usererror"
)

// A longDocument is a run as it is stored.
type longDocument struct {
	State     State     `firestore:"state"`
	Request   string    `firestore:"request"`  // as JSON
	Slice     int       `firestore:"slice"`    // the number of slices done and followed
	Progress  string    `firestore:"progress"` // after that slice, as JSON; null before the first
	CreatedAt time.Time `firestore:"created_at"`
	EndedAt   time.Time `firestore:"ended_at,omitempty"`
	ExpiresAt time.Time `firestore:"expires_at"`
}

// A LongStatus is the status of a run.
type LongStatus struct {
	ID             string
	State          State // Working, Cancelling, Done, Canceled or Failed
	Request        json.RawMessage
	Created, Ended time.Time
	Progress       json.RawMessage // null before the first slice
}

// ErrNoRun is the error of an unknown run.
var ErrNoRun = usererror.New("jobs", "there is no such run: see the list of runs")

var knownRun = regexp.MustCompile(`^[0-9]{8}-[0-9]{6}-[0-9a-f]{8}$`)

// Start begins a run. Once its task is published, the run survives crashes of instances.
func (x *LongRuns) Start(ctx context.Context, request any) (s LongStatus, err error) {
	now := time.Now().UTC()
	t := sliceTask{ID: now.Format("20060102-150405-") + uuid.NewString()[:8], Begun: now}
	if t.Request, err = json.Marshal(request); err != nil {
		return s, fmt.Errorf("jobs: %w", err)
	}
	if err := x.publish(ctx, t); err != nil {
		return s, err
	}
	d, err := x.ensure(ctx, t)
	if err != nil {
		return s, err
	}
	return longStatus(d), nil
}

// documentsOf returns the runs of x.
// A method would have each package that names a LongRuns compile those of store.Collection again.
func documentsOf(x *LongRuns) store.Collection[longDocument] {
	return store.In[longDocument](x.DB.Collection(x.Collection))
}

// ensure returns the document of the run of t. Start or the first slice creates it,
// whichever comes first.
func (x *LongRuns) ensure(ctx context.Context, t sliceTask) (store.Doc[longDocument], error) {
	d, err := documentsOf(x).Get(ctx, t.ID)
	if !store.Gone(err) {
		return d, err
	}
	d, err = documentsOf(x).Create(ctx, t.ID, longDocument{
		State: Working, Request: string(t.Request), Progress: "null", CreatedAt: t.Begun, ExpiresAt: t.Begun.Add(x.Retain),
	})
	if errors.Is(err, store.ErrExists) {
		err = nil
	}
	return d, err
}

// follow publishes the next slice and stores the progress. It does neither for a slice
// when a later one was followed already: so two chains of tasks do not go on side by
// side for long.
func (x *LongRuns) follow(ctx context.Context, t sliceTask, progress string, end State) error {
	d, err := documentsOf(x).Get(ctx, t.ID)
	next := sliceTask{ID: t.ID, Slice: t.Slice + 1, Request: t.Request, Begun: t.Begun}
	if err != nil || d.Value.Slice >= next.Slice {
		return err
	}
	if end == "" {
		if err := x.publish(ctx, next); err != nil {
			return err
		}
	}
	note := func(d *store.Doc[longDocument]) error {
		if d.Value.Slice >= next.Slice {
			return nil
		}
		d.Value.Slice, d.Value.Progress = next.Slice, progress
		if end != "" {
			d.Value.State, d.Value.EndedAt = end, d.Read
		}
		return nil
	}
	_ = note(&d)
	if _, err = documentsOf(x).Save(ctx, d); errors.Is(err, store.ErrChanged) { // such as by Cancel
		_, err = documentsOf(x).Update(ctx, t.ID, note)
	}
	return err
}

// longStatus returns the status in d.
func longStatus(d store.Doc[longDocument]) LongStatus {
	v := d.Value
	return LongStatus{ID: d.ID, State: v.State, Created: v.CreatedAt, Ended: v.EndedAt, Request: json.RawMessage(v.Request), Progress: json.RawMessage(v.Progress)}
}

// Get returns the status of a run.
func (x *LongRuns) Get(ctx context.Context, id string) (s LongStatus, err error) {
	if !knownRun.MatchString(id) {
		return s, ErrNoRun
	}
	d, err := documentsOf(x).Get(ctx, id)
	if store.Gone(err) {
		return s, ErrNoRun
	}
	if err != nil {
		return s, err
	}
	return longStatus(d), nil
}

// List returns at most limit runs, 1 to MaxList, the newest first, and the cursor of the next
// page for after, "" after the last. A bad cursor is ErrCursor.
func (x *LongRuns) List(ctx context.Context, after string, limit int) (all []LongStatus, next string, err error) {
	docs, next, err := store.Page[longDocument](ctx, x.DB.Collection(x.Collection).Query, "created_at", after, min(max(limit, 1), MaxList))
	if err != nil {
		return nil, "", fmt.Errorf("jobs: %w", err)
	}
	for _, d := range docs {
		all = append(all, longStatus(d))
	}
	return all, next, nil
}

// Cancel makes a run end before its next slice, with the result found so far. A run
// that is over stays as it is.
func (x *LongRuns) Cancel(ctx context.Context, id string) (s LongStatus, err error) {
	if !knownRun.MatchString(id) {
		return s, ErrNoRun
	}
	d, err := documentsOf(x).Update(ctx, id, func(d *store.Doc[longDocument]) error {
		if d.Value.State == Working {
			d.Value.State = Cancelling
		}
		return nil
	})
	if store.Gone(err) {
		return s, ErrNoRun
	}
	if err != nil {
		return s, err
	}
	return longStatus(d), nil
}

package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/uuid"

	"example.com/whatis/internal/store"
	"example.com/whatis/internal/usererror"
)

// A longDocument is what a run's work record has for those who ask for it.
type longDocument struct {
	Kind       string    `firestore:"kind"`
	Subject    string    `firestore:"name"`
	State      State     `firestore:"state"`   // of the record; Working before the first slice
	Request    string    `firestore:"request"` // as JSON
	Cancelled  bool      `firestore:"cancelled"`
	Result     string    `firestore:"result"` // a sliceResult as JSON; "" before the end of the first slice
	CreatedAt  time.Time `firestore:"created_at"`
	FinishedAt time.Time `firestore:"finished_at,omitempty"`
	ExpiresAt  time.Time `firestore:"expires_at"`
}

// shownFields are those of a longDocument: a run's checkpoints are not read with it.
var shownFields = []string{"kind", "name", "state", "request", "cancelled", "result", "created_at", "finished_at", "expires_at"}

// recordKind is the kind of the runs' records.
func (x *LongRuns) recordKind() string { return x.Agent + "_run" }

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
		Kind: x.recordKind(), Subject: t.ID, State: Working, Request: string(t.Request), CreatedAt: t.Begun, ExpiresAt: t.Begun.Add(x.Retain),
	})
	if errors.Is(err, store.ErrExists) {
		err = nil
	}
	return d, err
}

// longStatus returns the status in d.
func longStatus(d store.Doc[longDocument]) LongStatus {
	v := d.Value
	done := struct {
		Progress json.RawMessage
		End      State
	}{Progress: json.RawMessage("null")}
	if v.Result != "" {
		if err := json.Unmarshal([]byte(v.Result), &done); err != nil { // another version's
			slog.Warn("progress not read", "run", d.ID, "error", err)
		}
	}
	s := LongStatus{ID: d.ID, State: v.State, Created: v.CreatedAt, Ended: v.FinishedAt, Request: json.RawMessage(v.Request), Progress: done.Progress}
	switch {
	case done.End != "":
		s.State = done.End
	case v.State == Done: // how it has ended cannot be read
		s.State = Done
	case v.Cancelled:
		s.State = Cancelling
	default:
		s.State = Working
	}
	return s
}

// shown reads the document of a run without its checkpoints, or returns ErrNoRun.
func (x *LongRuns) shown(ctx context.Context, id string) (d store.Doc[longDocument], err error) {
	all := x.DB.Collection(x.Collection)
	docs, err := store.List[longDocument](ctx, all.Where(firestore.DocumentID, "==", all.Doc(id)).Select(shownFields...))
	if err == nil && len(docs) == 0 {
		err = ErrNoRun
	}
	if err != nil {
		return d, err
	}
	return docs[0], nil
}

// Get returns the status of a run.
func (x *LongRuns) Get(ctx context.Context, id string) (s LongStatus, err error) {
	if !knownRun.MatchString(id) {
		return s, ErrNoRun
	}
	d, err := x.shown(ctx, id)
	if err != nil {
		return s, err
	}
	return longStatus(d), nil
}

// List returns at most limit runs, 1 to MaxList, the newest first, and the cursor of the next
// page for after, "" after the last. A bad cursor is ErrCursor.
func (x *LongRuns) List(ctx context.Context, after string, limit int) (all []LongStatus, next string, err error) {
	docs, next, err := store.Page[longDocument](ctx, x.DB.Collection(x.Collection).Select(shownFields...), "created_at", after, min(max(limit, 1), MaxList))
	if err != nil {
		return nil, "", fmt.Errorf("jobs: %w", err)
	}
	all = make([]LongStatus, len(docs))
	for i, d := range docs {
		all[i] = longStatus(d)
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
		d.Value.Cancelled = d.Value.Cancelled || longStatus(*d).State == Working
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

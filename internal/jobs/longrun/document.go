package longrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/uuid"

	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/usererror"
)

// A document is a run as it is stored.
type document struct {
	State     jobs.State `firestore:"state"`
	Request   string     `firestore:"request"`  // as JSON
	Slice     int        `firestore:"slice"`    // how many were done and followed
	Progress  string     `firestore:"progress"` // behind that slice, as JSON; null before the first
	CreatedAt time.Time  `firestore:"created_at"`
	EndedAt   time.Time  `firestore:"ended_at,omitempty"`
	ExpiresAt time.Time  `firestore:"expires_at"`
}

// A stored is a document as Firestore has it.
type stored = store.Doc[document]

// A Status is what is known of a run.
type Status[R, P any] struct {
	ID             string
	State          jobs.State
	Request        R
	Created, Ended time.Time
	Progress       P
}

// ErrNotFound is a run that there is not.
var ErrNotFound = usererror.New("longrun", "there is no such run: see the list of runs")

var knownID = regexp.MustCompile(`^[0-9]{8}-[0-9]{6}-[0-9a-f]{8}$`)

// Start begins a run. Once its task is published it goes on, whoever dies.
func (x *Runs[R, S, P]) Start(ctx context.Context, r R) (s Status[R, P], err error) {
	now := time.Now().UTC()
	t := sliceTask[R]{ID: now.Format("20060102-150405-") + uuid.NewString()[:8], Request: r, Begun: now}
	if err := x.publish(ctx, t); err != nil {
		return s, err
	}
	d, err := x.ensure(ctx, t)
	if err != nil {
		return s, err
	}
	return x.status(d)
}

func (x *Runs[R, S, P]) documents() store.Collection[document] {
	return store.In[document](x.DB.Collection(x.Collection))
}

// ensure is the document of the run of t, created if there is none: by whoever comes
// first, the caller or the first slice.
func (x *Runs[R, S, P]) ensure(ctx context.Context, t sliceTask[R]) (stored, error) {
	d, err := x.documents().Get(ctx, t.ID)
	if !store.Gone(err) {
		return d, err
	}
	request, err := json.Marshal(t.Request)
	if err != nil {
		return d, fmt.Errorf("longrun: %w", err)
	}
	d, err = x.documents().Create(ctx, t.ID, document{
		State: jobs.Working, Request: string(request), Progress: "null", CreatedAt: t.Begun, ExpiresAt: t.Begun.Add(x.Retain),
	})
	if errors.Is(err, store.ErrExists) {
		err = nil
	}
	return d, err
}

// follow publishes the next slice and notes how far the run is. A slice that is followed
// again, when a later one was, does neither: so no chain of tasks goes on beside
// another for long.
func (x *Runs[R, S, P]) follow(ctx context.Context, t sliceTask[R], done Slice[P]) error {
	d, err := x.documents().Get(ctx, t.ID)
	next := sliceTask[R]{ID: t.ID, Slice: t.Slice + 1, Request: t.Request, Begun: t.Begun}
	if err != nil || d.Value.Slice >= next.Slice {
		return err
	}
	if done.End == "" {
		if err := x.publish(ctx, next); err != nil {
			return err
		}
	}
	text, err := json.Marshal(done.Progress)
	if err != nil {
		return fmt.Errorf("longrun: %w", err)
	}
	_, err = x.documents().Update(ctx, t.ID, func(d *stored) error {
		if d.Value.Slice >= next.Slice {
			return nil
		}
		d.Value.Slice, d.Value.Progress = next.Slice, string(text)
		if done.End != "" {
			d.Value.State, d.Value.EndedAt = done.End, d.Read
		}
		return nil
	})
	return err
}

// status is what d tells.
func (x *Runs[R, S, P]) status(d stored) (s Status[R, P], err error) {
	s = Status[R, P]{ID: d.ID, State: d.Value.State, Created: d.Value.CreatedAt, Ended: d.Value.EndedAt}
	if err = json.Unmarshal([]byte(d.Value.Request), &s.Request); err == nil {
		err = json.Unmarshal([]byte(d.Value.Progress), &s.Progress)
	}
	if err != nil {
		return s, fmt.Errorf("longrun: document %s: %w", d.ID, err)
	}
	return s, nil
}

// Get is how far a run is.
func (x *Runs[R, S, P]) Get(ctx context.Context, id string) (s Status[R, P], err error) {
	if !knownID.MatchString(id) {
		return s, ErrNotFound
	}
	d, err := x.documents().Get(ctx, id)
	if store.Gone(err) {
		return s, ErrNotFound
	}
	if err != nil {
		return s, err
	}
	return x.status(d)
}

// maxList is how many runs List returns at most.
const maxList = 100

// List is the latest runs, the newest first.
func (x *Runs[R, S, P]) List(ctx context.Context, limit int) ([]Status[R, P], error) {
	q := x.DB.Collection(x.Collection).OrderBy("created_at", firestore.Desc).Limit(min(max(limit, 1), maxList))
	docs, err := store.List[document](ctx, q)
	if err != nil {
		return nil, fmt.Errorf("longrun: %w", err)
	}
	all := make([]Status[R, P], len(docs))
	for i, d := range docs {
		if all[i], err = x.status(d); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Cancel has a run end before its next slice, with what it has found. Of one that is
// over it changes nothing.
func (x *Runs[R, S, P]) Cancel(ctx context.Context, id string) (s Status[R, P], err error) {
	if !knownID.MatchString(id) {
		return s, ErrNotFound
	}
	d, err := x.documents().Update(ctx, id, func(d *stored) error {
		if d.Value.State == jobs.Working {
			d.Value.State = jobs.Cancelling
		}
		return nil
	})
	if store.Gone(err) {
		return s, ErrNotFound
	}
	if err != nil {
		return s, err
	}
	return x.status(d)
}

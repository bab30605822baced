package longrun

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/whatis/internal/public"
)

// State is where a run stands.
type State string

// The states.
const (
	Working    State = "working"
	Cancelling State = "cancelling" // its next slice ends it
	Done       State = "done"
	Canceled   State = "canceled"
	Failed     State = "failed"
)

// Over reports that a run has ended.
func (s State) Over() bool { return s == Done || s == Canceled || s == Failed }

// A document is a run as Firestore has it.
type document struct {
	State     State     `firestore:"state"`
	Request   string    `firestore:"request"`  // as JSON
	Slice     int       `firestore:"slice"`    // how many were done and followed
	Progress  string    `firestore:"progress"` // behind that slice, as JSON; null before the first
	CreatedAt time.Time `firestore:"created_at"`
	EndedAt   time.Time `firestore:"ended_at,omitempty"`
	ExpiresAt time.Time `firestore:"expires_at"`

	id      string
	updated time.Time
}

// A Status is what is known of a run.
type Status[R, P any] struct {
	ID             string
	State          State
	Request        R
	Created, Ended time.Time
	Progress       P
}

// ErrNotFound is a run that there is not.
var ErrNotFound = public.New("longrun", "there is no such run: see the list of runs")

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

func (x *Runs[R, S, P]) document(id string) *firestore.DocumentRef {
	return x.DB.Collection(x.Collection).Doc(id)
}

// ensure is the document of the run of t, created if there is none: by whoever comes
// first, the caller or the first slice.
func (x *Runs[R, S, P]) ensure(ctx context.Context, t sliceTask[R]) (document, error) {
	d, err := x.read(ctx, t.ID)
	if status.Code(err) != codes.NotFound {
		return d, err
	}
	request, err := json.Marshal(t.Request)
	if err != nil {
		return d, fmt.Errorf("longrun: %w", err)
	}
	d = document{State: Working, Request: string(request), Progress: "null", CreatedAt: t.Begun, ExpiresAt: t.Begun.Add(x.Retain)}
	if _, err = x.document(t.ID).Create(ctx, d); err != nil && status.Code(err) != codes.AlreadyExists {
		return d, fmt.Errorf("longrun: create %s: %w", t.ID, err)
	}
	return x.read(ctx, t.ID)
}

func (x *Runs[R, S, P]) read(ctx context.Context, id string) (document, error) {
	snap, err := x.document(id).Get(ctx)
	if err != nil {
		return document{}, fmt.Errorf("longrun: read %s: %w", id, err)
	}
	return parse(snap)
}

func parse(snap *firestore.DocumentSnapshot) (document, error) {
	d := document{id: snap.Ref.ID, updated: snap.UpdateTime}
	if err := snap.DataTo(&d); err != nil {
		return d, fmt.Errorf("longrun: document %s: %w", snap.Ref.ID, err)
	}
	return d, nil
}

// follow publishes the next slice and notes how far the run is. A slice that is followed
// again, when a later one was, does neither: so no chain of tasks goes on beside
// another for long.
func (x *Runs[R, S, P]) follow(ctx context.Context, t sliceTask[R], done Slice[P]) error {
	d, err := x.read(ctx, t.ID)
	next := sliceTask[R]{ID: t.ID, Slice: t.Slice + 1, Request: t.Request, Begun: t.Begun}
	if err != nil || d.Slice >= next.Slice {
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
	return x.change(ctx, t.ID, func(d document) []firestore.Update {
		if d.Slice >= next.Slice {
			return nil
		}
		updates := []firestore.Update{{Path: "slice", Value: next.Slice}, {Path: "progress", Value: string(text)}}
		if done.End != "" {
			updates = append(updates, firestore.Update{Path: "state", Value: done.End}, firestore.Update{Path: "ended_at", Value: firestore.ServerTimestamp})
		}
		return updates
	})
}

// change updates a run with what decide makes of it, nil for nothing, under the
// condition that it is still so; else it begins again.
func (x *Runs[R, S, P]) change(ctx context.Context, id string, decide func(document) []firestore.Update) error {
	for {
		d, err := x.read(ctx, id)
		if err != nil {
			return err
		}
		updates := decide(d)
		if updates == nil {
			return nil
		}
		_, err = x.document(id).Update(ctx, updates, firestore.LastUpdateTime(d.updated))
		if code := status.Code(err); code != codes.FailedPrecondition && code != codes.Aborted {
			return err
		}
	}
}

// status is what d tells.
func (x *Runs[R, S, P]) status(d document) (s Status[R, P], err error) {
	s = Status[R, P]{ID: d.id, State: d.State, Created: d.CreatedAt, Ended: d.EndedAt}
	if err = json.Unmarshal([]byte(d.Request), &s.Request); err == nil {
		err = json.Unmarshal([]byte(d.Progress), &s.Progress)
	}
	if err != nil {
		return s, fmt.Errorf("longrun: document %s: %w", d.id, err)
	}
	return s, nil
}

// Get is how far a run is.
func (x *Runs[R, S, P]) Get(ctx context.Context, id string) (s Status[R, P], err error) {
	if !knownID.MatchString(id) {
		return s, ErrNotFound
	}
	d, err := x.read(ctx, id)
	if status.Code(err) == codes.NotFound {
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
	snaps, err := x.DB.Collection(x.Collection).OrderBy("created_at", firestore.Desc).Limit(min(max(limit, 1), maxList)).Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("longrun: list: %w", err)
	}
	all := make([]Status[R, P], len(snaps))
	for i, snap := range snaps {
		d, err := parse(snap)
		if err == nil {
			all[i], err = x.status(d)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Cancel has a run end before its next slice, with what it has found. Of one that is
// over it changes nothing.
func (x *Runs[R, S, P]) Cancel(ctx context.Context, id string) (Status[R, P], error) {
	if s, err := x.Get(ctx, id); err != nil {
		return s, err
	}
	err := x.change(ctx, id, func(d document) []firestore.Update {
		if d.State != Working {
			return nil
		}
		return []firestore.Update{{Path: "state", Value: Cancelling}}
	})
	if err != nil {
		return Status[R, P]{}, err
	}
	return x.Get(ctx, id)
}

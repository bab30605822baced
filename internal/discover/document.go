package discover

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

// collection is the Firestore collection of the runs.
const collection = "discoveries"

// State is where a run stands.
type State string

// The states.
const (
	working    State = "working"
	cancelling State = "cancelling" // its next slice ends it
	done       State = "done"
	cancelled  State = "canceled"
	broken     State = "failed"
)

func (s State) over() bool { return s == done || s == cancelled || s == broken }

// A document is a run as Firestore has it.
type document struct {
	State     State     `firestore:"state"`
	Request   string    `firestore:"request"`  // as JSON
	Slice     int       `firestore:"slice"`    // how many were done and followed
	Progress  string    `firestore:"progress"` // behind that slice, as JSON
	CreatedAt time.Time `firestore:"created_at"`
	EndedAt   time.Time `firestore:"ended_at,omitempty"`
	ExpiresAt time.Time `firestore:"expires_at"`

	id      string
	updated time.Time
}

// A Status is what is known of a run.
type Status struct {
	ID      string    `json:"id"`
	State   State     `json:"state"`
	Request Request   `json:"request"`
	Created time.Time `json:"created_at"`
	Ended   time.Time `json:"ended_at,omitzero"`
	Progress
	ResultURI string `json:"result,omitempty"` // gs://…/result.json, once it is over
	CSVURI    string `json:"csv,omitempty"`
}

// Errors of runs.
var (
	ErrNotFound   = public.New("discover", "there is no such run: see GET /discover")
	ErrUnfinished = public.New("discover", "the run is not over: its result stands once it is")
)

var knownID = regexp.MustCompile(`^[0-9]{8}-[0-9]{6}-[0-9a-f]{8}$`)

// Start begins a run. Once its task is published it goes on, whoever dies.
func (p *Pipeline) Start(ctx context.Context, r Request) (Status, error) {
	target, err := r.check(p.Limits)
	if err == nil && r.Since != "" {
		_, err = p.earlier(ctx, r.Since, target)
	}
	if err != nil {
		return Status{}, err
	}
	now := time.Now().UTC()
	t := sliceTask{ID: now.Format("20060102-150405-") + uuid.NewString()[:8], Request: r, Begun: now}
	if err := p.Tasks.PublishLong(ctx, t.task()); err != nil {
		return Status{}, fmt.Errorf("discover: publish the first task: %w", err)
	}
	d, err := p.ensure(ctx, t)
	if err != nil {
		return Status{}, err
	}
	return p.status(d)
}

func (p *Pipeline) document(id string) *firestore.DocumentRef {
	return p.DB.Collection(collection).Doc(id)
}

// ensure is the document of the run of t, created if there is none: by whoever comes
// first, the caller or the first slice.
func (p *Pipeline) ensure(ctx context.Context, t sliceTask) (document, error) {
	d, err := p.read(ctx, t.ID)
	if status.Code(err) != codes.NotFound {
		return d, err
	}
	request, err := json.Marshal(t.Request)
	if err != nil {
		return d, fmt.Errorf("discover: %w", err)
	}
	d = document{State: working, Request: string(request), Progress: "{}", CreatedAt: t.Begun, ExpiresAt: t.Begun.Add(p.Retain)}
	if _, err = p.document(t.ID).Create(ctx, d); err != nil && status.Code(err) != codes.AlreadyExists {
		return d, fmt.Errorf("discover: create %s: %w", t.ID, err)
	}
	return p.read(ctx, t.ID)
}

func (p *Pipeline) read(ctx context.Context, id string) (document, error) {
	snap, err := p.document(id).Get(ctx)
	if err != nil {
		return document{}, fmt.Errorf("discover: read %s: %w", id, err)
	}
	return parse(snap)
}

func parse(snap *firestore.DocumentSnapshot) (document, error) {
	d := document{id: snap.Ref.ID, updated: snap.UpdateTime}
	if err := snap.DataTo(&d); err != nil {
		return d, fmt.Errorf("discover: document %s: %w", snap.Ref.ID, err)
	}
	return d, nil
}

// follow publishes the next slice and notes how far the run is. A slice that is followed
// again, when a later one was, does neither: so no chain of tasks goes on beside
// another for long.
func (p *Pipeline) follow(ctx context.Context, t sliceTask, now Progress) error {
	d, err := p.read(ctx, t.ID)
	if err != nil || d.Slice >= now.Slice {
		return err
	}
	if now.Phase != over {
		next := sliceTask{ID: t.ID, Slice: now.Slice, Request: t.Request, Begun: t.Begun}
		if err := p.Tasks.PublishLong(ctx, next.task()); err != nil {
			return fmt.Errorf("discover: publish slice %d of %s: %w", now.Slice, t.ID, err)
		}
	}
	text, err := json.Marshal(now)
	if err != nil {
		return fmt.Errorf("discover: %w", err)
	}
	return p.change(ctx, t.ID, func(d document) []firestore.Update {
		if d.Slice >= now.Slice {
			return nil
		}
		updates := []firestore.Update{{Path: "slice", Value: now.Slice}, {Path: "progress", Value: string(text)}}
		if now.Phase == over {
			state := map[string]State{canceled: cancelled, failed: broken}[now.Action]
			if state == "" {
				state = done
			}
			updates = append(updates, firestore.Update{Path: "state", Value: state}, firestore.Update{Path: "ended_at", Value: firestore.ServerTimestamp})
		}
		return updates
	})
}

// change updates a run with what decide makes of it, nil for nothing, under the
// condition that it is still so; else it begins again.
func (p *Pipeline) change(ctx context.Context, id string, decide func(document) []firestore.Update) error {
	for {
		d, err := p.read(ctx, id)
		if err != nil {
			return err
		}
		updates := decide(d)
		if updates == nil {
			return nil
		}
		_, err = p.document(id).Update(ctx, updates, firestore.LastUpdateTime(d.updated))
		if code := status.Code(err); code != codes.FailedPrecondition && code != codes.Aborted {
			return err
		}
	}
}

// status is what d tells.
func (p *Pipeline) status(d document) (s Status, err error) {
	s = Status{ID: d.id, State: d.State, Created: d.CreatedAt, Ended: d.EndedAt}
	if err = json.Unmarshal([]byte(d.Request), &s.Request); err == nil {
		err = json.Unmarshal([]byte(d.Progress), &s.Progress)
	}
	if err != nil {
		return s, fmt.Errorf("discover: document %s: %w", d.id, err)
	}
	if d.State.over() {
		s.ResultURI, s.CSVURI = "gs://"+p.Bucket+"/"+resultName(d.id, "result.json"), "gs://"+p.Bucket+"/"+resultName(d.id, "result.csv")
	}
	return s, nil
}

// Get is how far a run is.
func (p *Pipeline) Get(ctx context.Context, id string) (Status, error) {
	if !knownID.MatchString(id) {
		return Status{}, ErrNotFound
	}
	d, err := p.read(ctx, id)
	if status.Code(err) == codes.NotFound {
		return Status{}, ErrNotFound
	}
	if err != nil {
		return Status{}, err
	}
	return p.status(d)
}

// maxList is how many runs List returns at most.
const maxList = 100

// List is the latest runs, the newest first.
func (p *Pipeline) List(ctx context.Context, limit int) ([]Status, error) {
	snaps, err := p.DB.Collection(collection).OrderBy("created_at", firestore.Desc).Limit(min(max(limit, 1), maxList)).Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("discover: list: %w", err)
	}
	all := make([]Status, len(snaps))
	for i, snap := range snaps {
		d, err := parse(snap)
		if err == nil {
			all[i], err = p.status(d)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Cancel has a run end before its next slice, with what it has found. Of one that is
// over it changes nothing.
func (p *Pipeline) Cancel(ctx context.Context, id string) (Status, error) {
	if _, err := p.Get(ctx, id); err != nil {
		return Status{}, err
	}
	err := p.change(ctx, id, func(d document) []firestore.Update {
		if d.State != working {
			return nil
		}
		return []firestore.Update{{Path: "state", Value: cancelling}}
	})
	if err != nil {
		return Status{}, err
	}
	return p.Get(ctx, id)
}

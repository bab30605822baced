package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/web/caller"
)

// collection is the Firestore collection of tasks.
const collection = "a2a_tasks"

// A document is a task as stored in Firestore. Its ID is a hash of the task's ID, because
// callers may choose that, and of the caller to whom it belongs: another's task cannot be
// found.
type document struct {
	Owner     string    `firestore:"owner"` // empty if an anonymous caller sent it
	Task      []byte    `firestore:"task"`  // JSON
	ContextID string    `firestore:"context_id"`
	State     string    `firestore:"state"`
	Photos    []string  `firestore:"photos,omitempty"` // hashes of all that it is about
	UpdatedAt time.Time `firestore:"updated_at"`
	ExpiresAt time.Time `firestore:"expires_at"`
}

// A Store stores tasks in Firestore, shared by all instances. A task's version is the
// update time of its document, so that of two concurrent changes of one version the second
// is refused.
//
// Callers have tasks of their own, told apart by the context's caller. Anonymous ones share
// what they have, and need a task's ID: a list of theirs is empty, except on an open
// service, where everybody sees everything.
type Store struct {
	open    func(context.Context) (*firestore.Client, error)
	options jobs.Options
}

// NewStore returns a store of tasks in the database that open returns for each call. A task is
// deleted when it was not changed for o.Retain. Which instance works on one that came by the
// queue is on record among the other runs, with the leases of o.
func NewStore(open func(context.Context) (*firestore.Client, error), o jobs.Options) *Store {
	o.Collection = jobs.Runs
	return &Store{open, o}
}

// tasks returns the collection of tasks.
func (s *Store) tasks(ctx context.Context) (*firestore.CollectionRef, error) {
	db, err := s.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("a2a: tasks: %w", err)
	}
	return db.Collection(collection), nil
}

// documentID returns the ID of the document of a caller's task. Hashes of two parts have
// another form than those of one, which an anonymous caller may choose.
func documentID(ctx context.Context, id a2a.TaskID) string {
	owner := caller.From(ctx).Owner()
	if owner == "" {
		return store.HashID(string(id))
	}
	return "own-" + store.HashID(owner, string(id))
}

// documentOf returns t as it is stored: its messages hold hashes in place of files and
// data.
func (s *Store) documentOf(ctx context.Context, t *a2a.Task) (document, error) {
	data, photos, err := storable(t)
	if err != nil {
		return document{}, fmt.Errorf("a2a: task %s: %w", t.ID, err)
	}
	now := time.Now()
	return document{caller.From(ctx).Owner(), data, t.ContextID, t.Status.State.String(), photos, now, now.Add(s.options.Retain)}, nil
}

// create stores a new task, and returns its version. One that is there already is
// store.ErrExists.
func (s *Store) create(ctx context.Context, t *a2a.Task) (version time.Time, err error) {
	return s.save(ctx, t, time.Time{})
}

// save stores the next version of a task, and returns it. A task that is gone is
// a2a.ErrTaskNotFound, one of another version store.ErrChanged.
func (s *Store) save(ctx context.Context, t *a2a.Task, version time.Time) (next time.Time, err error) {
	tasks, err := s.tasks(ctx)
	if err != nil {
		return next, err
	}
	value, err := s.documentOf(ctx, t)
	if err != nil {
		return next, err
	}
	d := store.Doc[document]{ID: documentID(ctx, t.ID), Exists: true, Value: value, Updated: version}
	if version.IsZero() {
		d, err = store.In[document](tasks).Create(ctx, d.ID, value)
	} else if d, err = store.In[document](tasks).Save(ctx, d); store.Gone(err) || errors.Is(err, store.ErrChanged) && !d.Exists {
		return next, a2a.ErrTaskNotFound
	}
	if err != nil {
		err = fmt.Errorf("a2a: store task: %w", err)
	}
	return d.Updated, err
}

// get reads a task and its version.
func (s *Store) get(ctx context.Context, id a2a.TaskID) (t *a2a.Task, version time.Time, err error) {
	tasks, err := s.tasks(ctx)
	if err != nil {
		return nil, version, err
	}
	d, err := store.In[document](tasks).Get(ctx, documentID(ctx, id))
	if store.Gone(err) {
		return nil, version, a2a.ErrTaskNotFound
	}
	if err != nil {
		return nil, version, fmt.Errorf("a2a: get task: %w", err)
	}
	t, err = taskOf(d.Value)
	return t, d.Updated, err
}

func taskOf(d document) (*a2a.Task, error) {
	t := &a2a.Task{}
	if err := json.Unmarshal(d.Task, t); err != nil {
		return t, fmt.Errorf("a2a: read task: %w", err)
	}
	return t, nil
}

// The number of tasks in a page.
const (
	defaultPage = 50
	largestPage = 100
)

// List reads the tasks of a caller, the most recently changed first.
func (s *Store) List(ctx context.Context, r *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	size := r.PageSize
	if size == 0 {
		size = defaultPage
	}
	if size < 1 || size > largestPage {
		return nil, invalid("pageSize is %d: want 1 to %d", size, largestPage)
	}
	c := caller.From(ctx)
	if !c.Named() && c.Identified() {
		return &a2a.ListTasksResponse{Tasks: []*a2a.Task{}, PageSize: size}, nil
	}
	tasks, err := s.tasks(ctx)
	if err != nil {
		return nil, err
	}
	q := selected(tasks.Query, c.Owner(), r)
	total, err := store.Count(ctx, q.OrderBy("updated_at", firestore.Desc))
	if err != nil {
		return nil, fmt.Errorf("a2a: count tasks: %w", err)
	}
	page, next, err := store.Page[document](ctx, q, "updated_at", r.PageToken, size)
	switch {
	case errors.Is(err, store.ErrCursor):
		return nil, invalid("pageToken is invalid: send nextPageToken of the previous answer unchanged")
	case err != nil:
		return nil, fmt.Errorf("a2a: list tasks: %w", err)
	}
	answer := &a2a.ListTasksResponse{Tasks: []*a2a.Task{}, TotalSize: total, PageSize: size, NextPageToken: next}
	for _, d := range page {
		t, err := taskOf(d.Value)
		if err != nil {
			slog.WarnContext(ctx, "a2a: task not read in full", "task", t.ID, "error", err) // another version has written it
		}
		answer.Tasks = append(answer.Tasks, t)
	}
	return answer, nil
}

// selected returns the tasks of an owner that r selects; "" selects all owners'.
func selected(q firestore.Query, owner string, r *a2a.ListTasksRequest) firestore.Query {
	if owner != "" {
		q = q.Where("owner", "==", owner)
	}
	if r.ContextID != "" {
		q = q.Where("context_id", "==", r.ContextID)
	}
	if r.Status != a2a.TaskStateUnspecified {
		q = q.Where("state", "==", r.Status.String())
	}
	if r.StatusTimestampAfter != nil {
		q = q.Where("updated_at", ">=", *r.StatusTimestampAfter)
	}
	return q
}

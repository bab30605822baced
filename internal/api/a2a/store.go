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
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"

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
// is refused. It implements taskstore.Store.
//
// Callers have tasks of their own, told apart by the context's caller. Anonymous ones share
// what they have, and need a task's ID: a list of theirs is empty, except on an open
// service, where everybody sees everything.
type Store struct {
	tasks  *firestore.CollectionRef
	retain time.Duration
}

var _ taskstore.Store = (*Store)(nil)

// NewStore returns a store of tasks in db. A task is deleted when it was not changed for
// retain.
func NewStore(db *firestore.Client, retain time.Duration) *Store {
	return &Store{db.Collection(collection), retain}
}

// documentsOf returns the tasks of s.
// A method would have each package that names a Store compile those of store.Collection again.
func documentsOf(s *Store) store.Collection[document] { return store.In[document](s.tasks) }

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
	data, err := json.Marshal(storable(t))
	if err != nil {
		return document{}, fmt.Errorf("a2a: task %s: %w", t.ID, err)
	}
	now := time.Now()
	return document{caller.From(ctx).Owner(), data, t.ContextID, t.Status.State.String(), photosOf(t), now, now.Add(s.retain)}, nil
}

// Create stores a new task.
func (s *Store) Create(ctx context.Context, t *a2a.Task) (taskstore.TaskVersion, error) {
	value, err := s.documentOf(ctx, t)
	if err != nil {
		return 0, err
	}
	d, err := documentsOf(s).Create(ctx, documentID(ctx, t.ID), value)
	switch {
	case store.Exists(err):
		return 0, taskstore.ErrTaskAlreadyExists
	case err != nil:
		return 0, fmt.Errorf("a2a: create task: %w", err)
	}
	return versionOf(d.Updated), nil
}

// Update stores the next version of a task.
func (s *Store) Update(ctx context.Context, r *taskstore.UpdateRequest) (taskstore.TaskVersion, error) {
	value, err := s.documentOf(ctx, r.Task)
	if err != nil {
		return 0, err
	}
	d := store.Doc[document]{ID: documentID(ctx, r.Task.ID), Exists: true, Value: value, Updated: time.Unix(0, int64(r.PrevVersion))}
	if r.PrevVersion != taskstore.TaskVersionMissing {
		d, err = documentsOf(s).Save(ctx, d)
	} else {
		d, err = documentsOf(s).Update(ctx, d.ID, func(d *store.Doc[document]) error {
			d.Value = value
			return nil
		})
	}
	switch {
	case err == nil:
		return versionOf(d.Updated), nil
	case store.Gone(err) || errors.Is(err, store.ErrChanged) && !d.Exists:
		return 0, a2a.ErrTaskNotFound
	case errors.Is(err, store.ErrChanged):
		return 0, taskstore.ErrConcurrentModification
	}
	return 0, fmt.Errorf("a2a: update task: %w", err)
}

// Get reads a task.
func (s *Store) Get(ctx context.Context, id a2a.TaskID) (*taskstore.StoredTask, error) {
	d, err := documentsOf(s).Get(ctx, documentID(ctx, id))
	if store.Gone(err) {
		return nil, a2a.ErrTaskNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("a2a: get task: %w", err)
	}
	t, err := taskOf(d.Value)
	return &taskstore.StoredTask{Task: t, Version: versionOf(d.Updated)}, err
}

func versionOf(updated time.Time) taskstore.TaskVersion {
	return taskstore.TaskVersion(updated.UnixNano())
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
	q := s.query(c.Owner(), r)
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

// query returns the query for the tasks of an owner that r selects; "" selects all owners'.
func (s *Store) query(owner string, r *a2a.ListTasksRequest) firestore.Query {
	q := s.tasks.Query
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

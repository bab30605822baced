package a2a

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/whatis/internal/digest"
)

// collection is the Firestore collection of tasks.
const collection = "a2a_tasks"

// A document is a task as Firestore keeps it. Its ID is a hash of the task's, which
// callers may choose.
type document struct {
	Task      []byte    `firestore:"task"` // as JSON
	ContextID string    `firestore:"context_id"`
	State     string    `firestore:"state"`
	UpdatedAt time.Time `firestore:"updated_at"`
	ExpiresAt time.Time `firestore:"expires_at"`
}

// A Store keeps tasks in Firestore, for every instance. A task's version is the
// update time of its document, so that of two who change the same version one is
// refused. It implements taskstore.Store.
type Store struct {
	db     *firestore.Client
	retain time.Duration
}

var _ taskstore.Store = (*Store)(nil)

// NewStore returns the store of tasks in db, each of which is deleted so long after
// its last change.
func NewStore(db *firestore.Client, retain time.Duration) *Store { return &Store{db, retain} }

func (s *Store) doc(id a2a.TaskID) *firestore.DocumentRef {
	return s.db.Collection(collection).Doc(digest.Of(string(id)))
}

// documentOf is t as it is kept: its messages without what they brought.
func (s *Store) documentOf(t *a2a.Task) (document, error) {
	data, err := json.Marshal(kept(t))
	now := time.Now()
	return document{data, t.ContextID, t.Status.State.String(), now, now.Add(s.retain)}, err
}

// Create keeps a new task.
func (s *Store) Create(ctx context.Context, t *a2a.Task) (taskstore.TaskVersion, error) {
	d, err := s.documentOf(t)
	if err != nil {
		return 0, fmt.Errorf("a2a: task %s: %w", t.ID, err)
	}
	r, err := s.doc(t.ID).Create(ctx, d)
	switch {
	case status.Code(err) == codes.AlreadyExists:
		return s.own(ctx, t.ID, d, taskstore.ErrTaskAlreadyExists)
	case err != nil:
		return 0, fmt.Errorf("a2a: create task: %w", err)
	}
	return versionOf(r.UpdateTime), nil
}

// Update keeps the next version of a task.
func (s *Store) Update(ctx context.Context, r *taskstore.UpdateRequest) (taskstore.TaskVersion, error) {
	d, err := s.documentOf(r.Task)
	if err != nil {
		return 0, fmt.Errorf("a2a: task %s: %w", r.Task.ID, err)
	}
	condition := firestore.Exists
	if r.PrevVersion != taskstore.TaskVersionMissing {
		condition = firestore.LastUpdateTime(time.Unix(0, int64(r.PrevVersion)))
	}
	w, err := s.doc(r.Task.ID).Update(ctx, []firestore.Update{
		{Path: "task", Value: d.Task}, {Path: "state", Value: d.State},
		{Path: "updated_at", Value: d.UpdatedAt}, {Path: "expires_at", Value: d.ExpiresAt},
	}, condition)
	switch status.Code(err) {
	case codes.OK:
		return versionOf(w.UpdateTime), nil
	case codes.NotFound:
		return 0, a2a.ErrTaskNotFound
	case codes.FailedPrecondition:
		return s.own(ctx, r.Task.ID, d, taskstore.ErrConcurrentModification)
	}
	return 0, fmt.Errorf("a2a: update task: %w", err)
}

// own is the version of the document if it is d, written by a try of this very call
// whose answer was lost; otherwise err.
func (s *Store) own(ctx context.Context, id a2a.TaskID, d document, err error) (taskstore.TaskVersion, error) {
	snapshot, failed := s.doc(id).Get(ctx)
	if failed != nil {
		return 0, errors.Join(err, failed)
	}
	var there document
	if snapshot.DataTo(&there) == nil && bytes.Equal(there.Task, d.Task) && there.UpdatedAt.Equal(d.UpdatedAt.Truncate(time.Microsecond)) {
		return versionOf(snapshot.UpdateTime), nil
	}
	return 0, err
}

// Get reads a task.
func (s *Store) Get(ctx context.Context, id a2a.TaskID) (*taskstore.StoredTask, error) {
	snapshot, err := s.doc(id).Get(ctx)
	if status.Code(err) == codes.NotFound {
		return nil, a2a.ErrTaskNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("a2a: get task: %w", err)
	}
	_, t, err := taskOf(snapshot)
	if err != nil {
		return nil, err
	}
	return &taskstore.StoredTask{Task: t, Version: versionOf(snapshot.UpdateTime)}, nil
}

func versionOf(updated time.Time) taskstore.TaskVersion {
	return taskstore.TaskVersion(updated.UnixNano())
}

func taskOf(snapshot *firestore.DocumentSnapshot) (d document, t *a2a.Task, err error) {
	if err = snapshot.DataTo(&d); err == nil {
		t = &a2a.Task{}
		err = json.Unmarshal(d.Task, t)
	}
	if err != nil {
		return d, nil, fmt.Errorf("a2a: read task: %w", err)
	}
	return d, t, nil
}

// The size of a page of a list.
const (
	defaultPage = 50
	largestPage = 100
)

// List reads tasks, the last changed first.
func (s *Store) List(ctx context.Context, r *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	size := r.PageSize
	if size == 0 {
		size = defaultPage
	}
	if size < 1 || size > largestPage {
		return nil, invalid("pageSize is %d: want 1 to %d", size, largestPage)
	}
	q := s.query(r)
	total, err := count(ctx, q)
	if err != nil {
		return nil, err
	}
	if r.PageToken != "" {
		after, err := cursorOf(r.PageToken)
		if err != nil {
			return nil, err
		}
		q = q.StartAfter(after)
	}
	snapshots, err := q.Limit(size + 1).Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("a2a: list tasks: %w", err)
	}
	answer := &a2a.ListTasksResponse{Tasks: []*a2a.Task{}, TotalSize: total, PageSize: size}
	var last document
	for i, snapshot := range snapshots {
		if i == size {
			answer.NextPageToken = pageToken(last.UpdatedAt)
			break
		}
		var t *a2a.Task
		if last, t, err = taskOf(snapshot); err != nil {
			return nil, err
		}
		answer.Tasks = append(answer.Tasks, t)
	}
	return answer, nil
}

// query asks for the tasks that r wants.
func (s *Store) query(r *a2a.ListTasksRequest) firestore.Query {
	q := s.db.Collection(collection).OrderBy("updated_at", firestore.Desc)
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

func count(ctx context.Context, q firestore.Query) (int, error) {
	const name = "count"
	result, err := q.NewAggregationQuery().WithCount(name).Get(ctx)
	if err != nil {
		return 0, fmt.Errorf("a2a: count tasks: %w", err)
	}
	v, ok := result[name].(*firestorepb.Value)
	if !ok {
		return 0, fmt.Errorf("a2a: count tasks: the answer is a %T", result[name])
	}
	return int(v.GetIntegerValue()), nil
}

// pageToken names the page behind the task that was changed at t.
func pageToken(t time.Time) string {
	return base64.RawURLEncoding.EncodeToString([]byte(t.UTC().Format(time.RFC3339Nano)))
}

func cursorOf(token string) (time.Time, error) {
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		var t time.Time
		if t, err = time.Parse(time.RFC3339Nano, string(data)); err == nil {
			return t, nil
		}
	}
	return time.Time{}, invalid("pageToken is none: send nextPageToken of the answer before, as it is")
}

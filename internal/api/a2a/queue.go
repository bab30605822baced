package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/web/caller"
)

// The agent and the kind of the tasks in the queue.
const (
	TaskAgent = "a2a"
	TaskKind  = "work"
)

// queuedKey is the metadata field of a task that is in the queue.
const queuedKey = "queued"

// maxQueued is the largest question in the queue, in bytes of JSON: Pub/Sub takes 10 MB with
// what it adds.
const maxQueued = 9 << 20

// A queued is the payload of a task in the queue. It holds the files that were sent.
type queued struct {
	Task   a2a.TaskID       `json:"task"`
	Skill  string           `json:"skill"`
	Inputs []map[string]any `json:"inputs"`
	Files  []string         `json:"files,omitempty"`
	Caller caller.Caller    `json:"caller"` // to whom the task belongs
}

// errNoQueue is the error where there is no queue of tasks.
var errNoQueue = a2a.NewError(a2a.ErrUnsupportedOperation, "this service has no queue of tasks: ask and wait, or use a stream")

// enqueue stores t and hands q to the queue.
func (d *Server) enqueue(ctx context.Context, t *a2a.Task, q question, tell func(a2a.Event)) error {
	if d.Publish == nil {
		return errNoQueue
	}
	for i := range q.inputs {
		in, err := q.input(i)
		if err == nil {
			err = q.skill.Check(in)
		}
		if err != nil {
			return err
		}
	}
	payload, err := json.Marshal(queued{t.ID, q.skill.ID, q.inputs, q.files, caller.From(ctx)})
	if err != nil {
		return fmt.Errorf("a2a: the question of %s: %w", t.ID, err)
	}
	if len(payload) > maxQueued {
		return invalid("the message has more than %d MB, which is too much for the queue: wait for the answer, or send addresses that begin with gs://", maxQueued>>20)
	}
	t.Metadata[queuedKey] = true
	version, err := d.Tasks.create(ctx, t)
	if err != nil {
		return err
	}
	if err := d.Publish(ctx, queue.Task{Agent: TaskAgent, Kind: TaskKind, Payload: json.RawMessage(payload)}); err != nil {
		d.drop(ctx, t, version)
		return err
	}
	tell(t)
	return nil
}

// drop fails a task that could not be handed to the queue.
func (d *Server) drop(ctx context.Context, t *a2a.Task, version time.Time) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	setState(t, a2a.TaskStateFailed, nil)
	if _, err := d.Tasks.save(ctx, t, version); err != nil {
		slog.WarnContext(ctx, "a2a: a task stays submitted", "task", t.ID, "error", err)
	}
}

// Deliver does the work of a task from the queue. An error asks for another delivery.
func (d *Server) Deliver(ctx context.Context, p queue.Payload, m queue.Meta) error {
	var asked queued
	if err := p.Decode(&asked); err != nil {
		return err
	}
	i := slices.IndexFunc(d.Skills, func(s agent.Skill) bool { return s.ID == asked.Skill && s.Run != nil })
	if asked.Task == "" || len(asked.Inputs) == 0 || i < 0 {
		slog.WarnContext(ctx, "task dropped", "task", asked.Task, "skill", asked.Skill)
		return nil
	}
	if asked.Caller.Kind != "" {
		ctx = caller.With(ctx, asked.Caller)
	}
	db, err := d.Tasks.open(ctx)
	if err != nil {
		return fmt.Errorf("a2a: tasks: %w", err)
	}
	executor, err := jobs.NewExecutor[a2a.TaskState, any](kind{}, jobs.ExecutorConfig{Work: jobs.NewStore(db, d.Tasks.options)})
	if err != nil {
		return err
	}
	_, err = executor.Deliver(ctx, &delivery{
		Uncached: jobs.Uncached[a2a.TaskState]{Spec: jobs.Spec{
			Item: jobs.Item{ID: store.HashID("a2a", string(asked.Task)), Kind: "a2a_task", Subject: string(asked.Task)},
			Name: "a2a/" + string(asked.Task), Published: m.Published,
		}},
		server: d, id: asked.Task, question: question{skill: d.Skills[i], inputs: asked.Inputs, files: asked.Files},
	})
	return err
}

// A kind is the kind of job that works on a task from the queue. Its result is the state in which
// the task ended.
type kind struct{}

// Describe implements jobs.Kind. The task itself says how it ended.
func (kind) Describe(a2a.TaskState) jobs.Facts { return jobs.Facts{} }

// Public implements jobs.Kind.
func (kind) Public(s a2a.TaskState) a2a.TaskState { return s }

// Fault implements jobs.Kind.
func (kind) Fault(err error) jobs.Fault {
	return jobs.Fault{Permanent: errors.Is(err, a2a.ErrTaskNotFound)}
}

// Log implements jobs.Kind.
func (kind) Log(ctx context.Context, name string, attempt int, s a2a.TaskState, err error) {
	if err != nil {
		slog.WarnContext(ctx, "a2a task broken off", "task", name, "attempt", attempt, "error", err)
		return
	}
	slog.InfoContext(ctx, "a2a task done", "task", name, "attempt", attempt, "state", s)
}

// A delivery is the job of one delivery of a task.
type delivery struct {
	jobs.Uncached[a2a.TaskState]
	server   *Server
	id       a2a.TaskID
	question question
}

// Do works on the task unless it has ended, as one that was cancelled has.
func (w *delivery) Do(ctx context.Context, _ func(any)) (a2a.TaskState, error) {
	j, err := w.job(ctx)
	if err != nil || j.task.Status.State.Terminal() {
		return j.task.Status.State, err
	}
	setState(j.task, a2a.TaskStateWorking, nil)
	if j.version, err = w.server.Tasks.save(ctx, j.task, j.version); err != nil {
		return "", err
	}
	w.question.around, w.question.message = j.task.ContextID, j.task.History[0].ID
	err = j.run(ctx, w.question)
	return j.task.Status.State, err
}

// job returns the job of the task as it is stored.
func (w *delivery) job(ctx context.Context) (*job, error) {
	j := &job{Server: w.server, tell: func(a2a.Event) {}, queued: true, task: &a2a.Task{ID: w.id}}
	there, version, err := w.server.Tasks.get(ctx, w.id)
	if err == nil {
		j.task, j.version = there, version
	}
	return j, err
}

// Failed ends the task with the answers that there are, and fails it without one.
func (w *delivery) Failed(ctx context.Context, _ a2a.TaskState, cause error, _ time.Duration) a2a.TaskState {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	j, err := w.job(ctx)
	if err == nil && !j.task.Status.State.Terminal() {
		j.begins(w.question)
		for i, done := range j.outputs {
			if !done {
				j.take(step{input: i, err: cause})
			}
		}
		err = j.finish(ctx)
	}
	if err != nil {
		slog.ErrorContext(ctx, "a2a: a task without an outcome", "task", w.id, "error", err)
	}
	return j.task.Status.State
}

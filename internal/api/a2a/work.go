package a2a

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/store"
)

// parallelism is how many files of a message are processed at the same time.
const parallelism = 4

// beginAfter is when a task is created if it has produced no event. Before that, a wrong
// input can be refused without leaving a task.
const beginAfter = time.Second

// A step is what happens while a question is processed: an event, or the output of an
// input.
type step struct {
	input int
	event *agent.Event
	out   json.RawMessage
	err   error
}

// errCanceled is the cause when work ends because its task was cancelled.
var errCanceled = errors.New("a2a: the task was canceled")

// A job is a task that is being processed.
type job struct {
	*Server
	task    *a2a.Task
	version time.Time // zero before the task was created
	tell    func(a2a.Event)
	outputs []bool   // which inputs have an output
	why     *step    // the last failed input
	waits   error    // of a delivery: of the inputs that another may answer
	files   []string // as in question
	events  []bool   // which inputs have sent an event
	queued  bool     // nobody waits, and a delivery can be repeated
}

// begins prepares j for the inputs of q, of which an earlier delivery may have answered some.
func (j *job) begins(q question) {
	j.events, j.outputs, j.files = make([]bool, len(q.inputs)), make([]bool, len(q.inputs)), q.files
	for i := range q.inputs {
		j.outputs[i] = slices.ContainsFunc(j.task.Artifacts, func(a *a2a.Artifact) bool { return a.ID == resultID(i) })
	}
}

// run processes q for the job's task. If q has one input and that fails before any event, run
// returns its error; later errors make the task fail. An input of a delivery that fails for now does not keep the
// others from their answers; then run returns its error, and another delivery does the rest.
func (j *job) run(ctx context.Context, q question) error {
	ctx, cancel := context.WithCancelCause(ctx)
	j.begins(q)
	if !j.queued {
		ctx = agent.WithEarly(ctx)
	}
	steps := q.run(ctx, j.outputs)
	defer func() {
		cancel(nil)
		for range steps { // wait until all work has ended
			continue
		}
	}()
	silent := time.After(beginAfter)
	look := time.NewTicker(j.Times.Poll)
	defer look.Stop()
	for {
		select {
		case s, ok := <-steps:
			if canceled := errors.Is(context.Cause(ctx), errCanceled); j.queued && !canceled {
				if s.err != nil && (ctx.Err() != nil || j.Problem(s.err).Passing()) { // or the instance stops
					j.waits = errors.Join(j.waits, s.err)
					continue
				}
				if !ok && j.waits != nil {
					j.pause(ctx)
					return j.waits
				}
			}
			if !ok {
				return j.finish(ctx)
			}
			if s.err != nil && len(q.inputs) == 1 && j.version.IsZero() {
				return s.err // the caller's answer
			}
			if err := j.begin(ctx); err != nil {
				return err
			}
			j.take(s)
		case <-silent:
			if err := j.begin(ctx); err != nil {
				return err
			}
		case <-look.C:
			if !j.version.IsZero() && j.canceled(ctx) {
				cancel(errCanceled)
			}
		}
	}
}

// pause stores the answers so far, for the next delivery. If it cannot, that asks again.
func (j *job) pause(ctx context.Context) {
	if !slices.Contains(j.outputs, true) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	j.task.Artifacts = slices.DeleteFunc(j.task.Artifacts, func(a *a2a.Artifact) bool { return !j.outputs[inputOf(a)-1] })
	if _, err := j.Tasks.save(ctx, j.task, j.version); err != nil {
		slog.WarnContext(ctx, "a2a: answers not kept for the next delivery", "task", j.task.ID, "error", err)
	}
}

// run processes every input of q that is not done. The channel is closed when all have ended.
func (q question) run(ctx context.Context, done []bool) <-chan step {
	done = slices.Clone(done)
	steps := make(chan step)
	var group errgroup.Group
	group.SetLimit(parallelism)
	go func() {
		defer close(steps)
		for i := range q.inputs {
			if done[i] {
				continue
			}
			group.Go(func() error {
				out, err := q.runOne(ctx, i, func(e *agent.Event) { steps <- step{input: i, event: e} })
				steps <- step{input: i, out: out, err: err}
				return nil
			})
		}
		_ = group.Wait() // errors are sent as steps
	}()
	return steps
}

// runOne works on one input. A panic is an error.
func (q question) runOne(ctx context.Context, i int, emit func(*agent.Event)) (out json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a2a: %s panicked: %v", q.skill.ID, p)
		}
	}()
	in, err := q.input(i)
	if err != nil {
		return nil, err
	}
	return q.skill.Run(agent.InConversation(ctx, q.around, fmt.Sprintf("%s %d", q.message, i)), in, emit)
}

// begin stores and reports the task if that was not done yet.
func (j *job) begin(ctx context.Context) (err error) {
	if !j.version.IsZero() {
		return nil
	}
	submitted := *j.task
	setState(j.task, a2a.TaskStateWorking, nil)
	if j.version, err = j.Tasks.create(ctx, j.task); err != nil {
		if store.Exists(err) {
			return invalid("there is a task %.80q already", j.task.ID)
		}
		return err
	}
	j.tell(&submitted)
	j.tell(statusOf(j.task))
	return nil
}

// canceled reads from the store whether the task was cancelled.
func (j *job) canceled(ctx context.Context) bool {
	there, _, err := j.Tasks.get(ctx, j.task.ID)
	if err != nil {
		slog.WarnContext(ctx, "a2a: look for a cancel", "task", j.task.ID, "error", err)
		return false
	}
	return there.Status.State == a2a.TaskStateCanceled
}

// fileKey is the metadata field of an artifact that names the file it is about.
const fileKey = "file"

// take adds s to the task as an artifact. The events of an input are parts of one artifact.
func (j *job) take(s step) {
	n := strconv.Itoa(s.input + 1)
	if s.event != nil && s.event.Kind == agent.Partial { // which the output replaces: it is told, and not kept
		now := time.Now().UTC()
		known := a2a.NewMessageForTask(a2a.MessageRoleAgent, j.task, a2a.NewDataPart(plain(s.event)))
		j.tell(&a2a.TaskStatusUpdateEvent{TaskID: j.task.ID, ContextID: j.task.ContextID, Status: a2a.TaskStatus{State: a2a.TaskStateWorking, Message: known, Timestamp: &now}})
		return
	}
	if s.event != nil {
		u := a2a.NewArtifactUpdateEvent(j.task, a2a.ArtifactID("events-"+n), a2a.NewDataPart(plain(s.event)))
		u.Append, u.Artifact.Name = j.events[s.input], "events"
		j.events[s.input] = true
		j.add(u)
		return
	}
	part := a2a.NewDataPart(plain(s.out))
	if s.err != nil {
		j.why = &s
		part = a2a.NewDataPart(j.problemOf(s.err))
	} else {
		j.outputs[s.input] = true
	}
	part.MediaType = "application/json"
	u := a2a.NewArtifactEvent(j.task, part)
	u.Artifact.ID, u.Artifact.Name, u.LastChunk = resultID(s.input), "result", true
	if file := (question{files: j.files}).file(s.input); file != "" {
		u.Artifact.Metadata = map[string]any{fileKey: file}
	}
	if s.err == nil || len(j.events) > 1 {
		j.add(u)
	}
}

// resultID returns the ID of the artifact with the output of an input.
func resultID(input int) a2a.ArtifactID {
	return a2a.ArtifactID("result-" + strconv.Itoa(input+1))
}

// problemOf returns err as the artifact of one input among several.
func (j *job) problemOf(err error) map[string]any {
	p := j.Problem(err)
	data := problemData(p)
	data["error"] = p.Detail
	return data
}

// add adds an artifact to the task and reports it.
func (j *job) add(u *a2a.TaskArtifactUpdateEvent) {
	all := j.task.Artifacts
	if u.Append {
		for _, a := range all {
			if a.ID == u.Artifact.ID {
				a.Parts = append(a.Parts, u.Artifact.Parts...)
			}
		}
	} else {
		own := *u.Artifact
		j.task.Artifacts = append(all, &own)
	}
	j.tell(u)
}

// inputOf returns the number of the input that an artifact is about.
func inputOf(a *a2a.Artifact) int {
	_, n, _ := strings.Cut(string(a.ID), "-")
	number, _ := strconv.Atoi(n) // set by take
	return number
}

// finish stores the outcome of the task: completed if any input has an output. A task that
// was cancelled meanwhile stays cancelled.
func (j *job) finish(ctx context.Context) error {
	cause := context.Cause(ctx)
	slices.SortStableFunc(j.task.Artifacts, func(a, b *a2a.Artifact) int { return cmp.Compare(inputOf(a), inputOf(b)) })
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	switch {
	case errors.Is(cause, errCanceled):
	case slices.Contains(j.outputs, true):
		setState(j.task, a2a.TaskStateCompleted, noted(j.task, ""))
	default:
		p := j.Problem(j.why.err)
		setState(j.task, a2a.TaskStateFailed, a2a.NewMessageForTask(a2a.MessageRoleAgent, j.task, a2a.NewTextPart(p.Detail), a2a.NewDataPart(problemData(p))))
	}
	_, err := j.Tasks.save(ctx, j.task, j.version)
	if errors.Is(err, store.ErrChanged) || errors.Is(cause, errCanceled) {
		var there *a2a.Task
		if there, _, err = j.Tasks.get(ctx, j.task.ID); err == nil {
			j.task = there
		}
	}
	if err != nil {
		return err
	}
	j.tell(statusOf(j.task))
	return nil
}

// setState sets the state of t to s, with the time and a message.
func setState(t *a2a.Task, s a2a.TaskState, why *a2a.Message) {
	now := time.Now().UTC()
	t.Status = a2a.TaskStatus{State: s, Message: why, Timestamp: &now}
}

// statusOf returns the status event of t.
func statusOf(t *a2a.Task) *a2a.TaskStatusUpdateEvent {
	return &a2a.TaskStatusUpdateEvent{TaskID: t.ID, ContextID: t.ContextID, Status: t.Status}
}

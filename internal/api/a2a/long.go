package a2a

import (
	"context"
	"errors"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/store"
)

// runKey is the metadata field of a task that holds the run of a long-running skill.
const runKey = "run"

// start starts a run of a long-running skill.
func (d *Server) start(ctx context.Context, t *a2a.Task, q question, tell func(a2a.Event)) error {
	if len(q.inputs) != 1 {
		return invalid("%s is asked about one thing at a time", q.skill.ID)
	}
	in, err := q.input(0)
	if err != nil {
		return err
	}
	run, err := q.skill.Long.Start(ctx, in)
	if err != nil {
		return err
	}
	t.Metadata[runKey] = run.ID
	setState(t, a2a.TaskStateWorking, noted(t, ""))
	if _, err := d.Tasks.create(ctx, t); err != nil {
		return err
	}
	tell(t)
	return nil
}

// longOf returns the long-running skill and the run that t stands for; nil if there is
// none.
func (d *Server) longOf(t *a2a.Task) (long *agent.Long, run string) {
	run, _ = t.Metadata[runKey].(string)
	if run == "" {
		return nil, ""
	}
	for _, s := range d.Skills {
		if s.ID == t.Metadata[skillKey] {
			return s.Long, run
		}
	}
	return nil, run
}

// now returns the current task with that ID. The state of a run comes from the run's
// record; a task whose instance was lost is failed.
func (d *Server) now(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	t, version, err := d.Tasks.get(ctx, id)
	if err != nil {
		return nil, err
	}
	if t.Status.State.Terminal() {
		return t, nil
	}
	long, run := d.longOf(t)
	if long == nil {
		if t.Status.Timestamp != nil && time.Since(*t.Status.Timestamp) > longestWork && t.Metadata[queuedKey] == nil {
			setState(t, a2a.TaskStateFailed, a2a.NewMessageForTask(a2a.MessageRoleAgent, t, a2a.NewTextPart("the instance that worked on this task was lost: send the message again")))
		}
		return t, nil
	}
	status, err := long.Status(ctx, run)
	if err != nil {
		return nil, err
	}
	d.apply(t, status)
	if t.Status.State.Terminal() {
		_, err := d.Tasks.save(ctx, t, version)
		if err != nil && !errors.Is(err, store.ErrChanged) { // another instance stored the same
			return nil, err
		}
	}
	return t, nil
}

// states maps states of runs to those of the protocol.
var states = map[jobs.State]a2a.TaskState{
	jobs.Working: a2a.TaskStateWorking, jobs.Done: a2a.TaskStateCompleted,
	jobs.Failed: a2a.TaskStateFailed, jobs.Canceled: a2a.TaskStateCanceled,
}

// apply copies the state and progress of a run into t.
func (d *Server) apply(t *a2a.Task, s agent.Status) {
	message := noted(t, s.Message)
	if state := states[s.State]; state != t.Status.State || textOf(message) != textOf(t.Status.Message) {
		setState(t, state, message)
	}
	if s.Output != nil {
		t.Artifacts = []*a2a.Artifact{{ID: "result-1", Name: "result", Parts: a2a.ContentParts{a2a.NewDataPart(plain(s.Output))}}}
	}
}

// textOf returns the text of a status message; "" if there is none.
func textOf(m *a2a.Message) string {
	if m != nil && len(m.Parts) > 0 {
		return m.Parts[0].Text()
	}
	return ""
}

// follow reports changes of t until the task or ctx ends.
func (d *Server) follow(ctx context.Context, t *a2a.Task, tell func(a2a.Event)) error {
	tick := time.NewTicker(d.Times.Poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		next, err := d.now(ctx, t.ID)
		if err != nil {
			return err
		}
		if !next.Status.State.Terminal() {
			if textOf(next.Status.Message) != textOf(t.Status.Message) {
				tell(statusOf(next))
			}
			t = next
			continue
		}
		for _, artifact := range next.Artifacts {
			tell(&a2a.TaskArtifactUpdateEvent{TaskID: next.ID, ContextID: next.ContextID, Artifact: artifact, LastChunk: true})
		}
		tell(statusOf(next))
		return nil
	}
}

package a2a

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"example.com/whatis/internal/store"
	"example.com/whatis/internal/web"
)

// handler implements the protocol's methods for the SDK's transports, but for those that the SDK
// refuses: push notifications are not supported, and all callers get the same card. Messages
// that name no skill are for the preferred one, if they fit it.
type handler struct {
	a2asrv.RequestHandler
	*Server
	preferred string
}

var _ a2asrv.RequestHandler = handler{}

// SendMessage returns the outcome of a message: a message, or the task as it stands at the
// end of the request.
func (h handler) SendMessage(ctx context.Context, r *a2a.SendMessageRequest) (a2a.SendMessageResult, error) {
	return h.send(ctx, r, "")
}

// send is SendMessage with a given task ID; "" creates a new one.
func (h handler) send(ctx context.Context, r *a2a.SendMessageRequest, id a2a.TaskID) (a2a.SendMessageResult, error) {
	var last a2a.Event
	for e, err := range h.answers(ctx, r, id, false) {
		if err != nil {
			return nil, err
		}
		last = e
	}
	if m, ok := last.(*a2a.Message); ok {
		return m, nil
	}
	var length *int
	if r.Config != nil {
		length = r.Config.HistoryLength
	}
	return h.GetTask(ctx, &a2a.GetTaskRequest{ID: last.TaskInfo().TaskID, HistoryLength: length})
}

// SendStreamingMessage returns all events as well as the outcome.
func (h handler) SendStreamingMessage(ctx context.Context, r *a2a.SendMessageRequest) iter.Seq2[a2a.Event, error] {
	return h.answers(ctx, r, "", true)
}

// answers returns the events of a message. A stream continues to follow a task of a
// long-running skill.
func (h handler) answers(ctx context.Context, r *a2a.SendMessageRequest, id a2a.TaskID, stream bool) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		ctx, cancel := web.WorkContext(ctx)
		defer cancel()
		if err := h.answer(ctx, r, id, stream, func(e a2a.Event) { yield(e, nil) }); err != nil {
			yield(nil, h.public(err))
		}
	}
}

func (h handler) answer(ctx context.Context, r *a2a.SendMessageRequest, id a2a.TaskID, stream bool, tell func(a2a.Event)) error {
	if err := check(r); err != nil {
		return err
	}
	if r.Message.TaskID != "" {
		if _, _, err := h.Tasks.get(ctx, r.Message.TaskID); err != nil {
			return err
		}
		return a2a.NewError(a2a.ErrUnsupportedOperation, "a task here is asked once: send a new message without taskId; its contextId may be the same")
	}
	if id != "" { // chosen by the caller
		if there, _, err := h.Tasks.get(ctx, id); err == nil {
			return invalid("there is a task %.80q already: it is %s", id, there.Status.State)
		} else if !errors.Is(err, a2a.ErrTaskNotFound) {
			return err
		}
	}
	q, ok, err := h.understand(ctx, r.Message, r.Metadata)
	if err != nil {
		return err
	}
	if !ok {
		tell(h.introduction(r.Message))
		return nil
	}
	t := newTask(r.Message, id, q)
	q.around, q.message = t.ContextID, r.Message.ID
	switch {
	case q.skill.Long != nil:
	case !stream && r.Config != nil && r.Config.ReturnImmediately:
		return h.enqueue(ctx, t, q, tell)
	default:
		return (&job{Server: h.Server, task: t, tell: tell}).run(ctx, q)
	}
	if err := h.start(ctx, t, q, tell); err != nil || !stream {
		return err
	}
	return h.follow(ctx, t, tell)
}

func check(r *a2a.SendMessageRequest) error {
	switch {
	case r == nil || r.Message == nil:
		return invalid("params.message is missing")
	case r.Message.ID == "":
		return invalid("params.message.messageId is missing")
	case len(r.Message.Parts) == 0:
		return invalid("params.message.parts is missing or empty")
	case r.Message.Role != a2a.MessageRoleUser:
		return invalid("params.message.role must be the user's")
	case r.Config != nil && r.Config.PushConfig != nil:
		return a2a.ErrPushNotificationNotSupported
	}
	return nil
}

// The metadata fields of a task whose message named no skill, or was not used as a whole: what
// its sender should know of that, and what the model used that chose the skill.
const (
	noteKey   = "note"
	routedKey = "routed"
)

// noteOf returns the note of t; "" if it has none.
func noteOf(t *a2a.Task) string {
	note, _ := t.Metadata[noteKey].(string)
	return note
}

// noted returns the note of t, behind a text, as the message of its status; nil if both are
// empty.
func noted(t *a2a.Task, text string) *a2a.Message {
	if text = strings.TrimSpace(text + " " + noteOf(t)); text == "" {
		return nil
	}
	return a2a.NewMessageForTask(a2a.MessageRoleAgent, t, a2a.NewTextPart(text))
}

// newTask returns the task that m starts.
func newTask(m *a2a.Message, id a2a.TaskID, q question) *a2a.Task {
	t := a2a.NewSubmittedTask(a2a.TaskInfo{TaskID: id, ContextID: m.ContextID}, hashed(m))
	t.History[0].TaskID, t.History[0].ContextID = t.ID, t.ContextID
	t.Metadata = map[string]any{skillKey: q.skill.ID}
	if q.note != "" {
		t.Metadata[noteKey] = q.note
	}
	if q.routed != nil {
		t.Metadata[routedKey] = plain(q.routed.Usage)
	}
	return t
}

// GetTask reads a task.
func (h handler) GetTask(ctx context.Context, r *a2a.GetTaskRequest) (*a2a.Task, error) {
	ctx, cancel := web.WorkContext(ctx)
	defer cancel()
	t, err := h.now(ctx, r.ID)
	if err != nil {
		return nil, h.public(err)
	}
	return withHistory(t, r.HistoryLength), nil
}

// withHistory returns t with its last *length messages; nil means all.
func withHistory(t *a2a.Task, length *int) *a2a.Task {
	if length != nil && *length >= 0 && *length < len(t.History) {
		t.History = t.History[len(t.History)-*length:]
	}
	return t
}

// ListTasks reads tasks, the most recently changed first.
func (h handler) ListTasks(ctx context.Context, r *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	ctx, cancel := web.WorkContext(ctx)
	defer cancel()
	list, err := h.Tasks.List(ctx, r)
	if err != nil {
		return nil, h.public(err)
	}
	listed := list.Tasks[:0]
	for _, t := range list.Tasks {
		if !t.Status.State.Terminal() {
			if t, err = h.now(ctx, t.ID); err != nil {
				return nil, h.public(err)
			}
		}
		if r.Status != a2a.TaskStateUnspecified && t.Status.State != r.Status {
			continue // it has changed since it was stored
		}
		if !r.IncludeArtifacts {
			t.Artifacts = nil
		}
		listed = append(listed, withHistory(t, r.HistoryLength))
	}
	list.Tasks = listed
	return list, nil
}

// tries is how often a change is attempted that conflicts with another writer's.
const tries = 5

// CancelTask cancels a task. The instance that works on it stops at its next poll.
func (h handler) CancelTask(ctx context.Context, r *a2a.CancelTaskRequest) (t *a2a.Task, err error) {
	ctx, cancel := web.WorkContext(ctx)
	defer cancel()
	for range tries {
		if t, err = h.cancel(ctx, r.ID); !errors.Is(err, store.ErrChanged) {
			break
		}
	}
	return t, h.public(err)
}

func (h handler) cancel(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	t, version, err := h.Tasks.get(ctx, id)
	if err != nil {
		return nil, err
	}
	switch long, run := h.longOf(t); {
	case t.Status.State == a2a.TaskStateCanceled:
		return t, nil
	case t.Status.State.Terminal():
		return nil, a2a.ErrTaskNotCancelable
	case long != nil:
		if _, err := long.Cancel(ctx, run); err != nil {
			return nil, err
		}
		return h.now(ctx, id)
	}
	setState(t, a2a.TaskStateCanceled, nil)
	_, err = h.Tasks.save(ctx, t, version)
	return t, err
}

// SubscribeToTask reports changes of a task until it ends, whichever instance works on it.
func (h handler) SubscribeToTask(ctx context.Context, r *a2a.SubscribeToTaskRequest) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		ctx, cancel := web.WorkContext(ctx)
		defer cancel()
		if err := h.subscribe(ctx, r.ID, func(e a2a.Event) { yield(e, nil) }); err != nil {
			yield(nil, h.public(err))
		}
	}
}

func (h handler) subscribe(ctx context.Context, id a2a.TaskID, tell func(a2a.Event)) error {
	t, err := h.now(ctx, id)
	if err != nil {
		return err
	}
	if t.Status.State.Terminal() {
		return a2a.NewError(a2a.ErrUnsupportedOperation, "the task has ended: get it")
	}
	tell(t)
	return h.follow(ctx, t, tell)
}

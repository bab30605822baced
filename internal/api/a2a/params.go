package a2a

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// The SDK's transports report values that they cannot decode, such as a wrong time, as syntax
// errors (-32700), and accept states and numbers that the protocol does not have. The body is
// JSON, so these are invalid params (-32602).

// params are the params of a call: the part of the body that holds them.
type params []byte

// UnmarshalJSON keeps data without copying it; nothing changes the body.
func (p *params) UnmarshalJSON(data []byte) error {
	*p = data
	return nil
}

// checks are the checks of methods' params, by method.
var checks = map[string]func(params) error{
	"SendMessage": checkSend, "SendStreamingMessage": checkSend,
	"message/send": checkSendFormer, "message/stream": checkSendFormer,
	"GetTask": checkTask, "CancelTask": checkTask, "SubscribeToTask": checkTask,
	"tasks/get": checkTask, "tasks/cancel": checkTask, "tasks/resubscribe": checkTask,
	"ListTasks":                        checkList,
	"CreateTaskPushNotificationConfig": checkObject, "GetTaskPushNotificationConfig": checkObject,
	"ListTaskPushNotificationConfigs": checkObject, "DeleteTaskPushNotificationConfig": checkObject,
	"GetExtendedAgentCard": checkNothing,
}

func checkObject(p params) error { return p.decode(&struct{}{}, "the fields of the method") }

// checkNothing is for a method that needs no params, which the SDK wants all the same.
func checkNothing(p params) error {
	if p == nil {
		return a2a.ErrExtendedCardNotConfigured
	}
	return nil
}

// listable are the states that tasks may be listed by.
var listable = []a2a.TaskState{
	a2a.TaskStateSubmitted, a2a.TaskStateWorking, a2a.TaskStateCompleted, a2a.TaskStateFailed, a2a.TaskStateCanceled,
	a2a.TaskStateInputRequired, a2a.TaskStateRejected, a2a.TaskStateAuthRequired, a2a.TaskStateUnspecified,
}

// decode decodes p into v, with want as the text of the error.
func (p params) decode(v any, want string) error {
	data := bytes.TrimSpace(p)
	if !bytes.HasPrefix(data, []byte("{")) {
		return invalid("params must be an object: want %s", want)
	}
	var time *time.ParseError
	switch err := json.Unmarshal(data, v); {
	case errors.As(err, &time):
		return invalid("params have a time that is none: want it as 2006-01-02T15:04:05Z")
	case err != nil:
		return invalid("params are not as this method wants them: want %s", want)
	}
	return nil
}

func checkTask(p params) error {
	var task struct {
		ID            string `json:"id"`
		HistoryLength *int   `json:"historyLength"`
	}
	if err := p.decode(&task, "{id, historyLength?}"); err != nil {
		return err
	}
	if task.ID == "" {
		return invalid("params.id is missing: want a task's ID")
	}
	return checkLength(task.HistoryLength)
}

func checkLength(n *int) error {
	if n != nil && *n < 0 {
		return invalid("historyLength is %d: want 0 or more", *n)
	}
	return nil
}

func checkList(p params) error {
	if p == nil || string(p) == "null" {
		return nil
	}
	var list struct {
		ContextID            string        `json:"contextId"`
		Status               a2a.TaskState `json:"status"`
		PageSize             *int          `json:"pageSize"`
		PageToken            string        `json:"pageToken"`
		HistoryLength        *int          `json:"historyLength"`
		StatusTimestampAfter *time.Time    `json:"statusTimestampAfter"`
		IncludeArtifacts     bool          `json:"includeArtifacts"`
	}
	if err := p.decode(&list, "{contextId?, status?, pageSize?, pageToken?, historyLength?, statusTimestampAfter?, includeArtifacts?}"); err != nil {
		return err
	}
	switch {
	case !slices.Contains(listable, list.Status):
		return invalid("status is %.40q: want a state of tasks, as TASK_STATE_COMPLETED", string(list.Status))
	case list.PageSize != nil && (*list.PageSize < 1 || *list.PageSize > largestPage):
		return invalid("pageSize is %d: want 1 to %d", *list.PageSize, largestPage)
	}
	return checkLength(list.HistoryLength)
}

// A sent message has the fields that decide whether the SDK can decode it.
type sent struct {
	Message struct {
		Parts []part `json:"parts"`
	} `json:"message"`
	Configuration struct {
		HistoryLength *int `json:"historyLength"`
	} `json:"configuration"`
}

// A part has the fields that determine its kind.
type part struct {
	Kind string  `json:"kind"`
	Text present `json:"text"`
	Raw  encoded `json:"raw"`
	URL  *string `json:"url"`
	Data present `json:"data"`
	File *struct {
		Bytes encoded `json:"bytes"`
	} `json:"file"`
}

// present records that a field has a value other than null.
type present bool

// UnmarshalJSON is called for any value but null.
func (p *present) UnmarshalJSON(data []byte) error {
	*p = present(!bytes.Equal(data, []byte("null")))
	return nil
}

// encoded records that a field is there, and refuses one that is no base64. It keeps nothing
// of it.
type encoded bool

// errBase64 is the error of a field that is no base64.
var errBase64 = errors.New("no base64")

// UnmarshalJSON reads the text of a string.
func (e *encoded) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	*e = true
	text, ok := bytes.CutPrefix(data, []byte(`"`))
	text = bytes.TrimSuffix(text, []byte(`"`))
	if !ok || bytes.IndexByte(text, '\\') >= 0 {
		var s string
		if json.Unmarshal(data, &s) != nil {
			return errBase64
		}
		text = []byte(s)
	}
	if _, err := io.Copy(io.Discard, base64.NewDecoder(base64.StdEncoding, bytes.NewReader(text))); err != nil {
		return errBase64
	}
	return nil
}

func checkSend(p params) error {
	return p.checkParts(func(one part) bool {
		n := 0
		for _, there := range []bool{bool(one.Text), bool(one.Raw), one.URL != nil && *one.URL != "", bool(one.Data)} {
			if there {
				n++
			}
		}
		return n == 1
	})
}

func checkSendFormer(p params) error {
	return p.checkParts(func(one part) bool {
		return map[string]bool{"text": bool(one.Text), "data": bool(one.Data), "file": one.File != nil}[one.Kind]
	})
}

// checkParts returns an error unless each part of a message is whole.
func (p params) checkParts(whole func(part) bool) error {
	var s sent
	if err := json.Unmarshal(p, &s); errors.Is(err, errBase64) {
		return invalid("the bytes of a file are no base64")
	} else if err != nil {
		return invalid("params are not as this method wants them: want {message: {messageId, role, parts}, configuration?, metadata?}")
	}
	if slices.ContainsFunc(s.Message.Parts, func(one part) bool { return !whole(one) }) {
		return invalid("a part must be one of text, file and data, as this version of the protocol writes them")
	}
	return checkLength(s.Configuration.HistoryLength)
}

// former reports whether a method is of protocol 0.3 or earlier, whose names have a slash.
func former(method string) bool { return strings.Contains(method, "/") }

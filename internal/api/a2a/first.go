package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"

	"example.com/whatis/internal/web"
)

// A firstCall is a call in the protocol's first version, which the SDK does not support:
// the caller chooses the task's ID, and parts have a type field.
type firstCall struct {
	JSONRPC string `json:"jsonrpc"`
	Params  struct {
		ID            string         `json:"id"`
		SessionID     string         `json:"sessionId"`
		Message       firstMessage   `json:"message"`
		Metadata      map[string]any `json:"metadata"`
		HistoryLength *int           `json:"historyLength"`
	} `json:"params"`
}

type firstMessage struct {
	Role     string         `json:"role"`
	Parts    []firstPart    `json:"parts"`
	Metadata map[string]any `json:"metadata"`
}

type firstPart struct {
	Type string         `json:"type"`
	Kind string         `json:"kind"`
	Text string         `json:"text"`
	Data map[string]any `json:"data"`
	File struct {
		Name     string `json:"name"`
		MIMEType string `json:"mimeType"`
		Bytes    []byte `json:"bytes"`
		URI      string `json:"uri"`
	} `json:"file"`
}

// part converts p to the current protocol.
func (p firstPart) part() (*a2a.Part, error) {
	switch p.Type + p.Kind { // one of them is empty, or both are equal
	case "text", "texttext":
		return a2a.NewTextPart(p.Text), nil
	case "data", "datadata":
		return a2a.NewDataPart(p.Data), nil
	case "file", "filefile":
		of := &a2a.Part{Content: a2a.Raw(p.File.Bytes), Filename: p.File.Name, MediaType: p.File.MIMEType}
		if p.File.URI != "" {
			of.Content = a2a.URL(p.File.URI)
		}
		return of, nil
	}
	return nil, invalid("a part has the type %.40q: want text, file or data", p.Type)
}

// longestID limits the length of a task's ID.
const longestID = 128

// request converts c to the current protocol.
func (c firstCall) request() (*a2a.SendMessageRequest, error) {
	p := c.Params
	if len(p.ID) > longestID {
		return nil, invalid("params.id is longer than %d bytes", longestID)
	}
	if p.Message.Role != "user" {
		return nil, invalid("params.message.role must be user")
	}
	m := a2a.NewMessage(a2a.MessageRoleUser)
	m.ContextID, m.Metadata = p.SessionID, p.Message.Metadata
	for _, old := range p.Message.Parts {
		part, err := old.part()
		if err != nil {
			return nil, err
		}
		m.Parts = append(m.Parts, part)
	}
	return &a2a.SendMessageRequest{Message: m, Metadata: p.Metadata, Config: &a2a.SendMessageConfig{HistoryLength: p.HistoryLength}}, nil
}

// first answers tasks/send and tasks/sendSubscribe.
func (d *Server) first(c call, body []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var old firstCall
		err := json.Unmarshal(body, &old)
		if err != nil {
			err = invalid("params are not as %s wants them: {id, sessionId?, message: {role, parts}}", c.Method)
		} else if old.JSONRPC != "2.0" {
			err = a2a.NewError(a2a.ErrInvalidRequest, `jsonrpc must be "2.0"`)
		}
		var request *a2a.SendMessageRequest
		if err == nil {
			request, err = old.request()
		}
		switch {
		case err != nil:
			writeError(w, c.ID, err)
		case c.Method == "tasks/send":
			d.firstSend(r.Context(), w, c.ID, request, a2a.TaskID(old.Params.ID))
		default:
			d.firstStream(r.Context(), w, c.ID, request, a2a.TaskID(old.Params.ID))
		}
	})
}

func (d *Server) firstSend(ctx context.Context, w http.ResponseWriter, id any, r *a2a.SendMessageRequest, task a2a.TaskID) {
	result, err := handler{Server: d, preferred: d.First}.send(ctx, r, task)
	if err != nil {
		writeError(w, id, err)
		return
	}
	write(w, answer{ID: id, Result: firstEvent(result)})
}

func (d *Server) firstStream(ctx context.Context, w http.ResponseWriter, id any, r *a2a.SendMessageRequest, task a2a.TaskID) {
	stream := web.NewStream(w, d.Times)
	defer stream.KeepAlive()()
	n := 0
	for e, err := range (handler{Server: d, preferred: d.First}).answers(ctx, r, task, true) {
		a := answer{JSONRPC: "2.0", ID: id}
		if err != nil {
			a.Error = rpcErrorOf(err)
		} else {
			if t, ok := e.(*a2a.Task); ok {
				e = statusOf(t)
			}
			a.Result = firstEvent(e)
		}
		n++
		stream.Send("message", strconv.Itoa(n), a)
	}
}

// firstEvent converts e to the first version and to 0.3: it adds an ID beside taskId, and a
// type beside each part's kind.
func firstEvent(e a2a.Event) map[string]any {
	old, err := a2av0.FromV1Event(e)
	if err != nil {
		return map[string]any{}
	}
	fields := plain(old)
	if fields["id"] == nil && fields["taskId"] != nil {
		fields["id"] = fields["taskId"]
	}
	if fields["contextId"] != nil {
		fields["sessionId"] = fields["contextId"]
	}
	typed(fields)
	return fields
}

// typed adds a type to every part in v.
func typed(v any) {
	switch v := v.(type) {
	case []any:
		for _, each := range v {
			typed(each)
		}
	case map[string]any:
		parts, _ := v["parts"].([]any)
		for _, part := range parts {
			if part, ok := part.(map[string]any); ok {
				part["type"] = part["kind"]
			}
		}
		for _, name := range []string{"status", "message", "history", "artifact", "artifacts"} {
			typed(v[name])
		}
	}
}

// An answer is a JSON-RPC response.
type answer struct {
	JSONRPC string    `json:"jsonrpc"`
	ID      any       `json:"id"`
	Result  any       `json:"result,omitempty"`
	Error   *rpcError `json:"error,omitempty"`
}

type rpcError struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    map[string]any `json:"data,omitempty"`
}

// rpcCodes are the codes of errors other than -32603.
var rpcCodes = map[error]int{
	a2a.ErrInvalidRequest: -32600, a2a.ErrInvalidParams: -32602, a2a.ErrTaskNotFound: -32001,
	a2a.ErrPushNotificationNotSupported: -32003, a2a.ErrUnsupportedOperation: -32004,
	a2a.ErrExtendedCardNotConfigured: -32007, a2a.ErrVersionNotSupported: -32009,
}

func rpcErrorOf(err error) *rpcError {
	e := &rpcError{Code: -32603, Message: err.Error()}
	for known, code := range rpcCodes {
		if errors.Is(err, known) {
			e.Code = code
		}
	}
	var told *a2a.Error
	if errors.As(err, &told) {
		e.Data = told.Details
	}
	return e
}

func writeError(w http.ResponseWriter, id any, err error) {
	write(w, answer{ID: id, Error: rpcErrorOf(err)})
}

func write(w http.ResponseWriter, a answer) {
	a.JSONRPC = "2.0"
	w.Header().Set("Content-Type", web.JSONMedia)
	_ = json.NewEncoder(w).Encode(a) // fails only if the client has left
}

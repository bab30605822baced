package storage

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"time"
)

// Event is the notification of a new object: by an upload, a copy or a composition.
type Event struct {
	Bucket     string
	Name       string
	Generation string // decimal, as in the resource
	Time       time.Time
	Object     json.RawMessage // the object's whole JSON API resource
}

// finalized reads the event from the answer to a request that changed an object. The
// answers to the start of a resumable upload, and to each chunk but the last, have a
// resource too, with generation 0.
func finalized(t target, answer *httptest.ResponseRecorder) (Event, bool) {
	if answer.Code != http.StatusOK || t.kind == object {
		return Event{}, false
	}
	body := answer.Body.Bytes()
	var copied struct{ Resource json.RawMessage }
	if json.Unmarshal(body, &copied) == nil && copied.Resource != nil {
		body = copied.Resource
	}
	var o struct{ Kind, Bucket, Name, Generation string }
	if json.Unmarshal(body, &o) != nil || o.Kind != "storage#object" || o.Generation == "0" {
		return Event{}, false
	}
	resource, err := notified(body, o.Bucket+"/"+o.Name+"/"+o.Generation)
	if err != nil {
		return Event{}, false
	}
	return Event{o.Bucket, o.Name, o.Generation, time.Now().UTC(), resource}, true
}

// notified returns the resource as a notification carries it: without access
// control, and with an ID that names the generation.
func notified(resource []byte, id string) (json.RawMessage, error) {
	var fields map[string]any
	if err := json.Unmarshal(resource, &fields); err != nil {
		return nil, err
	}
	delete(fields, "acl")
	fields["id"] = id
	return json.Marshal(fields)
}

package function

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// A request holds a CloudEvent, a message that Pub/Sub pushes, or nothing; what is read is a
// valid event.
func FuzzEventOf(f *testing.F) {
	const push = `{"subscription":"projects/p/subscriptions/s","message":{"attributes":{"a":"b"},"data":"e30=","messageId":"1","publishTime":"2026-01-01T00:00:00Z"}}`
	const finalized = `{"specversion":"1.0","id":"1","source":"//storage.googleapis.com/projects/_/buckets/b","type":"google.cloud.storage.object.v1.finalized","data":{"bucket":"b","name":"n","generation":"1"}}`
	f.Add("application/json", "", "projects/p/topics/t", push)
	f.Add("application/cloudevents+json", "", "", finalized)
	f.Add("application/cloudevents-batch+json", "", "", "["+finalized+"]")
	f.Add("application/json", "1", "", `{"bucket":"b","name":"n","generation":"1"}`)
	f.Add("application/json", "", "", `{"message":null}`)
	f.Add("application/json", "", "", `{"message":{"publishTime":"99999-01-01"}}`)
	f.Fuzz(func(t *testing.T, kind, id, path, body string) {
		r := httptest.NewRequest(http.MethodPost, "/", http.NoBody)
		r.URL.Path = "/" + path
		r.Header["Content-Type"] = []string{kind}
		if id != "" {
			for name, value := range map[string]string{"Id": id, "Type": "google.cloud.storage.object.v1.finalized", "Source": "//storage.googleapis.com/" + path, "Specversion": "1.0"} {
				r.Header["Ce-"+name] = []string{value}
			}
		}
		e, err := eventOf(r, []byte(body))
		if err != nil {
			return
		}
		if e.Type() == "" || e.Source() == "" || e.Context == nil {
			t.Errorf("an event of type %q from %q", e.Type(), e.Source())
		}
		if len(e.Data()) > 2*len(body)+100 {
			t.Errorf("%d bytes of data in a body of %d", len(e.Data()), len(body))
		}
	})
}

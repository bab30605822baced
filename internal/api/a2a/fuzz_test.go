package a2a_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/api/a2a"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/web"
)

func TestMain(m *testing.M) { emulate.Run(m) }

type asked struct {
	Query string `json:"query"`
	Photo []byte `json:"photo,omitempty"`
}

type said struct {
	Letters int `json:"letters"`
}

// counting is a skill that counts letters.
func counting() agent.Skill {
	return agent.NewSkill(agent.Card{ID: "counting", Name: "Counting", Description: "Counts letters."},
		func(_ context.Context, q asked, emit func(*agent.Event)) (said, error) {
			emit(&agent.Event{Data: "counted"})
			return said{len(q.Query)}, nil
		})
}

// looking is a skill that takes a photo and no words.
func looking() agent.Skill {
	return agent.NewSkill(agent.Card{ID: "looking", Name: "Looking", Description: "Looks at a photo."},
		func(_ context.Context, in struct {
			Photo []byte `json:"photo"`
		}, _ func(*agent.Event)) (said, error) {
			return said{len(in.Photo)}, nil
		})
}

// Any call is answered by JSON-RPC or events, never by a failure of the server, and the answer
// is not much longer than the question and a list of tasks.
func FuzzCall(f *testing.F) {
	db := emulate.Start(f, emulate.Firestore).FirestoreClient(f)
	server := a2a.New(a2a.Config{
		Name: "test", Skills: []agent.Skill{looking(), counting()}, First: "counting", Times: web.Times{Poll: time.Millisecond},
		Tasks: a2a.NewStore(func(context.Context) (*firestore.Client, error) { return db, nil }, jobs.Options{Retain: time.Hour}),
		Route: func(_ context.Context, words string, among []agent.Card) (a2a.Routed, error) {
			if len(words) == 0 || len(among) < 2 {
				f.Errorf("routed: %q among %v", words, among)
			}
			if strings.Contains(words, "fail") {
				return a2a.Routed{}, errors.New("no model")
			}
			return a2a.Routed{Skill: words}, nil
		},
		Problem: func(err error) web.Problem {
			return web.Problem{Status: http.StatusInternalServerError, Detail: err.Error()}
		},
	})
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"hello"}]}}}`,
		`{"jsonrpc":"2.0","id":"x","method":"message/send","params":{"message":{"kind":"message","messageId":"1","role":"user","parts":[{"kind":"data","data":{"query":"q"}},{"kind":"file","file":{"bytes":"aGk="}}]}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":{"id":"t1","sessionId":"s","message":{"role":"user","parts":[{"type":"text","text":"x"}]}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"data":{"query":"q"}}],"metadata":{"skill":"counting"}}}}`,
		`{"jsonrpc":"2.0","id":null,"method":"GetTask","params":{"id":"../x","historyLength":-1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageSize":5,"pageToken":"e30","status":"TASK_STATE_COMPLETED","statusTimestampAfter":"2026-01-01T00:00:00Z"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"CancelTask","params":{"id":"t1"}}`, `{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":"t1"}}`,
		`{"jsonrpc":"2.0","id":{},"method":"tasks/sendSubscribe","params":{"message":{"role":"user","parts":[{"type":"file","file":{"uri":"http://x"}}]}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"looking"},{"raw":"aGk="}]}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":{"id":"t2","message":{"role":"user","parts":[{"type":"text","text":"fail"},{"type":"file","file":{"bytes":"aGk="}},{"type":"data","data":{"query":"q"}}]}}}`,
		`[]`, `null`, `{`, `{"jsonrpc":"2.0","method":"SendMessage","params":[[[[`,
	} {
		f.Add("", []byte(seed))
	}
	f.Add("0.9", []byte(`{"jsonrpc":"2.0","id":1,"method":"GetTask"}`))
	f.Add("1.0", []byte(`{"jsonrpc":"2.0","id":1,"method":"CreateTaskPushNotificationConfig","params":{"taskId":"t"}}`))
	f.Fuzz(func(t *testing.T, version string, body []byte) {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/a2a", bytes.NewReader(body))
		r.Header["Content-Type"], r.Header["A2a-Version"] = []string{"application/json"}, []string{version}
		begin := time.Now()
		server.Serve(w, r, body)
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("%q takes %v", body, took)
		}
		if w.Code >= 500 || w.Body.Len() > 1<<20+8*len(body) {
			t.Errorf("%q: status %d, %d bytes", body, w.Code, w.Body.Len())
		}
		for _, line := range answers(w) {
			var a struct {
				JSONRPC       string
				Result, Error json.RawMessage
			}
			if err := json.Unmarshal([]byte(line), &a); err != nil || a.JSONRPC != "2.0" || (a.Result == nil) == (a.Error == nil) {
				t.Errorf("%q is answered %q: %v", body, line, err)
			}
			for _, inner := range []string{"panic", "goroutine", "firestore"} {
				if strings.Contains(string(a.Error), inner) && !bytes.Contains(body, []byte(inner)) {
					t.Errorf("%q is answered %s", body, a.Error)
				}
			}
		}
	})
}

// answers returns the JSON of an answer: the body, or the data of each event.
func answers(w *httptest.ResponseRecorder) (all []string) {
	if !strings.HasPrefix(w.Header().Get("Content-Type"), web.EventMedia) {
		return []string{w.Body.String()}
	}
	for line := range strings.Lines(w.Body.String()) {
		if data, ok := strings.CutPrefix(line, "data:"); ok {
			all = append(all, data)
		}
	}
	return all
}

package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	protocol "github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/agent"
)

// slowly returns a skill that counts its runs, of which each takes a while.
func slowly(runs *atomic.Int64) agent.Skill {
	return agent.NewSkill(agent.Card{ID: "slowly", Name: "Slowly"}, func(context.Context, struct {
		Seconds float64 `json:"seconds"`
	}, func(*agent.Event)) (string, error) {
		runs.Add(1)
		time.Sleep(100 * time.Millisecond)
		return "done", nil
	})
}

// immediately returns the call that asks not to wait, in each version of the protocol.
func immediately(parts string) map[string]string {
	return map[string]string{
		"1.0": `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"configuration":{"returnImmediately":true},"message":{"messageId":"m","role":"ROLE_USER","parts":[` + parts + `]}}}`,
		"0.3": `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"configuration":{"blocking":false},"message":{"kind":"message","messageId":"m","role":"user","parts":[` + strings.ReplaceAll(parts, `{"data"`, `{"kind":"data","data"`) + `]}}}`,
	}
}

// A task that nobody waits for is there before any work, for whoever asks on another
// connection; the queue delivers its work, which is done once.
func TestA2AReturnImmediately(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	s := agents(t, slowly(&runs))
	for version, body := range immediately(`{"data":{"seconds":1}}`) {
		before := runs.Load()
		_, answer := s.ask("POST", "/a2a", body, "Content-Type", "application/json")
		id := taskIn(t, answer)
		if state := s.stateOf(id); state != protocol.TaskStateSubmitted || runs.Load() != before {
			t.Errorf("%s: %s is %s after %d runs, want submitted and none", version, id, state, runs.Load()-before)
		}
		s.mu.Lock()
		again := s.tasks
		s.mu.Unlock()
		s.work()
		if state := s.stateOf(id); state != protocol.TaskStateCompleted || runs.Load() != before+1 {
			t.Errorf("%s: %s is %s after %d runs, want completed and one", version, id, state, runs.Load()-before)
		}
		for _, m := range again { // Pub/Sub delivers at least once
			if err := s.dispatcher.Dispatch(t.Context(), m); err != nil || runs.Load() != before+1 {
				t.Errorf("%s: the second delivery: %v, %d runs; want no other run", version, err, runs.Load()-before)
			}
		}
	}
}

// A photo goes through the queue and is no part of the stored task.
func TestA2APhotoImmediately(t *testing.T) {
	t.Parallel()
	s := agents(t)
	for version, client := range s.clients() {
		m := protocol.NewMessage(protocol.MessageRoleUser, protocol.NewRawPart(picture(t, 71)), protocol.NewRawPart(picture(t, 72)))
		got, err := client.SendMessage(t.Context(), &protocol.SendMessageRequest{Message: m, Config: &protocol.SendMessageConfig{ReturnImmediately: true}})
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		task, ok := got.(*protocol.Task)
		if !ok || task.Status.State != protocol.TaskStateSubmitted {
			t.Fatalf("%s: %+v, want a submitted task", version, got)
		}
		s.work()
		if task, err = client.GetTask(t.Context(), &protocol.GetTaskRequest{ID: task.ID}); err != nil || task.Status.State != protocol.TaskStateCompleted {
			t.Fatalf("%s: %+v, %v; want it completed", version, task, err)
		}
		results := 0
		for _, a := range task.Artifacts {
			if a.Name == "result" {
				results++
			}
		}
		if stored, _ := json.Marshal(task.History); results != 2 || !strings.Contains(string(stored), `"sha256"`) {
			t.Errorf("%s: %d results and the history %s, want two, and hashes", version, results, stored)
		}
	}
}

// What is wrong with a message is said at once, and leaves no task.
func TestA2AImmediateErrors(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	s := agents(t, slowly(&runs))
	files := strings.Repeat(`{"raw":"YQ=="},`, 63) + `{"raw":"YQ=="}`
	for parts, want := range map[string]string{
		`{"data":{"seconds":"many"}}`:                        "seconds",
		`{"data":{"uri":"gs://uploads/a.jpg","policy":"x"}}`: "does not equal any of",
		files: "64 files: send 20",
		`{"raw":"` + strings.Repeat("QUJD", 5<<20/2) + `"}`: "too much for the queue",
	} {
		body := immediately(parts)["1.0"]
		if _, answer := s.ask("POST", "/a2a", body, "Content-Type", "application/json"); !strings.Contains(answer, `"code":-32602`) || !strings.Contains(answer, want) {
			t.Errorf("%.80s: %.300s, want -32602 with %q", parts, answer, want)
		}
	}
	if _, list := s.ask("POST", "/a2a", `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}`, "Content-Type", "application/json"); !strings.Contains(list, `"tasks":[]`) || len(s.tasks) > 0 || runs.Load() > 0 {
		t.Errorf("%s, %d in the queue, %d runs; want nothing", list, len(s.tasks), runs.Load())
	}
}

// A task is cancelled in the queue, and one that fails at each delivery fails in the end.
func TestA2AImmediateEnds(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	s := agents(t, slowly(&runs), echo())
	client := s.clients()["1.0"]
	send := func(data map[string]any) protocol.TaskID {
		got, err := client.SendMessage(t.Context(), &protocol.SendMessageRequest{
			Message: protocol.NewMessage(protocol.MessageRoleUser, protocol.NewDataPart(data)), Config: &protocol.SendMessageConfig{ReturnImmediately: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		return got.TaskInfo().TaskID
	}
	id := send(map[string]any{"seconds": 1})
	if task, err := client.CancelTask(t.Context(), &protocol.CancelTaskRequest{ID: id}); err != nil || task.Status.State != protocol.TaskStateCanceled {
		t.Errorf("CancelTask = %+v, %v", task, err)
	}
	s.work()
	if state := s.stateOf(id); state != protocol.TaskStateCanceled || runs.Load() != 0 {
		t.Errorf("%s after %d runs, want canceled and none", state, runs.Load())
	}
	id = send(map[string]any{"words": "a", "times": 10})
	s.mu.Lock()
	tasks := s.tasks
	s.mu.Unlock()
	deliveries := 0
	for err := fmt.Errorf("not yet"); err != nil && deliveries < 10; deliveries++ {
		err = s.dispatcher.Dispatch(t.Context(), tasks[0])
	}
	if state := s.stateOf(id); state != protocol.TaskStateFailed || deliveries < 2 || deliveries > 6 {
		t.Errorf("%s after %d deliveries, want failed after some", state, deliveries)
	}
}

// Without a queue the sender must wait.
func TestA2AWithoutQueue(t *testing.T) {
	t.Parallel()
	s := agents(t, echo())
	s.api.Publish = nil // the server of A2A is made at its first use
	for version, body := range immediately(`{"data":{"words":"a"}}`) {
		if _, answer := s.ask("POST", "/a2a", body, "Content-Type", "application/json"); !strings.Contains(answer, `"code":-32004`) {
			t.Errorf("%s: %s, want -32004", version, answer)
		}
	}
}

// stateOf asks for a task on a connection of its own.
func (s *service) stateOf(id protocol.TaskID) protocol.TaskState {
	s.t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(s.request("POST", "/a2a", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"`+string(id)+`"}}`, "Content-Type", "application/json"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct{ Result protocol.Task }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		s.t.Fatal(err)
	}
	return answer.Result.Status.State
}

// taskIn returns the ID of the task in an answer of either version.
func taskIn(t *testing.T, body string) protocol.TaskID {
	t.Helper()
	var answer struct {
		Result struct {
			ID   protocol.TaskID
			Task struct{ ID protocol.TaskID }
		}
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.Result.ID+answer.Result.Task.ID == "" {
		t.Fatalf("%v: no task in %s", err, body)
	}
	return answer.Result.ID + answer.Result.Task.ID
}

// Of two photos that nobody waits for, one can only be answered by a later delivery: it waits for
// quota, or the instance stops while it is read. The other's answer is kept, both are paid once, and
// if none can be had of the one, the task ends with the other's.
func TestA2AOneOfTwoWaits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		fault  emulated.Fault
		stops  bool
		broken int // results that say why there is none
	}{
		{"quota", emulated.Fault{Type: emulated.DailyQuota, Kind: answers.KindImage, Times: 1}, false, 0},
		{"stopped", emulated.Fault{Type: emulated.Latency, Kind: answers.KindImage, Delay: time.Minute, Times: 1}, true, 0},
		{"never", emulated.Fault{Type: emulated.Gone, Kind: answers.KindImage}, false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := agents(t)
			s.in.Limits.MaxPixels = 1 << 20
			photos := []*samples.Sample{samples.All()[0], samples.All()[4]}
			if tt.broken > 0 {
				s.ok(s.ask("POST", "/analyze", string(photos[0].Bytes()), "Content-Type", "image/jpeg"))
			}
			client := s.clients()["1.0"]
			m := protocol.NewMessage(protocol.MessageRoleUser, protocol.NewRawPart(photos[0].Bytes()), protocol.NewRawPart(photos[1].Bytes()))
			got, err := client.SendMessage(t.Context(), &protocol.SendMessageRequest{Message: m, Config: &protocol.SendMessageConfig{ReturnImmediately: true}})
			if err != nil {
				t.Fatal(err)
			}
			id := got.TaskInfo().TaskID
			s.mu.Lock()
			task := s.tasks[0]
			s.mu.Unlock()
			read := func() (n int) {
				for _, c := range s.Gemini.Calls() {
					if c.Kind == answers.KindImage && c.Status == http.StatusOK && c.Fault == "" {
						n++
					}
				}
				return n
			}
			s.Gemini.SetFaults(tt.fault)
			ctx, stop := context.WithCancel(t.Context())
			if tt.stops {
				go func() {
					for read() == 0 {
						time.Sleep(time.Millisecond)
					}
					time.Sleep(200 * time.Millisecond) // until it is answered
					stop()
				}()
			}
			err = s.dispatcher.Dispatch(ctx, task)
			stop()
			if state := s.stateOf(id); err == nil || state != protocol.TaskStateWorking {
				t.Errorf("the first delivery: %v, and the task is %s; want it delivered again", err, state)
			}
			if tt.broken == 0 {
				s.Gemini.SetFaults()
			}
			for range 6 {
				if err = s.dispatcher.Dispatch(t.Context(), task); err == nil {
					break
				}
			}
			done, failed := client.GetTask(t.Context(), &protocol.GetTaskRequest{ID: id})
			if err != nil || failed != nil || done.Status.State != protocol.TaskStateCompleted {
				t.Fatalf("the last delivery: %v; the task %+v, %v; want it completed", err, done, failed)
			}
			names, broken := map[string]bool{}, 0
			for _, a := range done.Artifacts {
				if a.Name == "result" {
					data, _ := json.Marshal(a.Parts)
					names[string(a.ID)] = true
					if strings.Contains(string(data), `"error"`) {
						broken++
					}
				}
			}
			if !names["result-1"] || !names["result-2"] || len(names) != 2 || broken != tt.broken || read() != 2-tt.broken {
				t.Errorf("results %v, %d of them errors, %d readings; want two, %d and %d", names, broken, read(), tt.broken, 2-tt.broken)
			}
		})
	}
}

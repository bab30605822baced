package session_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	adk "google.golang.org/adk/v2/session"
	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/session"
)

// Whatever happens to a write and its response, the event and the conversation are stored
// once. The client itself retries Unavailable, but not Internal.
func TestFaults(t *testing.T) {
	for _, fault := range []firestore.Fault{
		{Method: "Commit", Code: codes.Unavailable}, {Method: "Commit", Code: codes.Unavailable, Applied: true},
		{Method: "Commit", Code: codes.Internal, Applied: true}, {Method: "Commit", Code: codes.Aborted},
	} {
		w := emulate.Start(t, emulate.Firestore)
		s := session.New(w.FirestoreClient(t), session.Options{})
		if fault.Applied {
			w.Firestore.Fail(fault)
		}
		c := begun(t, s, map[string]any{"n": 0})
		for n := range 3 {
			w.Firestore.Fail(fault)
			e := said("user", fmt.Sprint(n))
			e.Actions.StateDelta = map[string]any{"n": n}
			appended(t, s, c, e)
		}
		again := get(t, s, c.ID())
		n, _ := again.State().Get("n")
		if got := strings.Join(texts(again), " "); got != "0 1 2" || n != 2.0 {
			t.Errorf("%s, applied %v: events %q and n %v, want 0 1 2 and 2", fault.Code, fault.Applied, got, n)
		}
		kept, err := w.FirestoreClient(t).Collection("sessions").Documents(t.Context()).GetAll()
		if err != nil || len(kept) != 1 {
			t.Errorf("%s, applied %v: %d conversations, %v, want 1", fault.Code, fault.Applied, len(kept), err)
		}
	}
}

// A permanent error is returned, and does not change the conversation in memory.
func TestFirestoreIsDown(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore)
	s := session.New(w.FirestoreClient(t), session.Options{})
	c := begun(t, s, nil)
	w.Firestore.Fail(firestore.Fault{Method: "Commit", Code: codes.PermissionDenied})
	if err := s.AppendEvent(t.Context(), c, said("user", "a")); err == nil || c.Events().Len() != 0 {
		t.Errorf("AppendEvent = %v with %d events in hand, want an error and none", err, c.Events().Len())
	}
	w.Firestore.Fail(firestore.Fault{Method: "BatchGetDocuments", Code: codes.PermissionDenied})
	if _, err := s.Get(t.Context(), &adk.GetRequest{AppName: app, UserID: user, SessionID: c.ID()}); err == nil {
		t.Error("Get: no error")
	}
	appended(t, s, c, said("user", "b"))
	if got := strings.Join(texts(get(t, s, c.ID())), " "); got != "b" {
		t.Errorf("events %q, want b", got)
	}
}

// An append takes one call, whatever it changes; and so does reading one.
func TestCalls(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore)
	s := session.New(w.FirestoreClient(t), session.Options{})
	c := begun(t, s, nil)
	w.Firestore.ResetCalls()
	e := said("user", "a")
	e.Actions.StateDelta = map[string]any{"CITY": "Paris"}
	appended(t, s, c, e)
	if n := w.Firestore.Calls(); len(n) != 1 || n["Commit"] != 1 {
		t.Errorf("AppendEvent makes the calls %v, want one Commit", n)
	}
	w.Firestore.ResetCalls()
	get(t, s, c.ID())
	if n := w.Firestore.Calls(); len(n) != 1 || n["BatchGetDocuments"] != 1 {
		t.Errorf("Get makes the calls %v, want one BatchGetDocuments", n)
	}
}

// What follows from what was read is stored, all of it, only while nobody has written meanwhile.
func TestAppendIfUnchanged(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore)
	s := session.New(w.FirestoreClient(t), session.Options{})
	c := begun(t, s, nil)
	early := get(t, s, c.ID())
	answer := said("agent", "answer")
	answer.Actions.StateDelta = map[string]any{"n": 1.0}
	for _, fault := range []firestore.Fault{{}, {Method: "Commit", Code: codes.Internal, Applied: true}, {Method: "Commit", Code: codes.Unavailable}} {
		if fault.Method != "" {
			w.Firestore.Fail(fault)
		}
		if err := s.AppendIfUnchanged(t.Context(), c, said("user", "question"), answer); err != nil {
			t.Fatalf("%s: AppendIfUnchanged = %v", fault.Code, err)
		}
	}
	if err := s.AppendIfUnchanged(t.Context(), early, said("user", "late"), said("agent", "too late")); !errors.Is(err, session.ErrChanged) || early.Events().Len() != 0 {
		t.Errorf("AppendIfUnchanged behind others = %v with %d events in hand, want %v and none", err, early.Events().Len(), session.ErrChanged)
	}
	again := get(t, s, c.ID())
	n, _ := again.State().Get("n")
	if got, want := strings.Join(texts(again), " "), strings.TrimSpace(strings.Repeat("question answer ", 3)); got != want || n != 1.0 || c.Events().Len() != 6 {
		t.Errorf("events %q, %d in hand, and n %v; want %q and 1", got, c.Events().Len(), n, want)
	}
}

package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	adk "google.golang.org/adk/v2/session"
	"google.golang.org/genai"
	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/session"
)

// An expired conversation is not found even before it is deleted, and a new one with its ID
// contains none of its data.
func TestExpiry(t *testing.T) {
	db := database(t)
	s, brief := session.New(db, session.Options{}), session.New(db, session.Options{Retain: time.Nanosecond})
	c := begun(t, s, map[string]any{"CITY": "Paris"})
	appended(t, s, c, said("user", "before"))
	appended(t, brief, c, said("user", "last"))

	key := adk.GetRequest{AppName: app, UserID: user, SessionID: c.ID()}
	if _, err := s.Get(t.Context(), &key); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("Get = %v, want %v", err, session.ErrNotFound)
	}
	if _, err := s.Find(t.Context(), user, c.ID()); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("Find = %v, want %v", err, session.ErrNotFound)
	}
	if err := s.Delete(t.Context(), &adk.DeleteRequest{AppName: app, UserID: user, SessionID: c.ID()}); err != nil {
		t.Errorf("Delete = %v, want nil", err)
	}

	if _, err := s.Create(t.Context(), &adk.CreateRequest{AppName: app, UserID: user, SessionID: c.ID()}); err != nil {
		t.Fatalf("Create with the ID of an ended conversation = %v", err)
	}
	again := get(t, s, c.ID())
	if _, err := again.State().Get("CITY"); again.Events().Len() != 0 || err == nil {
		t.Errorf("the new one has %d events and CITY %v, want none", again.Events().Len(), err)
	}
}

// Old events expire while the conversation continues, which then begins with a turn of the user.
func TestForgottenEvents(t *testing.T) {
	s := session.New(database(t), session.Options{})
	c := begun(t, s, nil)
	old := said("user", "old")
	old.Timestamp = time.Now().Add(-8 * 24 * time.Hour)
	for _, e := range []*adk.Event{old, said(app, "answer"), said("user", "new")} {
		appended(t, s, c, e)
	}
	if got := strings.Join(texts(get(t, s, c.ID())), " "); got != "new" {
		t.Errorf("events are %q, want new", got)
	}
}

func TestOwners(t *testing.T) {
	s := session.New(database(t), session.Options{})
	c := begun(t, s, map[string]any{"CITY": "Paris", "_private": 1})
	appended(t, s, c, said("user", "Weather in Paris?"))
	thought := said(app, "thinking …")
	thought.Content.Parts[0].Thought = true
	appended(t, s, c, thought)
	call := said(app, "")
	call.Content = genai.NewContentFromFunctionCall("get_forecast_from_cache", nil, genai.RoleModel)
	appended(t, s, c, call)
	appended(t, s, c, said(app, "Sunny."))

	for _, tt := range []struct {
		app, user string
		want      error
	}{
		{app, "minh", session.ErrNotFound},
		{app, "", nil}, // an invalid request
		{"discover", user, session.ErrNotFound},
	} {
		if _, err := s.Get(t.Context(), &adk.GetRequest{AppName: tt.app, UserID: tt.user, SessionID: c.ID()}); err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("Get of %s, %q = %v, want %v", tt.app, tt.user, err, tt.want)
		}
	}
	for _, caller := range []string{"", "minh"} {
		if _, err := s.Find(t.Context(), caller, c.ID()); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("Find by %q = %v, want %v", caller, err, session.ErrNotFound)
		}
		if err := s.Remove(t.Context(), caller, c.ID()); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("Remove by %q = %v, want %v", caller, err, session.ErrNotFound)
		}
	}
	got, err := s.Find(t.Context(), user, c.ID())
	if err != nil {
		t.Fatal(err)
	}
	if got.Agent != app || len(got.Messages) != 2 || got.Messages[0].Role != "user" || got.Messages[1].Text != "Sunny." || got.Messages[1].Role != "agent" {
		t.Errorf("Find = %+v, want the question and the answer", got)
	}
	if len(got.State) != 1 || got.State["CITY"] != "Paris" {
		t.Errorf("Find shows the state %v, want CITY alone", got.State)
	}
}

// A caller without a name can use the conversation whose ID he has, and nothing else.
func TestNobody(t *testing.T) {
	s := session.New(database(t), session.Options{})
	id := session.NewID()
	if len(id) != 32 || id == session.NewID() {
		t.Errorf("NewID = %s, want 32 digits, and others each time", id)
	}
	create := &adk.CreateRequest{AppName: app, UserID: session.User("", id), SessionID: id}
	if _, err := s.Create(t.Context(), create); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Find(t.Context(), "", id); err != nil {
		t.Errorf("Find by nobody = %v", err)
	}
	if _, err := s.Find(t.Context(), "", session.NewID()); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("Find with another ID = %v, want %v", err, session.ErrNotFound)
	}
	if err := s.Remove(t.Context(), "", id); err != nil {
		t.Errorf("Remove = %v", err)
	}
	if _, err := s.Find(t.Context(), "", id); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("Find after Remove = %v, want %v", err, session.ErrNotFound)
	}
}

// What was deleted is gone, for those who still have it too; a deletion that failed can be repeated.
func TestDeleteLeavesNothing(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore)
	db := w.FirestoreClient(t)
	s := session.New(db, session.Options{})
	c := begun(t, s, nil)
	appended(t, s, c, said("user", "a"))
	w.Firestore.Fail(firestore.Fault{Method: "Commit", Code: codes.PermissionDenied})
	if err := s.Remove(t.Context(), user, c.ID()); err == nil {
		t.Error("Remove while Commit fails: no error")
	}
	if err := s.Remove(t.Context(), user, c.ID()); err != nil {
		t.Errorf("Remove = %v", err)
	}
	if left, err := db.Collection("sessions").Documents(t.Context()).GetAll(); err != nil || len(left) != 0 {
		t.Errorf("%d documents are left, %v, want none", len(left), err)
	}
	if err := s.AppendEvent(t.Context(), c, said("user", "late")); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("AppendEvent after Delete = %v, want %v", err, session.ErrNotFound)
	}
}

// What is appended while a conversation is deleted goes with it.
func TestDeleteBesideAppends(t *testing.T) {
	db := emulate.Start(t, emulate.Firestore).FirestoreClient(t)
	s := session.New(db, session.Options{})
	for range 20 {
		c := begun(t, s, nil)
		ended := make(chan error)
		go func() {
			var err error
			for err == nil {
				err = s.AppendEvent(t.Context(), c, said("user", "a"))
			}
			ended <- err
		}()
		for c.Events().Len() == 0 {
			time.Sleep(time.Millisecond)
		}
		err := s.Remove(t.Context(), user, c.ID())
		if gone := <-ended; err != nil || !errors.Is(gone, session.ErrNotFound) {
			t.Errorf("Remove = %v, and AppendEvent beside it %v; want nil and %v", err, gone, session.ErrNotFound)
		}
	}
	if left, err := db.Collection("sessions").Documents(t.Context()).GetAll(); err != nil || len(left) != 0 {
		t.Errorf("%d documents are left, %v, want none", len(left), err)
	}
}

// A conversation that others write to all the time gives a clear error in time.
func TestBusy(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore)
	db := w.FirestoreClient(t)
	c := begun(t, session.New(db, session.Options{}), nil)
	s := session.New(db, session.Options{Patience: time.Second})
	w.Firestore.Fail(firestore.Fault{Method: "Commit", Code: codes.Aborted, Times: 1 << 20}) // Firestore's error for too many concurrent writers
	if err := s.AppendEvent(t.Context(), c, said("user", "a")); !errors.Is(err, session.ErrBusy) {
		t.Errorf("AppendEvent among others = %v, want %v", err, session.ErrBusy)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.AppendEvent(ctx, c, said("user", "a")); !errors.Is(err, context.Canceled) {
		t.Errorf("AppendEvent of a caller who left = %v, want %v", err, context.Canceled)
	}
}

func TestRefusedRequests(t *testing.T) {
	s := session.New(database(t), session.Options{})
	c := begun(t, s, nil)
	if _, err := s.Create(t.Context(), &adk.CreateRequest{AppName: app, UserID: "minh", SessionID: c.ID()}); !errors.Is(err, session.ErrExists) {
		t.Errorf("Create with another's ID = %v, want %v", err, session.ErrExists)
	}
	e := said("user", "a")
	e.Actions.StateDelta = map[string]any{"c": make(chan int)}
	if err := s.AppendEvent(t.Context(), c, e); err == nil || !strings.Contains(err.Error(), "state") {
		t.Errorf("AppendEvent with a channel = %v, want an error that names the state", err)
	}
	if _, err := s.Create(t.Context(), &adk.CreateRequest{AppName: app, UserID: user, State: e.Actions.StateDelta}); err == nil {
		t.Error("Create with a channel: no error")
	}
	odd := map[string]any{"a.b": "dots", "with space": "space", "`quoted`": "ticks", "도시": "파리", "*": "star", "nothing": nil, "": "empty", "__x__": "reserved"}
	e.Actions.StateDelta = odd
	appended(t, s, c, e)
	again := get(t, s, c.ID())
	for key, want := range odd {
		if got, err := again.State().Get(key); got != want || err != nil {
			t.Errorf("State().Get(%q) = %v, %v, want %v", key, got, err, want)
		}
	}
	if err := s.AppendEvent(t.Context(), nil, e); err == nil {
		t.Error("AppendEvent to nothing: no error")
	}
	if err := s.AppendEvent(t.Context(), c, nil); err == nil {
		t.Error("AppendEvent of nothing: no error")
	}
}

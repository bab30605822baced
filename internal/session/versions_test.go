package session_test

import (
	"errors"
	"testing"

	"cloud.google.com/go/firestore"
	adk "google.golang.org/adk/v2/session"

	"example.com/whatis/internal/session"
)

// Of a conversation that another version has written, what this one cannot read is left out, and it
// goes on; one whose document it cannot read has ended, and another can begin with its ID.
func TestConversationsOfAnotherVersion(t *testing.T) {
	db := database(t)
	s := session.New(db, session.Options{})
	c := begun(t, s, map[string]any{"CITY": "Paris", "app:units": "metric"})
	for _, text := range []string{"first", "second", "third"} {
		appended(t, s, c, said("user", text))
	}
	doc := func(collection string) []*firestore.DocumentSnapshot {
		t.Helper()
		all, err := db.CollectionGroup(collection).Documents(t.Context()).GetAll()
		if err != nil || len(all) == 0 {
			t.Fatalf("%s: %d documents, %v", collection, len(all), err)
		}
		return all
	}
	set := func(ref *firestore.DocumentRef, field string, value any) {
		t.Helper()
		if _, err := ref.Update(t.Context(), []firestore.Update{{Path: field, Value: value}}); err != nil {
			t.Fatal(err)
		}
	}
	events := doc("session_events")
	set(events[0].Ref, "event", []byte(`{"Content": "another shape"}`))
	set(events[1].Ref, "parts", "another type")
	set(doc("sessions")[0].Ref, "state.CITY", "no JSON")
	set(doc("session_state")[0].Ref, "state", "another type")
	for range 2 {
		got := get(t, s, c.ID())
		if n := got.Events().Len(); n < 1 || got.Events().At(0).Content.Parts[0].Text != "third" {
			t.Errorf("it has %d events, want what can be read", n)
		}
		if _, err := got.State().Get("CITY"); !errors.Is(err, adk.ErrStateKeyNotExist) {
			t.Errorf("CITY is %v, want none", err)
		}
		appended(t, s, got, said("user", "goes on"))
	}
	if found, err := s.Find(t.Context(), user, c.ID()); err != nil || len(found.Messages) != 3 {
		t.Errorf("Find = %+v, %v; want the third message and two more", found, err)
	}

	set(doc("sessions")[0].Ref, "events", "another type")
	if _, err := s.Get(t.Context(), &adk.GetRequest{AppName: app, UserID: user, SessionID: c.ID()}); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("Get = %v, want %v", err, session.ErrNotFound)
	}
	if _, err := s.Create(t.Context(), &adk.CreateRequest{AppName: app, UserID: user, SessionID: c.ID()}); err != nil {
		t.Fatalf("Create with its ID = %v", err)
	}
	if n := get(t, s, c.ID()).Events().Len(); n != 0 {
		t.Errorf("the new one has %d events", n)
	}
}

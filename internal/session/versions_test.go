package session_test

import (
	"errors"
	"testing"

	"cloud.google.com/go/firestore"
	adk "google.golang.org/adk/v2/session"

	"example.com/whatis/internal/session"
)

// Of a conversation that another version has written, what this one cannot read is left out, and it
// goes on.
func TestConversationsOfAnotherVersion(t *testing.T) {
	db := database(t)
	s := session.New(db, session.Options{})
	c := begun(t, s, map[string]any{"CITY": "Paris"})
	for _, text := range []string{"first", "second", "third"} {
		appended(t, s, c, said("user", text))
	}
	doc := func() *firestore.DocumentSnapshot {
		t.Helper()
		all, err := db.Collection("sessions").Documents(t.Context()).GetAll()
		if err != nil || len(all) != 1 {
			t.Fatal(len(all), err)
		}
		return all[0]
	}
	set := func(field string, value any) {
		t.Helper()
		if _, err := doc().Ref.Update(t.Context(), []firestore.Update{{Path: field, Value: value}}); err != nil {
			t.Fatal(err)
		}
	}
	events := doc().Data()["events"].([]any)
	events[0], events[1] = `{"Content": "another shape"}`, "no JSON"
	set("events", events)
	set("state", "no JSON")
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

	set("events", "another type")
	if n := get(t, s, c.ID()).Events().Len(); n != 0 {
		t.Errorf("it has %d events, want none that can be read", n)
	}
	appended(t, s, c, said("user", "anew"))
	if got := texts(get(t, s, c.ID())); len(got) != 1 {
		t.Errorf("it has the events %q, want one", got)
	}
}

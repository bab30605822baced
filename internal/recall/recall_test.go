package recall_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/recall"
)

func open(t *testing.T) (*recall.Store, *firestore.Client) {
	t.Helper()
	db := emulate.Start(t, emulate.Firestore).FirestoreClient(t)
	return recall.New(db), db
}

func put(t *testing.T, s *recall.Store, key, sha256, result string) {
	t.Helper()
	if err := s.Put(t.Context(), key, sha256, json.RawMessage(result)); err != nil {
		t.Fatalf("Put(%s) = %v", key, err)
	}
}

func want(t *testing.T, s *recall.Store, key, result string) {
	t.Helper()
	got, age, err := s.Get(t.Context(), key)
	if err != nil || string(got) != result || (got == nil) != (result == "") {
		t.Errorf("Get(%s) = %q, %v; want %q", key, got, err, result)
	}
	if age < 0 || age > time.Minute || (got == nil) != (age == 0) {
		t.Errorf("Get(%s) = %q of age %v, want what it took since Put", key, got, age)
	}
}

func TestGet(t *testing.T) {
	s, _ := open(t)
	want(t, s, "a", "")
	put(t, s, "a", "00", `{"brand":"ㄱ"}`)
	want(t, s, "a", `{"brand":"ㄱ"}`)
	want(t, s, "b", "")
	put(t, s, "a", "00", `{"brand":"LG"}`)
	want(t, s, "a", `{"brand":"LG"}`)
}

// The same result again is young again.
func TestPutMakesYoung(t *testing.T) {
	s, _ := open(t)
	put(t, s, "a", "00", `{}`)
	again := time.Now()
	put(t, s, "a", "00", `{}`)
	if _, age, err := s.Get(t.Context(), "a"); err != nil || age > time.Since(again) {
		t.Errorf("Get = age %v, %v; want less than the %v since the second Put", age, err, time.Since(again))
	}
}

// Firestore drops documents within a day of the time that this names.
func TestExpiry(t *testing.T) {
	s, db := open(t)
	before := time.Now()
	put(t, s, "a", "00", `{}`)
	doc, err := db.Collection("recall").Doc("a").Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at, ok := doc.Data()["expires_at"].(time.Time)
	if kept := at.Sub(before); !ok || kept < recall.Kept-time.Second || kept > recall.Kept+time.Minute {
		t.Errorf("expires_at = %v, want %v from now", at, recall.Kept)
	}
}

func TestForget(t *testing.T) {
	s, _ := open(t)
	put(t, s, "korea", "00", `{"country":"KR"}`)
	put(t, s, "america", "00", `{"country":"US"}`)
	put(t, s, "another photo", "01", `{}`)
	for range 2 {
		if err := s.Forget(t.Context(), "00"); err != nil {
			t.Fatalf("Forget = %v", err)
		}
	}
	want(t, s, "korea", "")
	want(t, s, "america", "")
	want(t, s, "another photo", `{}`)
}

func TestErrors(t *testing.T) {
	s, db := open(t)
	if _, err := db.Collection("recall").Doc("odd").Set(t.Context(), map[string]any{"result": 7}); err != nil {
		t.Fatal(err)
	}
	if got, _, err := s.Get(t.Context(), "odd"); err == nil || got != nil {
		t.Errorf("Get of another program's document = %q, %v; want an error", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.Get(ctx, "a"); err == nil {
		t.Error("Get after the end = nil error, want one")
	}
	if err := s.Put(ctx, "a", "00", nil); err == nil {
		t.Error("Put after the end = nil, want an error")
	}
	if err := s.Forget(ctx, "00"); err == nil {
		t.Error("Forget after the end = nil, want an error")
	}
}

package discover

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
)

// Verdicts that are given at the same time, on one record and on several, are all kept.
func TestMarkStore(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore)
	s := markStore{w.FirestoreClient(t)}
	if marks, err := s.Of(t.Context(), "KE"); err != nil || len(marks) != 0 {
		t.Fatalf("Of a place without marks = %v, %v", marks, err)
	}
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			m := Mark{DuplicateKey: fmt.Sprint("key", i%2), Identity: Identity{URL: "https://example.com/"}, Opinion: Opinion{Verdict: markedRight, By: fmt.Sprint(i), At: time.Unix(int64(i), 0).UTC()}}
			if _, err := s.Keep(t.Context(), "KE", m); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	last := Mark{DuplicateKey: "key0", Opinion: Opinion{Verdict: markedWrong, By: "kim", At: time.Unix(99, 0).UTC()}}
	if _, err := s.Keep(t.Context(), "KE", last); err != nil {
		t.Fatal(err)
	}
	slow := last
	slow.Verdict, slow.At = markedRight, time.Unix(98, 0).UTC() // given before the last, and written after it
	if _, err := s.Keep(t.Context(), "KE", slow); err != nil {
		t.Fatal(err)
	}
	marks, err := s.Of(t.Context(), "KE")
	if err != nil || len(marks) != 2 || len(marks["key0"].History) != 8 || len(marks["key1"].History) != 6 {
		t.Fatalf("Of = %+v, %v; want two records with 8 and 6 verdicts", marks, err)
	}
	if m := marks["key0"]; !m.IsWrong() || m.By != "kim" || marks["key1"].IsWrong() {
		t.Errorf("the last verdict is not what counts: %+v", m)
	}
	if other, err := s.Of(t.Context(), "UG"); err != nil || len(other) != 0 {
		t.Errorf("another place has %v, %v", other, err)
	}
}

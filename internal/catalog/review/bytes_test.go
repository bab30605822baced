package review_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
)

// However long the texts of a record and of corrections are, and however often people speak, there is
// room for what they say next.
func TestRoomForWhatIsSaid(t *testing.T) {
	b := open(t)
	var features []string
	for i := range catalog.MaxFeatures {
		features = append(features, fmt.Sprintf("%q", strings.Repeat("가", 495)+fmt.Sprint(i)))
	}
	b.feed(catalog.Imported, `{"product_name":"Onul","brand":"Lotte","category":"Tea","key_features":[`+strings.Join(features, ",")+`],"sku":"S-1"}`)
	page, _, err := b.Browse(t.Context(), review.Search{Limit: 5})
	if err != nil || len(page) != 1 {
		t.Fatal(page, err)
	}
	record := page[0].ID
	for i := range 40 { // by turns, so that each changes the record
		id := fmt.Sprint("r", i)
		b.subjects[id] = review.Subject{ID: id, Product: tea("Onul"), Record: record, Photo: "photo" + id}
		if _, err = b.Give(t.Context(), id, review.Request{Verdict: review.Accept, By: []string{"kim", "lee"}[i%2]}); err != nil {
			t.Fatalf("review %d: %.200v", i+1, err)
		}
	}
	if acts, err := b.Acts(t.Context(), record); err != nil || len(acts) < 5 || acts[len(acts)-1].By != "lee" {
		t.Errorf("Acts = %d of them, %v; want the newest", len(acts), err)
	}
	if _, err := b.Confirm(t.Context(), record, review.Signature{By: "owner"}); err != nil {
		t.Errorf("Confirm: %.200v", err)
	}
	if _, err := b.Delete(t.Context(), record, review.Signature{By: "owner"}); err != nil {
		t.Errorf("Delete: %.200v", err)
	}
	for i := range 60 {
		var features []string
		for j := range catalog.MaxFeatures {
			features = append(features, strings.Repeat("나", 190)+fmt.Sprint(i, j))
		}
		if _, err := b.Give(t.Context(), "r0", review.Request{Verdict: review.Correct, Fields: &review.Fields{KeyFeatures: features}, By: "kim"}); err != nil {
			t.Fatalf("correction %d: %.200v", i+1, err)
		}
	}
	r, err := b.Get(t.Context(), "r0")
	if err != nil || len(r.History) < 5 {
		t.Fatalf("Get = %d acts, %v", len(r.History), err)
	}
	if _, err := b.Give(t.Context(), "r0", review.Request{Verdict: review.Undo, By: "kim", Revision: r.Revision}); err != nil {
		t.Errorf("undo: %.200v", err)
	}
}

// Who removes records while they list them page by page is shown all.
func TestPagesWhileRemoving(t *testing.T) {
	b := open(t)
	for i := range 6 {
		b.record(tea(fmt.Sprint("Onul ", i)), catalog.Imported)
	}
	shown := 0
	for q := (review.Search{Words: "onul", Limit: 2}); ; {
		page, next, err := b.Browse(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range page {
			shown++
			if _, err := b.Delete(t.Context(), p.ID, review.Signature{By: "lee"}); err != nil {
				t.Fatal(err)
			}
		}
		if q.After = next; next == "" {
			break
		}
	}
	if shown != 6 {
		t.Errorf("of 6 records %d were shown", shown)
	}
}

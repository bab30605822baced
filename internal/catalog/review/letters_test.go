package review_test

import (
	"strings"
	"testing"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/store"
)

// A review finds the record that its result names under the ID that an earlier version gave
// it, and where Rekey has moved it.
func TestFormerIDs(t *testing.T) {
	b := open(t)
	p := tea("Weißtee")
	former := store.HashID(shop, strings.ToLower(strings.TrimSpace(b.space.ID())), "weißtee", "lotte", "kr", "ko")
	today := b.record(p, catalog.Imported)
	products := b.DB.Collection("products")
	snap, err := products.Doc(today).Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := products.Doc(former).Create(t.Context(), snap.Data()); err != nil {
		t.Fatal(err)
	}
	if _, err := products.Doc(today).Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.result("a", p)
	if r := b.say("a", review.Accept, nil); len(r.Records) != 1 || r.Records[0].ID != former || r.Records[0].Status != string(catalog.Confirmed) {
		t.Errorf("accept = %+v, want the record %s confirmed", r.Records, former)
	}
	b.say("a", review.Undo, nil)
	if done, err := b.catalog.Rekey(t.Context(), shop); err != nil || done.Moved != 1 {
		t.Fatalf("Rekey = %+v, %v; want one moved", done, err)
	}
	b.subjects["b"] = review.Subject{ID: "b", Record: former, Product: p, Photo: "photob"}
	if r := b.say("b", review.Accept, nil); len(r.Records) != 1 || r.Records[0].ID != today {
		t.Errorf("accept of a moved record = %+v, want %s", r.Records, today)
	}
}

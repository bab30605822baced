package firestore_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
)

// Documents come, change and go, and after each write queries for the texts of two fields find those
// that have both, either, or one of several, page by page too.
func testEqualityAfterWrites(t *testing.T, c *firestore.Client) {
	random := rand.New(rand.NewPCG(1, 2))
	all := c.Collection("c")
	texts, want := []any{"x", "y", "", 1, nil}, map[string]fields{}
	for range 120 {
		id := string('a' + rune(random.IntN(12)))
		if random.IntN(4) == 0 {
			delete(want, id)
			if _, err := all.Doc(id).Delete(ctx(t)); err != nil {
				t.Fatal(err)
			}
		} else {
			want[id] = fields{"n": texts[random.IntN(5)], "in": fields{"x.y": texts[random.IntN(3)]}}
			put(t, c, "c/"+id, want[id])
		}
		outer, inner := texts[random.IntN(3)], texts[random.IntN(3)]
		one := func(d fields) bool { return d["n"] == outer }
		both := func(d fields) bool { return one(d) && d["in"].(fields)["x.y"] == inner }
		wantEqual(t, "one text", found(all.Where("n", "==", outer).Documents(ctx(t))), having(want, one))
		two := all.Where("n", "==", outer).WherePath(firestore.FieldPath{"in", "x.y"}, "==", inner)
		wantEqual(t, "two texts", found(two.Documents(ctx(t))), having(want, both))
		some := []any{outer, "y"}
		among := func(d fields) bool { return slices.Contains(some, d["n"]) }
		wantEqual(t, "one of two texts", found(all.Where("n", "in", some).Documents(ctx(t))), having(want, among))
		either := all.WhereEntity(firestore.OrFilter{Filters: []firestore.EntityFilter{
			firestore.PropertyFilter{Path: "n", Operator: "in", Value: some},
			firestore.PropertyPathFilter{Path: firestore.FieldPath{"in", "x.y"}, Operator: "==", Value: inner},
		}})
		oneOf := func(d fields) bool { return among(d) || d["in"].(fields)["x.y"] == inner }
		wantEqual(t, "either text", found(either.Documents(ctx(t))), having(want, oneOf))
		var pages []string
		for page := either.OrderBy(firestore.DocumentID, firestore.Asc).Limit(3); ; {
			ids := found(page.Documents(ctx(t)))
			if ids == "" {
				break
			}
			pages = append(pages, ids)
			page = page.StartAfter(ids[len(ids)-1:])
		}
		wantEqual(t, "either text, by pages", strings.Join(pages, " "), having(want, oneOf))
		number := func(d fields) bool { return d["n"] == 1 }
		wantEqual(t, "a text or a number", found(all.Where("n", "in", []any{outer, 1}).Where("n", "==", 1).Documents(ctx(t))), having(want, number))
	}
}

// having returns the IDs of the documents that pass, in order.
func having(docs map[string]fields, pass func(fields) bool) string {
	var ids []string
	for id, d := range docs {
		if pass(d) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

// A transaction that only reads finds by its texts what there was at its first read, and
// everybody else what there is.
func testEqualityInTransaction(t *testing.T, c *firestore.Client) {
	put(t, c, "c/a", fields{"n": "x"}, "c/b", fields{"n": "y"})
	of := c.Collection("c").Where("n", "==", "x")
	err := c.RunTransaction(ctx(t), func(_ context.Context, tx *firestore.Transaction) error {
		wantEqual(t, "at first", found(tx.Documents(of)), "a")
		put(t, c, "c/a", fields{"n": "y"}, "c/b", fields{"n": "x"})
		wantEqual(t, "outside", found(of.Documents(ctx(t))), "b")
		wantEqual(t, "in the transaction", found(tx.Documents(of)), "a")
		return nil
	}, firestore.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "afterwards", found(of.Documents(ctx(t))), "b")
}

package firestore_test

import (
	"math"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/genproto/googleapis/type/latlng"
)

type query = firestore.Query

// numbers is asked by testFilters, testOrders, testCursors and testRefusedQueries.
func numbers(t *testing.T, c *firestore.Client) *firestore.CollectionRef {
	put(t, c,
		"c/a", fields{"n": 1, "m": 2, "tags": []any{"x", "y"}},
		"c/b", fields{"n": 1.0, "m": 1, "tags": []any{"y"}, "in": fields{"x.y": 1}},
		"c/c", fields{"n": 2, "m": 1, "tags": []any{nil, 1}},
		"c/d", fields{"n": 2, "m": 2, "tags": "x", "in": fields{"z": 1}},
		"c/e", fields{"n": 3, "m": nil},
		"c/f", fields{"n": math.NaN()},
		"c/g", fields{"n": nil, "m": 5},
		"c/h", fields{"n": "1"},
		"c/i", fields{"m": 9},
		"other/z", fields{"n": 1})
	return c.Collection("c")
}

func testFilters(t *testing.T, c *firestore.Client) {
	all := numbers(t, c)
	and := func(fs ...firestore.EntityFilter) query { return all.WhereEntity(firestore.AndFilter{Filters: fs}) }
	or := func(fs ...firestore.EntityFilter) query { return all.WhereEntity(firestore.OrFilter{Filters: fs}) }
	is := func(path, op string, v any) firestore.EntityFilter {
		return firestore.PropertyFilter{Path: path, Operator: op, Value: v}
	}
	for _, row := range []struct {
		name string
		q    query
		want string
	}{
		{"all", all.Query, "a b c d e f g h i"},
		{"==", all.Where("n", "==", 1), "a b"},
		{"== string", all.Where("n", "==", "1"), "h"},
		{"== nil", all.Where("n", "==", nil), "g"},
		{"== NaN", all.Where("n", "==", math.NaN()), "f"},
		{"!=", all.Where("n", "!=", 1), "f c d e h"},
		{"!= nil", all.Where("n", "!=", nil), "f a b c d e h"},
		{"!= NaN", all.Where("n", "!=", math.NaN()), "a b c d e h"},
		{"<", all.Where("n", "<", 2), "a b"},
		{"<=", all.Where("n", "<=", 2), "a b c d"},
		{">", all.Where("n", ">", 1), "c d e"},
		{">=", all.Where("n", ">=", 2), "c d e"},
		{"> string", all.Where("n", ">", "0"), "h"},
		{"in", all.Where("n", "in", []any{3, "1", nil}), "e h"},
		{"not-in", all.Where("n", "not-in", []any{1, "1"}), "f c d e"},
		{"not-in nil", all.Where("n", "not-in", []any{nil, 1}), ""},
		{"array-contains", all.Where("tags", "array-contains", "y"), "a b"},
		{"array-contains number", all.Where("tags", "array-contains", 1.0), "c"},
		{"array-contains-any", all.Where("tags", "array-contains-any", []any{"x", 1}), "a c"},
		{"dotted name", all.WherePath(firestore.FieldPath{"in", "x.y"}, "==", 1), "b"},
		{"nested", all.Where("in.z", "==", 1), "d"},
		{"range", all.Where("n", ">", 1).Where("n", "<", 3), "c d"},
		{"two fields", all.Where("n", ">=", 1).Where("m", ">", 1), "a d"},
		{"contradiction", all.Where("n", "==", 1).Where("n", "==", 2), ""},
		{"and", and(is("n", "==", 2), is("m", "==", 2)), "d"},
		{"or", or(is("n", "==", 3), is("m", "==", 9)), "e i"},
		{"or of and", or(firestore.AndFilter{Filters: []firestore.EntityFilter{is("n", "==", 1), is("m", "==", 2)}}, is("n", "==", 3)), "a e"},
		{"or of ranges", or(is("n", ">", 2), is("m", "<", 2)), "e b c"},
		{"limit", all.Where("n", ">=", 1).Limit(2), "a b"},
		{"limit 0", all.Limit(0), ""},
		{"offset", all.Offset(2).Limit(3), "c d e"},
		{"offset past the end", all.Offset(99), ""},
		{"limit to last", all.OrderBy("m", firestore.Asc).LimitToLast(2), "g i"},
		{"no such collection", c.Collection("none").Query, ""},
	} {
		wantEqual(t, row.name, found(row.q.Documents(ctx(t))), row.want)
	}
}

func testOrders(t *testing.T, c *firestore.Client) {
	all := numbers(t, c)
	for _, row := range []struct {
		name string
		q    query
		want string
	}{
		{"by n, lacking it excluded", all.OrderBy("n", firestore.Asc), "g f a b c d e h"},
		{"by n descending, ties too", all.OrderBy("n", firestore.Desc), "h e d c b a f g"},
		{"by n, m", all.OrderBy("n", firestore.Asc).OrderBy("m", firestore.Asc), "g b a c d e"},
		{"by n, m descending", all.OrderBy("n", firestore.Asc).OrderBy("m", firestore.Desc), "g a b d c e"},
		{"where equal, by another", all.Where("n", "==", 1).OrderBy("m", firestore.Asc), "b a"},
		{"where inequal, implied order", all.Where("n", ">", 0).Where("m", ">", 0), "b c a d"},
		{"where inequal, implied order behind the given", all.Where("n", ">", 0).OrderBy("m", firestore.Desc), "d a c b e"},
		{"by nested", all.OrderBy("in.z", firestore.Asc), "d"},
		{"by name", all.OrderBy(firestore.DocumentID, firestore.Asc).Limit(2), "a b"},
	} {
		wantEqual(t, row.name, found(row.q.Documents(ctx(t))), row.want)
	}
}

func testCursors(t *testing.T, c *firestore.Client) {
	all := numbers(t, c)
	byN := all.OrderBy("n", firestore.Asc)
	snapshot := stored(t, c, "c/c")
	for _, row := range []struct {
		name string
		q    query
		want string
	}{
		{"StartAt", byN.StartAt(2), "c d e h"},
		{"StartAfter", byN.StartAfter(2), "e h"},
		{"EndAt", byN.EndAt(1), "g f a b"},
		{"EndBefore", byN.EndBefore(1), "g f"},
		{"between", byN.StartAfter(1).EndBefore(3), "c d"},
		{"StartAt absent value", byN.StartAt(1.5), "c d e h"},
		{"StartAt descending", all.OrderBy("n", firestore.Desc).StartAt(2), "d c b a f g"},
		{"StartAt two values", byN.OrderBy("m", firestore.Asc).StartAt(1, 2), "a c d e"},
		{"StartAt snapshot", byN.StartAt(snapshot), "c d e h"},
		{"StartAfter snapshot", byN.StartAfter(snapshot), "d e h"},
		{"EndBefore snapshot", byN.EndBefore(snapshot), "g f a b"},
		{"snapshot, descending", all.OrderBy("n", firestore.Desc).StartAfter(snapshot), "b a f g"},
		{"snapshot, where inequal", all.Where("n", ">=", 1).StartAfter(snapshot), "d e"},
		{"snapshot, by name", all.StartAfter(snapshot), "d e f g h i"},
		{"by name", all.OrderBy(firestore.DocumentID, firestore.Asc).StartAt("c").EndBefore("e"), "c d"},
		{"offset counts from the cursor", byN.StartAt(2).Offset(1).Limit(2), "d e"},
	} {
		wantEqual(t, row.name, found(row.q.Documents(ctx(t))), row.want)
	}
}

func testNames(t *testing.T, c *firestore.Client) {
	put(t, c, "c/a", fields{"n": 1}, "c/a-b", fields{"n": 3}, "c/B", fields{"n": 1}, "c/물", fields{}, "c/😀", fields{},
		"c/\uff5e", fields{}, "c/__id10__", fields{}, "c/__id9__", fields{}, "c/a/c/x", fields{})
	all := c.Collection("c")
	ref := func(id string) *firestore.DocumentRef { return all.Doc(id) }
	for _, row := range []struct {
		name string
		q    query
		want string
	}{
		{"order", all.Query, "__id9__ __id10__ B a a-b 물 \uff5e 😀"},
		{"==", all.Where(firestore.DocumentID, "==", ref("a")), "a"},
		{">", all.Where(firestore.DocumentID, ">", ref("a")), "a-b 물 \uff5e 😀"},
		{"range", all.Where(firestore.DocumentID, ">=", ref("B")).Where(firestore.DocumentID, "<", ref("b")), "B a a-b"},
		{"!=", all.Where(firestore.DocumentID, "!=", ref("a")).Limit(4), "__id9__ __id10__ B a-b"},
		{"in", all.Where(firestore.DocumentID, "in", []*firestore.DocumentRef{ref("a"), ref("B"), ref("none")}), "B a"},
		{"not-in", all.Where(firestore.DocumentID, "not-in", []*firestore.DocumentRef{ref("a"), ref("B")}).Offset(3).Limit(1), "물"},
		{"with a field", all.Where(firestore.DocumentID, ">", ref("B")).Where("n", "==", 1), "a"},
		{"array-contains", all.Where(firestore.DocumentID, "array-contains", ref("a")), "InvalidArgument"},
		{"null", all.Where(firestore.DocumentID, "==", nil), "InvalidArgument"},
	} {
		wantEqual(t, row.name, found(row.q.Documents(ctx(t))), row.want)
	}
}

func testCollectionGroups(t *testing.T, c *firestore.Client) {
	put(t, c, "c/a", fields{"n": 1}, "c/a/c/x", fields{"n": 3}, "c/a-b", fields{"n": 2}, "z/q/c/y", fields{"n": 1}, "z/q/d/w", fields{"n": 1})
	group := c.CollectionGroup("c")
	for _, row := range []struct {
		name string
		q    query
		want string
	}{
		{"all, by path", group.Query, "a x a-b y"},
		{"where", group.Where("n", "==", 1), "a y"},
		{"order", group.OrderBy("n", firestore.Desc), "x a-b y a"},
		{"cursor", group.StartAfter(stored(t, c, "c/a")), "x a-b y"},
		{"cursor, ordered", group.OrderBy("n", firestore.Asc).EndAt(stored(t, c, "c/a-b")), "a y a-b"},
		{"nested collection", c.Collection("c/a/c").Query, "x"},
		{"no such group", c.CollectionGroup("none").Query, ""},
	} {
		wantEqual(t, row.name, found(row.q.Documents(ctx(t))), row.want)
	}
}

func testTypeOrder(t *testing.T, c *firestore.Client) {
	values := []any{
		nil, false, true, math.NaN(), math.Inf(-1), -5, -1.5, 0, 0.5, 1, int64(1<<53 + 1), math.Inf(1),
		time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 1, 0, 0, 0, 1000, time.UTC),
		"", "a", "aa", "b", "물", []byte{}, []byte{0}, []byte{255},
		c.Doc("c/a"), c.Doc("c/a/d/b"), c.Doc("c/b"),
		&latlng.LatLng{Latitude: -1, Longitude: 5}, &latlng.LatLng{Latitude: 1, Longitude: 1}, &latlng.LatLng{Latitude: 1, Longitude: 2},
		[]any{}, []any{1}, []any{1, 2}, []any{2}, []any{"a"},
		firestore.Vector64{3}, firestore.Vector64{1, 2}, firestore.Vector64{1, 3},
		fields{}, fields{"a": 1}, fields{"a": 1, "b": 0}, fields{"a": 2}, fields{"b": 0},
	}
	ids := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	var want, backwards string
	for i, v := range values {
		id := ids[i : i+1]
		put(t, c, "c/"+id, fields{"v": v})
		want, backwards = want+" "+id, id+" "+backwards
	}
	wantEqual(t, "ascending", " "+found(c.Collection("c").OrderBy("v", firestore.Asc).Documents(ctx(t))), want)
	wantEqual(t, "descending", found(c.Collection("c").OrderBy("v", firestore.Desc).Documents(ctx(t)))+" ", backwards)
	for i, v := range values {
		if v == nil || i == 3 {
			continue
		}
		got := found(c.Collection("c").Where("v", "<=", v).OrderBy("v", firestore.Desc).Limit(1).Documents(ctx(t)))
		wantEqual(t, "greatest at most "+ids[i:i+1], got, ids[i:i+1])
	}
}

func testRefusedQueries(t *testing.T, c *firestore.Client) {
	all := numbers(t, c)
	many := make([]any, 31)
	for i := range many {
		many[i] = i
	}
	for _, row := range []struct {
		name string
		q    query
		want string
	}{
		{"in none", all.Where("n", "in", []any{}), "InvalidArgument"},
		{"in 31", all.Where("n", "in", many), "InvalidArgument"},
		{"in 30", all.Where("n", "in", many[:30]), "a b c d e"},
		{"in no list", all.Where("n", "in", 1), "InvalidArgument"},
		{"not-in 11", all.Where("n", "not-in", many[:11]), "InvalidArgument"},
		{"array-contains-any 31", all.Where("tags", "array-contains-any", many), "InvalidArgument"},
		{"two !=", all.Where("n", "!=", 1).Where("m", "!=", 1), "InvalidArgument"},
		{"not-in with in", all.Where("n", "not-in", []any{1}).Where("m", "in", []any{1}), "InvalidArgument"},
		{"two array-contains", all.Where("n", "array-contains", 1).Where("m", "array-contains", 1), "InvalidArgument"},
		{"36 alternatives", all.Where("n", "in", many[:6]).Where("m", "in", many[:6]), "InvalidArgument"},
		{"order twice", all.OrderBy("n", firestore.Asc).OrderBy("n", firestore.Asc), "InvalidArgument"},
		{"order behind the name", all.OrderBy(firestore.DocumentID, firestore.Asc).OrderBy("n", firestore.Asc), "InvalidArgument"},
		{"order by name, implied order behind it", all.Where("n", ">", 1).OrderBy(firestore.DocumentID, firestore.Asc), "InvalidArgument"},
		{"equal name, other field unequal", all.Where(firestore.DocumentID, "==", all.Doc("a")).Where("n", ">", 0), "InvalidArgument"},
		{"negative offset", all.Offset(-1), "InvalidArgument"},
		{"negative limit", all.Limit(-1), "InvalidArgument"},
		{"reserved collection", c.Collection("__x__").Query, "InvalidArgument"},
	} {
		wantEqual(t, row.name, found(row.q.Documents(ctx(t))), row.want)
	}
}

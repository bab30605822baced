package firestore_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
	"google.golang.org/genproto/googleapis/type/latlng"
)

func testFieldNames(t *testing.T, c *firestore.Client) {
	data := fields{
		"a.b": int64(1), "a": fields{"b": int64(2), "c.d": int64(3)},
		"`": int64(4), `\`: int64(5), "한": int64(6), "1x": int64(7), " ": int64(8),
	}
	put(t, c, "c/a", data)
	d := stored(t, c, "c/a")
	wantEqual(t, "Data()", d.Data(), data)
	for _, row := range []struct {
		path firestore.FieldPath
		want int64
	}{
		{firestore.FieldPath{"a.b"}, 1},
		{firestore.FieldPath{"a", "b"}, 2},
		{firestore.FieldPath{"a", "c.d"}, 3},
		{firestore.FieldPath{"`"}, 4},
		{firestore.FieldPath{`\`}, 5},
		{firestore.FieldPath{"한"}, 6},
		{firestore.FieldPath{"1x"}, 7},
		{firestore.FieldPath{" "}, 8},
	} {
		query := c.Collection("c").WherePath(row.path, "==", row.want).SelectPaths(row.path)
		docs, err := query.Documents(ctx(t)).GetAll()
		if err != nil || len(docs) != 1 {
			t.Errorf("where %q == %d: %d documents, %v", row.path, row.want, len(docs), err)
			continue
		}
		if got, err := docs[0].DataAtPath(row.path); got != row.want || err != nil || len(docs[0].Data()) != 1 {
			t.Errorf("select %q = %v, %v, want only %d", row.path, docs[0].Data(), err, row.want)
		}
	}
}

func testValues(t *testing.T, c *firestore.Client) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	data := fields{
		"null": nil, "bool": true, "int": int64(math.MinInt64), "double": 0.1, "inf": math.Inf(-1),
		"time": at, "old": time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), "string": "물", "empty": "",
		"bytes": []byte{0, 255}, "ref": c.Doc("c/a"), "geo": &latlng.LatLng{Latitude: -90, Longitude: 180},
		"array": []any{nil, int64(1), fields{"x": []any{}}}, "map": fields{}, "deep": fields{"a": fields{"b": false}},
	}
	put(t, c, "c/a", data)
	got := stored(t, c, "c/a").Data()
	for name, want := range data {
		if g, ok := want.(*latlng.LatLng); ok {
			read := got[name].(*latlng.LatLng)
			wantEqual(t, name, []float64{read.Latitude, read.Longitude}, []float64{g.Latitude, g.Longitude})
			continue
		}
		if r, ok := want.(*firestore.DocumentRef); ok {
			wantEqual(t, name, got[name].(*firestore.DocumentRef).Path, r.Path)
			continue
		}
		wantEqual(t, name, got[name], want)
	}
	put(t, c, "c/b", fields{"t": at.Add(999)})
	wantEqual(t, "a timestamp finer than a microsecond", stored(t, c, "c/b").Data(), fields{"t": at})
}

func testListing(t *testing.T, c *firestore.Client) {
	put(t, c, "c/a", fields{}, "c/b/s/x", fields{}, "c/c", fields{}, "c/c/t/y/u/z", fields{}, "d/a", fields{})
	collection := func(r *firestore.CollectionRef) string { return r.ID }
	document := func(r *firestore.DocumentRef) string { return r.ID }
	wantEqual(t, "Collections()", drain(t, c.Collections(ctx(t)).Next, collection), "c d")
	wantEqual(t, "Collections(c/c)", drain(t, c.Doc("c/c").Collections(ctx(t)).Next, collection), "t")
	wantEqual(t, "Collections(c/c/t/y)", drain(t, c.Doc("c/c/t/y").Collections(ctx(t)).Next, collection), "u")
	wantEqual(t, "Collections(c/a)", drain(t, c.Doc("c/a").Collections(ctx(t)).Next, collection), "")
	wantEqual(t, "DocumentRefs(c)", drain(t, c.Collection("c").DocumentRefs(ctx(t)).Next, document), "a b c")
	wantEqual(t, "DocumentRefs(c/c/t)", drain(t, c.Collection("c/c/t").DocumentRefs(ctx(t)).Next, document), "y")
	wantEqual(t, "Documents(c)", found(c.Collection("c").Documents(ctx(t))), "a c")

	for i := range 7 {
		put(t, c, fmt.Sprintf("pages/%d", i), fields{})
	}
	var pages []int
	pager := iterator.NewPager(c.Collection("pages").DocumentRefs(ctx(t)), 3, "")
	for token := "start"; token != ""; {
		var page []*firestore.DocumentRef
		var err error
		if token, err = pager.NextPage(&page); err != nil {
			t.Fatal(err)
		}
		pages = append(pages, len(page))
	}
	wantEqual(t, "pages of 3 of 7 documents", pages, []int{3, 3, 1})

	if _, err := c.Doc("d/a").Delete(ctx(t)); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "Collections() after d is empty", drain(t, c.Collections(ctx(t)).Next, collection), "c pages")
}

func testProjection(t *testing.T, c *firestore.Client) {
	put(t, c, "c/a", fields{"a": 0, "m": fields{"x": 1, "y": 2}})
	for _, row := range []struct {
		paths []string
		want  fields
	}{
		{[]string{"a"}, fields{"a": int64(0)}}, // of the version before
		{nil, fields{}},
		{[]string{"a"}, fields{"a": int64(1)}},
		{[]string{"m.x", "none"}, fields{"m": fields{"x": int64(1)}}},
		{[]string{"m.x", "a", "m.y"}, fields{"a": int64(1), "m": fields{"x": int64(1), "y": int64(2)}}},
		{[]string{"a.x"}, fields{}},
		{[]string{"m", "a"}, fields{"a": int64(1), "m": fields{"x": int64(1), "y": int64(2)}}},
	} {
		docs, err := c.Collection("c").Select(row.paths...).Documents(ctx(t)).GetAll()
		if err != nil || len(docs) != 1 {
			t.Fatalf("Select(%q): %d documents, %v", row.paths, len(docs), err)
		}
		wantEqual(t, fmt.Sprintf("Select(%q)", row.paths), docs[0].Data(), row.want)
		put(t, c, "c/a", fields{"a": 1, "m": fields{"x": 1, "y": 2}})
	}
}

package firestore_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
)

func testGet(t *testing.T, c *firestore.Client) {
	_, err := c.Doc("c/none").Get(ctx(t))
	wantCode(t, "Get(c/none)", err, codes.NotFound)
	put(t, c, "c/a", fields{"n": 1})
	refs := []*firestore.DocumentRef{c.Doc("c/a"), c.Doc("c/none"), c.Doc("c/a")}
	docs, err := c.GetAll(ctx(t), refs)
	if err != nil {
		t.Fatalf("GetAll = %v", err)
	}
	for i, want := range []bool{true, false, true} {
		wantEqual(t, fmt.Sprintf("GetAll[%d].Exists()", i), docs[i].Exists(), want)
	}
	wantEqual(t, "Data()", docs[2].Data(), fields{"n": int64(1)})
	if d := docs[0]; d.ReadTime.Before(d.UpdateTime) || !d.CreateTime.Equal(d.UpdateTime) {
		t.Errorf("created %v, updated %v, read %v: want them in this order", d.CreateTime, d.UpdateTime, d.ReadTime)
	}
}

func testPreconditions(t *testing.T, c *firestore.Client) {
	put(t, c, "c/old", fields{"n": 1})
	fresh := stored(t, c, "c/old").UpdateTime
	stale := fresh.Add(-time.Microsecond)
	set := []firestore.Update{{Path: "n", Value: 2}}
	for _, row := range []struct {
		call string
		do   func(old, none *firestore.DocumentRef) error
		want codes.Code
	}{
		{"Create(old)", func(old, _ *firestore.DocumentRef) error { return second(old.Create(ctx(t), fields{})) }, codes.AlreadyExists},
		{"Update(none)", func(_, none *firestore.DocumentRef) error { return second(none.Update(ctx(t), set)) }, codes.NotFound},
		{"Update(none, fresh)", func(_, none *firestore.DocumentRef) error {
			return second(none.Update(ctx(t), set, firestore.LastUpdateTime(fresh)))
		}, codes.FailedPrecondition},
		{"Update(old, stale)", func(old, _ *firestore.DocumentRef) error {
			return second(old.Update(ctx(t), set, firestore.LastUpdateTime(stale)))
		}, codes.FailedPrecondition},
		{"Delete(none)", func(_, none *firestore.DocumentRef) error { return second(none.Delete(ctx(t))) }, codes.OK},
		{"Delete(none, Exists)", func(_, none *firestore.DocumentRef) error { return second(none.Delete(ctx(t), firestore.Exists)) }, codes.NotFound},
		{"Delete(old, stale)", func(old, _ *firestore.DocumentRef) error {
			return second(old.Delete(ctx(t), firestore.LastUpdateTime(stale)))
		}, codes.FailedPrecondition},
		{"Update(old, fresh)", func(old, _ *firestore.DocumentRef) error {
			return second(old.Update(ctx(t), set, firestore.LastUpdateTime(fresh)))
		}, codes.OK},
		{"Delete(old, Exists)", func(old, _ *firestore.DocumentRef) error { return second(old.Delete(ctx(t), firestore.Exists)) }, codes.OK},
		{"Create(old) after Delete", func(old, _ *firestore.DocumentRef) error { return second(old.Create(ctx(t), fields{})) }, codes.OK},
	} {
		wantCode(t, row.call, row.do(c.Doc("c/old"), c.Doc("c/none")), row.want)
	}
}

// second drops a call's answer.
func second[A any](_ A, err error) error { return err }

func testUpdateTime(t *testing.T, c *firestore.Client) {
	doc := c.Doc("c/a")
	created, err := doc.Create(ctx(t), fields{"n": 1, "f": 1.0})
	if err != nil {
		t.Fatal(err)
	}
	last := created.UpdateTime
	for _, row := range []struct {
		call    string
		do      func() (*firestore.WriteResult, error)
		changes bool
	}{
		{"Set(same)", func() (*firestore.WriteResult, error) { return doc.Set(ctx(t), fields{"n": 1, "f": 1.0}) }, false},
		{"Update(same)", func() (*firestore.WriteResult, error) {
			return doc.Update(ctx(t), []firestore.Update{{Path: "n", Value: 1}})
		}, false},
		{"Increment(0)", func() (*firestore.WriteResult, error) {
			return doc.Update(ctx(t), []firestore.Update{{Path: "n", Value: firestore.Increment(0)}})
		}, false},
		{"Update(int to equal double)", func() (*firestore.WriteResult, error) {
			return doc.Update(ctx(t), []firestore.Update{{Path: "n", Value: 1.0}})
		}, true},
		{"Update(double to NaN)", func() (*firestore.WriteResult, error) {
			return doc.Update(ctx(t), []firestore.Update{{Path: "f", Value: math.NaN()}})
		}, true},
		{"Update(NaN to NaN)", func() (*firestore.WriteResult, error) {
			return doc.Update(ctx(t), []firestore.Update{{Path: "f", Value: math.NaN()}})
		}, false},
		{"Set(less)", func() (*firestore.WriteResult, error) { return doc.Set(ctx(t), fields{"n": 1.0}) }, true},
		{"ServerTimestamp", func() (*firestore.WriteResult, error) {
			return doc.Update(ctx(t), []firestore.Update{{Path: "t", Value: firestore.ServerTimestamp}})
		}, true},
	} {
		r, err := row.do()
		if err != nil {
			t.Fatalf("%s = %v", row.call, err)
		}
		if later, same := r.UpdateTime.After(last), r.UpdateTime.Equal(last); later != row.changes || same == row.changes {
			t.Errorf("%s: update time went from %v to %v, changed should be %v", row.call, last, r.UpdateTime, row.changes)
		}
		d := stored(t, c, "c/a")
		if !d.UpdateTime.Equal(r.UpdateTime) || !d.CreateTime.Equal(created.UpdateTime) {
			t.Errorf("%s: stored update and create time %v, %v, want %v, %v", row.call, d.UpdateTime, d.CreateTime, r.UpdateTime, created.UpdateTime)
		}
		last = r.UpdateTime
	}
	if last.Nanosecond()%1000 != 0 {
		t.Errorf("update time %v is finer than a microsecond", last)
	}
}

func testUpdateMasks(t *testing.T, c *firestore.Client) {
	for i, row := range []struct {
		start   fields
		updates []firestore.Update
		want    fields
	}{
		{fields{"a": 1, "b": 2}, []firestore.Update{{Path: "a", Value: 3}}, fields{"a": int64(3), "b": int64(2)}},
		{fields{"a": 1, "b": 2}, []firestore.Update{{Path: "a", Value: firestore.Delete}}, fields{"b": int64(2)}},
		{fields{"m": fields{"x": 1, "y": 2}}, []firestore.Update{{Path: "m.x", Value: 3}}, fields{"m": fields{"x": int64(3), "y": int64(2)}}},
		{fields{"m": fields{"x": 1}}, []firestore.Update{{Path: "m.x", Value: firestore.Delete}}, fields{"m": fields{}}},
		{fields{"m": fields{"x": 1, "y": 2}}, []firestore.Update{{Path: "m", Value: fields{"z": 1}}}, fields{"m": fields{"z": int64(1)}}},
		{fields{"a": 5}, []firestore.Update{{Path: "a.b", Value: 1}}, fields{"a": fields{"b": int64(1)}}},
		{fields{"a": 5}, []firestore.Update{{Path: "a.b", Value: firestore.Delete}}, fields{"a": int64(5)}},
		{fields{}, []firestore.Update{{Path: "a.b.c", Value: 1}}, fields{"a": fields{"b": fields{"c": int64(1)}}}},
		{fields{"m": fields{"a.b": 1}}, []firestore.Update{{FieldPath: []string{"m", "a.b"}, Value: 2}}, fields{"m": fields{"a.b": int64(2)}}},
		{fields{"m": fields{"n": 1}}, []firestore.Update{{Path: "m.n", Value: firestore.Increment(2)}, {Path: "k", Value: "v"}}, fields{"m": fields{"n": int64(3)}, "k": "v"}},
	} {
		path := fmt.Sprintf("c/%d", i)
		put(t, c, path, row.start)
		if _, err := c.Doc(path).Update(ctx(t), row.updates); err != nil {
			t.Errorf("Update(%v, %v) = %v", row.start, row.updates, err)
			continue
		}
		wantEqual(t, fmt.Sprintf("Update(%v, %v)", row.start, row.updates), stored(t, c, path).Data(), row.want)
	}
	put(t, c, "c/merge", fields{"a": 1, "m": fields{"x": 1}})
	if _, err := c.Doc("c/merge").Set(ctx(t), fields{"m": fields{"y": 2}}, firestore.MergeAll); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "Set(MergeAll)", stored(t, c, "c/merge").Data(), fields{"a": int64(1), "m": fields{"x": int64(1), "y": int64(2)}})
}

func testTransforms(t *testing.T, c *firestore.Client) {
	for i, row := range []struct {
		start, transform, want any
	}{
		{1, firestore.Increment(2), int64(3)},
		{1, firestore.Increment(1.5), 2.5},
		{1.5, firestore.Increment(1), 2.5},
		{"x", firestore.Increment(1), int64(1)},
		{nil, firestore.Increment(1), int64(1)},
		{int64(math.MaxInt64), firestore.Increment(1), int64(math.MaxInt64)},
		{int64(math.MinInt64), firestore.Increment(-1), int64(math.MinInt64)},
		{1, firestore.FieldTransformMaximum(2), int64(2)},
		{3, firestore.FieldTransformMaximum(2.5), int64(3)},
		{3, firestore.FieldTransformMaximum(3.0), int64(3)},
		{"x", firestore.FieldTransformMaximum(1), int64(1)},
		{1, firestore.FieldTransformMinimum(0.5), 0.5},
		{1, firestore.FieldTransformMinimum(2), int64(1)},
		{[]any{1, "a"}, firestore.ArrayUnion("b", "a", "b", 1.0), []any{int64(1), "a", "b"}},
		{"x", firestore.ArrayUnion("b"), []any{"b"}},
		{[]any{1, 2, 1.0, "a"}, firestore.ArrayRemove(1, "z"), []any{int64(2), "a"}},
		{"x", firestore.ArrayRemove(1), []any{}},
	} {
		path := fmt.Sprintf("c/%d", i)
		put(t, c, path, fields{"f": row.start, "other": "kept"})
		if _, err := c.Doc(path).Update(ctx(t), []firestore.Update{{Path: "f", Value: row.transform}}); err != nil {
			t.Errorf("%v of %v = %v", row.transform, row.start, err)
			continue
		}
		wantEqual(t, fmt.Sprintf("%v of %v", row.transform, row.start), stored(t, c, path).Data(), fields{"f": row.want, "other": "kept"})
	}
	put(t, c, "c/t", fields{"a": firestore.ServerTimestamp, "m": fields{"b": firestore.ServerTimestamp}})
	d := stored(t, c, "c/t")
	a, b := d.Data()["a"].(time.Time), d.Data()["m"].(fields)["b"].(time.Time)
	if !a.Equal(b) || a.Nanosecond()%1_000_000 != 0 || a.After(d.UpdateTime) || d.UpdateTime.Sub(a) > time.Second {
		t.Errorf("ServerTimestamp: got %v and %v, want one whole millisecond shortly before %v", a, b, d.UpdateTime)
	}
}

func testRefusedWrites(t *testing.T, c *firestore.Client) {
	deep := any(1)
	for range 21 {
		deep = fields{"n": deep}
	}
	for _, row := range []struct {
		what string
		path string
		data fields
		want codes.Code
	}{
		{"just below 1 MiB", "c/a", fields{"s": strings.Repeat("x", 1<<20-89)}, codes.OK},
		{"a string above the limit", "c/b", fields{"s": strings.Repeat("x", 1<<20-88)}, codes.InvalidArgument},
		{"two strings above the limit", "c/c", fields{"s": strings.Repeat("x", 1<<19), "t": strings.Repeat("x", 1<<19)}, codes.InvalidArgument},
		{"21 maps in one another", "c/d", fields{"n": deep}, codes.InvalidArgument},
		{"20 maps in one another", "c/d", deep.(fields), codes.OK},
		{"an array in an array", "c/e", fields{"a": []any{[]any{1}}}, codes.InvalidArgument},
		{"a reserved field", "c/f", fields{"__x__": 1}, codes.InvalidArgument},
		{"a reserved nested field", "c/f", fields{"m": fields{"__x__": 1}}, codes.InvalidArgument},
		{"a field without name", "c/g", fields{"": 1}, codes.InvalidArgument},
		{"a long field name", "c/h", fields{strings.Repeat("x", 1501): 1}, codes.InvalidArgument},
		{"a reserved document", "c/__x__", fields{}, codes.InvalidArgument},
		{"a reserved collection", "__x__/a", fields{}, codes.InvalidArgument},
		{"a document named .", "c/.", fields{}, codes.InvalidArgument},
		{"a long document ID", "c/" + strings.Repeat("x", 1501), fields{}, codes.InvalidArgument},
		{"a numeric document ID", "c/__id7__", fields{}, codes.OK},
		{"a spaced document ID", "c/a b.c`d", fields{}, codes.OK},
	} {
		_, err := c.Doc(row.path).Set(ctx(t), row.data)
		wantCode(t, "Set("+row.what+")", err, row.want)
	}
}

func testAtomicCommit(t *testing.T, c *firestore.Client) {
	put(t, c, "c/old", fields{"n": 1}, "c/other", fields{})
	err := c.RunTransaction(ctx(t), func(_ context.Context, tx *firestore.Transaction) error {
		return errors.Join(
			tx.Set(c.Doc("c/new"), fields{"n": 1}),
			tx.Update(c.Doc("c/old"), []firestore.Update{{Path: "n", Value: 2}}),
			tx.Create(c.Doc("c/other"), fields{"n": 3}))
	})
	wantCode(t, "commit with one Create of an old document", err, codes.AlreadyExists)
	wantEqual(t, "old after the commit", stored(t, c, "c/old").Data(), fields{"n": int64(1)})
	_, err = c.Doc("c/new").Get(ctx(t))
	wantCode(t, "Get(new) after the commit", err, codes.NotFound)

	err = c.RunTransaction(ctx(t), func(_ context.Context, tx *firestore.Transaction) error {
		return errors.Join(
			tx.Delete(c.Doc("c/old")),
			tx.Create(c.Doc("c/old"), fields{"n": 1}),
			tx.Update(c.Doc("c/old"), []firestore.Update{{Path: "n", Value: firestore.Increment(5)}}))
	})
	wantCode(t, "Delete, Create and Update of one document", err, codes.OK)
	wantEqual(t, "old after them", stored(t, c, "c/old").Data(), fields{"n": int64(6)})
}

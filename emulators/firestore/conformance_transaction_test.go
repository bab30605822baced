package firestore_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Two transactions read one document before either writes it: at most one of
// them commits, the other gets Aborted.
func testTransactionConflict(t *testing.T, c *firestore.Client) {
	got := conflict(t, c)
	wantEqual(t, "Aborted or OK", got[codes.OK]+got[codes.Aborted], 2)
	wantEqual(t, "increments", stored(t, c, "c/a").Data(), fields{"n": int64(got[codes.OK])})
	if got[codes.OK] == 2 {
		t.Error("both transactions committed")
	}
}

// conflict has two transactions increment c/a after both have read 0, once
// each, and counts what they answer.
func conflict(t *testing.T, c *firestore.Client) map[codes.Code]int {
	put(t, c, "c/a", fields{"n": 0})
	var reading sync.WaitGroup
	reading.Add(2)
	return race(2, func(i int) error {
		return c.RunTransaction(ctx(t), func(_ context.Context, tx *firestore.Transaction) error {
			d, err := tx.Get(c.Doc("c/a"))
			reading.Done()
			if err != nil {
				return err
			}
			reading.Wait()
			return tx.Set(c.Doc("c/a"), fields{"n": d.Data()["n"].(int64) + 1})
		}, firestore.MaxAttempts(1))
	})
}

func testTransactionIncrements(t *testing.T, c *firestore.Client) {
	put(t, c, "c/a", fields{"n": 0})
	const n = 2
	got := race(n, func(int) error {
		return c.RunTransaction(ctx(t), func(_ context.Context, tx *firestore.Transaction) error {
			d, err := tx.Get(c.Doc("c/a"))
			if err != nil {
				return err
			}
			return tx.Update(c.Doc("c/a"), []firestore.Update{{Path: "n", Value: d.Data()["n"].(int64) + 1}})
		}, firestore.MaxAttempts(20))
	})
	wantEqual(t, "transactions", got, map[codes.Code]int{codes.OK: n})
	wantEqual(t, "increments", stored(t, c, "c/a").Data(), fields{"n": int64(n)})
}

// Each transaction adds the document that its query says comes next: were a
// query's result not part of what it read, two would write the same.
func testTransactionPhantoms(t *testing.T, c *firestore.Client) {
	const n = 2
	got := race(n, func(i int) error {
		return c.RunTransaction(ctx(t), func(_ context.Context, tx *firestore.Transaction) error {
			docs, err := tx.Documents(c.Collection("c").Where("kind", "==", "x")).GetAll()
			if err != nil {
				return err
			}
			return tx.Set(c.Doc(fmt.Sprintf("c/%d-%d", i, len(docs))), fields{"kind": "x", "seen": len(docs)})
		}, firestore.MaxAttempts(20))
	})
	wantEqual(t, "transactions", got, map[codes.Code]int{codes.OK: n})
	docs, err := c.Collection("c").OrderBy("seen", firestore.Asc).Documents(ctx(t)).GetAll()
	if err != nil || len(docs) != n {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	for i, d := range docs {
		wantEqual(t, "documents seen before "+d.Ref.ID, d.Data()["seen"], int64(i))
	}
}

func testReadOnlyTransaction(t *testing.T, c *firestore.Client) {
	put(t, c, "c/a", fields{"n": 1}, "c/b", fields{"n": 1})
	err := c.RunTransaction(ctx(t), func(_ context.Context, tx *firestore.Transaction) error {
		a, err := tx.Get(c.Doc("c/a"))
		if err != nil {
			return err
		}
		put(t, c, "c/a", fields{"n": 2}, "c/b", fields{"n": 2})
		b, err := tx.Get(c.Doc("c/b"))
		if err != nil {
			return err
		}
		wantEqual(t, "reads", []any{a.Data()["n"], b.Data()["n"]}, []any{int64(1), int64(1)})
		_, err = tx.Get(c.Doc("c/none"))
		wantCode(t, "Get(none)", err, codes.NotFound)
		return nil
	}, firestore.ReadOnly)
	wantCode(t, "read-only transaction", err, codes.OK)
	err = c.RunTransaction(ctx(t), func(_ context.Context, tx *firestore.Transaction) error {
		if err := tx.Set(c.Doc("c/a"), fields{"n": 9}); err != nil {
			return err
		}
		return status.Error(codes.DataLoss, "changed my mind")
	})
	wantCode(t, "transaction that gives up", err, codes.DataLoss)
	wantEqual(t, "a after it", stored(t, c, "c/a").Data(), fields{"n": int64(2)})
}

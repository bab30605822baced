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

func testManyWrites(t *testing.T, c *firestore.Client) {
	const n = 600
	err := c.RunTransaction(ctx(t), func(_ context.Context, tx *firestore.Transaction) error {
		for i := range n {
			if err := tx.Set(c.Doc(fmt.Sprintf("c/%04d", i)), fields{"i": i}); err != nil {
				return err
			}
		}
		return nil
	})
	wantCode(t, "commit of 600 writes", err, codes.OK)
	docs, err := c.Collection("c").OrderBy("i", firestore.Desc).Documents(ctx(t)).GetAll()
	if err != nil || len(docs) != n || docs[0].Ref.ID != "0599" {
		t.Errorf("query of %d documents = %d documents, %v", n, len(docs), err)
	}
}

func testBulkWriter(t *testing.T, c *firestore.Client) {
	put(t, c, "c/07", fields{"old": true})
	w := c.BulkWriter(ctx(t))
	var jobs []*firestore.BulkWriterJob
	for i := range 45 {
		job, err := w.Create(c.Doc(fmt.Sprintf("c/%02d", i)), fields{"i": i})
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, job)
	}
	w.End()
	for i, job := range jobs {
		want := codes.OK
		if i == 7 {
			want = codes.AlreadyExists
		}
		r, err := job.Results()
		wantCode(t, fmt.Sprintf("job %d", i), err, want)
		if want == codes.OK && !stored(t, c, fmt.Sprintf("c/%02d", i)).UpdateTime.Equal(r.UpdateTime) {
			t.Errorf("job %d answered another update time than the document has", i)
		}
	}
}

func testCreateRace(t *testing.T, c *firestore.Client) {
	wantEqual(t, "winners of 10 Creates", race(10, func(i int) error {
		return second(c.Doc("c/a").Create(ctx(t), fields{"i": i}))
	}), map[codes.Code]int{codes.OK: 1, codes.AlreadyExists: 9})
}

func testUpdateTimeRace(t *testing.T, c *firestore.Client) {
	put(t, c, "c/a", fields{"i": -1})
	for range 3 {
		last := stored(t, c, "c/a").UpdateTime
		got := race(30, func(i int) error {
			update := []firestore.Update{{Path: "i", Value: i}, {Path: "n", Value: firestore.Increment(1)}}
			return second(c.Doc("c/a").Update(ctx(t), update, firestore.LastUpdateTime(last)))
		})
		wantEqual(t, "winners of 30 Updates", got, map[codes.Code]int{codes.OK: 1, codes.FailedPrecondition: 29})
	}
	wantEqual(t, "updates that won", stored(t, c, "c/a").Data()["n"], int64(3))
}

// race runs n calls at once and counts what they answer.
func race(n int, call func(i int) error) map[codes.Code]int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	start := make(chan struct{})
	answers := map[codes.Code]int{}
	for i := range n {
		wg.Go(func() {
			<-start
			code := status.Code(call(i))
			mu.Lock()
			answers[code]++
			mu.Unlock()
		})
	}
	close(start)
	wg.Wait()
	return answers
}

package firestore_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	emulator "example.com/whatis/emulators/firestore"
)

// Money is moved between accounts by several at once while others add it up:
// every sum must be the whole, in a query, an aggregation and a read-only
// transaction, and snapshots are saved all along.
func TestTransfers(t *testing.T) {
	const accounts, whole, movers, moves = 3, 300, 4, 25
	s := start(t, emulator.Options{Dir: t.TempDir()})
	w := dialWire(t, s.Addr())
	c := dialProject(t, s.Addr(), "wire")
	for i := range accounts {
		put(t, c, fmt.Sprintf("bank/%d", i), fields{"n": whole / accounts})
	}
	var moving, reading sync.WaitGroup
	for m := range movers {
		moving.Go(func() {
			for i := range moves {
				if err := w.transferUntilDone(fmt.Sprintf("bank/%d", (m+i)%accounts), fmt.Sprintf("bank/%d", (m+i+1)%accounts)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	for name, sum := range map[string]func(*testing.T, *firestore.Client) int64{"query": sumQuery, "aggregation": sumAggregation, "transaction": sumTransaction} {
		reading.Go(func() {
			for {
				if got := sum(t, c); got != whole {
					t.Errorf("sum by %s = %d, want %d", name, got, whole)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	moving.Wait()
	close(done)
	reading.Wait()
	wantEqual(t, "moves", stored(t, c, "log/all").Data(), fields{"n": int64(movers * moves)})
}

// transferUntilDone moves 1, and counts it in log/all, as often as it takes.
func (w wire) transferUntilDone(from, to string) error {
	for {
		if err := w.transfer(from, to); status.Code(err) != codes.Aborted {
			return err
		}
	}
}

func (w wire) transfer(from, to string) error {
	begun, err := w.BeginTransaction(w.ctx, &pb.BeginTransactionRequest{Database: w.database})
	if err != nil {
		return err
	}
	var writes []*pb.Write
	for path, by := range map[string]int64{from: -1, to: 1, "log/all": 1} {
		n, err := w.read(begun.GetTransaction(), path)
		if err != nil {
			return err
		}
		writes = append(writes, &pb.Write{Operation: &pb.Write_Update{Update: &pb.Document{Name: w.name(path), Fields: number(n + by)}}})
	}
	return second(w.Commit(w.ctx, &pb.CommitRequest{Database: w.database, Transaction: begun.GetTransaction(), Writes: writes}))
}

// read returns the number in a document, 0 when there is none.
func (w wire) read(transaction []byte, path string) (int64, error) {
	d, err := w.GetDocument(w.ctx, &pb.GetDocumentRequest{
		Name: w.name(path), ConsistencySelector: &pb.GetDocumentRequest_Transaction{Transaction: transaction},
	})
	if status.Code(err) == codes.NotFound {
		return 0, nil
	}
	return d.GetFields()["n"].GetIntegerValue(), err
}

func sumQuery(t *testing.T, c *firestore.Client) int64 {
	docs, err := c.Collection("bank").Documents(ctx(t)).GetAll()
	if err != nil {
		t.Error(err)
	}
	return sumOf(docs)
}

func sumAggregation(t *testing.T, c *firestore.Client) int64 {
	r, err := c.Collection("bank").NewAggregationQuery().WithSum("n", "n").Get(ctx(t))
	if err != nil {
		t.Error(err)
		return 0
	}
	return r["n"].(*pb.Value).GetIntegerValue()
}

func sumTransaction(t *testing.T, c *firestore.Client) (sum int64) {
	err := c.RunTransaction(ctx(t), func(_ context.Context, tx *firestore.Transaction) error {
		sum = 0
		for i := range 3 {
			d, err := tx.Get(c.Doc(fmt.Sprintf("bank/%d", i)))
			if err != nil {
				return err
			}
			sum += d.Data()["n"].(int64)
		}
		return nil
	}, firestore.ReadOnly)
	if err != nil {
		t.Error(err)
	}
	return sum
}

func sumOf(docs []*firestore.DocumentSnapshot) (sum int64) {
	for _, d := range docs {
		sum += d.Data()["n"].(int64)
	}
	return sum
}

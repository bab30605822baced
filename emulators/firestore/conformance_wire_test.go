package firestore_test

import (
	"context"
	"io"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// A wire makes the calls that the client library never makes, on one database.
type wire struct {
	pb.FirestoreClient
	ctx      context.Context
	database string
}

func dialWire(t *testing.T, addr string) wire {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	owner := metadata.AppendToOutgoingContext(ctx(t), "authorization", "Bearer owner")
	return wire{pb.NewFirestoreClient(conn), owner, "projects/wire/databases/(default)"}
}

func (w wire) name(path string) string { return w.database + "/documents/" + path }

func number(n int64) map[string]*pb.Value {
	return map[string]*pb.Value{"n": {ValueType: &pb.Value_IntegerValue{IntegerValue: n}}}
}

func (w wire) update(path string, n int64, c *pb.Precondition) (*pb.Document, error) {
	return w.UpdateDocument(w.ctx, &pb.UpdateDocumentRequest{Document: &pb.Document{Name: w.name(path), Fields: number(n)}, CurrentDocument: c})
}

func (w wire) get(path string) (*pb.Document, error) {
	return w.GetDocument(w.ctx, &pb.GetDocumentRequest{Name: w.name(path)})
}

func (w wire) query(q *pb.RunQueryRequest) error {
	stream, err := w.RunQuery(w.ctx, q)
	for err == nil {
		_, err = stream.Recv()
	}
	if err == io.EOF {
		return nil
	}
	return err
}

func (w wire) count(upTo int64) int64 {
	stream, err := w.RunAggregationQuery(w.ctx, &pb.RunAggregationQueryRequest{
		Parent: w.database + "/documents",
		QueryType: &pb.RunAggregationQueryRequest_StructuredAggregationQuery{StructuredAggregationQuery: &pb.StructuredAggregationQuery{
			QueryType: &pb.StructuredAggregationQuery_StructuredQuery{StructuredQuery: from("c")},
			Aggregations: []*pb.StructuredAggregationQuery_Aggregation{{
				Operator: &pb.StructuredAggregationQuery_Aggregation_Count_{Count: &pb.StructuredAggregationQuery_Aggregation_Count{UpTo: wrapperspb.Int64(upTo)}},
			}},
		}},
	})
	if err != nil {
		return -1
	}
	answer, err := stream.Recv()
	if err != nil {
		return -1
	}
	return answer.GetResult().GetAggregateFields()["field_1"].GetIntegerValue()
}

func from(collection string) *pb.StructuredQuery {
	return &pb.StructuredQuery{From: []*pb.StructuredQuery_CollectionSelector{{CollectionId: collection}}}
}

func ask(parent string, q *pb.StructuredQuery) *pb.RunQueryRequest {
	return &pb.RunQueryRequest{Parent: parent, QueryType: &pb.RunQueryRequest_StructuredQuery{StructuredQuery: q}}
}

func exists(yes bool) *pb.Precondition {
	return &pb.Precondition{ConditionType: &pb.Precondition_Exists{Exists: yes}}
}

// testWire goes through its rows in order, on one database.
func testWire(t *testing.T, w wire) {
	root := w.database + "/documents"
	commit := func(database string, transaction []byte, writes ...*pb.Write) error {
		return second(w.Commit(w.ctx, &pb.CommitRequest{Database: database, Transaction: transaction, Writes: writes}))
	}
	masked := func(path string) error {
		return commit(w.database, nil, &pb.Write{
			Operation:  &pb.Write_Update{Update: &pb.Document{Name: w.name("c/x"), Fields: number(1)}},
			UpdateMask: &pb.DocumentMask{FieldPaths: []string{path}},
		})
	}
	list := func(r *pb.ListDocumentsRequest) error { return second(w.ListDocuments(w.ctx, r)) }
	for _, row := range []struct {
		call string
		do   func() error
		want string
	}{
		{"Update(new)", func() error { return second(w.update("c/a", 1, nil)) }, "OK"},
		{"Update(old, exists=false)", func() error { return second(w.update("c/a", 2, exists(false))) }, "AlreadyExists"},
		{"Update(none, exists=true)", func() error { return second(w.update("c/b", 2, exists(true))) }, "NotFound"},
		{"Get(old)", func() error { return second(w.get("c/a")) }, "OK"},
		{"Get(none)", func() error { return second(w.get("c/none")) }, "NotFound"},
		{"Get(collection)", func() error { return second(w.get("c")) }, "InvalidArgument"},
		{"Get(empty ID)", func() error { return second(w.get("c//x/y")) }, "InvalidArgument"},
		{"Create(old)", func() error {
			return second(w.CreateDocument(w.ctx, &pb.CreateDocumentRequest{Parent: root, CollectionId: "c", DocumentId: "a"}))
		}, "AlreadyExists"},
		{"Create(no ID)", func() error {
			return second(w.CreateDocument(w.ctx, &pb.CreateDocumentRequest{Parent: root, CollectionId: "c"}))
		}, "OK"},
		{"Delete(old)", func() error {
			return second(w.DeleteDocument(w.ctx, &pb.DeleteDocumentRequest{Name: w.name("c/a"), CurrentDocument: exists(true)}))
		}, "OK"},
		{"Delete(gone)", func() error {
			return second(w.DeleteDocument(w.ctx, &pb.DeleteDocumentRequest{Name: w.name("c/a"), CurrentDocument: exists(true)}))
		}, "NotFound"},
		{"Commit(no such database name)", func() error { return commit("x", nil) }, "InvalidArgument"},
		{"Commit(empty write)", func() error { return commit(w.database, nil, &pb.Write{}) }, "InvalidArgument"},
		{"Commit(unknown transaction)", func() error { return commit(w.database, []byte("x")) }, "InvalidArgument"},
		{"Rollback(unknown transaction)", func() error {
			return second(w.Rollback(w.ctx, &pb.RollbackRequest{Database: w.database, Transaction: []byte("x")}))
		}, "InvalidArgument"},
		{"mask a..b", func() error { return masked("a..b") }, "InvalidArgument"},
		{"mask a.", func() error { return masked("a.") }, "InvalidArgument"},
		{"mask a-b", func() error { return masked("a-b") }, "InvalidArgument"},
		{"mask `a-b`", func() error { return masked("`a-b`") }, "OK"},
		{"mask `a", func() error { return masked("`a") }, "InvalidArgument"},
		{"query below nothing", func() error { return w.query(ask("x", from("c"))) }, "InvalidArgument"},
		{"query below a collection", func() error { return w.query(ask(root+"/c", from("c"))) }, "InvalidArgument"},
		{"query of a/b", func() error { return w.query(ask(root, from("a/b"))) }, "InvalidArgument"},
		{"query of every collection", func() error { return w.query(ask(root, &pb.StructuredQuery{})) }, "OK"},
		{"query with an empty filter", func() error {
			q := from("c")
			q.Where = &pb.StructuredQuery_Filter{}
			return w.query(ask(root, q))
		}, "InvalidArgument"},
		{"query with a long cursor", func() error {
			q := from("c")
			q.StartAt = &pb.Cursor{Values: []*pb.Value{number(1)["n"]}}
			return w.query(ask(root, q))
		}, "InvalidArgument"},
		{"List(bad token)", func() error {
			return list(&pb.ListDocumentsRequest{Parent: root, CollectionId: "c", PageToken: "zzz"})
		}, "InvalidArgument"},
		{"BatchWrite(one document twice)", func() error {
			erase := &pb.Write{Operation: &pb.Write_Delete{Delete: w.name("c/a")}}
			return second(w.BatchWrite(w.ctx, &pb.BatchWriteRequest{Database: w.database, Writes: []*pb.Write{erase, erase}}))
		}, "InvalidArgument"},
	} {
		err := row.do()
		if got := status.Code(err).String(); got != row.want {
			t.Errorf("%s = %v, want %s", row.call, err, row.want)
		}
	}
	for _, id := range []string{"c/1", "c/2", "c/3"} {
		if _, err := w.update(id, 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	wantEqual(t, "count up to 2", w.count(2), int64(2))
	testNewTransactionOnRead(t, w)
}

// A read may begin the transaction it belongs to.
func testNewTransactionOnRead(t *testing.T, w wire) {
	stream, err := w.BatchGetDocuments(w.ctx, &pb.BatchGetDocumentsRequest{
		Database: w.database, Documents: []string{w.name("c/1")},
		ConsistencySelector: &pb.BatchGetDocumentsRequest_NewTransaction{NewTransaction: &pb.TransactionOptions{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	first, err := stream.Recv()
	if err != nil || len(first.GetTransaction()) == 0 {
		t.Fatalf("first answer = %v, %v, want a transaction", first, err)
	}
	end := &pb.CommitRequest{Database: w.database, Transaction: first.GetTransaction()}
	wantEqual(t, "Commit", status.Code(second(w.Commit(w.ctx, end))).String(), "OK")
	wantEqual(t, "Commit again", status.Code(second(w.Commit(w.ctx, end))).String(), "InvalidArgument")
	_, err = w.Rollback(w.ctx, &pb.RollbackRequest{Database: w.database, Transaction: first.GetTransaction()})
	wantEqual(t, "Rollback of what has ended", status.Code(err).String(), "OK")
}

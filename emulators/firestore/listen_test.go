package firestore_test

import (
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"

	emulator "example.com/whatis/emulators/firestore"
)

// A target is removed with the reason before the call ends: Google's client for Node
// listens again, for ever, when it is told by the end alone.
func TestListenRemovesTheTarget(t *testing.T) {
	conn, err := grpc.NewClient(start(t, emulator.Options{}).Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	stream, err := pb.NewFirestoreClient(conn).Listen(ctx(t))
	if err != nil {
		t.Fatal(err)
	}
	const database = "projects/p/databases/(default)"
	target := &pb.Target{TargetId: 7, TargetType: &pb.Target_Documents{Documents: &pb.Target_DocumentsTarget{Documents: []string{database + "/documents/c/a"}}}}
	if err := stream.Send(&pb.ListenRequest{Database: database, TargetChange: &pb.ListenRequest_AddTarget{AddTarget: target}}); err != nil {
		t.Fatal(err)
	}
	told, err := stream.Recv()
	change := told.GetTargetChange()
	if err != nil || change.GetTargetChangeType() != pb.TargetChange_REMOVE || codes.Code(change.GetCause().GetCode()) != codes.Unimplemented {
		t.Errorf("Recv() = %v, %v; want the target removed, as unimplemented", told, err)
	}
	wantEqual(t, "the target removed", change.GetTargetIds(), []int32{7})
	_, err = stream.Recv()
	wantCode(t, "Recv() after it", err, codes.Unimplemented)
}

package firestore

import (
	"context"
	"crypto/rand"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
)

// GetDocument reads one document.
func (s *service) GetDocument(_ context.Context, r *pb.GetDocumentRequest) (*pb.Document, error) {
	m, err := maskFromProto(r.GetMask())
	if err != nil {
		return nil, err
	}
	s.reads.add(Reads{Documents: 1})
	return s.get(r.GetName(), r.GetTransaction(), m)
}

func (s *service) get(name string, transaction []byte, m mask) (*pb.Document, error) {
	database, path, err := parseDocument("Document", name)
	if err != nil {
		return nil, err
	}
	hits, _, err := s.store.database(database).read(transaction, func(t tree) []hit { return t.lookUp([]string{path}) })
	if err != nil {
		return nil, err
	}
	if hits[0].document == nil {
		return nil, status.Errorf(codes.NotFound, "Document %q not found.", name)
	}
	return hits[0].proto(m), nil
}

// CreateDocument stores a new document, under an ID of its own when none is
// given.
func (s *service) CreateDocument(ctx context.Context, r *pb.CreateDocumentRequest) (*pb.Document, error) {
	id := r.GetDocumentId()
	if id == "" {
		id = rand.Text()[:20]
	}
	return s.writeDocument(ctx, &pb.Write{
		Operation: &pb.Write_Update{Update: &pb.Document{
			Name:   r.GetParent() + "/" + r.GetCollectionId() + "/" + id,
			Fields: r.GetDocument().GetFields(),
		}},
		CurrentDocument: &pb.Precondition{ConditionType: &pb.Precondition_Exists{Exists: false}},
	}, r.GetMask())
}

// UpdateDocument stores a document or the fields its mask names.
func (s *service) UpdateDocument(ctx context.Context, r *pb.UpdateDocumentRequest) (*pb.Document, error) {
	return s.writeDocument(ctx, &pb.Write{
		Operation:       &pb.Write_Update{Update: r.GetDocument()},
		UpdateMask:      r.GetUpdateMask(),
		CurrentDocument: r.GetCurrentDocument(),
	}, r.GetMask())
}

// writeDocument commits w and reads back what the mask selects.
func (s *service) writeDocument(ctx context.Context, w *pb.Write, m *pb.DocumentMask) (*pb.Document, error) {
	selected, err := maskFromProto(m)
	if err != nil {
		return nil, err
	}
	name := w.GetUpdate().GetName()
	if err := s.commitOne(ctx, name, w); err != nil {
		return nil, err
	}
	return s.get(name, nil, selected)
}

// DeleteDocument removes a document, or does nothing where there is none.
func (s *service) DeleteDocument(ctx context.Context, r *pb.DeleteDocumentRequest) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, s.commitOne(ctx, r.GetName(), &pb.Write{
		Operation:       &pb.Write_Delete{Delete: r.GetName()},
		CurrentDocument: r.GetCurrentDocument(),
	})
}

func (s *service) commitOne(ctx context.Context, name string, w *pb.Write) error {
	database, _, err := parseDocument("Document", name)
	if err != nil {
		return err
	}
	_, err = s.Commit(ctx, &pb.CommitRequest{Database: database, Writes: []*pb.Write{w}})
	return err
}

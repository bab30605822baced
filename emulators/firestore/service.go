package firestore

import (
	"context"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
)

// A service answers the RPCs: it checks a request, has the store do the work
// and converts the outcome.
type service struct {
	pb.UnimplementedFirestoreServer
	store   *store
	indexes *indexes
	reads   *reads
}

func (s *service) openDatabase(name string) (*database, error) {
	if err := parseDatabase(name); err != nil {
		return nil, err
	}
	return s.store.database(name), nil
}

// Commit applies all writes or none.
func (s *service) Commit(_ context.Context, r *pb.CommitRequest) (*pb.CommitResponse, error) {
	db, err := s.openDatabase(r.GetDatabase())
	if err != nil {
		return nil, err
	}
	writes := make([]*write, len(r.GetWrites()))
	for i, w := range r.GetWrites() {
		if writes[i], err = parseWrite(db.name, w); err != nil {
			return nil, err
		}
	}
	results, at, err := db.commit(r.GetTransaction(), writes)
	if err != nil {
		return nil, err
	}
	return &pb.CommitResponse{WriteResults: results, CommitTime: at.proto()}, nil
}

// BatchWrite applies each write on its own.
func (s *service) BatchWrite(_ context.Context, r *pb.BatchWriteRequest) (*pb.BatchWriteResponse, error) {
	db, err := s.openDatabase(r.GetDatabase())
	if err != nil {
		return nil, err
	}
	written := map[string]bool{}
	answer := &pb.BatchWriteResponse{}
	var writes []*write
	for _, w := range r.GetWrites() {
		parsed, err := parseWrite(db.name, w)
		if err != nil {
			return nil, err
		}
		if written[parsed.path] {
			return nil, invalid("the same document cannot be written more than once in a single request")
		}
		written[parsed.path] = true
		writes = append(writes, parsed)
	}
	for _, w := range writes {
		result := &pb.WriteResult{}
		results, _, err := db.commit(nil, []*write{w})
		if err == nil {
			result = results[0]
		}
		answer.WriteResults = append(answer.WriteResults, result)
		answer.Status = append(answer.Status, status.Convert(err).Proto())
	}
	return answer, nil
}

// BeginTransaction opens a transaction.
func (s *service) BeginTransaction(_ context.Context, r *pb.BeginTransactionRequest) (*pb.BeginTransactionResponse, error) {
	db, err := s.openDatabase(r.GetDatabase())
	if err != nil {
		return nil, err
	}
	return &pb.BeginTransactionResponse{Transaction: db.begin(r.GetOptions())}, nil
}

// Rollback ends a transaction that wrote nothing.
func (s *service) Rollback(_ context.Context, r *pb.RollbackRequest) (*emptypb.Empty, error) {
	db, err := s.openDatabase(r.GetDatabase())
	if err != nil {
		return nil, err
	}
	return &emptypb.Empty{}, db.rollback(r.GetTransaction())
}

// BatchGetDocuments answers each document once, in the order first asked.
func (s *service) BatchGetDocuments(r *pb.BatchGetDocumentsRequest, stream pb.Firestore_BatchGetDocumentsServer) error {
	db, err := s.openDatabase(r.GetDatabase())
	if err != nil {
		return err
	}
	m, err := maskFromProto(r.GetMask())
	if err != nil {
		return err
	}
	paths, err := uniquePaths(db.name, r.GetDocuments())
	if err != nil {
		return err
	}
	id := r.GetTransaction()
	if options := r.GetNewTransaction(); options != nil {
		id = db.begin(options)
		if err := stream.Send(&pb.BatchGetDocumentsResponse{Transaction: id}); err != nil {
			return err
		}
	}
	hits, at, err := db.read(id, func(t tree) []hit { return t.lookUp(paths) })
	if err != nil {
		return err
	}
	s.reads.add(Reads{Documents: len(paths)})
	for i, h := range hits {
		answer := &pb.BatchGetDocumentsResponse{ReadTime: at.proto()}
		if h.document == nil {
			answer.Result = &pb.BatchGetDocumentsResponse_Missing{Missing: db.documentName(paths[i])}
		} else {
			answer.Result = &pb.BatchGetDocumentsResponse_Found{Found: h.proto(m)}
		}
		if err := stream.Send(answer); err != nil {
			return err
		}
	}
	return nil
}

func uniquePaths(database string, names []string) ([]string, error) {
	var paths []string
	seen := map[string]bool{}
	for _, name := range names {
		path, err := pathIn(database, name)
		if err != nil {
			return nil, err
		}
		if !seen[path] {
			paths = append(paths, path)
		}
		seen[path] = true
	}
	return paths, nil
}

// lookUp returns a hit for each path, an empty one where nothing is.
func (t tree) lookUp(paths []string) []hit {
	hits := make([]hit, len(paths))
	for i, path := range paths {
		hits[i].document = t.doc(path)
	}
	return hits
}

// errNoListen is the answer to all who want to be told of changes.
var errNoListen = status.New(codes.Unimplemented, "this emulator does not serve Listen: poll with Get or a query instead")

// Listen is refused: the emulator keeps no streams of changes. It takes the
// request first, as the client learns the reason only when its send went well, and
// says that it removes the target before it ends the call: Google's client for Node
// would take the end alone for a broken stream, and try again for ever.
func (s *service) Listen(stream pb.Firestore_ListenServer) error {
	r, err := stream.Recv()
	if err != nil {
		return err
	}
	if target := r.GetAddTarget(); target != nil {
		removed := &pb.TargetChange{
			TargetChangeType: pb.TargetChange_REMOVE,
			TargetIds:        []int32{target.GetTargetId()},
			Cause:            errNoListen.Proto(),
		}
		if err := stream.Send(&pb.ListenResponse{ResponseType: &pb.ListenResponse_TargetChange{TargetChange: removed}}); err != nil {
			return err
		}
	}
	return errNoListen.Err()
}

package firestore

import (
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

// RunQuery streams one answer per result, and one without a document when
// there is none.
func (s *service) RunQuery(r *pb.RunQueryRequest, stream pb.Firestore_RunQueryServer) error {
	database, parent, err := parseParent(r.GetParent())
	if err != nil {
		return err
	}
	p, err := newPlan(parent, r.GetStructuredQuery())
	if err != nil {
		return err
	}
	s.indexes.note(p)
	db, id := s.store.database(database), r.GetTransaction()
	if options := r.GetNewTransaction(); options != nil {
		id = db.begin(options)
		if err := stream.Send(&pb.RunQueryResponse{Transaction: id}); err != nil {
			return err
		}
	}
	hits, at, err := db.read(id, p.run)
	if err != nil {
		return err
	}
	s.reads.ofQuery(p, hits)
	for _, h := range hits {
		if err := stream.Send(&pb.RunQueryResponse{Document: p.answer(h), ReadTime: at.proto()}); err != nil {
			return err
		}
	}
	if len(hits) > 0 {
		return nil
	}
	return stream.Send(&pb.RunQueryResponse{ReadTime: at.proto()})
}

// RunAggregationQuery answers once.
func (s *service) RunAggregationQuery(r *pb.RunAggregationQueryRequest, stream pb.Firestore_RunAggregationQueryServer) error {
	database, parent, err := parseParent(r.GetParent())
	if err != nil {
		return err
	}
	query := r.GetStructuredAggregationQuery()
	aggregations, fields, err := parseAggregations(query.GetAggregations())
	if err != nil {
		return err
	}
	p, err := newPlan(parent, query.GetStructuredQuery(), fields...)
	if err != nil {
		return err
	}
	s.indexes.note(p)
	db, id := s.store.database(database), r.GetTransaction()
	answer := &pb.RunAggregationQueryResponse{}
	if options := r.GetNewTransaction(); options != nil {
		id = db.begin(options)
		answer.Transaction = id
	}
	hits, at, err := db.read(id, p.run)
	if err != nil {
		return err
	}
	s.reads.ofAggregation(hits)
	totals := map[string]*pb.Value{}
	for _, a := range aggregations {
		totals[a.alias] = toProto(a.over(hits))
	}
	answer.Result, answer.ReadTime = &pb.AggregationResult{AggregateFields: totals}, at.proto()
	return stream.Send(answer)
}

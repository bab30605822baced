package firestore

import (
	"context"
	"encoding/base64"
	"slices"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

const defaultPageSize = 300

// ListDocuments lists a collection by name, with ShowMissing also the names
// of documents that do not exist and have documents below them. No other
// order is served.
func (s *service) ListDocuments(_ context.Context, r *pb.ListDocumentsRequest) (*pb.ListDocumentsResponse, error) {
	database, parent, err := parseParent(r.GetParent())
	if err != nil {
		return nil, err
	}
	if order := r.GetOrderBy(); order != "" && order != nameField {
		return nil, invalid("this emulator lists documents by name only, not by %q", order)
	}
	if err := checkCollectionID(r.GetCollectionId()); err != nil {
		return nil, err
	}
	m, err := maskFromProto(r.GetMask())
	if err != nil {
		return nil, err
	}
	after, err := parsePageToken(r.GetPageToken())
	if err != nil {
		return nil, err
	}
	db := s.store.database(database)
	hits, _, err := db.read(r.GetTransaction(), func(t tree) []hit {
		return db.list(t, parent, r.GetCollectionId(), after, r.GetShowMissing())
	})
	if err != nil {
		return nil, err
	}
	answer := &pb.ListDocumentsResponse{}
	size := pageSize(r.GetPageSize())
	if len(hits) > size {
		hits = hits[:size]
		answer.NextPageToken = pageToken(hits[size-1].path)
	}
	s.reads.add(Reads{Documents: max(1, len(hits))})
	for _, h := range hits {
		answer.Documents = append(answer.Documents, h.listed(m))
	}
	return answer, nil
}

// listed is proto for a document that may be missing: it then has no times.
func (h hit) listed(m mask) *pb.Document {
	if h.missing() {
		return &pb.Document{Name: h.name}
	}
	return h.proto(m)
}

// list returns the documents of a collection behind the path after.
func (db *database) list(t tree, parent, id, after string, missing bool) []hit {
	var hits []hit
	for _, d := range t.scan(parent, id, false) {
		hits = append(hits, hit{document: d})
	}
	if missing && id != "" {
		for _, path := range t.missing(joinPath(parent, id)) {
			hits = append(hits, hit{document: &document{name: db.documentName(path), path: path}})
		}
		slices.SortFunc(hits, func(a, b hit) int { return comparePaths(a.path, b.path) })
	}
	return slices.DeleteFunc(hits, func(h hit) bool { return after != "" && comparePaths(h.path, after) <= 0 })
}

// ListCollectionIds lists the collections right under a document or the root.
func (s *service) ListCollectionIds(_ context.Context, r *pb.ListCollectionIdsRequest) (*pb.ListCollectionIdsResponse, error) {
	database, parent, err := parseParent(r.GetParent())
	if err != nil {
		return nil, err
	}
	after, err := parsePageToken(r.GetPageToken())
	if err != nil {
		return nil, err
	}
	db := s.store.database(database)
	db.mu.RLock()
	ids := db.tree.collectionIDs(parent)
	db.mu.RUnlock()
	ids = slices.DeleteFunc(ids, func(id string) bool { return after != "" && compareIDs(id, after) <= 0 })
	answer := &pb.ListCollectionIdsResponse{CollectionIds: ids}
	if size := pageSize(r.GetPageSize()); len(ids) > size {
		answer.CollectionIds, answer.NextPageToken = ids[:size], pageToken(ids[size-1])
	}
	return answer, nil
}

func pageSize(asked int32) int {
	if asked <= 0 {
		return defaultPageSize
	}
	return int(asked)
}

// pageToken names the last entry of a page.
func pageToken(last string) string {
	return base64.URLEncoding.EncodeToString([]byte(last))
}

func parsePageToken(token string) (after string, err error) {
	last, err := base64.URLEncoding.DecodeString(token)
	if err != nil {
		return "", invalid("invalid page token")
	}
	return string(last), nil
}

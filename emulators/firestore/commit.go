package firestore

import (
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

// A stage collects the documents a commit leaves behind, by path; a nil one is
// deleted. Nothing is stored before the whole commit has passed.
type stage struct {
	db   *database
	at   timestamp
	docs map[string]*document
}

// commit applies all writes or none; id is the transaction or empty.
func (db *database) commit(id []byte, writes []*write) ([]*pb.WriteResult, timestamp, error) {
	db.mu.Lock()
	results, at, changed, err := db.commitLocked(id, writes)
	db.mu.Unlock()
	if changed {
		db.store.changed()
	}
	return results, at, err
}

func (db *database) commitLocked(id []byte, writes []*write) ([]*pb.WriteResult, timestamp, bool, error) {
	if len(id) > 0 {
		if err := db.finish(id, len(writes)); err != nil {
			return nil, 0, false, err
		}
	}
	s := stage{db: db, at: db.store.clock.tick(), docs: map[string]*document{}}
	results := make([]*pb.WriteResult, len(writes))
	for i, w := range writes {
		transformed, err := s.apply(w)
		if err != nil {
			return nil, 0, false, err
		}
		results[i] = &pb.WriteResult{TransformResults: transformed}
	}
	changed := s.store()
	for i, w := range writes {
		if d := s.docs[w.path]; d != nil {
			results[i].UpdateTime = d.updated.proto()
		}
	}
	return results, s.at, changed, nil
}

// apply stages the outcome of w and returns what its transforms made.
func (s *stage) apply(w *write) ([]*pb.Value, error) {
	current, staged := s.docs[w.path]
	if !staged {
		current = s.db.tree.doc(w.path)
	}
	if err := w.check(s.db.documentName(w.path), current); err != nil {
		return nil, err
	}
	if w.delete {
		s.docs[w.path] = nil
		return nil, nil
	}
	next := &document{name: s.db.documentName(w.path), created: s.at, updated: s.at}
	next.path = w.path
	var old object
	if current != nil {
		next.created, old = current.created, current.fields
	}
	var results []*pb.Value
	next.fields, results = w.apply(old, s.at)
	s.docs[w.path] = next
	return results, checkSize(next)
}

// store moves the staged documents into the tree and reports whether that
// changed it. A document that came out as it was keeps its version.
func (s *stage) store() bool {
	changed := false
	for path, d := range s.docs {
		old := s.db.tree.doc(path)
		switch {
		case d == nil && old == nil:
			continue
		case d == nil:
			s.db.tree.remove(path)
		case old != nil && old.created == d.created && identical(old.fields, d.fields):
			s.docs[path] = old
			continue
		default:
			s.db.tree.put(d)
		}
		changed = true
	}
	return changed
}

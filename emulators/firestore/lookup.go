package firestore

import (
	"slices"
	"sync"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

// An equality is a text, or true or false, that a query wants a field to have.
type equality struct {
	path  fieldPath
	value value
}

// equalitiesIn returns the equalities that every document which passes a filter meets.
func equalitiesIn(f *pb.StructuredQuery_Filter) []equality {
	if field := f.GetFieldFilter(); field.GetOp() == pb.StructuredQuery_FieldFilter_EQUAL {
		var wanted value
		switch v := field.GetValue().GetValueType().(type) {
		case *pb.Value_StringValue:
			wanted = v.StringValue
		case *pb.Value_BooleanValue:
			wanted = v.BooleanValue
		}
		if path, err := parseFieldPath(field.GetField().GetFieldPath()); err == nil && wanted != nil {
			return []equality{{path, wanted}}
		}
	}
	var all []equality
	if f.GetCompositeFilter().GetOp() == pb.StructuredQuery_CompositeFilter_AND {
		for _, sub := range f.GetCompositeFilter().GetFilters() {
			all = append(all, equalitiesIn(sub)...)
		}
	}
	return all
}

// lookups have the documents of a collection by the value of a field, so that a query for
// one of very many is no scan. The first query that names a field makes its lookup.
type lookups struct {
	mu     sync.Mutex
	fields map[string]lookup // by path
}

// A lookup is that of one field.
type lookup struct {
	path fieldPath
	docs map[value]map[*document]bool // by text, true or false
}

// find returns in name order those of docs, the whole collection, that meet the
// equality which the fewest of them meet.
func (l *lookups) find(docs []*document, wanted []equality) []*document {
	l.mu.Lock()
	defer l.mu.Unlock()
	var fewest map[*document]bool
	for i, w := range wanted {
		if found := l.field(w.path, docs).docs[w.value]; i == 0 || len(found) < len(fewest) {
			fewest = found
		}
	}
	if len(fewest) == len(docs) {
		return docs
	}
	found := make([]*document, 0, len(fewest))
	for d := range fewest {
		found = append(found, d)
	}
	slices.SortFunc(found, func(a, b *document) int { return compareIDs(a.id(), b.id()) })
	return found
}

// field returns the lookup of a field, made of docs if there was none. l.mu is held.
func (l *lookups) field(path fieldPath, docs []*document) lookup {
	name := path.String()
	if of, ok := l.fields[name]; ok {
		return of
	}
	of := lookup{path, map[value]map[*document]bool{}}
	for _, d := range docs {
		of.put(d)
	}
	if l.fields == nil {
		l.fields = map[string]lookup{}
	}
	l.fields[name] = of
	return of
}

// replace puts a document in the place of another; either may be nil.
func (l *lookups) replace(old, d *document) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, of := range l.fields {
		of.remove(old)
		of.put(d)
	}
}

// move hands the lookups over: what they are taken from makes its own when it is asked.
func (l *lookups) move(from *lookups) {
	from.mu.Lock()
	defer from.mu.Unlock()
	l.fields, from.fields = from.fields, nil
}

// of returns the text, true or false that d has in the field, nil if none; a document may be
// nil.
func (l lookup) of(d *document) value {
	if d == nil {
		return nil
	}
	switch v, _ := d.get(l.path); v.(type) {
	case string, bool:
		return v
	}
	return nil
}

func (l lookup) put(d *document) {
	v := l.of(d)
	if v == nil {
		return
	}
	if l.docs[v] == nil {
		l.docs[v] = map[*document]bool{}
	}
	l.docs[v][d] = true
}

func (l lookup) remove(d *document) {
	v := l.of(d)
	if v == nil {
		return
	}
	delete(l.docs[v], d)
	if len(l.docs[v]) == 0 {
		delete(l.docs, v)
	}
}

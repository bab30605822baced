package firestore

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

// An equality is a text, or true or false, that a query wants a field to have.
type equality struct {
	path  fieldPath
	value value
}

// equalitiesIn returns lists of equalities: every document which passes a filter meets one of each
// list. Whole says that every document which does so passes.
func equalitiesIn(f *pb.StructuredQuery_Filter) (all [][]equality, whole bool) {
	composite := f.GetCompositeFilter()
	if composite.GetOp() != pb.StructuredQuery_CompositeFilter_AND {
		one := alternativesIn(f)
		return [][]equality{one}[:min(len(one), 1)], one != nil
	}
	whole = true
	for _, sub := range composite.GetFilters() {
		of, wholly := equalitiesIn(sub)
		all, whole = append(all, of...), whole && wholly
	}
	return all, whole
}

// alternativesIn returns the equalities of which a document meets one if, and only if, it passes a
// filter; nil for a filter of another kind.
func alternativesIn(f *pb.StructuredQuery_Filter) (all []equality) {
	field, composite := f.GetFieldFilter(), f.GetCompositeFilter()
	var operands []*pb.Value
	switch {
	case field.GetOp() == pb.StructuredQuery_FieldFilter_EQUAL:
		operands = []*pb.Value{field.GetValue()}
	case field.GetOp() == pb.StructuredQuery_FieldFilter_IN:
		operands = field.GetValue().GetArrayValue().GetValues()
	case composite.GetOp() == pb.StructuredQuery_CompositeFilter_OR:
		for _, sub := range composite.GetFilters() {
			one := alternativesIn(sub)
			if one == nil {
				return nil
			}
			all = append(all, one...)
		}
		return all
	}
	for _, operand := range operands {
		var wanted value
		switch v := operand.GetValueType().(type) {
		case *pb.Value_StringValue:
			wanted = v.StringValue
		case *pb.Value_BooleanValue:
			wanted = v.BooleanValue
		}
		path, err := parseFieldPath(field.GetField().GetFieldPath())
		if err != nil || wanted == nil || path.isName() {
			return nil
		}
		all = append(all, equality{path, wanted})
	}
	return all
}

// lookups have the documents of a collection by the value of a field, so that a query for
// one of very many is no scan. The first query that names a field makes its lookup.
type lookups struct {
	mu     sync.Mutex
	fields map[string]lookup      // by path
	found  map[string][]*document // what find returned since the last change: pages of a query ask again
}

// maxFound is how many results of find are kept.
const maxFound = 32

// A lookup is that of one field.
type lookup struct {
	path fieldPath
	docs map[value]map[*document]bool // by text, true or false
}

// find returns in name order those of docs, the whole collection, that meet one of each list of
// equalities.
func (l *lookups) find(docs []*document, wanted [][]equality) []*document {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := fmt.Sprintf("%#v", wanted)
	found, again := l.found[key]
	if again {
		return found
	}
	var lists []alternatives
	for _, of := range wanted {
		one := alternatives{}
		for _, w := range of {
			with := l.field(w.path, docs).docs[w.value]
			one.sets, one.size = append(one.sets, with), one.size+len(with)
		}
		if len(one.sets) > 1 || one.size < len(docs) { // not one that all documents meet
			lists = append(lists, one)
		}
	}
	if len(lists) == 0 {
		return docs
	}
	slices.SortFunc(lists, func(a, b alternatives) int { return cmp.Compare(a.size, b.size) })
	for i, set := range lists[0].sets {
		for d := range set {
			twice := alternatives{sets: lists[0].sets[:i]}.have(d)
			if !twice && !slices.ContainsFunc(lists[1:], func(of alternatives) bool { return !of.have(d) }) {
				found = append(found, d)
			}
		}
	}
	slices.SortFunc(found, func(a, b *document) int { return compareIDs(a.id(), b.id()) })
	if l.found == nil || len(l.found) == maxFound {
		l.found = map[string][]*document{}
	}
	l.found[key] = found
	return found
}

// alternatives are the documents that meet each of a list of equalities, and how many at most meet
// one.
type alternatives struct {
	sets []map[*document]bool
	size int
}

func (a alternatives) have(d *document) bool {
	return slices.ContainsFunc(a.sets, func(set map[*document]bool) bool { return set[d] })
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
	l.found = nil
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

package firestore

import (
	"slices"
	"sort"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

// A plan is a checked query. Its steps, in the order they are taken:
//
//	collections → where → order → cursors → nearest → offset, limit
type plan struct {
	parent      string
	collection  string // ID; "" any
	descendants bool
	where       predicate
	named       []string     // paths of the only documents that where can admit; nil if it names none
	equalities  [][]equality // one of each list is met by all that where admits
	equal       bool         // and where admits all that meet them
	filters     filters      // what where uses
	aggregated  []fieldPath  // fields that are added up
	orders      []order
	start, end  *cursor
	nearest     *nearest
	offset      int
	limit       int // negative: none
	mask        mask
}

// newPlan checks q, asked below parent. The results are ordered by the
// aggregated fields too, so that documents without one are left out.
func newPlan(parent string, q *pb.StructuredQuery, aggregated ...fieldPath) (*plan, error) {
	p := &plan{parent: parent, aggregated: aggregated, limit: -1, offset: int(q.GetOffset())}
	if q.GetLimit() != nil {
		p.limit = int(q.GetLimit().GetValue())
		if p.limit < 0 {
			return nil, invalid("limit is negative")
		}
	}
	if p.offset < 0 {
		return nil, invalid("offset is negative")
	}
	for _, step := range []func(*pb.StructuredQuery) error{
		p.parseFrom, p.parseSelect, p.parseWhere, p.parseOrders, p.parseCursors, p.parseNearest,
	} {
		if err := step(q); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *plan) parseFrom(q *pb.StructuredQuery) error {
	if len(q.GetFrom()) > 1 {
		return invalid("StructuredQuery.from cannot have more than one collection selector.")
	}
	for _, from := range q.GetFrom() {
		p.collection, p.descendants = from.GetCollectionId(), from.GetAllDescendants()
	}
	return checkCollectionID(p.collection)
}

func checkCollectionID(id string) error {
	switch {
	case strings.Contains(id, "/"):
		return invalid("Collection id %q is invalid because it contains \"/\".", id)
	case reserved(id):
		return invalid("Collection id %q is invalid because it is reserved.", id)
	}
	return nil
}

func (p *plan) parseSelect(q *pb.StructuredQuery) (err error) {
	if q.GetSelect() == nil {
		return nil
	}
	p.mask, err = newMask(func(yield func(string) bool) {
		for _, f := range q.GetSelect().GetFields() {
			if !yield(f.GetFieldPath()) {
				return
			}
		}
	})
	return err
}

func (p *plan) parseWhere(q *pb.StructuredQuery) (err error) {
	if q.GetWhere() == nil {
		p.where = func(*document) bool { return true }
		return nil
	}
	if p.where, err = p.filters.parse(q.GetWhere()); err != nil {
		return err
	}
	p.named = namedIn(q.GetWhere())
	p.equalities, p.equal = equalitiesIn(q.GetWhere())
	return p.filters.check(q.GetWhere())
}

// run finds the plan's documents in t. It does the same work each time.
func (p *plan) run(t tree) []hit {
	rows := p.rows(t)
	if p.nearest != nil {
		return p.nearest.rank(rows)
	}
	hits := make([]hit, len(rows))
	for i, r := range rows {
		hits[i].document = r.document
	}
	hits = hits[min(p.offset, len(hits)):]
	if p.limit >= 0 {
		hits = hits[:min(p.limit, len(hits))]
	}
	return hits
}

// rows returns in order what lies between the cursors.
func (p *plan) rows(t tree) []row {
	var rows []row
	candidates, admitted := p.candidates(t)
	for _, d := range candidates[p.first(candidates):] {
		if !admitted && !p.where(d) {
			continue
		}
		if p.byName() && p.nearest == nil && p.limit >= 0 && len(rows) >= p.offset+p.limit {
			break
		}
		if r, ok := p.row(d); ok && p.start.admits(r, p.orders) && p.end.admits(r, p.orders) {
			rows = append(rows, r)
		}
	}
	if !p.byName() {
		slices.SortFunc(rows, func(a, b row) int { return compareKeys(a.keys, b.keys, p.orders) })
	}
	return rows
}

// first returns the place of the first candidate behind the start, if they are in the order of the
// results; otherwise 0.
func (p *plan) first(candidates []*document) int {
	if !p.byName() || p.start == nil {
		return 0
	}
	return sort.Search(len(candidates), func(i int) bool {
		r, _ := p.row(candidates[i])
		return p.start.admits(r, p.orders)
	})
}

// byName reports whether the results are ordered by their names alone, as candidates are.
func (p *plan) byName() bool { return len(p.orders) == 1 && !p.orders[0].descending }

// candidates returns the documents of t to look at, in name order: those that are named or
// looked up, which need no scan, or all of the collections. If they are admitted, where is true of
// each.
func (p *plan) candidates(t tree) (docs []*document, admitted bool) {
	switch one := !p.descendants && p.collection != ""; {
	case one && p.named != nil:
		return p.called(t), false
	case one && len(p.equalities) > 0:
		return t.having(joinPath(p.parent, p.collection), p.equalities), p.equal
	}
	return t.scan(p.parent, p.collection, p.descendants), false
}

// called returns the documents of t that are named, in name order.
func (p *plan) called(t tree) []*document {
	var docs []*document
	for _, path := range p.named {
		if above, _ := splitPath(path); above != joinPath(p.parent, p.collection) {
			continue
		}
		if d := t.doc(path); d != nil && !slices.Contains(docs, d) {
			docs = append(docs, d)
		}
	}
	slices.SortFunc(docs, func(a, b *document) int { return comparePaths(a.path, b.path) })
	return docs
}

// namedIn returns the paths of the documents that a filter names, one of which a
// document must have to pass it; nil for a filter that names none.
func namedIn(f *pb.StructuredQuery_Filter) []string {
	field := f.GetFieldFilter()
	if path, err := parseFieldPath(field.GetField().GetFieldPath()); err == nil && path.isName() {
		switch field.GetOp() {
		case pb.StructuredQuery_FieldFilter_EQUAL:
			return pathsOf(field.GetValue())
		case pb.StructuredQuery_FieldFilter_IN:
			return pathsOf(field.GetValue().GetArrayValue().GetValues()...)
		}
	}
	if f.GetCompositeFilter().GetOp() != pb.StructuredQuery_CompositeFilter_AND {
		return nil
	}
	for _, sub := range f.GetCompositeFilter().GetFilters() {
		if named := namedIn(sub); named != nil {
			return named
		}
	}
	return nil
}

// pathsOf returns the paths that references name.
func pathsOf(references ...*pb.Value) []string {
	paths := []string{}
	for _, r := range references {
		if _, path, err := parseDocument("", r.GetReferenceValue()); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// row looks up the fields that d is ordered by; it fails when d lacks one.
func (p *plan) row(d *document) (row, bool) {
	if p.byName() && p.start == nil && p.end == nil {
		return row{document: d}, true // nothing compares it
	}
	keys := make([]value, len(p.orders))
	for i, o := range p.orders {
		v, ok := d.get(o.path)
		if !ok {
			return row{}, false
		}
		keys[i] = v
	}
	return row{d, keys}, true
}

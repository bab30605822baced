package firestore

import (
	"slices"
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
	filters     filters     // what where uses
	aggregated  []fieldPath // fields that are added up
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
	for _, d := range t.scan(p.parent, p.collection, p.descendants) {
		if !p.where(d) {
			continue
		}
		if r, ok := p.row(d); ok && p.start.admits(r, p.orders) && p.end.admits(r, p.orders) {
			rows = append(rows, r)
		}
	}
	if byName := len(p.orders) == 1 && !p.orders[0].descending; !byName {
		slices.SortFunc(rows, func(a, b row) int { return compareKeys(a.keys, b.keys, p.orders) })
	}
	return rows
}

// row looks up the fields that d is ordered by; it fails when d lacks one.
func (p *plan) row(d *document) (row, bool) {
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

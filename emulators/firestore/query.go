package firestore

import (
	"cmp"
	"slices"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

// A plan is a checked query. Its steps, in the order they are taken:
//
//	collections → where → fields present → order → cursors → nearest → offset, limit
type plan struct {
	parent      string
	collection  string // ID; "" any
	descendants bool
	where       predicate
	present     []fieldPath // fields a result must have
	orders      []order
	start, end  *cursor
	nearest     *nearest
	offset      int
	limit       int // negative: none
	mask        mask
}

// newPlan checks q, asked below parent. Documents without a field of present
// are left out.
func newPlan(parent string, q *pb.StructuredQuery, present ...fieldPath) (*plan, error) {
	p := &plan{parent: parent, present: present, limit: -1, offset: int(q.GetOffset())}
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

// parseWhere also takes down the fields of inequalities: results are ordered
// by them, behind what order_by says.
func (p *plan) parseWhere(q *pb.StructuredQuery) error {
	if q.GetWhere() == nil {
		p.where = func(*document) bool { return true }
		return nil
	}
	f := filters{}
	where, err := f.parse(q.GetWhere())
	if err != nil {
		return err
	}
	p.where = where
	slices.SortFunc(f.inequalities, func(a, b fieldPath) int { return cmp.Compare(a.String(), b.String()) })
	for _, path := range f.inequalities {
		p.orders = append(p.orders, order{path: path})
	}
	return f.check(q.GetWhere())
}

// parseOrders completes the order: what order_by says, the fields of
// inequalities, the name; the added ones in the last given direction.
func (p *plan) parseOrders(q *pb.StructuredQuery) error {
	implied := p.orders
	p.orders = nil
	for _, o := range q.GetOrderBy() {
		parsed, err := parseOrder(o)
		if err != nil {
			return err
		}
		if p.orderedBy(nameField) {
			return invalid("order by clause cannot contain more fields after the key")
		}
		if p.orderedBy(parsed.path.String()) {
			return invalid("order by clause cannot contain duplicate fields %s", parsed.path)
		}
		p.orders = append(p.orders, parsed)
	}
	descending := len(p.orders) > 0 && p.orders[len(p.orders)-1].descending
	for _, o := range append(implied, order{path: fieldPath{nameField}}) {
		if !p.orderedBy(nameField) && !p.orderedBy(o.path.String()) {
			p.orders = append(p.orders, order{o.path, descending})
		}
	}
	return nil
}

func (p *plan) orderedBy(field string) bool {
	return slices.ContainsFunc(p.orders, func(o order) bool { return o.path.String() == field })
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
		if !p.where(d) || !hasAll(d, p.present) {
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

func hasAll(d *document, paths []fieldPath) bool {
	for _, path := range paths {
		if _, ok := d.get(path); !ok {
			return false
		}
	}
	return true
}

package firestore

import (
	"cmp"
	"slices"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

// An order sorts by one field.
type order struct {
	path       fieldPath
	descending bool
}

// A row is a document with its values of the fields a plan orders by.
type row struct {
	*document
	keys []value
}

func parseOrder(o *pb.StructuredQuery_Order) (order, error) {
	path, err := parseFieldPath(o.GetField().GetFieldPath())
	return order{path, o.GetDirection() == pb.StructuredQuery_DESCENDING}, err
}

// parseOrders reads order_by and completes it.
func (p *plan) parseOrders(q *pb.StructuredQuery) error {
	for _, o := range q.GetOrderBy() {
		parsed, err := parseOrder(o)
		if err != nil {
			return err
		}
		if p.orderedBy(fieldPath{nameField}) {
			return invalid("order by clause cannot contain more fields after the key")
		}
		if p.orderedBy(parsed.path) {
			return invalid("order by clause cannot contain duplicate fields %s", parsed.path)
		}
		p.orders = append(p.orders, parsed)
	}
	return p.implyOrders()
}

// implyOrders adds what results are also ordered by: the fields of
// inequalities, those that are added up and the name, each in the direction of
// the last given one. Documents without one of the fields are no results.
func (p *plan) implyOrders() error {
	descending := len(p.orders) > 0 && p.orders[len(p.orders)-1].descending
	name := fieldPath{nameField}
	byName := p.orderedBy(name)
	for _, path := range sorted(p.filters.inequalities) {
		switch {
		case p.orderedBy(path) || path.isName():
			continue
		case byName:
			return invalid("order by clause cannot contain more fields after the key")
		}
		p.orders = append(p.orders, order{path, descending})
	}
	for _, path := range sorted(p.aggregated) {
		switch {
		case p.orderedBy(path):
			continue
		case byName || p.filters.named:
			return invalid("This query requires an index that has fields [%s] after __name__ and Firestore does not currently support such an index. Please try the query again with additional ordering on those fields.", path)
		}
		p.orders = append(p.orders, order{path, descending})
	}
	if !byName {
		p.orders = append(p.orders, order{name, descending})
	}
	return nil
}

func (p *plan) orderedBy(path fieldPath) bool {
	return slices.ContainsFunc(p.orders, func(o order) bool { return slices.Equal(o.path, path) })
}

// sorted returns paths in the order in which they are implied.
func sorted(paths []fieldPath) []fieldPath {
	return slices.SortedFunc(slices.Values(paths), func(a, b fieldPath) int { return cmp.Compare(a.String(), b.String()) })
}

// compareKeys compares as far as the shorter of a and b goes.
func compareKeys(a, b []value, orders []order) int {
	for i := range min(len(a), len(b)) {
		c := compareValues(a[i], b[i])
		if orders[i].descending {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// A cursor cuts the ordered rows at a position: the values of the first few
// fields they are ordered by.
type cursor struct {
	keys   []value
	before bool // the cut is before equal rows, not after them
	start  bool // rows behind the cut stay, not those in front
}

// admits reports that r lies on the side of the cut that stays.
func (c *cursor) admits(r row, orders []order) bool {
	if c == nil {
		return true
	}
	behind := compareKeys(r.keys, c.keys, orders)
	if behind == 0 {
		return c.before == c.start
	}
	return behind > 0 == c.start
}

func (p *plan) parseCursors(q *pb.StructuredQuery) (err error) {
	if p.start, err = p.parseCursor(q.GetStartAt(), len(q.GetOrderBy())); err != nil {
		return err
	}
	if p.start != nil {
		p.start.start = true
	}
	p.end, err = p.parseCursor(q.GetEndAt(), len(q.GetOrderBy()))
	return err
}

// parseCursor allows as many values as order_by has fields.
func (p *plan) parseCursor(c *pb.Cursor, most int) (*cursor, error) {
	if c == nil {
		return nil, nil
	}
	if len(c.GetValues()) > most {
		return nil, invalid("Cursor has too many values.")
	}
	parsed := &cursor{before: c.GetBefore()}
	for i, v := range c.GetValues() {
		key, err := fromProto("", v, 1)
		if err != nil {
			return nil, err
		}
		if _, ok := key.(reference); !ok && p.orders[i].path.isName() {
			return nil, invalid("Cursor __key__ value is not a document reference.")
		}
		parsed.keys = append(parsed.keys, key)
	}
	return parsed, nil
}

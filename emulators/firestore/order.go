package firestore

import (
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

package firestore

import (
	"slices"
	"strings"
	"sync"
)

// An Index is a composite or vector index that a query would need in production,
// where Firestore refuses the query without it. Here none is needed.
// https://firebase.google.com/docs/firestore/query-data/index-overview
type Index struct {
	Collection string   // ID
	Equal      []string // fields compared by ==, in any order; sorted
	Ordered    []string // fields behind them, in order: "finished_at DESCENDING"
	Vector     string   // the field searched by FindNearest, or ""
	Dimension  int      // of the vector
}

// String is i on a line: "work: source == | finished_at DESCENDING".
func (i Index) String() string {
	parts := []string{i.Collection + ":"}
	for _, f := range i.Equal {
		parts = append(parts, f+" ==")
	}
	parts = append(parts, i.Ordered...)
	if i.Vector != "" {
		parts = append(parts, i.Vector+" VECTOR")
	}
	return strings.Join(parts, " ")
}

// indexes gathers what the queries so far would need.
type indexes struct {
	mu     sync.Mutex
	known  []Index
	single []string
}

// Fields returns the fields, as "work.finished_at", whose own index the queries so far
// would need: Firestore has one for every field that is not exempt. An index across all
// collections with one ID, which a query of a collection group needs and no field has
// unless it is asked for, is "items.id (group)".
func (s *Server) Fields() []string {
	s.indexes.mu.Lock()
	defer s.indexes.mu.Unlock()
	return slices.Sorted(slices.Values(s.indexes.single))
}

// Indexes returns the composite and vector indexes that the queries so far would need
// in production. Equalities alone need none: Firestore merges those of single
// fields, as it has one for an order alone.
func (s *Server) Indexes() []Index {
	s.indexes.mu.Lock()
	defer s.indexes.mu.Unlock()
	return slices.Clone(s.indexes.known)
}

// note takes down what p needs.
func (x *indexes) note(p *plan) {
	i, needed := p.index()
	x.mu.Lock()
	defer x.mu.Unlock()
	if !needed {
		x.noteFields(i, p.descendants)
		return
	}
	if !slices.ContainsFunc(x.known, func(k Index) bool { return k.String() == i.String() }) {
		x.known = append(x.known, i)
	}
}

// noteFields takes down the single fields of i, whose own indexes do, of a collection or of
// a group of them.
func (x *indexes) noteFields(i Index, group bool) {
	scope := ""
	if group {
		scope = " (group)"
	}
	for _, f := range slices.Concat(i.Equal, i.Ordered) {
		name, _, _ := strings.Cut(f, " ")
		if field := i.Collection + "." + name + scope; !slices.Contains(x.single, field) {
			x.single = append(x.single, field)
		}
	}
}

// index returns what p asks for in an index, and whether those of single fields do not
// do.
func (p *plan) index() (Index, bool) {
	i := Index{Collection: p.collection}
	for _, path := range p.filters.equalities {
		if !path.isName() && !slices.Contains(i.Equal, path.String()) {
			i.Equal = append(i.Equal, path.String())
		}
	}
	slices.Sort(i.Equal)
	if p.nearest != nil {
		i.Vector, i.Dimension = p.nearest.field.String(), p.nearest.query.len()
		return i, true
	}
	for _, o := range p.orders {
		if o.path.isName() {
			continue
		}
		direction := " ASCENDING"
		if o.descending {
			direction = " DESCENDING"
		}
		i.Ordered = append(i.Ordered, o.path.String()+direction)
	}
	return i, len(i.Ordered) > 1 || len(i.Ordered) == 1 && len(i.Equal) > 0
}

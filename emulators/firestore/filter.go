package firestore

import (
	"slices"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

// A predicate says whether a document passes a filter.
type predicate func(*document) bool

// A test says whether a field's value passes a filter.
type test func(value) bool

const maxDisjunctions = 30 // alternatives of a where clause multiplied out

// filters gathers what a where clause uses, to check it as a whole.
type filters struct {
	equalities   []fieldPath // ==, in
	inequalities []fieldPath
	negations    int // !=, not-in, is-not-null, is-not-nan
	notIn        bool
	anyOf        bool // in, array-contains-any, or
	named        bool // some filter on the name
	nameEqual    bool // == of the name
}

func (f *filters) parse(from *pb.StructuredQuery_Filter) (predicate, error) {
	switch t := from.GetFilterType().(type) {
	case *pb.StructuredQuery_Filter_CompositeFilter:
		return f.parseComposite(t.CompositeFilter)
	case *pb.StructuredQuery_Filter_FieldFilter:
		return f.parseField(t.FieldFilter)
	case *pb.StructuredQuery_Filter_UnaryFilter:
		return f.parseUnary(t.UnaryFilter)
	}
	return nil, invalid("Unknown Filter type.")
}

func (f *filters) parseComposite(c *pb.StructuredQuery_CompositeFilter) (predicate, error) {
	or := c.GetOp() == pb.StructuredQuery_CompositeFilter_OR
	if !or && c.GetOp() != pb.StructuredQuery_CompositeFilter_AND {
		return nil, invalid("Unknown CompositeFilter operator.")
	}
	f.anyOf = f.anyOf || or
	var parts []predicate
	for _, sub := range c.GetFilters() {
		p, err := f.parse(sub)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 && or {
		return nil, invalid("Composite filter must have at least one sub-filter.")
	}
	return func(d *document) bool {
		return or == slices.ContainsFunc(parts, func(p predicate) bool { return p(d) == or })
	}, nil
}

func (f *filters) parseField(c *pb.StructuredQuery_FieldFilter) (predicate, error) {
	path, err := parseFieldPath(c.GetField().GetFieldPath())
	if err != nil {
		return nil, err
	}
	operand, err := fromProto("", c.GetValue(), 1)
	if err != nil {
		return nil, err
	}
	if path.isName() {
		if err := checkNameOperand(c.GetOp(), operand); err != nil {
			return nil, err
		}
	}
	t, err := fieldTest(c.GetOp(), operand)
	f.note(path, c.GetOp())
	return onField(path, t), err
}

// checkNameOperand allows the name to be compared with documents only.
func checkNameOperand(op pb.StructuredQuery_FieldFilter_Operator, operand value) error {
	operands := array{operand}
	switch op {
	case pb.StructuredQuery_FieldFilter_ARRAY_CONTAINS, pb.StructuredQuery_FieldFilter_ARRAY_CONTAINS_ANY:
		return invalid("the name __key__ is reserved")
	case pb.StructuredQuery_FieldFilter_IN, pb.StructuredQuery_FieldFilter_NOT_IN:
		operands, _ = operand.(array)
	}
	for _, o := range operands {
		if _, ok := o.(reference); !ok {
			return invalid("__key__ filter value must be a Key")
		}
	}
	return nil
}

func onField(path fieldPath, t test) predicate {
	return func(d *document) bool {
		v, ok := d.get(path)
		return ok && t(v)
	}
}

// note takes down a field filter for check and for the implied order.
func (f *filters) note(path fieldPath, op pb.StructuredQuery_FieldFilter_Operator) {
	f.named = f.named || path.isName()
	switch op {
	case pb.StructuredQuery_FieldFilter_EQUAL, pb.StructuredQuery_FieldFilter_ARRAY_CONTAINS:
		f.equalities = append(f.equalities, path)
		f.nameEqual = f.nameEqual || path.isName()
		return
	case pb.StructuredQuery_FieldFilter_IN, pb.StructuredQuery_FieldFilter_ARRAY_CONTAINS_ANY:
		f.equalities = append(f.equalities, path)
		f.anyOf = true
		return
	case pb.StructuredQuery_FieldFilter_NOT_IN:
		f.notIn = true
		f.negations++
	case pb.StructuredQuery_FieldFilter_NOT_EQUAL:
		f.negations++
	}
	f.inequalities = append(f.inequalities, path)
}

func (f *filters) parseUnary(u *pb.StructuredQuery_UnaryFilter) (predicate, error) {
	path, err := parseFieldPath(u.GetField().GetFieldPath())
	if err != nil {
		return nil, err
	}
	if path.isName() {
		return nil, invalid("__key__ filter value must be a Key")
	}
	var t test
	switch u.GetOp() {
	case pb.StructuredQuery_UnaryFilter_IS_NULL:
		return onField(path, func(v value) bool { return v == nil }), nil
	case pb.StructuredQuery_UnaryFilter_IS_NAN:
		return onField(path, isNaN), nil
	case pb.StructuredQuery_UnaryFilter_IS_NOT_NULL:
		t = func(v value) bool { return v != nil }
	case pb.StructuredQuery_UnaryFilter_IS_NOT_NAN:
		t = func(v value) bool { return v != nil && !isNaN(v) }
	default:
		return nil, invalid("Unknown UnaryFilter operator.")
	}
	f.negations++
	f.inequalities = append(f.inequalities, path)
	return onField(path, t), nil
}

// check refuses the combinations that the service refuses.
func (f *filters) check(where *pb.StructuredQuery_Filter) error {
	if f.negations > 1 {
		return invalid("Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query.")
	}
	if f.notIn && f.anyOf {
		return invalid("'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'.")
	}
	if f.nameEqual && len(f.inequalities) > 0 && !slices.ContainsFunc(f.inequalities, fieldPath.isName) {
		return invalid("Equality on key is not allowed if there are other inequality fields and key does not appear in inequalities.")
	}
	alternatives, contains := disjunctions(where)
	if contains > 1 {
		return invalid("A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction.")
	}
	if alternatives > maxDisjunctions {
		return invalid("Too many disjunctions after normalization, the maximum is %d", maxDisjunctions)
	}
	return nil
}

// disjunctions counts the alternatives of a filter multiplied out, and the
// array-contains filters of that alternative that has most of them.
func disjunctions(f *pb.StructuredQuery_Filter) (alternatives, contains int) {
	field := f.GetFieldFilter()
	switch field.GetOp() {
	case pb.StructuredQuery_FieldFilter_ARRAY_CONTAINS:
		return 1, 1
	case pb.StructuredQuery_FieldFilter_ARRAY_CONTAINS_ANY:
		return len(field.GetValue().GetArrayValue().GetValues()), 1
	case pb.StructuredQuery_FieldFilter_IN:
		return len(field.GetValue().GetArrayValue().GetValues()), 0
	}
	composite := f.GetCompositeFilter()
	if composite.GetOp() == pb.StructuredQuery_CompositeFilter_OR {
		for _, sub := range composite.GetFilters() {
			n, c := disjunctions(sub)
			alternatives, contains = alternatives+n, max(contains, c)
		}
		return alternatives, contains
	}
	alternatives = 1
	for _, sub := range composite.GetFilters() {
		n, c := disjunctions(sub)
		alternatives, contains = min(alternatives*n, maxDisjunctions+1), contains+c
	}
	return alternatives, contains
}

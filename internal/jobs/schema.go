package jobs

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"
)

// A Schema declares the index fields of an agent's records, beside the fields of every
// record: their names with zero values. Undeclared fields are refused.
type Schema struct {
	Item    Index // of items, written at the first claim
	Outcome Index // of outcomes, by which List filters
}

// An Index holds fields of a record by name, each a string, an int64, a bool or a list of
// strings. They are top-level fields of the document, for Firestore's indexes.
type Index map[string]any

// Text returns the string called name, "" if there is none.
func (i Index) Text(name string) string { v, _ := i[name].(string); return v }

// Number returns the int64 called name, 0 if there is none.
func (i Index) Number(name string) int64 { v, _ := i[name].(int64); return v }

// Flag returns the bool called name, false if there is none.
func (i Index) Flag(name string) bool { v, _ := i[name].(bool); return v }

// For returns a store of the same records with an agent's schema.
func (s *Store) For(schema Schema) (*Store, error) {
	taken := map[string]bool{"": true, "expires_at": true}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[document]()) {
		taken[f.Tag.Get("firestore")] = true
	}
	for _, declared := range []Index{schema.Item, schema.Outcome} {
		for name := range declared {
			if taken[name] {
				return nil, fmt.Errorf("jobs: the index has a field %q, whose name a record has already", name)
			}
			taken[name] = true
		}
	}
	one := *s
	one.schema = schema
	return &one, nil
}

// isList reports whether the declared field called name is a list.
func (declared Index) isList(name string) bool {
	_, list := declared[name].([]string)
	return list
}

// check refuses fields of i that declared does not have, or has with another type.
func (i Index) check(declared Index) error {
	for name, v := range i {
		switch want, ok := declared[name]; {
		case !ok:
			return fmt.Errorf("jobs: the index has no field %q: declare it, or use one of %q", name, slices.Sorted(maps.Keys(declared)))
		case reflect.TypeOf(v) != reflect.TypeOf(want):
			return fmt.Errorf("jobs: the field %q of the index is a %T, not the %T %v", name, want, v, v)
		}
	}
	return nil
}

// size returns the approximate size of i in bytes.
func (i Index) size() int {
	n := 0
	for name := range i {
		list, _ := i[name].([]string)
		n += len(name) + 8 + len(i.Text(name)) + len(strings.Join(list, ""))
	}
	return n
}

// fields returns all declared fields, with zero values for those that i lacks.
func (declared Index) fields(i Index) fields { return fields(declared).with(fields(i)) }

// read returns the declared fields of a document but for its lists, which are for queries alone. A
// missing field, as in a record that a version with another declaration wrote, has its zero value.
func (declared Index) read(snap *firestore.DocumentSnapshot) Index {
	i := maps.Clone(declared)
	for name, zero := range declared {
		if v, err := snap.DataAt(name); err == nil && reflect.TypeOf(v) == reflect.TypeOf(zero) {
			i[name] = v
		}
	}
	return i
}

package jobs

import (
	"fmt"
	"maps"
	"slices"

	"cloud.google.com/go/firestore"
)

// A Schema declares what a room lists its work by, beside what every record has:
// the names of the fields, each with a value that tells its type. What is not
// declared is refused.
type Schema struct {
	Item    Index // of items, written at the first claim
	Outcome Index // of outcomes, by which List filters
}

// An Index holds fields of a record by name. They lie at the top of the document,
// where Firestore's indexes find them.
type Index map[string]Value

// A Value is a Text, a Number or a Flag.
type Value interface{ kind() string }

// The values of an Index.
type (
	Text   string
	Number int64
	Flag   bool
)

func (Text) kind() string   { return "text" }
func (Number) kind() string { return "number" }
func (Flag) kind() string   { return "flag" }

// Text is the text called name, "" if there is none.
func (i Index) Text(name string) string { v, _ := i[name].(Text); return string(v) }

// Number is the number called name, 0 if there is none.
func (i Index) Number(name string) int64 { v, _ := i[name].(Number); return int64(v) }

// Flag is the flag called name, false if there is none.
func (i Index) Flag(name string) bool { v, _ := i[name].(Flag); return bool(v) }

// own are the fields that every record has.
var own = []string{
	"kind", "name", "state", "owner", "beat", "lease_ns", "attempts", "tried_at", "waiting", "kept", "result", "error",
	"cache_key", "subject", "created_at", "finished_at", "expires_at", "forgotten_at",
}

// For returns the same records as a room sees them that lists its work by schema.
func (s *Store) For(schema Schema) (*Store, error) {
	names := slices.Concat(slices.Collect(maps.Keys(schema.Item)), slices.Collect(maps.Keys(schema.Outcome)))
	slices.Sort(names)
	for i, name := range names {
		switch {
		case name == "" || slices.Contains(own, name):
			return nil, fmt.Errorf("jobs: the index has a field %q, whose name a record needs for itself", name)
		case i > 0 && names[i-1] == name:
			return nil, fmt.Errorf("jobs: the index has two fields called %q", name)
		}
	}
	one := *s
	one.schema = schema
	return &one, nil
}

// check refuses fields of i that declared does not have, or has with another type.
func (i Index) check(declared Index) error {
	for name, v := range i {
		switch want, ok := declared[name]; {
		case !ok:
			return fmt.Errorf("jobs: the index has no field %q: declare it, or use one of %q", name, slices.Sorted(maps.Keys(declared)))
		case v == nil || v.kind() != want.kind():
			return fmt.Errorf("jobs: the field %q of the index is a %s, not the %T %v", name, want.kind(), v, v)
		}
	}
	return nil
}

// size is about how many bytes i has.
func (i Index) size() int {
	n := 0
	for name, v := range i {
		n += len(name) + 8
		if t, ok := v.(Text); ok {
			n += len(t)
		}
	}
	return n
}

// fields are all declared ones, with their zero values where i has none.
func (declared Index) fields(i Index) fields {
	set := fields{}
	for name, v := range declared {
		switch v.(type) {
		case Text:
			set[name] = i.Text(name)
		case Number:
			set[name] = i.Number(name)
		case Flag:
			set[name] = i.Flag(name)
		}
	}
	return set
}

// read is the declared fields as a document has them. One that is missing, as in
// a record that is older than its declaration, has its zero value.
func (declared Index) read(snap *firestore.DocumentSnapshot) Index {
	if len(declared) == 0 {
		return nil
	}
	i := Index{}
	for name, v := range declared {
		stored, _ := snap.DataAt(name)
		switch v.(type) {
		case Text:
			text, _ := stored.(string)
			i[name] = Text(text)
		case Number:
			number, _ := stored.(int64)
			i[name] = Number(number)
		case Flag:
			flag, _ := stored.(bool)
			i[name] = Flag(flag)
		}
	}
	return i
}

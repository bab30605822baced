package store

import (
	"reflect"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
)

// A field is one of a struct as Firestore's client stores it: by its tag firestore, or
// else by its name.
type field struct {
	name    string
	value   reflect.Value
	omitted bool // omitempty, and empty
	stamped bool // serverTimestamp, and zero: Firestore sets its time
	dated   bool // serverTimestamp: a new document does not get the time that is set
}

// fieldsOf are the fields of a struct, with those of embedded structs.
func fieldsOf(v reflect.Value) (all []field) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("firestore"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			all = append(all, fieldsOf(v.Field(i))...)
			continue
		case !f.IsExported() || name == "-":
			continue
		case name == "":
			name = f.Name
		}
		one := field{name: name, value: v.Field(i)}
		one.omitted = strings.Contains(options, "omitempty") && empty(one.value)
		one.dated = strings.Contains(options, "serverTimestamp")
		one.stamped = one.dated && one.value.IsZero()
		all = append(all, one)
	}
	return all
}

// empty reports what omitempty leaves out, as encoding/json does, and a zero time.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Map, reflect.Slice, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		at, ok := v.Interface().(time.Time)
		return ok && at.IsZero()
	}
	return v.IsZero()
}

// newFields are the fields of a new document.
func newFields(value any, token string) map[string]any {
	all := map[string]any{writeID: token}
	for _, f := range fieldsOf(reflect.ValueOf(value)) {
		switch {
		case f.stamped:
			all[f.name] = firestore.ServerTimestamp
		case !f.omitted && !f.dated:
			all[f.name] = f.value.Interface()
		}
	}
	return all
}

// changes set the fields of after that differ from those of before, or all of them if
// before is nil. Those that omitempty leaves out are deleted.
func changes[T any](before *T, after T) (updates []firestore.Update) {
	var was []field
	if before != nil {
		was = fieldsOf(reflect.ValueOf(*before))
	}
	for i, f := range fieldsOf(reflect.ValueOf(after)) {
		if before != nil && reflect.DeepEqual(was[i].value.Interface(), f.value.Interface()) {
			continue
		}
		if before == nil && f.dated && !f.stamped {
			continue
		}
		u := firestore.Update{FieldPath: firestore.FieldPath{f.name}, Value: f.value.Interface()}
		switch {
		case f.stamped:
			u.Value = firestore.ServerTimestamp
		case f.omitted:
			u.Value = firestore.Delete
		}
		updates = append(updates, u)
	}
	return updates
}

// stamp sets the fields that Firestore has set to its time, which is that of the write.
func stamp[T any](value *T, at time.Time) {
	for _, f := range fieldsOf(reflect.ValueOf(value).Elem()) {
		if f.stamped {
			f.value.Set(reflect.ValueOf(at))
		}
	}
}

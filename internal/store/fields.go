package store

import (
	"reflect"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
)

// A field is a struct field as Firestore's client stores it: under its firestore tag, or
// else its name.
type field struct {
	name    string
	value   reflect.Value
	omitted bool // omitempty, and the value is empty
	stamped bool // serverTimestamp, and the value is zero: Firestore sets the time
	dated   bool // serverTimestamp: in a new document Firestore sets the time even if the value is not zero
}

// fieldsOf returns the fields of a struct and of its embedded structs.
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

// empty reports whether omitempty omits v: as in encoding/json, and for a zero time.
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

// newFields returns the fields of a new document.
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

// changes returns updates of the fields in which after differs from before, or of all
// fields if before is nil. Fields omitted by omitempty are deleted.
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

// stamp sets the serverTimestamp fields of value to at, the time of the write.
func stamp[T any](value *T, at time.Time) {
	for _, f := range fieldsOf(reflect.ValueOf(value).Elem()) {
		if f.stamped {
			f.value.Set(reflect.ValueOf(at))
		}
	}
}

package firestore

import "strings"

// Limits of the service: https://firebase.google.com/docs/firestore/quotas
const (
	maxDocumentSize = 1 << 20        // bytes, counted as documentSize does
	maxValueLength  = 1<<20 - 89     // bytes of one string or bytes value
	maxRequestSize  = 11 * (1 << 20) // bytes on the wire
)

func checkLength(field string, n int) error {
	if n > maxValueLength {
		return invalid("The value of property %q is longer than %d bytes.", field, maxValueLength)
	}
	return nil
}

func checkFieldName(name string) error {
	switch {
	case name == "":
		return invalid("The property.name is the empty string.")
	case reserved(name):
		return invalid("field name %s is reserved", name)
	case len(name) > maxNameLength:
		return invalid("The property.name is longer than %d bytes.", maxNameLength)
	}
	return nil
}

func checkSize(d *document) error {
	if n := documentSize(d); n > maxDocumentSize {
		return invalid("Document '%s' cannot be written because its size (%d bytes) exceeds the maximum allowed size of %d bytes.", d.name, n, maxDocumentSize)
	}
	return nil
}

// documentSize follows https://firebase.google.com/docs/firestore/storage-size.
func documentSize(d *document) int {
	return nameSize(d.path) + valueSize(d.fields) + 32
}

// nameSize counts each ID of path with one byte more.
func nameSize(path string) int { return len(path) + 1 + 16 }

func valueSize(v value) int {
	switch v := v.(type) {
	case nil, bool:
		return 1
	case string:
		return len(v) + 1
	case []byte:
		return len(v)
	case reference:
		_, path, _ := strings.Cut(string(v), "/documents/")
		return nameSize(path)
	case geoPoint:
		return 16
	case array:
		n := 0
		for _, e := range v {
			n += valueSize(e)
		}
		return n
	case *vector:
		return 8 * v.len()
	case object:
		n := 0
		for name, f := range v {
			n += len(name) + 1 + valueSize(f)
		}
		return n
	}
	return 8
}

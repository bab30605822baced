package firestore

import (
	"maps"
	"slices"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
)

// A fieldPath names a field of a document, one element a map level.
type fieldPath []string

// nameField is the pseudo field that stands for the document's name.
const nameField = "__name__"

func (p fieldPath) isName() bool { return len(p) == 1 && p[0] == nameField }

// parseFieldPath reads dotted elements, each either simple
// ([a-zA-Z_][a-zA-Z_0-9]*) or in backquotes with backslash escapes.
func parseFieldPath(text string) (fieldPath, error) {
	var path fieldPath
	for rest := text; ; {
		element, tail, ok := cutElement(rest)
		if !ok {
			return nil, invalid("Invalid property path %q. Unquoted property paths must match regex ([a-zA-Z_][a-zA-Z_0-9]*), and quoted property paths must match regex (`(?:[^`\\\\]|(?:\\\\.))+`)", text)
		}
		path = append(path, element)
		if tail == "" {
			return path, nil
		}
		if rest, ok = strings.CutPrefix(tail, "."); !ok {
			rest = ""
		}
	}
}

// cutElement takes the first element off text.
func cutElement(text string) (element, tail string, ok bool) {
	if strings.HasPrefix(text, "`") {
		return cutQuoted(text[1:])
	}
	n := 0
	for n < len(text) && isNameByte(text[n], n > 0) {
		n++
	}
	return text[:n], text[n:], n > 0
}

func cutQuoted(text string) (element, tail string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '`':
			return b.String(), text[i+1:], b.Len() > 0
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

func isNameByte(c byte, digits bool) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || digits && '0' <= c && c <= '9'
}

func (p fieldPath) String() string {
	elements := make([]string, len(p))
	for i, e := range p {
		if head, tail, ok := cutElement(e); !ok || tail != "" || head != e {
			e = "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(e) + "`"
		}
		elements[i] = e
	}
	return strings.Join(elements, ".")
}

// get returns the value at path and whether there is one.
func (o object) get(path fieldPath) (value, bool) {
	v, ok := o[path[0]]
	if !ok || len(path) == 1 {
		return v, ok
	}
	inner, ok := v.(object)
	if !ok {
		return nil, false
	}
	return inner.get(path[1:])
}

// with returns a copy of o that has v at path; what stands in the way and is
// no map is replaced by one.
func (o object) with(path fieldPath, v value) object {
	c := maps.Clone(o)
	if c == nil {
		c = object{}
	}
	if len(path) > 1 {
		inner, _ := o[path[0]].(object)
		v = inner.with(path[1:], v)
	}
	c[path[0]] = v
	return c
}

// without returns o or a copy of it that has nothing at path.
func (o object) without(path fieldPath) object {
	if _, ok := o.get(path); !ok {
		return o
	}
	c := maps.Clone(o)
	if len(path) == 1 {
		delete(c, path[0])
		return c
	}
	c[path[0]] = o[path[0]].(object).without(path[1:])
	return c
}

// A mask selects fields; nil selects all of them.
type mask []fieldPath

func maskFromProto(m *pb.DocumentMask) (mask, error) {
	if m == nil {
		return nil, nil
	}
	return newMask(slices.Values(m.GetFieldPaths()))
}

func newMask(texts func(yield func(string) bool)) (mask, error) {
	m := mask{}
	for text := range texts {
		path, err := parseFieldPath(text)
		if err != nil {
			return nil, err
		}
		m = append(m, path)
	}
	return m, nil
}

// has reports whether path is in m.
func (m mask) has(path fieldPath) bool {
	return slices.ContainsFunc(m, func(p fieldPath) bool { return slices.Equal(p, path) })
}

// project returns the fields of o that m selects.
func (m mask) project(o object) object {
	if m == nil {
		return o
	}
	selected := make(object, len(m))
	for _, path := range m {
		switch v, ok := o.get(path); {
		case ok && len(path) == 1:
			selected[path[0]] = v
		case ok:
			selected = selected.with(path, v)
		}
	}
	return selected
}

// merge returns old with the fields that m selects taken from update; those
// that update lacks are removed.
func (m mask) merge(old, update object) object {
	if m == nil {
		return update
	}
	for _, path := range m {
		if v, ok := update.get(path); ok {
			old = old.with(path, v)
		} else {
			old = old.without(path)
		}
	}
	return old
}

package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// instanceOf returns the emptiest value that fits the schema of an answer: "", 0, false, the
// first value of an enum, as many items as an array has to have, and all members of an
// object, since an empty member shows more than a missing one. The emulator does not
// serve a schema for which no value is found.
func instanceOf(wanted map[string]any) (any, error) {
	root := plainSchema(wanted)
	check, err := resolved(root)
	if err != nil {
		return nil, unserved("a response schema that it cannot read: " + err.Error())
	}
	m := maker{root: root, left: maxValues, within: map[string]bool{}}
	v, err := m.value(root)
	if err == nil {
		err = fits(check, v)
	}
	if err != nil {
		return nil, unserved("this response schema, for which the emulated model finds no value: " + err.Error())
	}
	return v, nil
}

// maxValues limits the size of an instance: a schema of a few lines may describe more
// than fits in memory.
const maxValues = 10_000

// A maker makes values that fit the parts of one schema.
type maker struct {
	root   map[string]any
	left   int
	within map[string]bool // the references that are being followed
}

var (
	errEndless = errors.New("a value holds itself")
	errLarge   = errors.New("the value is too large")
	errNothing = errors.New("nothing fits false")
)

func (m *maker) value(schema map[string]any) (any, error) {
	if m.left--; m.left < 0 {
		return nil, errLarge
	}
	if ref, ok := schema["$ref"].(string); ok {
		return m.referred(ref)
	}
	if list, ok := schema["enum"].([]any); ok && len(list) > 0 {
		return list[0], nil
	}
	if v, ok := schema["const"]; ok {
		return v, nil
	}
	for _, choice := range []string{"anyOf", "oneOf"} {
		if list, ok := schema[choice].([]any); ok && len(list) > 0 {
			return m.first(list)
		}
	}
	return m.ofType(schema)
}

// referred returns a value of the part of the schema that ref names. A part that requires
// itself has no value.
func (m *maker) referred(ref string) (any, error) {
	if m.within[ref] {
		return nil, errEndless
	}
	m.within[ref] = true
	defer delete(m.within, ref)
	return m.value(resolve(ref, m.root))
}

// first returns a value of the first schema in list that has one.
func (m *maker) first(list []any) (v any, err error) {
	for _, one := range list {
		if v, err = m.part(one); err == nil || errors.Is(err, errLarge) {
			return v, err
		}
	}
	return nil, err
}

// part returns a value of a nested schema: true allows any value.
func (m *maker) part(v any) (any, error) {
	if v == false {
		return nil, errNothing
	}
	schema, _ := v.(map[string]any)
	return m.value(schema)
}

func (m *maker) ofType(schema map[string]any) (any, error) {
	switch typeOf(schema) {
	case "string":
		return textFor(schema)
	case "number", "integer":
		return numberFor(schema), nil
	case "boolean":
		return false, nil
	case "array":
		return m.items(schema)
	case "object":
		return m.members(schema)
	}
	return nil, nil
}

// items returns the minimum number of items, the first ones by their own schemas.
func (m *maker) items(schema map[string]any) (any, error) {
	first, _ := schema["prefixItems"].([]any)
	least, _ := schema["minItems"].(float64)
	list := []any{}
	for i := 0; i < max(int(least), len(first)); i++ {
		one := schema["items"]
		if i < len(first) {
			one = first[i]
		}
		v, err := m.part(one)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// members returns the properties of an object. An optional one is left out where it has no
// value, as the child of a node that is one itself.
func (m *maker) members(schema map[string]any) (any, error) {
	object := members{}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range ordered(properties, schema["propertyOrdering"]) {
		v, err := m.part(properties[name])
		if err == nil {
			object = append(object, member{name, v})
			continue
		}
		if slices.Contains(required, any(name)) || errors.Is(err, errLarge) {
			return nil, err
		}
	}
	return object, nil
}

// ordered returns the names of properties in the order that is asked for, the others by
// the alphabet.
func ordered(properties map[string]any, ordering any) (names []string) {
	list, _ := ordering.([]any)
	for _, v := range list {
		if name, _ := v.(string); properties[name] != nil {
			names = append(names, name)
		}
	}
	var rest []string
	for name := range properties {
		if !slices.Contains(names, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return append(names, rest...)
}

// members are the members of a JSON object in their order.
type members []member

type member struct {
	name  string
	value any
}

// MarshalJSON keeps the order, which a map would lose.
func (o members) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(append(append(name, ':'), value...))
	}
	return append(append([]byte("{"), b.Bytes()...), '}'), nil
}

// numberFor returns the number nearest to 0 within the bounds of schema.
func numberFor(schema map[string]any) float64 {
	step := 0.0
	if typeOf(schema) == "integer" {
		step = 1
	}
	if v, ok := schema["multipleOf"].(float64); ok {
		step = v
	}
	least, open := bound(schema["minimum"], schema["exclusiveMinimum"], 1)
	most, openAbove := bound(schema["maximum"], schema["exclusiveMaximum"], -1)
	most = -most
	if open {
		least = above(least, most, step)
	}
	if openAbove {
		most = -above(-most, -least, step)
	}
	return stepped(min(max(least, 0), most), step)
}

// bound returns the larger of two lower bounds, and whether it is itself excluded. Upper
// bounds are negated first.
func bound(including, excluding any, sign float64) (at float64, open bool) {
	at = math.Inf(-1)
	if v, ok := including.(float64); ok {
		at = sign * v
	}
	if v, ok := excluding.(float64); ok && sign*v >= at {
		return sign * v, true
	}
	return at, false
}

// above returns a number above least: the next multiple of step, or one half-way to most.
func above(least, most, step float64) float64 {
	switch {
	case step > 0:
		return (math.Floor(least/step) + 1) * step
	case math.IsInf(most, 1):
		return least + 1
	}
	return least + (most-least)/2
}

// stepped returns the multiple of step that comes next after n, away from 0.
func stepped(n, step float64) float64 {
	switch {
	case step <= 0 || n == 0:
		return n
	case n > 0:
		return math.Ceil(n/step) * step
	}
	return math.Floor(n/step) * step
}

// formats are minimal texts of the formats that the services or JSON Schema define.
var formats = map[string]string{
	"date-time": "1970-01-01T00:00:00Z", "date": "1970-01-01", "time": "00:00:00Z", "duration": "PT0S",
	"email": "nobody@example.com", "hostname": "localhost", "ipv4": "0.0.0.0", "ipv6": "::",
	"uri": "about:blank", "uuid": "00000000-0000-0000-0000-000000000000",
}

// textFor returns a minimal text of a format or pattern, padded to its minimum length.
func textFor(schema map[string]any) (string, error) {
	format, _ := schema["format"].(string)
	text := formats[format]
	if pattern, ok := schema["pattern"].(string); ok {
		var err error
		if text, err = matching(pattern); err != nil {
			return "", err
		}
	}
	least, _ := schema["minLength"].(float64)
	if least > maxValues {
		return "", errLarge
	}
	return text + strings.Repeat("-", max(0, int(least)-utf8.RuneCountInString(text))), nil
}

// resolve returns the part of root that "#/$defs/Name" and the like refer to.
func resolve(ref string, root map[string]any) map[string]any {
	at := root
	for _, step := range strings.Split(strings.TrimPrefix(ref, "#"), "/") {
		if step != "" {
			at, _ = at[step].(map[string]any)
		}
	}
	return at
}

package gemini

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"weak"

	"github.com/google/jsonschema-go/jsonschema"
)

// SchemaFor derives the schema of a model's answer from a struct: properties
// in the order of its fields, at every depth, so that what is read comes
// before what is concluded. A jsonschema tag describes a field; fields without
// omitempty are required. The caller owns the result and may refine it.
//
// Further tags bound what a field may hold:
//
//	type Answer struct {
//		Lines []string `json:"lines" maxItems:"60"`
//		Known string   `json:"known" enum:"yes,no,unsure"`
//		Sides []string `json:"sides" enum:"front,back" maxItems:"2"`
//		Sure  float64  `json:"sure" minimum:"0" maximum:"1"`
//	}
//
// enum stands on a text, or on a list of texts for its items. An empty word is
// refused: the Gemini API answers 400 to an enum that holds one. So is a tag on a
// field of another type. There is no tag for minItems: a model that must fill a
// list makes things up.
//
// An answer whose text is none of its enum, or whose number is out of bounds,
// cannot be used, and is repaired. One with more than maxItems items can: it is
// for the caller to cut.
func SchemaFor[T any]() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		return nil, fmt.Errorf("gemini: schema: %w", err)
	}
	if err := bounds(s, reflect.TypeFor[T]()); err != nil {
		return nil, fmt.Errorf("gemini: schema: %w", err)
	}
	plain(s)
	return s, nil
}

// plain takes out what only a validator needs: that a nil slice is written as
// null, and that other properties are refused.
func plain(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" && s.Items != nil {
		s.Type, s.Types = s.Types[1], nil
	}
	if s.Properties != nil {
		s.AdditionalProperties = nil
	}
	for _, sub := range subschemas(s) {
		plain(sub)
	}
}

func subschemas(s *jsonschema.Schema) []*jsonschema.Schema {
	subs := slices.Concat(s.PrefixItems, s.AnyOf, s.OneOf)
	if s.Items != nil {
		subs = append(subs, s.Items)
	}
	if s.AdditionalProperties != nil {
		subs = append(subs, s.AdditionalProperties)
	}
	subs = slices.AppendSeq(subs, maps.Values(s.Properties))
	return slices.AppendSeq(subs, maps.Values(s.Defs))
}

// wires holds what wireSchema made, as long as the schema lives:
// weak.Pointer[jsonschema.Schema] → json.RawMessage. Making it takes a tenth
// of a millisecond and more.
var wires sync.Map

// wireSchema is the schema as it is sent: with Gemini's propertyOrdering in
// every object, which is PropertyOrder or, without one, the required
// properties and then the others by name.
func wireSchema(s *jsonschema.Schema) (json.RawMessage, error) {
	if s == nil {
		return nil, nil
	}
	key := weak.Make(s)
	if wire, ok := wires.Load(key); ok {
		return wire.(json.RawMessage), nil
	}
	ordered := s.CloneSchemas()
	order(ordered)
	wire, err := json.Marshal(ordered)
	if err != nil {
		return nil, fmt.Errorf("marshal the schema: %w", err)
	}
	wires.Store(key, json.RawMessage(wire))
	runtime.AddCleanup(s, func(key weak.Pointer[jsonschema.Schema]) { wires.Delete(key) }, key)
	return wire, nil
}

func order(s *jsonschema.Schema) {
	if len(s.Properties) > 0 {
		if s.PropertyOrder == nil {
			s.PropertyOrder = defaultOrder(s)
		}
		s.Extra = maps.Clone(s.Extra)
		if s.Extra == nil {
			s.Extra = map[string]any{}
		}
		s.Extra["propertyOrdering"] = s.PropertyOrder
	}
	for _, sub := range subschemas(s) {
		order(sub)
	}
}

func defaultOrder(s *jsonschema.Schema) []string {
	names := slices.Clone(s.Required)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

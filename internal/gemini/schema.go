package gemini

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// SchemaFor derives the schema of a model's answer from a struct: properties in the order
// of its fields, at every depth, so that the model writes observations before conclusions
// if the struct has them in that order. A jsonschema tag describes a field; fields without
// omitempty are required. The caller owns the result and may refine it.
//
// Further tags limit a field's values. They are not sent (see [wireSchema]) but checked in
// the answer; what the model should know about them belongs in the description or the
// prompt.
//
//	type Answer struct {
//		Lines []string `json:"lines" maxItems:"60"`
//		Known string   `json:"known" enum:"yes,no,unsure"`
//		Sides []string `json:"sides" enum:"front,back" maxItems:"2"`
//		Sure  float64  `json:"sure" minimum:"0" maximum:"1"`
//	}
//
// enum is allowed on a string, or on a list of strings for its items. An empty value is an
// error, because the Gemini API answers 400 to an enum that contains one. So is a tag on a
// field of another type. There is no tag for minItems, because a model that must fill a
// list invents items.
//
// An answer with a text outside its enum, or a number out of range, is unusable and is
// repaired. A list with more than maxItems items is cut.
//
// A struct that nests deeper than maxNesting, or an enum with more than maxWords values, is
// an error, because the service may refuse the schema.
func SchemaFor[T any]() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		return nil, fmt.Errorf("gemini: schema: %w", err)
	}
	if err := bounds(s, reflect.TypeFor[T]()); err != nil {
		return nil, fmt.Errorf("gemini: schema: %w", err)
	}
	plain(s)
	if _, err := smallSchema(s, "the answer", 0); err != nil {
		return nil, fmt.Errorf("gemini: schema of %s: %w", reflect.TypeFor[T](), err)
	}
	return s, nil
}

// plain removes what only a validator needs: that a nil slice is encoded as null, and that
// additional properties are forbidden.
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

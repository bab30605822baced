package gemini

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// SchemaFor derives the schema of a model's answer from a struct: properties
// in the order of its fields, at every depth, so that what is read comes
// before what is concluded. A jsonschema tag describes a field; fields without
// omitempty are required. The caller owns the result and may refine it.
//
// Further tags bound what a field may hold. They are not sent (see [wireSchema]):
// code holds answers to them, and what the model should know of them belongs in the
// description or the prompt.
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
// cannot be used, and is repaired. A list with more than maxItems items is cut to
// them.
//
// A struct that nests deeper than maxNesting, or an enum of more than maxWords
// words, is refused: the service may not take its schema.
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

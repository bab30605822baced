package gemini

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// bounds copies the limits in the tags of t's fields, at every depth, into the schema that
// was derived from t. Its error names the field.
func bounds(s *jsonschema.Schema, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Kind() == reflect.Struct && s.Properties != nil:
		return boundFields(s, t)
	case (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && s.Items != nil:
		return bounds(s.Items, t.Elem())
	case t.Kind() == reflect.Map && s.AdditionalProperties != nil:
		return bounds(s.AdditionalProperties, t.Elem())
	}
	return nil
}

func boundFields(s *jsonschema.Schema, t reflect.Type) error {
	for _, field := range reflect.VisibleFields(t) {
		property := s.Properties[jsonName(field)]
		if property == nil || field.Anonymous || !field.IsExported() {
			continue
		}
		if err := boundField(property, field.Tag); err != nil {
			return fmt.Errorf("%s.%s: %w", t, field.Name, err)
		}
		if err := bounds(property, field.Type); err != nil {
			return err
		}
	}
	return nil
}

// jsonName returns the name of a field in JSON.
func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if name == "" {
		return field.Name
	}
	return name
}

// boundField reads the tags of one field into its schema.
func boundField(s *jsonschema.Schema, tag reflect.StructTag) error {
	return errors.Join(boundItems(s, tag), boundValues(s, tag),
		boundNumber(s, tag, "minimum", &s.Minimum), boundNumber(s, tag, "maximum", &s.Maximum))
}

func boundItems(s *jsonschema.Schema, tag reflect.StructTag) error {
	text, ok := tag.Lookup("maxItems")
	if !ok {
		return nil
	}
	most, err := strconv.Atoi(text)
	if err != nil || most < 1 || s.Items == nil {
		return fmt.Errorf(`the tag maxItems:%q wants a whole number from 1 on, on a list`, text)
	}
	s.MaxItems = &most
	return nil
}

// boundValues reads the tag enum; on a list it applies to the items.
func boundValues(s *jsonschema.Schema, tag reflect.StructTag) error {
	text, ok := tag.Lookup("enum")
	if !ok {
		return nil
	}
	if s.Items != nil {
		s = s.Items
	}
	values := strings.Split(text, ",")
	if s.Type != "string" || slices.Contains(values, "") {
		return fmt.Errorf(`the tag enum:%q wants words between commas, none of them empty, on a text or a list of texts`, text)
	}
	s.Enum = make([]any, len(values))
	for i, v := range values {
		s.Enum[i] = v
	}
	return nil
}

func boundNumber(s *jsonschema.Schema, tag reflect.StructTag, name string, bound **float64) error {
	text, ok := tag.Lookup(name)
	if !ok {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || s.Type != "number" && s.Type != "integer" {
		return fmt.Errorf(`the tag %s:%q wants a number, on a number`, name, text)
	}
	*bound = &v
	return nil
}

package agent

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// A mistake is a value of an input that its schema does not allow.
type mistake struct {
	path string // such as "place.tags[0]", "" for the input itself
	what string // such as "15 is greater than 14"
}

func (m *mistake) Error() string {
	if m.path == "" {
		return m.what
	}
	return m.path + ": " + m.what
}

// describe says why v does not fit s, after the validator refused it with err: by the
// first mistake that find knows, with its path, or else by the validator's innermost
// error.
func describe(v any, s *jsonschema.Schema, err error) string {
	if m := find(v, s, ""); m != nil {
		return shortened(m.Error())
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return shortened(err.Error())
}

// find returns the first mistake in v, whose path is given, or nil.
func find(v any, s *jsonschema.Schema, path string) *mistake {
	if m := findType(v, s, path); m != nil {
		return m
	}
	switch v := v.(type) {
	case string:
		return findText(v, s, path)
	case float64:
		return findBound(v, s, path)
	case []any:
		return findItem(v, s, path)
	case map[string]any:
		return findProperty(v, s, path)
	}
	return nil
}

func findType(v any, s *jsonschema.Schema, path string) *mistake {
	want := s.Types
	if s.Type != "" {
		want = []string{s.Type}
	}
	got := typeOf(v)
	if len(want) == 0 || slices.Contains(want, got) || got == "integer" && slices.Contains(want, "number") {
		return nil
	}
	return &mistake{path, fmt.Sprintf("%s has type %q, want %q", text(v), got, strings.Join(want, " or "))}
}

// typeOf returns the JSON Schema type of a JSON value.
func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
	}
	return "number"
}

func findText(v string, s *jsonschema.Schema, path string) *mistake {
	if s.Enum != nil && !slices.Contains(s.Enum, any(v)) {
		return &mistake{path, fmt.Sprintf("%s does not equal any of: %v", v, s.Enum)}
	}
	if n := utf8.RuneCountInString(v); s.MaxLength != nil && n > *s.MaxLength {
		return &mistake{path, fmt.Sprintf("%q has %d characters, more than %d", v, n, *s.MaxLength)}
	}
	return nil
}

func findBound(n float64, s *jsonschema.Schema, path string) *mistake {
	switch {
	case s.Minimum != nil && n < *s.Minimum:
		return &mistake{path, text(n) + " is less than " + text(*s.Minimum)}
	case s.Maximum != nil && n > *s.Maximum:
		return &mistake{path, text(n) + " is greater than " + text(*s.Maximum)}
	}
	return nil
}

func findItem(items []any, s *jsonschema.Schema, path string) *mistake {
	if s.Items == nil {
		return nil
	}
	for i, item := range items {
		if m := find(item, s.Items, fmt.Sprintf("%s[%d]", path, i)); m != nil {
			return m
		}
	}
	return nil
}

// findProperty checks the values of properties in order of their names, then looks for
// unexpected and for missing properties.
func findProperty(object map[string]any, s *jsonschema.Schema, path string) *mistake {
	var unexpected, missing []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		of := s.Properties[name]
		if of == nil {
			of = s.AdditionalProperties
		}
		if of == nil {
			continue
		}
		if of.Not != nil {
			unexpected = append(unexpected, name) // "additionalProperties": false
		} else if m := find(object[name], of, strings.TrimPrefix(path+"."+name, ".")); m != nil {
			return m
		}
	}
	for _, name := range s.Required {
		if _, ok := object[name]; !ok {
			missing = append(missing, name)
		}
	}
	switch {
	case len(unexpected) > 0:
		return &mistake{path, fmt.Sprintf("unexpected additional properties %q", unexpected)}
	case len(missing) > 0:
		return &mistake{path, fmt.Sprintf("missing properties: %q", missing)}
	}
	return nil
}

// text formats a JSON value for an error; large numbers have no exponent.
func text(v any) string {
	if n, ok := v.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

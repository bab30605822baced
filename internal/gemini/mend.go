package gemini

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// mendable reports whether v has a non-empty value for everything that the schema requires,
// even of a wrong type or out of range: then only its form is wrong. A text or a number
// counts for any value that is not a list or an object.
func mendable(v any, s *jsonschema.Schema) bool {
	switch {
	case s.Properties != nil:
		object, ok := v.(map[string]any)
		return ok && mendableProperties(object, s)
	case s.Items != nil:
		items, ok := v.([]any)
		for _, item := range items {
			ok = ok && mendable(item, s.Items)
		}
		return ok || v == nil
	}
	switch v.(type) {
	case nil:
		return s.Type == "string" && s.Enum == nil || s.Type == "" // read as empty, or allowed
	case []any, map[string]any:
		return s.Type == ""
	}
	return true
}

func mendableProperties(object map[string]any, s *jsonschema.Schema) bool {
	for _, name := range s.Required {
		if _, ok := object[name]; !ok {
			return false
		}
	}
	for name, property := range s.Properties {
		if v, ok := object[name]; ok && !mendable(v, property) {
			return false
		}
	}
	return true
}

// lost returns the first path at which the repaired value is empty but the first one was
// not, or at which it has fewer items; "" if there is none. A boolean is never empty,
// because false is information too.
func lost(first, repaired any, s *jsonschema.Schema, path string) string {
	if s == nil {
		return ""
	}
	switch first := first.(type) {
	case map[string]any:
		repaired, _ := repaired.(map[string]any)
		for _, name := range s.PropertyOrder {
			if where := lost(first[name], repaired[name], s.Properties[name], strings.TrimPrefix(path+"."+name, ".")); where != "" {
				return where
			}
		}
	case []any:
		return lostItems(first, repaired, s, path)
	case string, float64:
		if says(first) && !says(repaired) {
			return path
		}
	}
	return ""
}

func lostItems(first []any, repaired any, s *jsonschema.Schema, path string) string {
	kept, _ := repaired.([]any)
	want := len(first)
	if s.MaxItems != nil {
		want = min(want, *s.MaxItems)
	}
	if len(kept) < want {
		return fmt.Sprintf("%s[%d]", path, len(kept))
	}
	for i := range want {
		if where := lost(first[i], kept[i], s.Items, fmt.Sprintf("%s[%d]", path, i)); where != "" {
			return where
		}
	}
	return ""
}

// says reports whether a value is not empty: a text with letters, unless it is the number
// 0; a number above 0; any boolean.
func says(v any) bool {
	switch v := v.(type) {
	case string:
		n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return strings.TrimSpace(v) != "" && (err != nil || n > 0)
	case float64:
		return v > 0
	case bool:
		return true
	}
	return false
}

// saysAnything reports whether v contains a non-empty text or number at any depth.
func saysAnything(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), saysAnything)
	case []any:
		return slices.ContainsFunc(v, saysAnything)
	case bool:
		return v
	}
	return says(v)
}

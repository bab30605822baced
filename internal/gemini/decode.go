package gemini

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// decode decodes a model's text into a T, or, if it does not fit the schema as it is, what
// lenient makes of it. The error tells the model what to correct.
func decode[T any](text string, schema *jsonschema.Schema, validate func(*T) error) (T, error) {
	value, err := decodeStrictly[T](unfenced(text), schema)
	if err != nil {
		if corrected, lenientErr := lenient(text, schema); lenientErr == nil {
			value, err = decodeStrictly[T](corrected, schema)
		}
	}
	if err == nil && validate != nil {
		err = validate(&value)
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return value, nil
}

// decodeStrictly decodes a text that is one JSON value of the schema.
func decodeStrictly[T any](text string, schema *jsonschema.Schema) (value T, err error) {
	var tree any
	if err := whole(text, &tree); err != nil {
		return value, err
	}
	if err := cmp.Or(conform(tree, schema, ""), unread(tree, schema)); err != nil {
		return value, err
	}
	if cut(tree, schema) {
		shorter, err := json.Marshal(tree)
		if err != nil {
			return value, err
		}
		text = string(shorter)
	}
	return value, whole(text, &value)
}

// cut shortens the lists in v, at any depth, to the schema's maxItems, which is not sent to
// the model (see [wireSchema]). It reports whether any was too long.
func cut(v any, s *jsonschema.Schema) (shortened bool) {
	object, _ := v.(map[string]any)
	for name, property := range s.Properties {
		items, list := object[name].([]any)
		if list && property.MaxItems != nil && len(items) > *property.MaxItems {
			object[name], shortened = items[:*property.MaxItems], true
		}
		shortened = cut(object[name], property) || shortened
	}
	items, _ := v.([]any)
	for _, item := range items {
		if s.Items != nil && cut(item, s.Items) {
			shortened = true
		}
	}
	return shortened
}

// firstValue decodes the JSON value at the start of a model's text and ignores what
// follows, or else the only one in the text. It returns the value without what is wrapped
// around the object of the schema.
func firstValue(text string, schema *jsonschema.Schema) (value any, err error) {
	if json.NewDecoder(strings.NewReader(unfenced(text))).Decode(&value) != nil {
		value, err = onlyValue(text)
	}
	return unwrapped(value, schema), err
}

// whole decodes a text that is one JSON value.
func whole(text string, into any) error {
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(into); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("the JSON ends too early")
		}
		return fmt.Errorf("no JSON of the schema: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is text after the JSON")
	}
	return nil
}

// unfenced returns the text in a Markdown code fence if the answer is not plain JSON but
// contains one.
func unfenced(text string) string {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		return text
	}
	_, inside, _ := strings.Cut(text, "```")
	start := strings.IndexAny(inside, "{[")
	if start < 0 {
		return text
	}
	inside = inside[start:]
	if end := strings.LastIndex(inside, "```"); end >= 0 {
		inside = inside[:end]
	}
	return strings.TrimSpace(inside)
}

// conform returns an error for the first place where v does not match the schema: a wrong
// type, a null without an empty value, a missing required property, a text that is not in
// its enum, a number out of range. Lists may be too long: see cut.
func conform(v any, s *jsonschema.Schema, path string) error {
	allowed := typesOf(s)
	if got := typeOf(v); len(allowed) > 0 && !accepts(allowed, got) {
		return fmt.Errorf("%s is %s, not %s", place(path), got, strings.Join(allowed, " or "))
	}
	switch v := v.(type) {
	case nil:
		return conformNull(s, path)
	case string:
		return conformText(v, s, path)
	case float64:
		return conformNumber(v, s, path)
	case []any:
		return conformItems(v, s, path)
	case map[string]any:
		return conformProperties(v, s, path)
	}
	return nil
}

// conformNull refuses null for a value of an enum, which has no empty value.
func conformNull(s *jsonschema.Schema, path string) error {
	if s.Enum == nil {
		return nil
	}
	return fmt.Errorf("%s is null, none of %s", place(path), words(s.Enum))
}

func conformText(text string, s *jsonschema.Schema, path string) error {
	if s.Enum == nil || slices.Contains(s.Enum, any(text)) {
		return nil
	}
	return fmt.Errorf("%s is none of %s", place(path), words(s.Enum))
}

// words returns an enum as it is shown to a model.
func words(enum []any) string { return strings.Trim(fmt.Sprintf("%q", enum), "[]") }

func conformNumber(n float64, s *jsonschema.Schema, path string) error {
	if s.Minimum != nil && n < *s.Minimum {
		return fmt.Errorf("%s is %v, below %v", place(path), n, *s.Minimum)
	}
	if s.Maximum != nil && n > *s.Maximum {
		return fmt.Errorf("%s is %v, above %v", place(path), n, *s.Maximum)
	}
	return nil
}

func conformItems(items []any, s *jsonschema.Schema, path string) error {
	if s.Items == nil {
		return nil
	}
	for i, item := range items {
		if err := conform(item, s.Items, fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

func conformProperties(object map[string]any, s *jsonschema.Schema, path string) error {
	prefix := path
	if path != "" {
		prefix += "."
	}
	for _, name := range s.Required {
		if _, ok := object[name]; !ok {
			return fmt.Errorf("%s is missing", place(prefix+name))
		}
	}
	for _, name := range s.PropertyOrder {
		if v, ok := object[name]; ok && s.Properties[name] != nil {
			if err := conform(v, s.Properties[name], prefix+name); err != nil {
				return err
			}
		}
	}
	return nil
}

func accepts(allowed []string, got string) bool {
	if got == "null" && (slices.Contains(allowed, "string") || slices.Contains(allowed, "array")) {
		return true
	}
	return slices.Contains(allowed, got) || got == "number" && slices.Contains(allowed, "integer")
}

// typesOf returns the types that a schema allows.
func typesOf(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

func place(path string) string {
	if path == "" {
		return "the answer"
	}
	return path
}

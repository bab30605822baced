package gemini

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// oneSchema: "If set, response_schema must be omitted".
func oneSchema(a asked) error {
	if a.Config.JSONSchema != nil && a.Config.Schema != nil {
		return badField("generation_config.response_json_schema", "generation_config.response_json_schema: response_schema must be omitted when it is set.")
	}
	return nil
}

var answerTypes = []string{"", "text/plain", "application/json", "application/xml", "application/yaml", "text/x.enum"}

func answerTypeKnown(a asked) error {
	if !slices.Contains(answerTypes, a.Config.MIMEType) {
		return badField("generation_config.response_mime_type", fmt.Sprintf("GenerateContentRequest.generation_config.response_mime_type: %q: allowed mimetypes are text/plain, application/json, application/xml, application/yaml and text/x.enum.", a.Config.MIMEType))
	}
	return nil
}

// schemaWithJSON: "If set, a compatible response_mime_type must also be set".
func schemaWithJSON(a asked) error {
	wanted := a.Config.JSONSchema != nil || a.Config.Schema != nil
	if wanted && !slices.Contains([]string{"application/json", "text/x.enum"}, a.Config.MIMEType) {
		return badField("generation_config.response_mime_type", "generation_config.response_mime_type: a schema of the answer needs application/json")
	}
	return nil
}

func schemasValid(a asked) error {
	if a.Config.Schema != nil {
		s := schema{path: "generation_config.response_schema", typed: !a.vertex}
		return s.of(a.Config.Schema)
	}
	if a.Config.JSONSchema != nil {
		s := schema{path: "generation_config.response_json_schema", json: true}
		return s.of(a.Config.JSONSchema)
	}
	return nil
}

// A schema of an answer, or a part of one: a responseSchema, whose keywords and
// types the message has checked, or a responseJsonSchema, which is a plain value
// to it.
type schema struct {
	fields map[string]any
	path   string
	depth  int
	// json: it is a JSON Schema.
	json bool
	// typed: every part has to name its type, as the Gemini API has it of a
	// responseSchema.
	typed bool
}

// maxDepth is where this emulator stops to read a schema. Deep ones are refused
// before: see maxSchemaLevels.
const maxDepth = 32

var schemaRules = []func(schema) error{
	typesKnown, typeGiven, requiredDefined, orderingDefined, enumsFilled, boundsOrdered, referenceAlone, typedValid,
}

// of judges v, and the schemas in it.
func (s schema) of(v any) error {
	fields, ok := v.(map[string]any)
	if _, truth := v.(bool); truth && s.json && s.depth > 0 {
		return nil // "anything" or "nothing" in JSON Schema
	}
	if !ok {
		return invalidValue(s.path, "a schema", v)
	}
	if s.depth > maxDepth {
		return s.bad("", "exceeds the maximum allowed nesting depth")
	}
	s.fields = fields
	for _, broken := range schemaRules {
		if err := broken(s); err != nil {
			return err
		}
	}
	return s.below()
}

// below judges the schemas that s is made of.
func (s schema) below() error {
	for _, name := range []string{"properties", "$defs", "defs"} {
		members, _ := s.fields[name].(map[string]any)
		for member, v := range members {
			if err := s.child(fmt.Sprintf("%s[%s]", name, member)).of(v); err != nil {
				return err
			}
		}
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if v, ok := s.fields[name]; ok {
			if err := s.child(name).of(v); err != nil {
				return err
			}
		}
	}
	for _, name := range []string{"anyOf", "oneOf", "prefixItems"} {
		list, _ := s.fields[name].([]any)
		for i, v := range list {
			if err := s.child(fmt.Sprintf("%s[%d]", name, i)).of(v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s schema) child(name string) schema {
	return schema{path: join(s.path, name), depth: s.depth + 1, json: s.json, typed: s.typed}
}

func (s schema) bad(keyword, message string) error {
	path := s.path
	if keyword != "" {
		path = join(path, keyword)
	}
	return badField(path, "GenerateContentRequest."+path+": "+message)
}

var jsonTypes = []string{"string", "number", "integer", "boolean", "object", "array", "null"}

// typesKnown: a JSON Schema has one type or several.
func typesKnown(s schema) error {
	v, ok := s.fields["type"]
	if !ok || !s.json {
		return nil
	}
	types, several := v.([]any)
	if !several {
		types = []any{v}
	}
	for _, t := range types {
		if name, _ := t.(string); !slices.Contains(jsonTypes, name) {
			return s.bad("type", fmt.Sprintf("%v is no type", t))
		}
	}
	return nil
}

func typeGiven(s schema) error {
	t, _ := s.fields["type"].(string)
	if !s.typed || t != "" && t != "TYPE_UNSPECIFIED" || s.fields["anyOf"] != nil {
		return nil
	}
	return s.bad("type", "must be specified when not using one_of, any_of or all_of fields")
}

func requiredDefined(s schema) error { return s.named("required") }

func orderingDefined(s schema) error { return s.named("propertyOrdering") }

// named checks that each name of a list is one of the properties.
func (s schema) named(keyword string) error {
	v, ok := s.fields[keyword]
	if !ok {
		return nil
	}
	names, ok := v.([]any)
	if !ok {
		return s.bad(keyword, "is no list of names")
	}
	properties, _ := s.fields["properties"].(map[string]any)
	for i, v := range names {
		name, _ := v.(string)
		if _, ok := properties[name]; !ok {
			return s.bad(fmt.Sprintf("%s[%d]", keyword, i), "property is not defined")
		}
	}
	return nil
}

func enumsFilled(s schema) error {
	v, ok := s.fields["enum"]
	if !ok {
		return nil
	}
	values, ok := v.([]any)
	if !ok {
		return s.bad("enum", "is no list")
	}
	if i := slices.Index(values, any("")); i >= 0 {
		return s.bad(fmt.Sprintf("enum[%d]", i), "cannot be empty")
	}
	return nil
}

// boundsOrdered: no count is negative, and no least is above its most.
func boundsOrdered(s schema) error {
	for _, b := range []struct{ least, most string }{
		{"minItems", "maxItems"}, {"minLength", "maxLength"}, {"minProperties", "maxProperties"}, {"minimum", "maximum"},
	} {
		least, hasLeast, err := s.number(b.least)
		if err != nil {
			return err
		}
		most, hasMost, err := s.number(b.most)
		if err != nil {
			return err
		}
		counts := b.least != "minimum"
		switch {
		case counts && least < 0:
			return s.bad(b.least, "must not be negative")
		case counts && most < 0:
			return s.bad(b.most, "must not be negative")
		case hasLeast && hasMost && least > most:
			return s.bad(b.least, "is above "+b.most)
		}
	}
	return nil
}

// number reads a number; the messages write those of 64 bits as strings.
func (s schema) number(keyword string) (n float64, ok bool, err error) {
	switch v := s.fields[keyword].(type) {
	case nil:
		return 0, false, nil
	case float64:
		return v, true, nil
	case string:
		if n, err = strconv.ParseFloat(v, 64); err == nil && !s.json {
			return n, true, nil
		}
	}
	return 0, false, s.bad(keyword, "is no number")
}

// referenceAlone: "If $ref is set on a sub-schema, no other properties, except
// for than those starting as a $, may be set".
func referenceAlone(s schema) error {
	if _, ok := s.fields["$ref"]; !ok || !s.json {
		return nil
	}
	for name := range s.fields {
		if !strings.HasPrefix(name, "$") {
			return s.bad(name, "must not be set beside $ref")
		}
	}
	return nil
}

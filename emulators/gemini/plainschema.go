package gemini

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// plainSchema returns a schema of an answer as JSON Schema has it: a responseSchema writes
// types in capitals, large numbers as texts, null as a flag, and references without $.
func plainSchema(schema map[string]any) map[string]any {
	plain := map[string]any{}
	for name, v := range schema {
		switch name {
		case "properties":
			plain[name] = plainMembers(v)
		case "$defs", "defs":
			plain["$defs"] = plainMembers(v)
		case "ref":
			ref, _ := v.(string)
			plain["$ref"] = strings.Replace(ref, "#/defs/", "#/$defs/", 1)
		case "items", "additionalProperties":
			plain[name] = plainPart(v)
		case "anyOf", "oneOf", "allOf", "prefixItems":
			plain[name] = plainList(v)
		case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties":
			plain[name] = plainNumber(v)
		case "type":
			plain[name] = plainType(v, schema["nullable"] == true)
		case "enum":
			plain[name] = plainEnum(v, schema["type"])
		case "example", "default", "nullable": // say nothing of what fits
		default:
			plain[name] = v
		}
	}
	return plain
}

func plainPart(v any) any {
	if schema, ok := v.(map[string]any); ok {
		return plainSchema(schema)
	}
	return v
}

func plainMembers(v any) any {
	members, _ := v.(map[string]any)
	plain := map[string]any{}
	for name, one := range members {
		plain[name] = plainPart(one)
	}
	return plain
}

func plainList(v any) any {
	list, _ := v.([]any)
	plain := make([]any, len(list))
	for i, one := range list {
		plain[i] = plainPart(one)
	}
	return plain
}

func plainNumber(v any) any {
	if text, ok := v.(string); ok {
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return n
		}
	}
	return v
}

// plainEnum returns the values of an enum: a responseSchema writes numbers as texts.
func plainEnum(v, kind any) any {
	list, _ := v.([]any)
	if kind != "INTEGER" && kind != "NUMBER" {
		return v
	}
	plain := make([]any, len(list))
	for i, one := range list {
		plain[i] = plainNumber(one)
	}
	return plain
}

func plainType(v any, nullable bool) any {
	name, ok := v.(string)
	switch {
	case !ok:
		return v
	case nullable:
		return []any{strings.ToLower(name), "null"}
	}
	return strings.ToLower(name)
}

// typeOf returns the type of a plain schema; of several the first.
func typeOf(schema map[string]any) string {
	switch t := schema["type"].(type) {
	case string:
		return t
	case []any:
		if len(t) > 0 {
			first, _ := t[0].(string)
			return first
		}
	}
	if schema["properties"] != nil {
		return "object"
	}
	return ""
}

// resolved returns a plain schema, ready to validate values.
func resolved(plain map[string]any) (*jsonschema.Resolved, error) {
	data, err := json.Marshal(plain)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

// fits validates a value against its schema, as the client will.
func fits(schema *jsonschema.Resolved, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var read any
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	return schema.Validate(read)
}

// matching returns a short text that a regular expression matches.
func matching(pattern string) (string, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", fmt.Errorf("the pattern %q: %w", pattern, err)
	}
	var b strings.Builder
	write(&b, re)
	if b.Len() > maxValues {
		return "", errLarge
	}
	return b.String(), nil
}

func write(b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		if len(re.Rune) > 0 {
			b.WriteRune(printable(re.Rune))
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('-')
	case syntax.OpAlternate, syntax.OpCapture, syntax.OpPlus:
		write(b, re.Sub[0])
	case syntax.OpRepeat:
		for range re.Min {
			write(b, re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			write(b, sub)
		}
	}
}

// printable returns a visible rune of a character class, if it has one.
func printable(ranges []rune) rune {
	for i := 0; i+1 < len(ranges); i += 2 {
		if r := max(ranges[i], '!'); r <= ranges[i+1] {
			return r
		}
	}
	return ranges[0]
}

// unserved returns the refusal of a request that the service would answer and the
// emulator cannot.
func unserved(what string) apiError {
	return apiError{Code: http.StatusNotImplemented, Status: "UNIMPLEMENTED", Message: "This emulator does not serve " + what}
}

package gemini

import (
	"fmt"
	"unicode/utf8"
)

// The services refuse schemas that are too large for them and document no limits.
// These limits are reported by users.
const (
	// defaultSchemaBudget is the sum of list bounds above which a schema is refused with
	// a bare 400: "about 960" (googleapis/python-genai#2170); measured on
	// gemini-3.8-flash with responseJsonSchema too (vercel/ai#21192); without maxItems
	// the same schema passes (linxule/openinterviewer#23).
	defaultSchemaBudget = 960
	// maxSchemaLevels is how deep lists and objects may be nested: refused for depth (googleapis/js-genai#882), with a limit of four to five levels.
	maxSchemaLevels = 5
	// maxEnumWords and maxEnumLetters are the length of enums from which a schema has "too
	// many states": long enums are refused (googleapis/python-genai#660), and words
	// weigh by their length (googleapis/python-genai#2133). Neither report counts
	// them: the numbers are this emulator's.
	maxEnumWords   = 500
	maxEnumLetters = 8000
)

// A schemaSize is the size of a schema, for the limits above.
type schemaSize struct {
	items   int // that a full answer may hold, by the bounds of its lists
	levels  int
	words   int // of enums
	letters int // of those words
}

// largeSchema refuses a schema of an answer that is too large.
func (s *Server) largeSchema(r *Request) error {
	var size schemaSize
	size.add(plainSchema(r.ResponseSchema), 1, 0)
	switch {
	case size.words > maxEnumWords || size.letters > maxEnumLetters:
		return badRequest("The specified schema produces a constraint that has too many states for serving.  Typical causes of this error are schemas with lots of text (for example, very long property or enum names), schemas with long array length limits (especially when nested), or schemas using complex value matchers (for example, integers or numbers with minimum/maximum bounds or strings with complex formats like date-time)")
	case size.items > int(s.schemaBudget.Load()) || size.levels > maxSchemaLevels:
		return errInvalidArgument
	}
	return nil
}

// add counts a part of a schema. around is the number of items of the enclosing lists: a
// list counts that many times. A list without a bound counts nothing itself.
func (z *schemaSize) add(part any, around, level int) {
	schema, ok := part.(map[string]any)
	if !ok {
		return
	}
	if schema["items"] != nil || schema["properties"] != nil {
		level++
		z.levels = max(z.levels, level)
	}
	if enum, ok := schema["enum"].([]any); ok {
		z.words += len(enum)
		for _, word := range enum {
			z.letters += utf8.RuneCountInString(fmt.Sprint(word))
		}
	}
	inside := around
	if bound := listBound(schema); bound > 0 {
		inside = min(around*bound, 1<<30)
		z.items = min(z.items+inside, 1<<30)
	}
	z.add(schema["items"], inside, level)
	for _, group := range []string{"properties", "$defs"} {
		members, _ := schema[group].(map[string]any)
		for _, member := range members {
			z.add(member, around, level)
		}
	}
	for _, group := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		list, _ := schema[group].([]any)
		for _, one := range list {
			z.add(one, around, level)
		}
	}
}

// listBound returns what bounds the length of a list, 0 if nothing does.
func listBound(schema map[string]any) int {
	for _, keyword := range []string{"maxItems", "minItems"} {
		if n, ok := schema[keyword].(float64); ok {
			return int(min(n, 1<<20))
		}
	}
	return 0
}

// SetSchemaBudget sets the largest sum of a schema's list bounds: each list counts its
// items, once for every item of the lists around it. 0 means the reported 960.
func (s *Server) SetSchemaBudget(budget int) {
	if budget == 0 {
		budget = defaultSchemaBudget
	}
	s.schemaBudget.Store(int64(budget))
}

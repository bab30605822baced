package emulate

import (
	"fmt"
	"slices"
	"testing"
)

// CheckSchemas checks every schema that the model of w was sent, including those of
// functions, and fails the test if one has a feature that the service is reported to
// refuse: a bound or another keyword than types, enums, required properties, order
// and descriptions; more than four lists and objects in one another; an enum of more
// than 100 words or with an empty one. It returns how many schemas there were.
func (w *World) CheckSchemas(tb testing.TB) (n int) {
	tb.Helper()
	for _, call := range w.Gemini.Calls() {
		for _, schema := range call.Schemas() {
			n++
			for _, fault := range schemaFaults(schema, string(call.Kind), 0) {
				tb.Errorf("emulate: a schema is sent that may be refused: %s", fault)
			}
		}
	}
	return n
}

var sentKeywords = []string{"type", "properties", "items", "enum", "required", "propertyOrdering", "description"}

// schemaFaults returns the places of a schema, found at path within that many lists and
// objects, that break a rule.
func schemaFaults(schema map[string]any, path string, within int) (faults []string) {
	for keyword := range schema {
		if !slices.Contains(sentKeywords, keyword) {
			faults = append(faults, path+" has "+keyword)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	items, _ := schema["items"].(map[string]any)
	if properties != nil || items != nil {
		within++
	}
	if within > 4 {
		faults = append(faults, path+" stands in more than four lists and objects")
	}
	if enum, _ := schema["enum"].([]any); len(enum) > 100 || slices.Contains(enum, any("")) {
		faults = append(faults, fmt.Sprintf("%s has an enum of %d words, or an empty one", path, len(enum)))
	}
	for name, property := range properties {
		member, _ := property.(map[string]any)
		faults = append(faults, schemaFaults(member, path+"."+name, within)...)
	}
	if items != nil {
		faults = append(faults, schemaFaults(items, path+"[]", within)...)
	}
	return faults
}

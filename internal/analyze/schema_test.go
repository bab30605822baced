package analyze

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"example.com/whatis/internal/gemini"
)

// Every list of every schema is bounded above and none below, and no enum holds an
// empty string, which the service refuses.
func TestSchemasAreBounded(t *testing.T) {
	schemas := map[string]func() (*jsonschema.Schema, error){
		"Analysis": gemini.SchemaFor[Analysis], "Judgement": gemini.SchemaFor[Judgement], "Finding": gemini.SchemaFor[Finding],
	}
	for name, of := range schemas {
		s, err := of()
		if err != nil {
			t.Fatalf("SchemaFor[%s]: %v", name, err)
		}
		for _, fault := range unbounded(name, s) {
			t.Error(fault)
		}
	}
}

// unbounded are the places of s, found at path, that break the rules.
func unbounded(path string, s *jsonschema.Schema) []string {
	if s == nil {
		return nil
	}
	var faults []string
	if s.Type == "array" && s.MaxItems == nil {
		faults = append(faults, path+" has no maxItems")
	}
	if s.MinItems != nil {
		faults = append(faults, fmt.Sprintf("%s has minItems %d", path, *s.MinItems))
	}
	if slices.Contains(s.Enum, any("")) {
		faults = append(faults, path+" has an enum with an empty string")
	}
	faults = append(faults, unbounded(path+"[]", s.Items)...)
	for name, property := range s.Properties {
		faults = append(faults, unbounded(path+"."+name, property)...)
	}
	return faults
}

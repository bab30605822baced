package gemini

import (
	"slices"
	"strings"
)

// Rules of the Gemini API about its own Schema, that of a responseSchema and of
// parameters. Vertex AI does not have them: it takes arrays of anything and
// objects of anything, and its reference of Schema.enum has
// {type:INTEGER, format:enum, enum:["101", "201", "301"]}.
var typedRules = []func(schema) error{itemsGiven, propertiesGiven, enumsOfTexts}

// typedValid judges s by typedRules if it is typed.
func typedValid(s schema) error {
	if !s.typed {
		return nil
	}
	for _, broken := range typedRules {
		if err := broken(s); err != nil {
			return err
		}
	}
	return nil
}

// itemsGiven: github.com/cline/cline issue 7339.
func itemsGiven(s schema) error {
	if s.is("ARRAY") && s.fields["items"] == nil {
		return s.bad("items", "missing field")
	}
	return nil
}

// propertiesGiven: github.com/browser-use/browser-use issue 3786. An object
// whose members all have one schema, by additionalProperties, is taken.
func propertiesGiven(s schema) error {
	properties, _ := s.fields["properties"].(map[string]any)
	if s.is("OBJECT") && len(properties) == 0 && s.fields["additionalProperties"] == nil {
		return s.bad("properties", "should be non-empty for OBJECT type")
	}
	return nil
}

// enumsOfTexts: "Possible values of the element of Type.STRING with enum
// format" (ai.google.dev/api/caching#Schema); the message as in
// github.com/musistudio/llms pull request 20.
func enumsOfTexts(s schema) error {
	if s.fields["enum"] != nil && slices.ContainsFunc([]string{"INTEGER", "NUMBER", "BOOLEAN", "ARRAY", "OBJECT"}, s.is) {
		return s.bad("enum", "only allowed for STRING type")
	}
	return nil
}

func (s schema) is(kind string) bool {
	t, _ := s.fields["type"].(string)
	return strings.EqualFold(t, kind)
}

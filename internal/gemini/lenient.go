package gemini

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// lenient returns the one object of a model's text in the form of the schema: without text
// around it, without a list of one or an object of one member around it, with numbers and
// booleans that were written as texts, and with confidences that were written as
// percentages. What cannot be corrected so is left as it is, for the strict decoding to
// refuse. The error is that of a text with no object, one that is cut, or several.
func lenient(text string, schema *jsonschema.Schema) (string, error) {
	v, err := onlyValue(text)
	if err != nil {
		return "", err
	}
	v = respelled(unwrapped(v, schema), schema)
	sharePercentages(confidences(v, schema))
	corrected, err := json.Marshal(v)
	return string(corrected), err
}

var (
	// opening begins an object with a member, or a list of objects.
	opening = regexp.MustCompile(`\{\s*"|\[\s*\{`)
	// continued is in a text that has another object, or members of one.
	continued = regexp.MustCompile(`\{\s*["'}]|\{\s*\w+\s*:|["']\s*:`)
)

// onlyValue decodes the object, or the list of objects, in a text that has only one.
func onlyValue(text string) (v any, err error) {
	start := opening.FindStringIndex(text)
	if start == nil {
		return nil, errors.New("there is no JSON object")
	}
	d := json.NewDecoder(strings.NewReader(text[start[0]:]))
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if continued.MatchString(text[start[0]+int(d.InputOffset()):]) {
		return nil, errors.New("there is more than one JSON object")
	}
	return v, nil
}

// unwrapped returns the value inside lists of one value and objects of one member around
// the object of the schema, to which that member does not belong.
func unwrapped(v any, s *jsonschema.Schema) any {
	for s.Properties != nil {
		inner := onlyMember(v, s)
		if inner == nil {
			return v
		}
		v = inner
	}
	return v
}

// onlyMember returns the list or object that is all that v holds, or nil.
func onlyMember(v any, s *jsonschema.Schema) (inner any) {
	switch v := v.(type) {
	case []any:
		if len(v) == 1 {
			inner = v[0]
		}
	case map[string]any:
		for name, member := range v {
			if len(v) == 1 && s.Properties[name] == nil {
				inner = member
			}
		}
	}
	switch inner.(type) {
	case []any, map[string]any:
		return inner
	}
	return nil
}

// respelled returns v with the values of the schema's numbers and booleans that are written
// as texts. It changes the lists and objects in v.
func respelled(v any, s *jsonschema.Schema) any {
	switch v := v.(type) {
	case string:
		return valueOf(v, s)
	case []any:
		for i := range v {
			if s.Items != nil {
				v[i] = respelled(v[i], s.Items)
			}
		}
	case map[string]any:
		for name, property := range s.Properties {
			if member, ok := v[name]; ok {
				v[name] = respelled(member, property)
			}
		}
	}
	return v
}

// valueOf returns the number or boolean of the schema that text spells, or else text.
func valueOf(text string, s *jsonschema.Schema) any {
	word := strings.ToLower(strings.TrimSpace(text))
	allowed := typesOf(s)
	switch {
	case slices.Contains(allowed, "string"):
	case slices.Contains(allowed, "number"), slices.Contains(allowed, "integer"):
		if n, ok := numberOf(word); ok {
			return n
		}
	case slices.Contains(allowed, "boolean") && (word == "true" || word == "yes"):
		return true
	case slices.Contains(allowed, "boolean") && (word == "false" || word == "no"):
		return false
	}
	return text
}

// numberOf parses a number in JSON's notation, which has neither NaN nor infinity.
func numberOf(text string) (n float64, ok bool) {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return 0, false
	}
	n, ok = v.(float64)
	return n, ok
}

// A confidence is a member whose schema is a number from 0 to 1.
type confidence struct {
	object map[string]any
	name   string
}

// confidences returns the confidences in v, at any depth.
func confidences(v any, s *jsonschema.Schema) (all []confidence) {
	switch v := v.(type) {
	case []any:
		for i := range v {
			if s.Items != nil {
				all = append(all, confidences(v[i], s.Items)...)
			}
		}
	case map[string]any:
		for name, property := range s.Properties {
			if _, ok := v[name]; ok && isConfidence(property) {
				all = append(all, confidence{v, name})
			}
			all = append(all, confidences(v[name], property)...)
		}
	}
	return all
}

func isConfidence(s *jsonschema.Schema) bool {
	return s.Minimum != nil && *s.Minimum == 0 && s.Maximum != nil && *s.Maximum == 1
}

// leastPercentage is what the largest of several percentages without a sign must exceed:
// 9 may be nine of ten.
const leastPercentage = 10

// sharePercentages divides confidences by 100 if all of them are percentages: with a
// percent sign, 0, or above 1 and at most 100.
func sharePercentages(all []confidence) {
	shares, are := make([]float64, len(all)), false
	for i, c := range all {
		n, signed, ok := percentage(c.object[c.name])
		if !ok || n < 0 || n > 100 || !signed && n > 0 && n <= 1 {
			return
		}
		shares[i], are = n/100, are || signed || n > leastPercentage
	}
	for i, c := range all {
		if are {
			c.object[c.name] = shares[i]
		}
	}
}

// percentage returns a number, or the number before a percent sign.
func percentage(v any) (n float64, signed, ok bool) {
	if text, is := v.(string); is {
		text, signed = strings.CutSuffix(strings.TrimSpace(text), "%")
		n, ok = numberOf(text)
		return n, signed, ok && signed
	}
	n, ok = v.(float64)
	return n, false, ok
}

// unread returns an error for an object whose lists, two or more, are all null although it
// is confident of something: it concludes from observations that it does not have.
func unread(v any, s *jsonschema.Schema) error {
	object, _ := v.(map[string]any)
	var null []string
	for _, name := range s.PropertyOrder {
		value, ok := object[name]
		switch property := s.Properties[name]; {
		case !ok, property == nil, property.Items == nil:
		case value != nil:
			return nil
		default:
			null = append(null, name)
		}
	}
	sure := slices.ContainsFunc(confidences(v, s), func(c confidence) bool { return says(c.object[c.name]) })
	if len(null) < 2 || !sure {
		return nil
	}
	return errors.New(strings.Join(null, " and ") + " are null")
}

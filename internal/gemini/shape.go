package gemini

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A shape is the part of a schema that shapeText describes.
type shape struct {
	Type        any              `json:"type"`
	Description string           `json:"description"`
	Enum        []any            `json:"enum"`
	Items       *shape           `json:"items"`
	Properties  map[string]shape `json:"properties"`
	Order       []string         `json:"propertyOrdering"`
	Required    []string         `json:"required"`
}

// shapeText describes a schema to a model that is asked without it:
//
//	{
//	  "lines": [ // required; the largest first
//	    { // each item
//	      "text": string // required
//	      "kind": one of "print" "sign"
//	    }
//	  ]
//	}
func shapeText(wire json.RawMessage) string {
	var s shape
	if err := json.Unmarshal(wire, &s); err != nil {
		return "Answer with one JSON value of this JSON Schema and nothing else:\n" + string(wire)
	}
	var b strings.Builder
	b.WriteString("Answer with one JSON value of this shape and nothing else: no prose, no code fence. Members stand in this order; those that are marked required are never left out. An empty text is \"\", an empty list [].\n")
	s.write(&b, "", "", "")
	return b.String()
}

// write writes s on lines that begin with indent, the first one after name; note is a
// comment at the end of that line.
func (s shape) write(b *strings.Builder, indent, name, note string) {
	if s.Description != "" {
		note = strings.TrimPrefix(note+"; "+s.Description, "; ")
	}
	comment := "\n"
	if note != "" {
		comment = " // " + strings.Join(strings.Fields(note), " ") + "\n"
	}
	switch {
	case s.Properties != nil:
		b.WriteString(indent + name + "{" + comment)
		order := s.Order
		if order == nil {
			order = slices.Sorted(maps.Keys(s.Properties))
		}
		for _, member := range order {
			required := ""
			if slices.Contains(s.Required, member) {
				required = "required"
			}
			s.Properties[member].write(b, indent+"  ", fmt.Sprintf("%q: ", member), required)
		}
		b.WriteString(indent + "}\n")
	case s.Items != nil:
		b.WriteString(indent + name + "[" + comment)
		s.Items.write(b, indent+"  ", "", "each item")
		b.WriteString(indent + "]\n")
	default:
		b.WriteString(indent + name + s.value() + comment)
	}
}

// value describes the allowed values of a text, number or boolean.
func (s shape) value() string {
	if s.Enum != nil {
		return "one of " + words(s.Enum)
	}
	return strings.ToLower(strings.ReplaceAll(strings.Trim(fmt.Sprint(s.Type), "[]"), " ", " or "))
}

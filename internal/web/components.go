package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// schemas collects the named schemas of a document. Schemas that operations define inline
// get a name too, so that generated clients have a type for them.
type schemas struct {
	named  map[string]*Schema
	byText map[string]string // names, by the JSON of their schema
}

// schemas returns the schemas that all parts of s define.
func (s *Site) schemas() (*schemas, error) {
	all := &schemas{map[string]*Schema{}, map[string]string{}}
	for _, p := range s.config.Parts {
		if p.Schemas == nil {
			continue
		}
		more, err := p.Schemas()
		if err != nil {
			return nil, err
		}
		for name, schema := range more {
			all.named[name] = portable(schema)
		}
	}
	problem, err := SchemaOf(reflect.TypeFor[Problem](), nil)
	if err != nil {
		return nil, fmt.Errorf("web: schema of problems: %w", err)
	}
	problem.Properties["code"] = Ptr(Ref("ProblemCode"))
	all.named["Problem"], all.named["ProblemCode"] = portable(problem), s.problemCodes()
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(all.named))) {
		all.byText[textOf(all.named[name])] = name // the first of equal schemas
	}
	for _, schema := range all.named {
		eachChild(schema, all.refer)
	}
	return all, nil
}

// refer replaces s, and every schema in it, by a reference where it is an object that has a
// name.
func (all *schemas) refer(s *Schema) {
	if name := all.byText[textOf(s)]; name != "" && (s.Type == "object" || len(s.OneOf) > 0) {
		*s = Schema{Ref: Ref(name).Ref, Description: s.Description}
		return
	}
	eachChild(s, all.refer)
}

// content returns the bodies of an operation. An object without a name gets this name.
func (all *schemas) content(bodies map[string]Schema, name string, example any) map[string]media {
	content := map[string]media{}
	for kind, body := range bodies {
		s := portable(&body)
		text := textOf(s)
		all.refer(s)
		if s.Type == "object" && len(s.Properties) > 0 || len(s.OneOf) > 0 {
			of := nameOf(name, kind)
			all.named[of], all.byText[text] = s, of
			s = Ptr(Ref(of))
		}
		m := media{Schema: *s}
		if strings.HasSuffix(kind, "json") || len(bodies) == 1 { // lines of JSON, too
			m.Example = example
		}
		content[kind] = m
	}
	return content
}

// nameOf returns the name for the schema of a body of that kind.
func nameOf(name, kind string) string {
	switch kind {
	case EventMedia:
		name = strings.TrimSuffix(name, "Answer") + "Event"
	case "multipart/form-data":
		name = strings.TrimSuffix(name, "Request") + "Form"
	}
	return title(name)
}

// textOf returns s as JSON.
func textOf(s *Schema) string {
	data, _ := json.Marshal(s) // derived from Go types, or written in this program: it can be encoded
	return string(data)
}

// WithoutNull returns a copy of s in which optional fields are not nullable as well, as the
// types of Go are that it was derived from.
func WithoutNull(s *Schema) *Schema {
	s = s.CloneSchemas()
	withoutNull(s)
	return s
}

func withoutNull(s *Schema) {
	if s.Ref != "" {
		s.Types = nil // a pointer that may be left out
	}
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	eachChild(s, withoutNull)
}

// portable returns a copy of s that client generators accept: it is WithoutNull, bytes are
// marked in both common ways, and numbers have all their digits.
func portable(s *Schema) *Schema {
	s = WithoutNull(s)
	simplify(s)
	return s
}

func simplify(s *Schema) {
	if s.ContentEncoding == "base64" {
		s.Format = "byte"
	}
	if s.Type == "number" && s.Format == "" {
		s.Format = "double"
	}
	eachChild(s, simplify)
}

// eachChild calls f with the direct child schemas of s.
func eachChild(s *Schema, f func(*Schema)) {
	children := slices.Concat(s.OneOf, s.AnyOf, s.AllOf, []*Schema{s.Items, s.AdditionalProperties})
	for _, name := range propertyNames(s) {
		children = append(children, s.Properties[name])
	}
	for _, child := range children {
		if child != nil {
			f(child)
		}
	}
}

// describe sets the descriptions of properties that have none from fields, whose keys are
// Schema.property, or property alone where it means the same everywhere.
func describe(named map[string]*Schema, fields map[string]string) {
	for name, s := range named {
		var visit func(*Schema)
		visit = func(s *Schema) {
			for _, property := range propertyNames(s) {
				p := s.Properties[property]
				for _, key := range []string{name + "." + property, property} {
					if p.Description == "" {
						p.Description = fields[key]
					}
				}
			}
			eachChild(s, visit)
		}
		visit(s)
	}
}

// propertyNames returns the names of the properties of s, sorted.
func propertyNames(s *Schema) []string {
	return slices.Sorted(maps.Keys(s.Properties))
}

package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// schemas are the schemas of a document, by name. What operations have inline gets a
// name too, so that generated code has names for it.
type schemas struct {
	named  map[string]*Schema
	byText map[string]string // names, by the JSON of their schema
}

// schemas are those that the parts of s bring.
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
	all.named["Problem"], all.named["ProblemCode"] = portable(problem), Ptr(Enum(s.codeNames()...))
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(all.named))) {
		all.byText[textOf(all.named[name])] = name // the first of equal ones
	}
	for _, schema := range all.named {
		eachChild(schema, all.refer)
	}
	return all, nil
}

// refer makes s, and what is in it, a reference where it is an object that has a name.
func (all *schemas) refer(s *Schema) {
	if name := all.byText[textOf(s)]; name != "" && s.Type == "object" {
		*s = Schema{Ref: Ref(name).Ref, Description: s.Description}
		return
	}
	eachChild(s, all.refer)
}

// content are the bodies of an operation. An object without a name is called so.
func (all *schemas) content(bodies map[string]Schema, name string, example any) map[string]media {
	content := map[string]media{}
	for kind, body := range bodies {
		s := portable(&body)
		all.refer(s)
		if s.Type == "object" && len(s.Properties) > 0 || len(s.OneOf) > 0 {
			s = Ptr(Ref(all.name(name, kind, s)))
		}
		m := media{Schema: *s}
		if kind == JSONMedia {
			m.Example = example
		}
		content[kind] = m
	}
	return content
}

// name gives s a name of its own, made of name and what kind of body it is.
func (all *schemas) name(name, kind string, s *Schema) string {
	switch kind {
	case EventMedia:
		name = strings.TrimSuffix(name, "Answer") + "Event"
	case "multipart/form-data":
		name = strings.TrimSuffix(name, "Request") + "Form"
	}
	name = title(name)
	all.named[name], all.byText[textOf(s)] = s, name
	return name
}

// textOf is the JSON of s.
func textOf(s *Schema) string {
	data, _ := json.Marshal(s) // it was derived, or written by this program
	return string(data)
}

// portable is a copy of s as generators take it: fields that may be left out are not
// null besides, bytes are marked in both ways that are in use, and numbers have all
// their digits.
func portable(s *Schema) *Schema {
	s = s.CloneSchemas()
	simplify(s)
	return s
}

func simplify(s *Schema) {
	if s.Ref != "" {
		s.Types = nil // a pointer that may be left out
	}
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	if s.ContentEncoding == "base64" {
		s.Format = "byte"
	}
	if s.Type == "number" && s.Format == "" {
		s.Format = "double"
	}
	eachChild(s, simplify)
}

// eachChild calls f with the schemas that stand directly in s.
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

// describe sets the descriptions of the properties that have none, as fields says: by
// Schema.property, or by the property alone where it is the same everywhere.
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

// propertyNames are the names of the properties of s, in order.
func propertyNames(s *Schema) []string {
	return slices.Sorted(maps.Keys(s.Properties))
}

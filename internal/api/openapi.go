package api

import (
	_ "embed"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/web"
)

// fieldLines describe the fields of all schemas, a line each: the field, or the schema
// and the field where it means something of its own there, and what it is.
//
//go:embed openapi_fields.txt
var fieldLines string

// documentFields returns the descriptions of fields.
func documentFields() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(fieldLines) {
		field, what, _ := strings.Cut(strings.TrimSpace(line), ": ")
		all[field] = what
	}
	return all
}

//go:embed openapi_examples.json
var exampleFile []byte

// documentExamples returns an example request and response for each operation that has one.
func documentExamples() (all map[string]web.Example) {
	if err := json.Unmarshal(exampleFile, &all); err != nil {
		panic(err) // embedded in the program
	}
	return all
}

// operationID returns the ID of an operation on a skill, or on its run: that of start and
// analyze_batch is startAnalyzeBatchSkill.
func operationID(verb string, s agent.Skill, run string) string {
	id := verb
	for word := range strings.SplitSeq(s.ID, "_") {
		id += strings.ToUpper(word[:1]) + word[1:]
	}
	return id + "Skill" + run
}

// refine adds to the schemas what Go types do not express: the allowed values, and that a
// result has one of three shapes.
func refine(all map[string]*web.Schema) {
	for name, codes := range warnings {
		all[name] = web.Ptr(web.Enum(slices.Sorted(slices.Values(codes))...))
	}
	for field, values := range values {
		schema, property, _ := strings.Cut(field, ".")
		if s := all[schema]; s != nil {
			set(s, property, values)
		}
	}
	for schema, codes := range warned {
		if s := all[schema]; s != nil {
			s.Properties["warnings"].Items = web.Ptr(web.Ref(codes))
		}
	}
	if all["Result"] != nil {
		splitResult(all)
	}
}

// set restricts a property to values wherever it occurs in s. A schema that refers to an
// enum by name is set to that one value.
func set(s *web.Schema, property string, values web.Schema) {
	for name, p := range s.Properties {
		if name == property {
			values.Description = p.Description
			*p = values
			continue
		}
		set(p, property, values)
	}
	if s.Items != nil {
		set(s.Items, property, values)
	}
}

// outcomes are the three shapes of a result: the outcome and the schema's name.
var outcomes = []struct{ outcome, name, about string }{
	{analyze.OutcomeProduct, "ProductResult", "The photo shows this product"},
	{analyze.OutcomeNoProduct, "NoProductResult", "The photo shows no product"},
	{analyze.OutcomeFailed, "FailedResult", "The photo could not be analysed"},
}

// ownFields returns the fields of a result that results of some outcomes do not have, by the
// tag outcome of [analyze.Result]: those that results of this outcome never have, and those
// that they always have.
func ownFields(outcome string) (never, always []string) {
	of := reflect.TypeFor[analyze.Result]()
	for _, f := range reflect.VisibleFields(of) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		having := of.Field(f.Index[0]).Tag.Get("outcome") // that of the struct in which a field is embedded
		all := strings.Split(having, ",")
		optional := strings.HasPrefix(options, "omit") && slices.Contains(all, analyze.OutcomeProduct)
		switch {
		case name == "" || having == "":
		case !slices.Contains(all, outcome):
			never = append(never, name)
		case !optional:
			always = append(always, name)
		}
	}
	return never, always
}

// splitResult replaces the schema Result by a choice of three, distinguished by the field
// outcome.
func splitResult(all map[string]*web.Schema) {
	flat := all["Result"]
	mapping := map[string]string{}
	one := &web.Schema{Description: "What whatis says of a photo, in one of three shapes", Extra: map[string]any{
		"discriminator": map[string]any{"propertyName": "outcome", "mapping": mapping},
	}}
	for _, o := range outcomes {
		s := flat.CloneSchemas()
		s.Description = o.about
		s.Properties = maps.Clone(s.Properties)
		never, always := ownFields(o.outcome)
		for _, field := range never {
			delete(s.Properties, field)
		}
		s.Properties["outcome"] = web.Ptr(web.Enum(o.outcome))
		s.PropertyOrder = slices.DeleteFunc(slices.Clone(s.PropertyOrder), func(name string) bool { return s.Properties[name] == nil })
		s.Required = append(always, s.Required...)
		all[o.name] = s
		one.OneOf = append(one.OneOf, web.Ptr(web.Ref(o.name)))
		mapping[o.outcome] = web.Ref(o.name).Ref
	}
	all["Result"] = one
}

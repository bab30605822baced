package gemini

import (
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"weak"

	"github.com/google/jsonschema-go/jsonschema"
	"google.golang.org/genai"
)

// Limits of a schema that is sent.
const (
	// maxNesting is how deep lists and objects may nest: object, list, object, list, as for
	// a box. Limits of four to five levels are reported (googleapis/js-genai#882).
	maxNesting = 4
	// maxWords is how many values an enum may have: longer ones are reported to be refused
	// as "too many states" (googleapis/python-genai#660).
	maxWords = 100
)

// wires caches the results of wireSchema while their schemas live:
// weak.Pointer[jsonschema.Schema] → json.RawMessage. Computing one takes 0.1 ms or more.
var wires sync.Map

// wireSchema returns the schema as it is sent, nil for nil: types, enums, required
// properties, descriptions, and Gemini's propertyOrdering in every object, which is
// PropertyOrder or, without one, the required properties and then the others by name.
// Limits of lists, texts and numbers are left out: the service is reported to answer 400
// without details to schemas with them, especially nested ones
// (googleapis/python-genai#2170, vercel/ai#21192, linxule/openinterviewer#23). Its error
// names the part of the schema that cannot be sent.
func wireSchema(s *jsonschema.Schema) (json.RawMessage, error) {
	if s == nil {
		return nil, nil
	}
	key := weak.Make(s)
	if wire, ok := wires.Load(key); ok {
		return wire.(json.RawMessage), nil
	}
	small, err := smallSchema(s, "the answer", 0)
	if err != nil {
		return nil, err
	}
	wire, err := json.Marshal(small)
	if err != nil {
		return nil, fmt.Errorf("marshal the schema: %w", err)
	}
	wires.Store(key, json.RawMessage(wire))
	runtime.AddCleanup(s, func(key weak.Pointer[jsonschema.Schema]) { wires.Delete(key) }, key)
	return wire, nil
}

// smallSchema returns what is sent for the part of a schema at path, which is nested
// `within` levels deep.
func smallSchema(s *jsonschema.Schema, path string, within int) (*jsonschema.Schema, error) {
	if s.Properties != nil || s.Items != nil {
		within++
	}
	switch {
	case within > maxNesting:
		return nil, fmt.Errorf("%s stands in more than %d lists and objects: make the answer flatter", path, maxNesting)
	case len(s.Enum) > maxWords || slices.Contains(s.Enum, any("")):
		return nil, fmt.Errorf("%s has an enum of %d words: send at most %d, none of them empty", path, len(s.Enum), maxWords)
	case s.Ref != "" || s.DynamicRef != "" || s.PrefixItems != nil || s.AnyOf != nil || s.OneOf != nil || s.AllOf != nil:
		return nil, fmt.Errorf("%s has a reference or alternatives: write out one type", path)
	}
	small := &jsonschema.Schema{Type: s.Type, Types: s.Types, Enum: s.Enum, Required: s.Required, Description: s.Description}
	var err error
	if s.Items != nil {
		small.Items, err = smallSchema(s.Items, path+"[]", within)
	}
	if len(s.Properties) == 0 || err != nil {
		return small, err
	}
	small.PropertyOrder = propertyOrder(s)
	small.Extra = map[string]any{"propertyOrdering": small.PropertyOrder}
	small.Properties = map[string]*jsonschema.Schema{}
	for _, name := range small.PropertyOrder {
		if small.Properties[name], err = smallSchema(s.Properties[name], path+"."+name, within); err != nil {
			return nil, err
		}
	}
	return small, nil
}

// propertyOrder returns the order in which a model writes the properties of an object.
func propertyOrder(s *jsonschema.Schema) []string {
	var names []string
	for _, name := range slices.Concat(s.PropertyOrder, s.Required, slices.Sorted(maps.Keys(s.Properties))) {
		if s.Properties[name] != nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// declarations returns an agent's tools as they are sent: functions with the schema of
// their parameters, reduced like that of an answer, and without the schema of their result,
// which the model will see anyway. A function without parameters has no schema.
func declarations(tools []*genai.Tool) ([]*genai.Tool, error) {
	sent := slices.Clone(tools)
	for i, tool := range tools {
		if tool == nil || len(tool.FunctionDeclarations) == 0 {
			continue
		}
		declared := *tool
		declared.FunctionDeclarations = make([]*genai.FunctionDeclaration, len(tool.FunctionDeclarations))
		for j, function := range tool.FunctionDeclarations {
			small, err := declaration(function)
			if err != nil {
				return nil, err
			}
			declared.FunctionDeclarations[j] = small
		}
		sent[i] = &declared
	}
	return sent, nil
}

func declaration(f *genai.FunctionDeclaration) (*genai.FunctionDeclaration, error) {
	if f == nil {
		return nil, nil
	}
	small := *f
	small.ResponseJsonSchema = nil
	parameters, ok := f.ParametersJsonSchema.(*jsonschema.Schema)
	if !ok {
		return &small, nil
	}
	small.ParametersJsonSchema = nil
	if len(parameters.Properties) == 0 {
		return &small, nil
	}
	wire, err := wireSchema(parameters)
	if err != nil {
		return nil, fmt.Errorf("function %s: %w", f.Name, err)
	}
	small.ParametersJsonSchema = wire
	return &small, nil
}

package gemini

import "encoding/json"

// JSONSchema returns the schema of the answer as plain JSON Schema whose properties stand in
// the order that propertyOrdering asks for: a model that is held to a schema writes them in
// that order. It is nil if there is no schema.
func (r *Request) JSONSchema() json.RawMessage { return orderedSchema(r.ResponseSchema) }

func orderedSchema(schema map[string]any) json.RawMessage {
	if schema == nil {
		return nil
	}
	b, err := json.Marshal(inOrder(plainSchema(schema)))
	if err != nil {
		panic(err) // it was JSON a moment ago
	}
	return b
}

// inOrder returns the parts of a plain schema with their properties in order.
func inOrder(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, one := range v {
			list[i] = inOrder(one)
		}
		return list
	case map[string]any:
		object := members{}
		for _, name := range ordered(v, nil) {
			switch value := v[name]; name {
			case "propertyOrdering":
			case "properties":
				object = append(object, member{name, propertiesInOrder(value, v["propertyOrdering"])})
			default:
				object = append(object, member{name, inOrder(value)})
			}
		}
		return object
	}
	return v
}

func propertiesInOrder(properties, ordering any) members {
	all, _ := properties.(map[string]any)
	object := members{}
	for _, name := range ordered(all, ordering) {
		object = append(object, member{name, inOrder(all[name])})
	}
	return object
}

package gemini

import "strings"

// instanceOf is the emptiest value that fits schema, a part of root: "", 0, false,
// null where that is allowed, the first value of an enum, all required members of
// an object, and as many items as an array has to have.
func instanceOf(schema, root map[string]any) any { return instance(schema, root, 0) }

func instance(schema, root map[string]any, depth int) any {
	if ref, ok := schema["$ref"].(string); ok {
		schema = resolve(ref, root)
	}
	if depth > maxDepth || schema == nil {
		return nil
	}
	for _, choice := range []string{"anyOf", "oneOf"} {
		if list, ok := schema[choice].([]any); ok && len(list) > 0 {
			first, _ := list[0].(map[string]any)
			return instance(first, root, depth+1)
		}
	}
	if list, ok := schema["enum"].([]any); ok && len(list) > 0 {
		return list[0]
	}
	if value, ok := schema["const"]; ok {
		return value
	}
	return ofType(typeOf(schema), schema, root, depth)
}

func ofType(name string, schema, root map[string]any, depth int) any {
	switch name {
	case "string":
		return ""
	case "number", "integer":
		least, _ := schema["minimum"].(float64)
		return max(least, 0)
	case "boolean":
		return false
	case "array":
		items, _ := schema["items"].(map[string]any)
		least, _ := schema["minItems"].(float64)
		list := []any{}
		for range int(min(least, 100)) {
			list = append(list, instance(items, root, depth+1))
		}
		return list
	case "object":
		return members(schema, root, depth)
	}
	return nil
}

// members are the properties of an object, all of them where none is required: an
// optional one that is missing says less than an empty one.
func members(schema, root map[string]any, depth int) map[string]any {
	object := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	for name, p := range properties {
		property, _ := p.(map[string]any)
		object[name] = instance(property, root, depth+1)
	}
	return object
}

// typeOf is the type of a schema in small letters, whichever of the two spellings
// it has; of several the first.
func typeOf(schema map[string]any) string {
	switch t := schema["type"].(type) {
	case string:
		return strings.ToLower(t)
	case []any:
		if len(t) > 0 {
			first, _ := t[0].(string)
			return strings.ToLower(first)
		}
	}
	if schema["properties"] != nil {
		return "object"
	}
	return ""
}

// resolve is the part of root that "#/$defs/Name" and the like refer to.
func resolve(ref string, root map[string]any) map[string]any {
	at := root
	for _, step := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		at, _ = at[step].(map[string]any)
	}
	return at
}

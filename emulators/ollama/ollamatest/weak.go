package ollamatest

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/ollama/ollama/api"
)

// Claims are what the weak model is sure of, whatever a photo shows.
const (
	ClaimedName  = "Golden Sparkle Cola"
	ClaimedBrand = "Nonexistia"
)

// Weak answers as a poor model does: by the schema, and wrong. Every text is a product's
// name, a brand or a repeated word, every number 1, every boolean true, every list holds one
// thing; without a schema it says something beside the point.
func Weak(_ context.Context, r *api.ChatRequest) Reply {
	if len(r.Format) == 0 || r.Format[0] != '{' {
		return Reply{Text: "I think it is probably fine."}
	}
	var schema map[string]any
	if err := json.Unmarshal(r.Format, &schema); err != nil {
		return Reply{Text: "{}"}
	}
	b, err := json.Marshal(claim("", schema))
	if err != nil {
		panic(err) // maps of JSON
	}
	return Reply{Text: string(b)}
}

// claim returns a value of schema, the property with that name.
func claim(name string, schema map[string]any) any {
	if list, ok := schema["enum"].([]any); ok && len(list) > 0 {
		return list[0]
	}
	switch kindOf(schema["type"]) {
	case "object":
		object := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		for property, one := range properties {
			part, _ := one.(map[string]any)
			object[property] = claim(property, part)
		}
		return object
	case "array":
		items, _ := schema["items"].(map[string]any)
		return []any{claim(name, items)}
	case "number", "integer":
		return 1
	case "boolean":
		return name != "not_product" // else nothing more would be claimed
	}
	switch {
	case strings.Contains(name, "brand"):
		return ClaimedBrand
	case strings.Contains(name, "name"), name == "text":
		return ClaimedName
	}
	return strings.TrimSpace(strings.Repeat("very ", 5))
}

func kindOf(v any) string {
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	kind, _ := v.(string)
	return kind
}

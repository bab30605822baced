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

// Babble is print without a product: what a model may take a blurred photo for.
var Babble = strings.TrimSpace(strings.Repeat("very ", 5))

// Weak returns a model that answers as a poor one does: by the schema, and wrong. It takes
// read for what a photo has in print. Of all else it is sure: every name and brand is the
// claimed one, every other text Babble, every number 1, every boolean true but those that
// would take its claim back, and every list holds one thing. Without a schema it says
// something beside the point.
func Weak(read string) func(context.Context, *api.ChatRequest) Reply {
	return func(_ context.Context, r *api.ChatRequest) Reply {
		if len(r.Format) == 0 || r.Format[0] != '{' {
			return Reply{Text: "I think it is probably fine."}
		}
		var schema map[string]any
		if err := json.Unmarshal(r.Format, &schema); err != nil {
			return Reply{Text: "{}"}
		}
		b, err := json.Marshal(claim("", read, schema))
		if err != nil {
			panic(err) // maps of JSON
		}
		return Reply{Text: string(b)}
	}
}

// claim returns a value of schema, the property with that name.
func claim(name, read string, schema map[string]any) any {
	if list, ok := schema["enum"].([]any); ok && len(list) > 0 {
		return list[0]
	}
	switch kindOf(schema["type"]) {
	case "object":
		object := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		for property, one := range properties {
			part, _ := one.(map[string]any)
			object[property] = claim(property, read, part)
		}
		return object
	case "array":
		items, _ := schema["items"].(map[string]any)
		return []any{claim(name, read, items)}
	case "number", "integer":
		return 1
	case "boolean":
		return name != "not_product" && name != "machine_directed"
	}
	switch {
	case name == "text", name == "seen":
		return read
	case strings.Contains(name, "brand"):
		return ClaimedBrand
	case strings.Contains(name, "name"):
		return ClaimedName
	}
	return Babble
}

func kindOf(v any) string {
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	kind, _ := v.(string)
	return kind
}

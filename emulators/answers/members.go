package answers

import (
	"strings"

	"example.com/whatis/emulators/gemini"
)

// asksFor reports that the answer to r must have a member of that name: by its schema, or,
// if JSON is requested without a schema, by the instruction, which then shows the shape of
// the answer.
func asksFor(r *gemini.Request, name string) bool {
	if r.Schema {
		properties, _ := r.ResponseSchema["properties"].(map[string]any)
		return properties[name] != nil
	}
	return r.JSON && strings.Contains(r.System, `"`+name+`":`)
}

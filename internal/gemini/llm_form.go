package gemini

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
	"google.golang.org/genai"
)

// asks returns how the agent asks for JSON, nil if it does not.
func (t *turn) asks() (*form, error) {
	config := t.agentConfig()
	f := &form{client: t.client}
	var err error
	switch schema := config.ResponseJsonSchema.(type) {
	case *jsonschema.Schema:
		f.wire, err = wireSchema(schema)
	case nil:
		if config.ResponseSchema != nil {
			f.wire, err = json.Marshal(config.ResponseSchema)
		}
	default:
		f.wire, err = json.Marshal(schema)
	}
	return f, err
}

// formulate sets in config how model is asked for JSON: by the schema, without its bounds
// if it was derived from Go, or by a text after the agent's instruction.
func (t *turn) formulate(config *genai.GenerateContentConfig, model string) {
	if _, ours := config.ResponseJsonSchema.(*jsonschema.Schema); ours {
		config.ResponseJsonSchema = t.form.wire
	}
	if !t.form.inWords(model) {
		return
	}
	config.ResponseSchema, config.ResponseJsonSchema, config.ResponseMIMEType = nil, nil, "application/json"
	instruction := &genai.Content{Role: genai.RoleUser}
	if config.SystemInstruction != nil {
		instruction.Parts = append(instruction.Parts, config.SystemInstruction.Parts...)
	}
	instruction.Parts = append(instruction.Parts, genai.NewPartFromText(shapeText(t.form.wire)))
	config.SystemInstruction = instruction
}

package gemini

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
	"google.golang.org/genai"
)

// asks is how the agent asks for JSON, if it does.
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

// formulate puts how model is asked for JSON into config: by the schema, without bounds
// where it is one of Go, or by words behind the agent's instruction.
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

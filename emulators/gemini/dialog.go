package gemini

import (
	"crypto/sha256"
	"encoding/json"
)

// Said is one thing that was said in a conversation: a text, a call of a function or
// what the function returned.
type Said struct {
	Role   string // user or model
	Text   string
	Call   *FunctionCall
	Result *FunctionResult
	// Signature is the thought signature that came with it, as it was sent: base64.
	Signature string
	Content   int // which of the contents it is of, from 0
}

// signatureOf returns the thought signature of calls: bytes without a meaning, the same
// for the same calls.
func signatureOf(calls []FunctionCall) []byte {
	data, err := json.Marshal(calls)
	if err != nil {
		panic(err) // it was JSON a moment ago, or will not be sent
	}
	sum := sha256.Sum256(data)
	return sum[:]
}

// A FunctionResult is what a function returned.
type FunctionResult struct {
	Name     string         `json:"name"`
	Response map[string]any `json:"response"`
}

// A function is one that the model may call.
type function struct {
	Name           string         `json:"name"`
	Description    string         `json:"description"`
	Parameters     map[string]any `json:"parameters"`
	ParametersJSON map[string]any `json:"parametersJsonSchema"`
	Response       map[string]any `json:"response"`
	ResponseJSON   map[string]any `json:"responseJsonSchema"`
}

// functions returns the names of the functions that the model may call.
func (b *generateBody) functions() (names []string) {
	for _, t := range b.Tools {
		for _, f := range t.Functions {
			names = append(names, f.Name)
		}
	}
	return names
}

// A Function is one that the model may call. Parameters is a JSON Schema.
type Function struct {
	Name, Description string
	Parameters        json.RawMessage
}

// declared returns the functions that the model may call.
func (b *generateBody) declared() (all []Function) {
	for _, t := range b.Tools {
		for _, f := range t.Functions {
			schema := f.ParametersJSON
			if schema == nil {
				schema = f.Parameters
			}
			all = append(all, Function{f.Name, f.Description, orderedSchema(schema)})
		}
	}
	return all
}

// dialog returns the conversation so far.
func (b *generateBody) dialog() (all []Said) {
	for i, c := range b.Contents {
		for _, p := range c.Parts {
			said := Said{Content: i, Role: c.Role, Call: p.FunctionCall, Result: p.FunctionResponse}
			if p.Text != nil {
				said.Text = *p.Text
			}
			if p.ThoughtSignature != nil {
				said.Signature = *p.ThoughtSignature
			}
			if said.Text != "" || said.Call != nil || said.Result != nil {
				all = append(all, said)
			}
		}
	}
	return all
}

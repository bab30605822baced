package gemini

// Said is one thing that was said in a conversation: a text, a call of a function or
// what the function returned.
type Said struct {
	Role   string // user or model
	Text   string
	Call   *FunctionCall
	Result *FunctionResult
}

// A FunctionResult is what a function returned.
type FunctionResult struct {
	Name     string         `json:"name"`
	Response map[string]any `json:"response"`
}

// A function is one that the model may call.
type function struct {
	Name           string         `json:"name"`
	Parameters     map[string]any `json:"parameters"`
	ParametersJSON map[string]any `json:"parametersJsonSchema"`
	Response       map[string]any `json:"response"`
	ResponseJSON   map[string]any `json:"responseJsonSchema"`
}

// functions are the names of those that the model may call.
func (b *generateBody) functions() (names []string) {
	for _, t := range b.Tools {
		for _, f := range t.Functions {
			names = append(names, f.Name)
		}
	}
	return names
}

// dialog is what was said so far.
func (b *generateBody) dialog() (all []Said) {
	for _, c := range b.Contents {
		for _, p := range c.Parts {
			said := Said{Role: c.Role, Call: p.FunctionCall, Result: p.FunctionResponse}
			if p.Text != nil {
				said.Text = *p.Text
			}
			if said.Text != "" || said.Call != nil || said.Result != nil {
				all = append(all, said)
			}
		}
	}
	return all
}

package gemini

// Schemas returns the schemas of a request: of its answer, and of its functions'
// parameters and responses.
func (r *Request) Schemas() (all []map[string]any) {
	if r.ResponseSchema != nil {
		all = append(all, r.ResponseSchema)
	}
	return append(all, r.functionSchemas...)
}

// functionSchemas returns the schemas of the functions that the model may call.
func (b *generateBody) functionSchemas() (all []map[string]any) {
	for _, t := range b.Tools {
		for _, f := range t.Functions {
			for _, schema := range []map[string]any{f.Parameters, f.ParametersJSON, f.Response, f.ResponseJSON} {
				if schema != nil {
					all = append(all, schema)
				}
			}
		}
	}
	return all
}

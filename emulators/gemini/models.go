package gemini

// emulatedModels are the models the lists show; calls may name any model.
var emulatedModels = []string{"emulated-image", "emulated-judge", "emulated-embedding"}

func modelList(to route) map[string]any {
	var list []map[string]any
	for _, name := range emulatedModels {
		list = append(list, modelInfo(route{vertex: to.vertex, model: name}))
	}
	if to.vertex {
		return map[string]any{"publisherModels": list}
	}
	return map[string]any{"models": list}
}

// modelInfo describes a model as its family of paths does.
func modelInfo(to route) map[string]any {
	if to.vertex {
		return map[string]any{"name": "publishers/google/models/" + to.model, "versionId": ModelVersion, "launchStage": "GA"}
	}
	methods := []string{"generateContent", "streamGenerateContent", "countTokens"}
	limit := 1_048_576
	if to.model == "emulated-embedding" {
		methods, limit = []string{"embedContent", "batchEmbedContents", "countTokens"}, 8192
	}
	return map[string]any{
		"name": "models/" + to.model, "version": ModelVersion, "displayName": to.model,
		"description":     "An emulated model.",
		"inputTokenLimit": limit, "outputTokenLimit": 65_536,
		"supportedGenerationMethods": methods,
	}
}

package gemini

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The dimensions of a vector: unless the request says otherwise, and at most.
const (
	defaultDimensions = 768
	maxDimensions     = 3072
)

// Limits of the embedding methods: ai.google.dev/api/embeddings, the pages of
// the models, and for predict
// docs.cloud.google.com/vertex-ai/generative-ai/docs/embeddings/get-text-embeddings.
const (
	maxBatch          = 100 // requests of one batchEmbedContents
	maxInstances      = 250 // instances of one predict
	maxEmbeddedImages = 6   // images of one content
)

// embedRules are what the service documents of a request to embed and its
// message does not say.
var embedRules = []rule{batchCounted, modelRepeated, knownTaskTypes}

// batchCounted: on Vertex AI gemini-embedding-001 takes one instance a call.
func batchCounted(a asked) error {
	n, most := len(a.toEmbed()), maxBatch
	if a.method == "predict" {
		most = maxInstances
	}
	if a.method == "predict" && a.model.id == "gemini-embedding-001" {
		most = 1
	}
	if n < 1 || n > most {
		return fmt.Errorf("%s: %d requests: between 1 and %d can be in one batch", a.method, n, most)
	}
	return nil
}

// modelRepeated: "The model in each of these requests must match the model
// specified BatchEmbedContentsRequest.model".
func modelRepeated(a asked) error {
	if a.method != "batchEmbedContents" {
		return nil
	}
	for i, r := range a.Requests {
		if r.Model != "models/"+a.model.id {
			path := fmt.Sprintf("requests[%d].model", i)
			return badField(path, fmt.Sprintf("BatchEmbedContentsRequest.%s: %q is not the model of the batch, models/%s", path, r.Model, a.model.id))
		}
	}
	return nil
}

// taskTypes of predict, whose instances are plain values; the other methods
// have them as an enum.
var taskTypes = []string{"", "RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT", "SEMANTIC_SIMILARITY", "CLASSIFICATION",
	"CLUSTERING", "QUESTION_ANSWERING", "FACT_VERIFICATION", "CODE_RETRIEVAL_QUERY"}

func knownTaskTypes(a asked) error {
	for i, instance := range a.Instances {
		for _, task := range []string{instance.TaskType, instance.TaskSDK} {
			if !slices.Contains(taskTypes, task) {
				return invalidValue(fmt.Sprintf("instances[%d].task_type", i), "TYPE_ENUM", task)
			}
		}
	}
	return nil
}

// checkInput judges one content after its images were decoded.
func checkInput(m model, in embedInput) error {
	switch {
	case strings.TrimSpace(in.text) == "" && len(in.photos) == 0:
		return errors.New("content contains an empty Part")
	case m.textOnly && len(in.photos) > 0:
		return fmt.Errorf("content.parts: %s embeds text only", m.id)
	case len(in.photos) > maxEmbeddedImages:
		return fmt.Errorf("content.parts: %d images, at most %d can be in one request", len(in.photos), maxEmbeddedImages)
	case in.dimensions < 1 || in.dimensions > maxDimensions:
		return fmt.Errorf("output_dimensionality %d is not between 1 and %d", in.dimensions, maxDimensions)
	}
	return nil
}

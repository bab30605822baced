package gemini

import (
	"cmp"
	"os"
)

// Where says where the models are asked, and what Google promises of where they process it
// (docs.cloud.google.com/vertex-ai/generative-ai/docs/learn/locations, read on 2026-11-25).
func Where() string {
	if url := cmp.Or(os.Getenv("GOOGLE_GEMINI_BASE_URL"), os.Getenv("GOOGLE_VERTEX_BASE_URL")); url != "" {
		return url
	}
	if !wantsVertex() {
		return "Gemini API: processed wherever Google does"
	}
	switch location := vertexLocation(); location {
	case "global":
		return "Vertex AI, global: processed in any region, which Google does not tell"
	case "us", "eu":
		return "Vertex AI, " + location + ": processed within it"
	default:
		return "Vertex AI, " + location + ": see Google's page on data residency"
	}
}

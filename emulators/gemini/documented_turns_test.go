package gemini

import "encoding/base64"

const (
	functionCalling = "ai.google.dev/gemini-api/docs/function-calling"
	signaturesPage  = "ai.google.dev/gemini-api/docs/thought-signatures"
	vertexSigned    = "docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures"
	contentsPage    = "ai.google.dev/api/caching#Content"
	imagesPage      = "ai.google.dev/gemini-api/docs/image-understanding"
	whatsNew36      = "ai.google.dev/gemini-api/docs/generate-content/whats-new-gemini-3.6"

	badCallTurn      = "400 Please ensure that function call turn comes immediately after a user turn or after a function response turn."
	badResponseTurn  = "400 Please ensure that function response turn comes immediately after a function call turn."
	badResponseCount = "400 Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
)

var documentedTurns = []documented{
	{"a question", "", "", conversation(said("user", "q")), "", contentsPage},
	{"without a role", "", "", `{"contents":[{"parts":[{"text":"q"}]}]}`, "", contentsPage},
	{"several turns", "", "", conversation(said("user", "a"), said("model", "b"), said("user", "c")), "", contentsPage},
	{"two turns of the user", "", "", conversation(said("user", "a"), said("user", "b")), "", contentsPage},
	{"two turns of the model", "", "", conversation(said("user", "a"), said("model", "b"), said("model", "c"), said("user", "d")), "", contentsPage},
	{"text of the model first", "", "", conversation(said("model", "a"), said("user", "b")), "", contentsPage},
	{"a signature alone", "", "", conversation(said("user", "a"), `{"role":"model","parts":[{"thoughtSignature":"c2ln"}]}`, said("user", "b")), "", signaturesPage},
	{"no parts", "", "", conversation(`{"role":"user","parts":[]}`), "400 ~contents[0].parts", contentsPage},
	{"an empty part", "", "", conversation(`{"role":"user","parts":[{"text":"q"},{}]}`), "400 ~contents[0].parts[1]", contentsPage},
	{"an empty text", "api", "", conversation(said("user", "")), "", contentsPage},
	{"an empty text", "vertex", "", conversation(said("user", "")), "400 ~contents[0].parts[0].text", contentsPage},
	{"3000 images", "vertex", "", images(3000), "", imagesPage},
	{"3001 images", "vertex", "", images(3001), "400 ~3001", imagesPage},
	{"3001 images", "api", "", images(3001), "", imagesPage},
	{"a role of others", "", "", conversation(said("assistant", "a"), said("user", "b")), "400 ~valid role", contentsPage},
	{"a role of instructions", "", "", conversation(said("system", "a"), said("user", "b")), "400 ~valid role", contentsPage},
	{"the model last", "", "", conversation(said("user", "a"), said("model", "b")), "400 ~model turn", whatsNew36},
	{"the model last on 3.5 Flash-Lite", "", "gemini-3.5-flash-lite", conversation(said("model", "b")), "400 ~model turn", whatsNew36},
	{"a response last, as the model's", "", "", conversation(said("user", "q"), calling("f"), respondingAs("model", "f")), "", whatsNew36},
	{"the model last on 3.5 Flash", "", "gemini-3.5-flash", conversation(said("user", "a"), said("model", "b")), "", whatsNew36},

	{"a call and its response", "", "", conversation(said("user", "q"), calling("f"), responding("f")), "", functionCalling},
	{"a response by the older role", "", "", conversation(said("user", "q"), calling("f"), respondingAs("function", "f")), "", "github.com/google/generative-ai-go, role function"},
	{"two calls at once", "", "", conversation(said("user", "q"), calling("f", "g"), responding("f", "g")), "", functionCalling + "#parallel_function_calling"},
	{"one function twice at once", "", "", conversation(said("user", "q"), calling("f", "f"), responding("f", "f")), "", signaturesPage},
	{"two calls after each other", "", "", conversation(said("user", "q"), calling("f"), responding("f"), calling("g"), responding("g")), "", functionCalling + "#compositional_function_calling"},
	{"a text before the call", "", "", conversation(said("user", "q"), `{"role":"model","parts":[{"text":"Let me see."},{"functionCall":{"name":"f"},"thoughtSignature":"c2ln"}]}`, responding("f")), "", functionCalling},
	{"a question after an answered call", "", "", conversation(said("user", "q"), calling("f"), responding("f"), said("model", "a"), said("user", "b")), "", functionCalling},
	{"a call after two turns of the user", "", "", conversation(said("user", "a"), said("user", "b"), calling("f"), responding("f")), "", functionCalling},

	{"a history that begins with a call", "", "", conversation(calling("f"), responding("f")), badCallTurn, "github.com/google-gemini/gemini-cli/issues/11814"},
	{"a call after the model's text", "", "", conversation(said("user", "q"), said("model", "a"), calling("f"), responding("f")), badCallTurn, "github.com/lobehub/lobehub/issues/10049"},
	{"a history that begins with a response", "", "", conversation(responding("f"), said("model", "a"), said("user", "b")), badResponseTurn, "github.com/BerriAI/litellm/issues/26755"},
	{"a response to the user's text", "", "", conversation(said("user", "q"), responding("f")), badResponseTurn, "github.com/langchain-ai/langchain/issues/27799"},
	{"a response to the model's text", "", "", conversation(said("user", "q"), said("model", "a"), responding("f")), badResponseTurn, "github.com/google-gemini/gemini-cli/pull/26691"},
	{"a response before its call", "", "", conversation(said("user", "q"), responding("f"), calling("f"), said("user", "b")), badResponseTurn, "github.com/GoogleCloudPlatform/generative-ai/pull/368"},
	{"a call without its response", "", "", conversation(said("user", "q"), calling("f"), said("user", "b")), badResponseCount, "github.com/microsoft/vscode/issues/299295"},
	{"two calls, one response", "", "", conversation(said("user", "q"), calling("f", "g"), responding("f")), badResponseCount, "github.com/google-gemini/gemini-cli/issues/16984"},
	{"one call, two responses", "", "", conversation(said("user", "q"), calling("f"), responding("f", "f")), badResponseCount, "github.com/google-gemini/gemini-cli/issues/16984"},
	{"responses in two turns", "", "", conversation(said("user", "q"), calling("f", "g"), responding("f"), responding("g")), badResponseCount, "github.com/google-gemini/gemini-cli/issues/5443"},
	{"a call without its response long ago", "", "", conversation(said("user", "q"), calling("f"), said("user", "b"), said("model", "c"), said("user", "d")), badResponseCount, "github.com/google-gemini/gemini-cli/issues/4427"},
}

// unsignedAPI and unsignedVertex are what the services answer to a call without a
// signature.
func unsignedAPI(name, position string) string {
	return "400 Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:" + name + "` , position " + position + ". Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
}

func unsignedVertex(name, position string) string {
	return "400 Unable to submit request because function call `default_api:" + name + "` in the " + position + ". content block is missing a `thought_signature`. Learn more: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures"
}

var documentedSignatures = []documented{
	{"unsigned", "api", "", conversation(said("user", "q"), signedBy("", "f"), responding("f")), unsignedAPI("f", "2"), "github.com/csells/dartantic/pull/86"},
	{"unsigned", "vertex", "", conversation(said("user", "q"), signedBy("", "f"), responding("f")), unsignedVertex("f", "2"), "github.com/langgenius/dify/issues/30729"},
	{"unsigned in the second step", "api", "", conversation(said("user", "q"), calling("f"), responding("f"), signedBy("", "g"), responding("g")), unsignedAPI("g", "4"), signaturesPage},
	{"unsigned in the second step", "vertex", "", conversation(said("user", "q"), calling("f"), responding("f"), signedBy("", "g"), responding("g")), unsignedVertex("g", "4"), vertexSigned},
	{"unsigned in the first step of two", "api", "", conversation(said("user", "q"), signedBy("", "f"), responding("f"), calling("g"), responding("g")), unsignedAPI("f", "2"), signaturesPage},
	{"signed on the second of two", "api", "", conversation(said("user", "q"),
		`{"role":"model","parts":[{"functionCall":{"name":"f"}},{"functionCall":{"name":"g"},"thoughtSignature":"c2ln"}]}`, responding("f", "g")), unsignedAPI("f", "2"), signaturesPage},
	{"signed on the text before", "api", "", conversation(said("user", "q"),
		`{"role":"model","parts":[{"text":"a","thoughtSignature":"c2ln"},{"functionCall":{"name":"f"}}]}`, responding("f")), unsignedAPI("f", "2"), signaturesPage},
	{"signed with nothing", "api", "", conversation(said("user", "q"),
		`{"role":"model","parts":[{"functionCall":{"name":"f"},"thoughtSignature":""}]}`, responding("f")), unsignedAPI("f", "2"), signaturesPage},
	{"unsigned with the least thinking", "api", "", `{"generationConfig":{"thinkingConfig":{"thinkingLevel":"MINIMAL"}},"contents":[` +
		said("user", "q") + "," + signedBy("", "f") + "," + responding("f") + `]` + declared, unsignedAPI("f", "2"), signaturesPage},
	{"unsigned in the turn after a signed one", "api", "", conversation(said("user", "q"), calling("f"), responding("f"), said("model", "a"),
		said("user", "b"), signedBy("", "g"), responding("g")), unsignedAPI("g", "6"), signaturesPage},
	{"unsigned on 3.8 Flash", "api", "gemini-3.8-flash", conversation(said("user", "q"), signedBy("", "f"), responding("f")), unsignedAPI("f", "2"), signaturesPage},

	{"parallel calls signed on the first", "", "", conversation(said("user", "q"), calling("f", "g", "h"), responding("f", "g", "h")), "", signaturesPage},
	{"unsigned in an older turn", "", "", conversation(said("user", "q"), signedBy("", "f"), responding("f"), said("model", "a"), said("user", "b")), "", signaturesPage},
	{"unsigned in an older turn, signed in this", "", "", conversation(said("user", "q"), signedBy("", "f"), responding("f"), said("model", "a"),
		said("user", "b"), calling("g"), responding("g")), "", signaturesPage},
	{"a text of the model unsigned", "", "", conversation(said("user", "q"), said("model", "a"), said("user", "b")), "", signaturesPage},
	{"unsigned on 2.5 Flash", "api", "gemini-2.5-flash", conversation(said("user", "q"), signedBy("", "f"), responding("f")), "", signaturesPage},
	{"unsigned on a model that draws", "vertex", "gemini-3-pro-image", conversation(said("user", "q"), signedBy("", "f"), responding("f")), "", vertexSigned},
	{"the documented dummy", "", "", conversation(said("user", "q"), signedBy("skip_thought_signature_validator", "f"), responding("f")), "", signaturesPage + "#faqs"},
	{"the other documented dummy", "", "", conversation(said("user", "q"), signedBy("context_engineering_is_the_way_to_go", "f"), responding("f")), "", signaturesPage + "#faqs"},
	{"the dummy as an SDK sends bytes", "", "", conversation(said("user", "q"),
		signedBy(base64.StdEncoding.EncodeToString([]byte("skip_thought_signature_validator")), "f"), responding("f")), "", "github.com/strands-agents/sdk-python/pull/1298"},
}

package gemini

const (
	schemaPage     = "ai.google.dev/gemini-api/docs/structured-output"
	generatePage   = "ai.google.dev/api/generate-content#generationconfig"
	vertexRange    = "github.com/continuedev/continue/issues/7849"
	thinkingPage26 = "ai.google.dev/gemini-api/docs/thinking"
	browserUse3786 = "github.com/browser-use/browser-use/issues/3786"
	cline7339      = "github.com/cline/cline/issues/7339"
)

var documentedSchemas = []documented{
	{"an object", "", "", schemed(`{"type":"OBJECT","properties":{"a":{"type":"STRING"}}}`), "", schemaPage},
	{"a list", "", "", schemed(`{"type":"ARRAY","items":{"type":"STRING"}}`), "", schemaPage},
	{"a list of what", "api", "", schemed(`{"type":"ARRAY"}`), "400 ~GenerateContentRequest.generation_config.response_schema.items: missing field", cline7339},
	{"a list of what in an object", "api", "", schemed(`{"type":"OBJECT","properties":{"a":{"type":"ARRAY"}}}`), "400 ~response_schema.properties[a].items: missing field", cline7339},
	{"an object of nothing", "api", "", schemed(`{"type":"OBJECT"}`), "400 ~GenerateContentRequest.generation_config.response_schema.properties: should be non-empty for OBJECT type", "github.com/cequence-io/openai-scala-client, response_schema.properties"},
	{"an object of nothing in a list", "api", "", schemed(`{"type":"ARRAY","items":{"type":"OBJECT","properties":{}}}`), "400 ~response_schema.items.properties: should be non-empty for OBJECT type", browserUse3786},
	{"an object of anything", "vertex", "", schemed(`{"type":"OBJECT"}`), "", "reference of Schema, aiplatformpb v1.127"},
	{"an enum", "", "", schemed(`{"type":"STRING","enum":["a","b"]}`), "", schemaPage},
	{"an enum as text", "", "", asking(`"generationConfig":{"responseMimeType":"text/x.enum","responseSchema":{"type":"STRING","enum":["a","b"]}}`), "", schemaPage},
	{"an enum of whole numbers", "api", "", schemed(`{"type":"INTEGER","enum":["1","2"]}`), "400 ~response_schema.enum: only allowed for STRING type", "github.com/diegosouzapw/OmniRoute/pull/760"},
	{"an enum of numbers", "api", "", schemed(`{"type":"OBJECT","properties":{"a":{"type":"NUMBER","enum":["1.5"]}}}`), "400 ~response_schema.properties[a].enum: only allowed for STRING type", "github.com/diegosouzapw/OmniRoute/pull/760"},
	{"an enum of whole numbers", "vertex", "", schemed(`{"type":"INTEGER","format":"enum","enum":["101","201"]}`), "", "reference of Schema.enum, aiplatformpb v1.127"},
	{"an enum that is not texts", "", "", schemed(`{"type":"INTEGER","enum":[{"a":1}]}`), "400 ~nvalid", "github.com/microsoft/azure-devops-mcp/issues/145"},
	{"an enum with nothing", "api", "", schemed(`{"type":"STRING","enum":["a",""]}`), "400 ~response_schema.enum[1]: cannot be empty", "github.com/google-gemini/gemini-cli, enum[3]: cannot be empty"},
	{"a list of what, of JSON Schema", "", "", jsonSchemed(`{"type":"array"}`), "", "reference of GenerationConfig.response_json_schema, generativelanguagepb v0.20"},
	{"an object of nothing, of JSON Schema", "", "", jsonSchemed(`{"type":"object"}`), "", "reference of GenerationConfig.response_json_schema, generativelanguagepb v0.20"},
	{"an enum of whole numbers, of JSON Schema", "", "", jsonSchemed(`{"type":"integer","enum":[1,2]}`), "", "reference of GenerationConfig.response_json_schema, generativelanguagepb v0.20"},
	{"both schemas", "", "", set(`"responseMimeType":"application/json","responseSchema":{"type":"STRING"},"responseJsonSchema":{"type":"string"}`), "400 ~response_schema must be omitted", "reference of GenerationConfig.response_json_schema, generativelanguagepb v0.20"},
	{"a schema of plain text", "", "", set(`"responseSchema":{"type":"STRING"}`), "400 ~response_mime_type", generatePage},
}

var documentedSettings = []documented{
	{"five stop sequences", "", "", set(`"stopSequences":["a","b","c","d","e"]`), "", generatePage},
	{"six stop sequences", "api", "", set(`"stopSequences":["a","b","c","d","e","f"]`), "400 ~the number of stop_sequences must not exceed 5", "github.com/continuedev/continue/issues/2702"},
	{"six stop sequences", "vertex", "", set(`"stopSequences":["a","b","c","d","e","f"]`), "400 Unable to submit request because it has a stopSequences value of 6 but the supported range is from 1 (inclusive) to 6 (exclusive). Update the value and try again.", vertexRange},
	{"twenty log probabilities", "", "", set(`"responseLogprobs":true,"logprobs":20`), "", generatePage},
	{"none of the others' log probabilities", "api", "", set(`"responseLogprobs":true,"logprobs":0`), "", generatePage},
	{"21 log probabilities", "api", "", set(`"responseLogprobs":true,"logprobs":21`), "400 ~logprobs", generatePage},
	{"21 log probabilities", "vertex", "", set(`"responseLogprobs":true,"logprobs":21`), "400 ~logprobs value of 21", vertexRange},
	{"less than no log probabilities", "", "", set(`"responseLogprobs":true,"logprobs":-1`), "400 ~logprobs", generatePage},
	{"log probabilities that are not asked for", "", "", set(`"logprobs":3`), "400 ~response_logprobs", generatePage},
	{"log probabilities of 2.5 Flash", "api", "gemini-2.5-flash", set(`"responseLogprobs":true`), "400 Logprobs is not enabled for models/gemini-2.5-flash", "github.com/googleapis/python-genai/issues/1921"},
	{"log probabilities of 3.5 Flash", "vertex", "gemini-3.5-flash", set(`"responseLogprobs":true`), "400 Unable to submit request because Logprobs is not supported for this model.", "github.com/GoogleCloudPlatform/generative-ai/issues/2947"},
	{"as warm as can be", "", "", set(`"temperature":2`), "", generatePage},
	{"too warm", "api", "", set(`"temperature":2.1`), "400 ~temperature must be in the range [0.0, 2.0]", generatePage},
	{"too warm", "vertex", "", set(`"temperature":2.1`), "400 ~temperature value of 2.1 but the supported range is from 0 (inclusive) to 2.0000001 (exclusive)", vertexRange},
	{"as long as can be", "vertex", "", set(`"maxOutputTokens":65536`), "", vertexRange},
	{"too long", "vertex", "", set(`"maxOutputTokens":65537`), "400 Unable to submit request because it has a maxOutputTokens value of 65537 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.", vertexRange},
	{"nine candidates", "", "", set(`"candidateCount":9`), "400 ~andidate", generatePage},
	{"level and budget of thinking", "", "", set(`"thinkingConfig":{"thinkingLevel":"LOW","thinkingBudget":1}`), "400 ~you can only set one of", thinkingPage26},
	{"the least thinking of 3.8 Flash", "", "gemini-3.8-flash", set(`"thinkingConfig":{"thinkingLevel":"MINIMAL"}`), "400 ~thinking_level", thinkingPage26},
	{"no thinking of 2.5 Pro", "api", "gemini-2.5-pro", set(`"thinkingConfig":{"thinkingBudget":0}`), "400 ~thinking_budget", thinkingPage26},
}

// about returns a question about a file.
func about(uri string) string {
	return `{"contents":[{"role":"user","parts":[{"text":"q"},{"fileData":{"mimeType":"video/mp4","fileUri":"` + uri + `"}}]}]}`
}

var documentedRest = []documented{
	{"a file that is not there", "api", "", about("https://generativelanguage.googleapis.com/v1beta/files/abc-123"), "403 You do not have permission to access the File abc-123 or it may not exist.", "github.com/googleapis/python-genai/issues/1218"},
	{"a film of YouTube", "api", "", about("https://www.youtube.com/watch?v=9hE5-98ZeCg"), "", "ai.google.dev/gemini-api/docs/video-understanding#youtube"},
	{"a file in a bucket", "vertex", "", about("gs://bucket/film.mp4"), "", "reference of FileData.file_uri, aiplatformpb v1.127"},
	{"a cache that is not there", "api", "", asking(`"cachedContent":"cachedContents/abc"`), "403 CachedContent not found (or permission denied)", "ai.google.dev/gemini-api/docs/caching, as answered on 2026-09-07"},
	{"a cache that is not there", "vertex", "", asking(`"cachedContent":"projects/p/locations/global/cachedContents/6116704758662168576"`), "404 Not found: cached content metadata for 6116704758662168576.", "docs.cloud.google.com/vertex-ai/generative-ai/docs/context-cache/context-cache-use, as users report it"},
	{"a field that is none", "", "", set(`"temprature":1`), `400 Invalid JSON payload received. Unknown name "temprature" at 'generation_config': Cannot find field.`, "github.com/AAClause/nvda-OpenAI/issues/123"},
	{"a model that is none", "api", "gemini-9", set(``), "404 models/gemini-9 is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.", "ai.google.dev/gemini-api/docs/troubleshooting"},
	{"2.5 Flash", "vertex", "gemini-2.5-flash", set(``), "404 ~Publisher Model `publishers/google/models/gemini-2.5-flash` was not found", "docs.cloud.google.com/gemini-enterprise-agent-platform/models/model-versions"},
	{"nothing", "", "", `{}`, "400 ~contents is not specified", "ai.google.dev/gemini-api/docs/troubleshooting"},
}

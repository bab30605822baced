package gemini

import "strings"

const (
	schemaPage     = "ai.google.dev/gemini-api/docs/structured-output"
	generatePage   = "ai.google.dev/api/generate-content#generationconfig"
	vertexRange    = "github.com/continuedev/continue/issues/7849"
	thinkingPage26 = "ai.google.dev/gemini-api/docs/thinking"
	browserUse3786 = "github.com/browser-use/browser-use/issues/3786"
	jsonSchema     = "reference of GenerationConfig.response_json_schema, generativelanguagepb v0.20"
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
	{"a list of what, of JSON Schema", "", "", jsonSchemed(`{"type":"array"}`), "", jsonSchema},
	{"an object of nothing, of JSON Schema", "", "", jsonSchemed(`{"type":"object"}`), "", jsonSchema},
	{"an enum of whole numbers, of JSON Schema", "", "", jsonSchemed(`{"type":"integer","enum":[1,2]}`), "", jsonSchema},
	{"an ordered object, of JSON Schema", "", "", jsonSchemed(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"propertyOrdering":["a"]}`), "", jsonSchema},
	{"a type or null", "", "", jsonSchemed(`{"type":["string","null"]}`), "", jsonSchema},
	{"a keyword that is passed over", "", "", jsonSchemed(`{"type":"string","pattern":"a+","x-ours":1}`), "", jsonSchema},
	{"no other properties", "", "", jsonSchemed(`{"type":"object","additionalProperties":false}`), "", jsonSchema},
	{"a reference", "", "", jsonSchemed(`{"$defs":{"a":{"type":"string"}},"properties":{"b":{"$ref":"#/$defs/a"}}}`), "", jsonSchema},
	{"a reference and more", "", "", jsonSchemed(`{"properties":{"b":{"$ref":"#","type":"string"}}}`), "400 ~response_json_schema.properties[b].type", jsonSchema},
	{"a bad type", "", "", jsonSchemed(`{"properties":{"a":{"items":{"type":"float"}}}}`), "400 ~response_json_schema.properties[a].items.type", jsonSchema},
	{"a bad type of several", "", "", jsonSchemed(`{"type":["string","nil"]}`), "400 ~type", jsonSchema},
	{"no schema", "", "", jsonSchemed(`"a string"`), "400 ~response_json_schema", jsonSchema},
	{"items that are no schema", "", "", jsonSchemed(`{"items":3}`), "400 ~items", jsonSchema},
	{"required of nothing", "", "", jsonSchemed(`{"type":"object","required":["a"]}`), "400 ~required[0]", jsonSchema},
	{"ordered twice, once wrongly", "", "", jsonSchemed(`{"properties":{"a":{}},"propertyOrdering":["a","b"]}`), "400 ~propertyOrdering[1]", jsonSchema},
	{"an empty value of an enum deep down", "", "", jsonSchemed(`{"anyOf":[{"properties":{"a":{"enum":["x",""]}}}]}`), "400 ~anyOf[0].properties[a].enum[1]", jsonSchema},
	{"bounds the wrong way round", "", "", jsonSchemed(`{"minItems":3,"maxItems":2}`), "400 ~minItems", jsonSchema},
	{"less than none", "", "", jsonSchemed(`{"maxLength":-1}`), "400 ~maxLength", jsonSchema},
	{"a bound in words", "", "", jsonSchemed(`{"maxItems":"three"}`), "400 ~maxItems", jsonSchema},
	{"numbers below zero", "", "", jsonSchemed(`{"minimum":-5,"maximum":-1}`), "", jsonSchema},
	{"too deep", "", "", jsonSchemed(strings.Repeat(`{"type":"array","items":`, 40) + `{"type":"string"}` + strings.Repeat("}", 40)), "400 ~nesting", schemaPage},
	{"a count as text", "", "", schemed(`{"type":"ARRAY","items":{"type":"STRING"},"maxItems":"3"}`), "", schemaPage},
	{"no type", "api", "", schemed(`{"properties":{"a":{"type":"STRING"}}}`), "400 ~type", schemaPage},
	{"no type in a list", "api", "", schemed(`{"type":"ARRAY","items":{}}`), "400 ~items.type", schemaPage},
	{"required and not defined", "", "", schemed(`{"type":"OBJECT","properties":{"a":{"type":"STRING"}},"required":["b"]}`), "400 ~required[0]", schemaPage},
	{"both schemas", "", "", set(`"responseMimeType":"application/json","responseSchema":{"type":"STRING"},"responseJsonSchema":{"type":"string"}`), "400 ~response_schema must be omitted", jsonSchema},
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
	{"no tokens", "", "", set(`"maxOutputTokens":-5`), "400 ~utput", generatePage},
	{"a web page for an answer", "", "", set(`"responseMimeType":"text/html"`), "400 ~response_mime_type", generatePage},
	{"store on Vertex AI", "vertex", "", asking(`"store":false`), "400 ~store", "reference of GenerateContentRequest, aiplatformpb v1.127"},
	{"level and budget of thinking", "", "", thinks(`"thinkingLevel":"LOW","thinkingBudget":1`), "400 ~you can only set one of thinking_budget", thinkingPage26},
	{"a level in lower case", "", "", thinks(`"thinkingLevel":"low"`), "", thinkingPage26},
	{"a level that is none", "", "", thinks(`"thinkingLevel":"NONSENSE"`), "400 ~thinking_level", thinkingPage26},
	{"the least thinking of 3.6 Flash", "", "", thinks(`"thinkingLevel":"MINIMAL"`), "", thinkingPage26},
	{"the least thinking of 3.8 Flash", "", "gemini-3.8-flash", thinks(`"thinkingLevel":"MINIMAL"`), "400 ~thinking_level", thinkingPage26},
	{"middling thinking of 3.8 Flash", "", "gemini-3.8-flash", thinks(`"thinkingLevel":"MEDIUM"`), "", thinkingPage26},
	{"a level of 2.5 Flash", "api", "gemini-2.5-flash", thinks(`"thinkingLevel":"LOW"`), "400 ~thinking_level", thinkingPage26},
	{"thoughts of 2.5 Flash", "api", "gemini-2.5-flash", thinks(`"includeThoughts":true`), "", thinkingPage26},
	{"no thinking of 2.5 Flash", "api", "gemini-2.5-flash", thinks(`"thinkingBudget":0`), "", thinkingPage26},
	{"too much thinking of 2.5 Flash", "api", "gemini-2.5-flash", thinks(`"thinkingBudget":24577`), "400 ~thinking_budget", thinkingPage26},
	{"no thinking of 2.5 Pro", "api", "gemini-2.5-pro", thinks(`"thinkingBudget":0`), "400 ~thinking_budget", thinkingPage26},
	{"as 2.5 Pro chooses", "api", "gemini-2.5-pro", thinks(`"thinkingBudget":-1`), "", thinkingPage26},
	{"300 of thinking of 2.5 Flash-Lite", "api", "gemini-2.5-flash-lite", thinks(`"thinkingBudget":300`), "400 ~thinking_budget", thinkingPage26},
	{"no thinking of 3.6 Flash, as of old", "", "", thinks(`"thinkingBudget":0`), "", thinkingPage26},
	{"no thinking of 3.5 Flash-Lite", "", "gemini-3.5-flash-lite", thinks(`"thinkingBudget":0`), "400 ~thinking_budget", "github.com/maragudk/gai/pull/369"},
}

func thinks(config string) string { return set(`"thinkingConfig":{` + config + `}`) }

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
	{"a model that is none", "vertex", "gemini-9", set(``), "404 ~gemini-9", "docs.cloud.google.com/gemini-enterprise-agent-platform/models/model-versions"},
	{"a model that embeds", "", "gemini-embedding-2", set(``), "404 ~gemini-embedding-2", "ai.google.dev/gemini-api/docs/embeddings"},
	{"2.5 Flash", "vertex", "gemini-2.5-flash", set(``), "404 ~Publisher Model `publishers/google/models/gemini-2.5-flash` was not found", "docs.cloud.google.com/gemini-enterprise-agent-platform/models/model-versions"},
	{"nothing", "", "", `{}`, "400 ~contents is not specified", "ai.google.dev/gemini-api/docs/troubleshooting"},
}

const (
	embedPage     = "ai.google.dev/api/embeddings"
	embedModels   = "ai.google.dev/gemini-api/docs/embeddings"
	vertexPredict = "docs.cloud.google.com/vertex-ai/generative-ai/docs/embeddings/get-text-embeddings"
	one           = `{"model":"models/gemini-embedding-2","content":{"parts":[{"text":"a"}]}}`
	tea           = `{"content":{"parts":[{"text":"tea"}]}`
)

// documentedEmbeddings name the method beside the model.
var documentedEmbeddings = []documented{
	{"100 texts", "api", "gemini-embedding-2:batchEmbedContents", batchOf(100, one), "", embedPage},
	{"101 texts", "api", "gemini-embedding-2:batchEmbedContents", batchOf(101, one), "400 ~101 requests", embedPage},
	{"no texts", "api", "gemini-embedding-2:batchEmbedContents", `{"requests":[]}`, "400 ~requests", embedPage},
	{"another model in the batch", "api", "gemini-embedding-001:batchEmbedContents", batchOf(2, one), "400 ~requests[0].model", embedPage},
	{"250 instances", "vertex", "text-embedding-005:predict", instancesOf(250), "", vertexPredict},
	{"251 instances", "vertex", "text-embedding-005:predict", instancesOf(251), "400 ~251", vertexPredict},
	{"two instances of one that takes one", "vertex", "gemini-embedding-001:predict", instancesOf(2), "400 ~2 requests", vertexPredict},
	{"a task", "vertex", "gemini-embedding-001:predict", `{"instances":[{"content":"a","task_type":"RETRIEVAL_QUERY"}]}`, "", vertexPredict},
	{"no such task of an instance", "vertex", "gemini-embedding-001:predict", `{"instances":[{"content":"a","task_type":"GUESSING"}]}`, "400 ~task_type", vertexPredict},
	{"a task", "api", "gemini-embedding-2:embedContent", tea + `,"taskType":"SEMANTIC_SIMILARITY"}`, "", embedPage},
	{"no such task", "api", "gemini-embedding-2:embedContent", tea + `,"taskType":"GUESSING"}`, "400 ~task_type", embedPage},
	{"no such task", "vertex", "gemini-embedding-2:embedContent", tea + `,"embedContentConfig":{"taskType":"GUESSING"}}`, "400 ~task_type", embedPage},
	{"two contents", "vertex", "gemini-embedding-2:embedContent", `{"content":[{},{}]}`, "400 ~content", embedPage},
	{"a model that generates", "api", "gemini-3.6-flash:batchEmbedContents", batchOf(1, one), "404 ~gemini-3.6-flash", embedModels},
	{"a model that generates", "vertex", "gemini-3.6-flash:embedContent", tea + `}`, "404 ~gemini-3.6-flash", embedModels},
	{"no such model", "vertex", "gemini-embedding-99:embedContent", tea + `}`, "404 ~gemini-embedding-99", embedModels},
	{"six photos", "vertex", "gemini-embedding-2:embedContent", embedded(6), "", embedModels},
	{"seven photos", "vertex", "gemini-embedding-2:embedContent", embedded(7), "400 ~7 images", embedModels},
	{"a photo where only text goes", "api", "gemini-embedding-001:embedContent", embedded(1), "400 ~text only", embedModels},
	{"blanks", "api", "gemini-embedding-2:embedContent", `{"content":{"parts":[{"text":" "}]}}`, "400 ~empty Part", embedPage},
	{"too many dimensions", "api", "gemini-embedding-2:embedContent", tea + `,"outputDimensionality":4000}`, "400 ~output_dimensionality", embedModels},
	{"too many dimensions", "vertex", "gemini-embedding-2:embedContent", tea + `,"embedContentConfig":{"outputDimensionality":4000}}`, "400 ~output_dimensionality", embedModels},
	{"no dimensions", "api", "gemini-embedding-2:embedContent", tea + `,"outputDimensionality":-1}`, "400 ~output_dimensionality", embedModels},
}

func batchOf(n int, request string) string {
	return `{"requests":[` + repeated(n, request) + `]}`
}

func instancesOf(n int) string { return `{"instances":[` + repeated(n, `{"content":"a"}`) + `]}` }

func embedded(photos int) string {
	return `{"content":{"parts":[` + repeated(photos, onePixel()) + `]}}`
}

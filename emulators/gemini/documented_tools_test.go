package gemini

import "strings"

const (
	declarationPage = "reference of FunctionDeclaration.name, generativelanguagepb v0.20 and aiplatformpb v1.127"
	callingPage     = "reference of FunctionCallingConfig, generativelanguagepb v0.20"
	searchPage      = "ai.google.dev/gemini-api/docs/google-search"
	combinedPage    = "ai.google.dev/gemini-api/docs/tool-combination"

	noDeclarations = "400 Function calling config is set without function_declarations."
	onlyForANY     = "400 Please set allowed_function_names only when function calling mode is ANY."
)

func badName(path string) string {
	return "* GenerateContentRequest.tools[0].function_declarations[" + path + "].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n"
}

const cli9535 = "github.com/google-gemini/gemini-cli/issues/9535"

var documentedFunctions = []documented{
	{"a name", "", "", declaring("get_weather2"), "", declarationPage},
	{"a name with an underscore first", "", "", declaring("_f"), "", declarationPage},
	{"a name with dots and dashes", "", "", declaring("a.b-c"), "", declarationPage},
	{"a name with a colon", "api", "", declaring("server:tool"), "", declarationPage},
	{"a name of 64", "", "", declaring(strings.Repeat("f", 64)), "", declarationPage},
	{"a name of 65", "api", "", declaring(strings.Repeat("f", 65)), "400 " + badName("0"), cli9535},
	{"a name with a digit first", "api", "", declaring("f", "21st_magic"), "400 " + badName("1"), cli9535},
	{"a name with a digit first", "vertex", "", declaring("f", "21st_magic"), "400 The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations[1].name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.", "github.com/kaitranntt/ccs/issues/25"},
	{"a name with a blank", "api", "", declaring("get weather"), "400 " + badName("0"), cli9535},
	{"a name with a slash", "api", "", declaring("a/b"), "400 " + badName("0"), cli9535},
	{"a name in Korean", "api", "", declaring("날씨"), "400 " + badName("0"), cli9535},
	{"no name", "api", "", declaring(""), "400 " + badName("0"), declarationPage},
	{"two bad names", "api", "", declaring("1", "f", "2"), "400 " + badName("0") + badName("2"), "github.com/google-gemini/gemini-cli/issues/7869"},
	{"a name twice", "", "", declaring("f", "g", "f"), "400 Duplicate function declaration found: f", "github.com/googleapis/dotnet-genai/issues/189"},
	{"a name twice, in two tools", "", "", asking(`"tools":[{"functionDeclarations":[{"name":"f"}]},{"functionDeclarations":[{"name":"f"}]}]`),
		"400 Duplicate function declaration found: f", "github.com/owndev/Open-WebUI-Functions/issues/135"},
	{"names that differ in case", "", "", declaring("f", "F"), "", declarationPage},

	{"no parameters", "", "", taking(`null`), "", declarationPage},
	{"parameters", "", "", taking(`{"type":"OBJECT","properties":{"a":{"type":"STRING"}},"required":["a"]}`), "", functionCalling},
	{"parameters of nothing", "api", "", taking(`{"type":"OBJECT","properties":{}}`),
		"400 ~GenerateContentRequest.tools[0].function_declarations[0].parameters.properties: should be non-empty for OBJECT type", "github.com/BerriAI/litellm, vertex_and_google_ai_studio_gemini.py"},
	{"a parameter of nothing", "api", "", taking(`{"type":"OBJECT","properties":{"a":{"type":"OBJECT"}}}`), "400 ~parameters.properties[a].properties: should be non-empty for OBJECT type", "github.com/browser-use/browser-use/issues/3786"},
	{"a list of nothing", "api", "", taking(`{"type":"OBJECT","properties":{"a":{"type":"ARRAY"}}}`), "400 ~parameters.properties[a].items: missing field", "github.com/cline/cline/issues/7339"},
	{"an enum of numbers", "api", "", taking(`{"type":"OBJECT","properties":{"a":{"type":"INTEGER","enum":["1","2"]}}}`), "400 ~parameters.properties[a].enum: only allowed for STRING type", "github.com/musistudio/llms/pull/20"},
	{"an enum of numbers", "vertex", "", taking(`{"type":"OBJECT","properties":{"a":{"type":"INTEGER","format":"enum","enum":["1","2"]}}}`), "", "reference of Schema.enum, aiplatformpb v1.127"},
	{"an enum with nothing", "api", "", taking(`{"type":"OBJECT","properties":{"a":{"type":"STRING","enum":["x",""]}}}`), "400 ~parameters.properties[a].enum[1]: cannot be empty", "github.com/google-gemini/gemini-cli, enum[3]: cannot be empty"},
	{"required and not defined", "api", "", taking(`{"type":"OBJECT","properties":{"a":{"type":"STRING"}},"required":["b"]}`), "400 ~parameters.required[0]: property is not defined", "github.com/iBUHub/AIStudioToAPI/issues/154"},
	{"parameters of JSON Schema", "", "", asking(`"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":{"type":"object","properties":{}}}]}]`), "", "genai v1.77.0, FunctionDeclaration.ParametersJsonSchema"},
}

var documentedTools = []documented{
	{"a function forced", "", "", called(`"mode":"ANY"`), "", callingPage},
	{"a function left to the model", "", "", called(`"mode":"AUTO"`), "", callingPage},
	{"no function now", "", "", called(`"mode":"NONE"`), "", callingPage},
	{"a function validated", "", "", called(`"mode":"VALIDATED"`), "", callingPage},
	{"one of them allowed", "", "", called(`"mode":"ANY","allowedFunctionNames":["f"]`), "", callingPage},
	{"one of them allowed and validated", "api", "", called(`"mode":"VALIDATED","allowedFunctionNames":["f"]`), "", callingPage},
	{"one allowed under AUTO", "", "", called(`"mode":"AUTO","allowedFunctionNames":["f"]`), onlyForANY, "github.com/tensorzero/tensorzero/pull/4875"},
	{"one allowed under no mode", "", "", called(`"allowedFunctionNames":["f"]`), onlyForANY, callingPage},
	{"one allowed under NONE", "", "", called(`"mode":"NONE","allowedFunctionNames":["f"]`), onlyForANY, callingPage},
	{"one allowed that is none", "", "", called(`"mode":"ANY","allowedFunctionNames":["g"]`), "400 ~allowed_function_names should be a subset of the provided function_declarations", callingPage},
	{"ANY without functions", "", "", asking(`"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`), noDeclarations, "github.com/musistudio/claude-code-router/pull/1207"},
	{"ANY with a search alone", "api", "", uncalled(`[{"googleSearch":{}}]`, `"mode":"ANY"`), noDeclarations, "github.com/musistudio/claude-code-router/pull/1207"},
	{"AUTO with a search alone", "api", "", uncalled(`[{"googleSearch":{}}]`, `"mode":"AUTO"`), noDeclarations, "github.com/AstrBotDevs/AstrBot/pull/7407"},
	{"AUTO with a search alone", "vertex", "", uncalled(`[{"googleSearch":{}}]`, `"mode":"AUTO"`), "", "github.com/pydantic/pydantic-ai, test of GoogleModel's tool_config"},
	{"no mode is known so", "", "", called(`"mode":"ALWAYS"`), "400 ~function_calling_config.mode", callingPage},

	{"a search", "", "", asking(`"tools":[{"googleSearch":{}}]`), "", searchPage},
	{"a search of old", "api", "", asking(`"tools":[{"googleSearchRetrieval":{}}]`), "400 google_search_retrieval is not supported. Please use google_search tool instead.", "github.com/vercel/ai/issues/10348"},
	{"a search of old", "vertex", "", asking(`"tools":[{"googleSearchRetrieval":{}}]`), "400 Unable to submit request because Please use google_search field instead of google_search_retrieval field.. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini", "github.com/genkit-ai/genkit/issues/1901"},
	{"a search of old on 3.1 Flash-Lite", "api", "gemini-3.1-flash-lite", asking(`"tools":[{"googleSearchRetrieval":{}}]`), "400 google_search_retrieval is not supported. Please use google_search tool instead.", "github.com/vercel/ai/issues/10348"},
	{"a search and functions", "api", "", asking(`"tools":[{"googleSearch":{}},{"functionDeclarations":[{"name":"f"}]}]`),
		"400 Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.", combinedPage},
	{"a search and functions, shown", "api", "", asking(`"tools":[{"googleSearch":{}},{"functionDeclarations":[{"name":"f"}]}],"toolConfig":{"includeServerSideToolInvocations":true}`), "", combinedPage},
	{"a search for JSON", "api", "", searched(""), "", schemaPage},
	{"a search for JSON", "vertex", "", searched(""), "400 ~google_search", schemaPage},
	{"a search for JSON on 2.5", "api", "gemini-2.5-flash", searched(""), "400 ~tools", schemaPage},
	{"a search for JSON and functions", "api", "", searched(`,{"functionDeclarations":[{"name":"f"}]}`), "400 ~tool_config", combinedPage},
	{"a search and functions on 2.5", "api", "gemini-2.5-flash", asking(`"tools":[{"googleSearch":{}},{"functionDeclarations":[{"name":"f"}]}]`), "400 ~tool use with function calling is unsupported", combinedPage},
}

// searched returns a question whose answer is to be JSON, with a search and further tools.
func searched(tools string) string {
	return asking(`"generationConfig":{"responseMimeType":"application/json"},"tools":[{"googleSearch":{}}` + tools + `]`)
}

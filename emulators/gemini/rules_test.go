package gemini

import (
	"fmt"
	"strings"
	"testing"
)

// askedFor reads a body as the service does, for a call to a model.
func askedFor(t *testing.T, method, model string, vertex bool, body string) asked {
	t.Helper()
	to := route{method: method, model: model, vertex: vertex}
	read, _, err := readRequest(messageOf(to), []byte(body))
	if err != nil {
		t.Fatalf("readRequest(%s) = %v", body, err)
	}
	m, ok := modelOf(to)
	if !ok {
		t.Fatalf("modelOf(%+v): no such model", to)
	}
	return asked{model: m, vertex: vertex, method: method, generateBody: read}
}

// turns returns a body of contents, each given as a role and its parts.
func turns(pairs ...string) string {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, fmt.Sprintf(`{"role":%q,"parts":[%s]}`, pairs[i], pairs[i+1]))
	}
	return `{"contents":[` + strings.Join(list, ",") + `]}`
}

// configured returns a body of a question and a generationConfig.
func configured(config string) string {
	return `{"contents":[{"parts":[{"text":"q"}]}],"generationConfig":{` + config + `}}`
}

const (
	question  = `{"text":"q"}`
	searchTo  = `,"tools":[{"googleSearch":{}}]}`
	withCalls = `,"tools":[{"googleSearch":{}},{"functionDeclarations":[{"name":"f"}]}]`
)

func TestGenerateRules(t *testing.T) {
	json := configured(`"responseMimeType":"application/json"`)
	for _, tt := range []struct {
		name    string
		rule    rule
		model   string
		vertex  bool
		body    string
		refused string // "" for taken
	}{
		{"contents", contentsGiven, "gemini-3.6-flash", false, turns("user", question), ""},
		{"no contents", contentsGiven, "gemini-3.6-flash", false, `{}`, "contents"},

		{"no role", rolesKnown, "gemini-3.6-flash", false, turns("", question), ""},
		{"a function's response, as it was", rolesKnown, "gemini-3.6-flash", false, turns("function", question), ""},
		{"a role of others", rolesKnown, "gemini-3.6-flash", false, turns("user", question, "assistant", question), "contents[1].role"},

		{"a function's call", partsGiven, "gemini-3.6-flash", false, turns("model", `{"functionCall":{"name":"f"}}`), ""},
		{"a thought's signature", partsGiven, "gemini-3.6-flash", false, turns("model", `{"thoughtSignature":"AAAA"}`), ""},
		{"no parts", partsGiven, "gemini-3.6-flash", false, turns("user", ""), "contents[0].parts"},
		{"an empty part", partsGiven, "gemini-3.6-flash", false, turns("user", question+`,{}`), "contents[0].parts[1]"},

		{"an empty text", textsGiven, "gemini-3.6-flash", false, turns("user", `{"text":""}`), ""},
		{"an empty text on Vertex AI", textsGiven, "gemini-3.6-flash", true, turns("user", `{"text":""}`), "contents[0].parts[0].text"},

		{"the user last", lastTurnTaken, "gemini-3.6-flash", false, turns("model", question, "user", question), ""},
		{"the model last", lastTurnTaken, "gemini-3.6-flash", false, turns("user", question, "model", question), "contents"},
		{"the model last on 3.5 Flash-Lite", lastTurnTaken, "gemini-3.5-flash-lite", true, turns("model", question), "contents"},
		{"the model last on 3.5 Flash", lastTurnTaken, "gemini-3.5-flash", false, turns("model", question), ""},
		{"a response last", lastTurnTaken, "gemini-3.6-flash", false, turns("model", `{"functionResponse":{"name":"f"}}`), ""},

		{"3000 images", imagesCounted, "gemini-3.6-flash", true, turns("user", images(3000)), ""},
		{"3001 images", imagesCounted, "gemini-3.6-flash", true, turns("user", images(3001)), "3001"},
		{"3001 images on the Gemini API", imagesCounted, "gemini-3.6-flash", false, turns("user", images(3001)), ""},

		{"a level", oneThinkingSetting, "gemini-3.6-flash", false, configured(`"thinkingConfig":{"thinkingLevel":"low"}`), ""},
		{"both", oneThinkingSetting, "gemini-3.6-flash", true, configured(`"thinkingConfig":{"thinkingLevel":"LOW","thinkingBudget":1}`), "thinking_budget"},

		{"minimal on 3.6", thinkingLevelTaken, "gemini-3.6-flash", false, configured(`"thinkingConfig":{"thinkingLevel":"MINIMAL"}`), ""},
		{"minimal on 3.8", thinkingLevelTaken, "gemini-3.8-flash", false, configured(`"thinkingConfig":{"thinkingLevel":"MINIMAL"}`), "thinking_level"},
		{"medium on 3.8", thinkingLevelTaken, "gemini-3.8-flash", true, configured(`"thinkingConfig":{"thinkingLevel":"MEDIUM"}`), ""},
		{"low on 2.5", thinkingLevelTaken, "gemini-2.5-flash", false, configured(`"thinkingConfig":{"thinkingLevel":"LOW"}`), "thinking_level"},
		{"thoughts shown on 2.5", thinkingLevelTaken, "gemini-2.5-flash", false, configured(`"thinkingConfig":{"includeThoughts":true}`), ""},

		{"none on 2.5 Flash", thinkingBudgetTaken, "gemini-2.5-flash", false, configured(`"thinkingConfig":{"thinkingBudget":0}`), ""},
		{"none on 2.5 Pro", thinkingBudgetTaken, "gemini-2.5-pro", false, configured(`"thinkingConfig":{"thinkingBudget":0}`), "thinking_budget"},
		{"the model's choice on 2.5 Pro", thinkingBudgetTaken, "gemini-2.5-pro", false, configured(`"thinkingConfig":{"thinkingBudget":-1}`), ""},
		{"300 on 2.5 Flash-Lite", thinkingBudgetTaken, "gemini-2.5-flash-lite", false, configured(`"thinkingConfig":{"thinkingBudget":300}`), "thinking_budget"},
		{"too much on 2.5 Flash", thinkingBudgetTaken, "gemini-2.5-flash", false, configured(`"thinkingConfig":{"thinkingBudget":24577}`), "thinking_budget"},
		{"none on 3.6, as of old", thinkingBudgetTaken, "gemini-3.6-flash", true, configured(`"thinkingConfig":{"thinkingBudget":0}`), ""},
		{"none on 3.5 Flash-Lite", thinkingBudgetTaken, "gemini-3.5-flash-lite", true, configured(`"thinkingConfig":{"thinkingBudget":0}`), "thinking_budget"},

		{"an enum as text", answerTypeKnown, "gemini-3.6-flash", false, configured(`"responseMimeType":"text/x.enum"`), ""},
		{"a web page", answerTypeKnown, "gemini-3.6-flash", false, configured(`"responseMimeType":"text/html"`), "response_mime_type"},

		{"a search", searchWithoutSchema, "gemini-2.5-flash", false, strings.TrimSuffix(configured(""), "}") + searchTo, ""},
		{"a search for JSON on 3.6", searchWithoutSchema, "gemini-3.6-flash", false, strings.TrimSuffix(json, "}") + searchTo, ""},
		{"a search for JSON on 2.5", searchWithoutSchema, "gemini-2.5-flash", false, strings.TrimSuffix(json, "}") + searchTo, "tools"},
		{"a search for JSON on Vertex AI", searchWithoutSchema, "gemini-3.6-flash", true, strings.TrimSuffix(json, "}") + searchTo, "google_search"},

		{"functions on 2.5", searchWithoutFunctions, "gemini-2.5-flash", false, strings.TrimSuffix(json, "}") + withCalls + "}", "tools"},
		{"functions on 3.6", searchWithoutFunctions, "gemini-3.6-flash", false, strings.TrimSuffix(json, "}") + withCalls + "}", "tool_config"},
		{"functions on 3.6, invocations included", searchWithoutFunctions, "gemini-3.6-flash", false,
			strings.TrimSuffix(json, "}") + withCalls + `,"toolConfig":{"includeServerSideToolInvocations":true}}`, ""},

		{"warm", settingsInRange, "gemini-3.6-flash", false, configured(`"temperature":2,"topP":0.9,"candidateCount":1`), ""},
		{"hot", settingsInRange, "gemini-3.6-flash", false, configured(`"temperature":2.1`), "temperature"},
		{"nine candidates", settingsInRange, "gemini-3.6-flash", false, configured(`"candidateCount":9`), "candidate_count"},
		{"no tokens", settingsInRange, "gemini-3.6-flash", false, configured(`"maxOutputTokens":-5`), "max_output_tokens"},
		{"too many tokens on Vertex AI", settingsInRange, "gemini-3.6-flash", true, configured(`"maxOutputTokens":65537`), "maxOutputTokens"},
	} {
		checkRule(t, tt.name, tt.rule, askedFor(t, "generateContent", tt.model, tt.vertex, tt.body), tt.refused)
	}
}

// checkRule checks that a rule takes a request, or refuses it with a message
// that names refused.
func checkRule(t *testing.T, name string, r rule, a asked, refused string) {
	t.Helper()
	err := r(a)
	if (err != nil) != (refused != "") || err != nil && !strings.Contains(err.Error(), refused) {
		t.Errorf("%s: %v, want refused for %q", name, err, refused)
	}
}

func images(n int) string {
	return strings.TrimSuffix(strings.Repeat(`{"inlineData":{"mimeType":"image/png","data":"AAAA"}},`, n), ",")
}

func TestEmbedRules(t *testing.T) {
	const one = `{"model":"models/gemini-embedding-2","content":{"parts":[{"text":"a"}]}}`
	batch := func(n int) string {
		return `{"requests":[` + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + `]}`
	}
	instances := func(n int) string {
		return `{"instances":[` + strings.TrimSuffix(strings.Repeat(`{"content":"a"},`, n), ",") + `]}`
	}
	for _, tt := range []struct {
		name          string
		rule          rule
		method, model string
		body, refused string
	}{
		{"100", batchCounted, "batchEmbedContents", "gemini-embedding-2", batch(100), ""},
		{"101", batchCounted, "batchEmbedContents", "gemini-embedding-2", batch(101), "101 requests"},
		{"none", batchCounted, "batchEmbedContents", "gemini-embedding-2", `{}`, "0 requests"},
		{"250 instances", batchCounted, "predict", "text-embedding-005", instances(250), ""},
		{"251 instances", batchCounted, "predict", "text-embedding-005", instances(251), "251"},
		{"two instances of one that takes one", batchCounted, "predict", "gemini-embedding-001", instances(2), "1"},
		{"the same model", modelRepeated, "batchEmbedContents", "gemini-embedding-2", batch(2), ""},
		{"another model", modelRepeated, "batchEmbedContents", "gemini-embedding-001", batch(2), "requests[0].model"},
		{"a task", knownTaskTypes, "predict", "gemini-embedding-001", `{"instances":[{"content":"a","task_type":"RETRIEVAL_QUERY"}]}`, ""},
		{"a bad task", knownTaskTypes, "predict", "gemini-embedding-001", `{"instances":[{"content":"a","task_type":"GUESSING"}]}`, "task_type"},
	} {
		checkRule(t, tt.name, tt.rule, askedFor(t, tt.method, tt.model, tt.method == "predict", tt.body), tt.refused)
	}
}

func TestEmbeddedInput(t *testing.T) {
	photos := make([]Inline, 7)
	textual, _ := modelOf(route{model: "gemini-embedding-001"})
	both, _ := modelOf(route{model: "gemini-embedding-2"})
	for _, tt := range []struct {
		name    string
		model   model
		in      embedInput
		refused string
	}{
		{"a text", textual, embedInput{text: "a", dimensions: 768}, ""},
		{"six photos", both, embedInput{photos: photos[:6], dimensions: 768}, ""},
		{"seven photos", both, embedInput{photos: photos, dimensions: 768}, "7 images"},
		{"a photo where only text goes", textual, embedInput{photos: photos[:1], dimensions: 768}, "text only"},
		{"blanks", both, embedInput{text: " ", dimensions: 768}, "empty Part"},
		{"no dimensions", both, embedInput{text: "a"}, "output_dimensionality"},
	} {
		err := checkInput(tt.model, tt.in)
		if (err != nil) != (tt.refused != "") || err != nil && !strings.Contains(err.Error(), tt.refused) {
			t.Errorf("%s: %v, want refused for %q", tt.name, err, tt.refused)
		}
	}
}

func TestSchemaRules(t *testing.T) {
	const json, open = "responseJsonSchema", "responseSchema"
	deep := strings.Repeat(`{"type":"array","items":`, 40) + `{"type":"string"}` + strings.Repeat("}", 40)
	for _, tt := range []struct {
		name, field, schema string
		refused             string
	}{
		{"an object", json, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"propertyOrdering":["a"]}`, ""},
		{"a type or null", json, `{"type":["string","null"]}`, ""},
		{"a keyword that is passed over", json, `{"type":"string","pattern":"a+","x-ours":1}`, ""},
		{"no other properties", json, `{"type":"object","additionalProperties":false}`, ""},
		{"an enum of numbers", json, `{"enum":[1,2]}`, ""},
		{"a reference", json, `{"$defs":{"a":{"type":"string"}},"properties":{"b":{"$ref":"#/$defs/a"}}}`, ""},
		{"a reference and more", json, `{"properties":{"b":{"$ref":"#","type":"string"}}}`, "properties[b].type"},
		{"a bad type", json, `{"properties":{"a":{"items":{"type":"float"}}}}`, "properties[a].items.type"},
		{"a bad type of several", json, `{"type":["string","nil"]}`, "type"},
		{"no schema", json, `"a string"`, "response_json_schema"},
		{"items that are no schema", json, `{"items":3}`, "items"},
		{"required of nothing", json, `{"type":"object","required":["a"]}`, "required[0]"},
		{"ordered twice, once wrongly", json, `{"properties":{"a":{}},"propertyOrdering":["a","b"]}`, "propertyOrdering[1]"},
		{"an empty enum value deep down", json, `{"anyOf":[{"properties":{"a":{"enum":["x",""]}}}]}`, "anyOf[0].properties[a].enum[1]"},
		{"more than most", json, `{"minItems":3,"maxItems":2}`, "minItems"},
		{"less than none", json, `{"maxLength":-1}`, "maxLength"},
		{"a bound in words", json, `{"maxItems":"three"}`, "maxItems"},
		{"from below zero", json, `{"minimum":-5,"maximum":-1}`, ""},
		{"too deep", json, deep, "nesting"},

		{"an object of Google's", open, `{"type":"object","properties":{"a":{"type":"STRING","enum":["x"]}},"required":["a"]}`, ""},
		{"a count as text", open, `{"type":"ARRAY","items":{"type":"STRING"},"maxItems":"3"}`, ""},
		{"no type", open, `{"properties":{"a":{"type":"STRING"}}}`, "type"},
		{"no type in a list", open, `{"type":"ARRAY","items":{}}`, "items.type"},
		{"required of nothing, of Google's", open, `{"type":"OBJECT","required":["a"]}`, "required[0]"},
		{"an empty enum value of Google's", open, `{"type":"STRING","enum":[""]}`, "enum[0]"},
	} {
		body := configured(`"responseMimeType":"application/json","` + tt.field + `":` + tt.schema)
		checkRule(t, tt.name, schemasValid, askedFor(t, "generateContent", "gemini-3.6-flash", false, body), tt.refused)
	}
}

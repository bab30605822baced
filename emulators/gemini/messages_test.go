package gemini

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/genai"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"example.com/whatis/emulators/gemini/geminitest"
)

// A newer field leaves the list with the version of the messages that has it.
func TestNewerFieldsAreFewAndNew(t *testing.T) {
	if len(newerFields) > 6 {
		t.Errorf("%d newer fields, want at most six", len(newerFields))
	}
	for _, f := range newerFields {
		for _, name := range f.in {
			d, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if fieldNamed(d.(protoreflect.MessageDescriptor), f.name) != nil {
				t.Errorf("%s has %s by now: take it out of newerFields", name, f.name)
			}
		}
	}
}

// The forms that the services take beside the canonical one, and what they say
// of others.
func TestReadMessage(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       string // the same in its canonical form, or the error
	}{
		{"canonical", `{"contents":[{"parts":[{"text":"q"}]}]}`, `{"contents":[{"parts":[{"text":"q"}]}]}`},
		{"lone values", `{"contents":{"parts":{"text":"q"}}}`, `{"contents":[{"parts":[{"text":"q"}]}]}`},
		{"names of the definition", `{"generation_config":{"top_k":4}}`, `{"generationConfig":{"topK":4}}`},
		{"lower case", `{"generationConfig":{"thinkingConfig":{"thinking_level":"low"}}}`, `{"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW"}}}`},
		{"null", `{"cachedContent":null}`, `{}`},
		{"a schema is left alone", `{"generationConfig":{"responseJsonSchema":{"any_name":["x"]}}}`, `{"generationConfig":{"responseJsonSchema":{"any_name":["x"]}}}`},
		{"large numbers", `{"generationConfig":{"seed":2147483647}}`, `{"generationConfig":{"seed":2147483647}}`},

		{"unknown", `{"prompt":"q"}`, `Unknown name "prompt": Cannot find field.`},
		{"unknown deep down", `{"contents":[{"parts":[{"txt":"q"}]}]}`, `Unknown name "txt" at 'contents[0].parts[0]': Cannot find field.`},
		{"unknown in a newer field", `{"contents":[{"parts":[{"text":"q","mediaResolution":{"depth":1}}]}]}`, `"depth" at 'contents[0].parts[0].media_resolution'`},
		{"an enum value that is none", `{"safetySettings":[{"category":"NONSENSE"}]}`, `'safety_settings[0].category'`},
		{"a newer one that is none", `{"serviceTier":"EXPRESS"}`, `'service_tier'`},
		{"text for an object", `{"generationConfig":"hot"}`, `'generation_config'`},
		{"text for a number", `{"generationConfig":{"topK":"many"}}`, `topK`},
		{"two values of a oneof", `{"contents":[{"parts":[{"text":"q","inlineData":{}}]}]}`, `oneof`},
		{"base64 that is none", `{"contents":[{"parts":[{"text":"q","thoughtSignature":"***"}]}]}`, `thoughtSignature`},
		{"no object", `["contents"]`, `invalid JSON payload`},
		{"two objects", `{} {}`, `more follows`},
	} {
		got, err := readMessage(apiMessages["generateContent"], []byte(tt.body))
		if err != nil {
			got = []byte(err.Error())
		}
		if strings.HasPrefix(tt.want, "{") && string(got) != tt.want || !strings.Contains(string(got), tt.want) {
			t.Errorf("%s: readMessage(%s) = %s, want %s", tt.name, tt.body, got, tt.want)
		}
	}
}

func TestModelsOfTheServices(t *testing.T) {
	s := start(t, Options{})
	for _, tt := range []struct {
		path string
		want int
	}{
		{"/v1beta/models/gemini-3.6-flash?key=k", 200},
		{"/v1beta/models/gemini-2.5-flash?key=k", 200},
		{"/v1beta/models/gemini-9?key=k", 404},
		{"/v1beta/models/emulated-anything?key=k", 200},
		{"/v1/publishers/google/models/gemini-3.6-flash", 200},
		{"/v1/publishers/google/models/gemini-2.5-flash", 404},
		{"/v1/publishers/google/models/text-embedding-005", 200},
	} {
		resp, err := http.Get(s.URL() + tt.path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("GET %s = %d, want %d", tt.path, resp.StatusCode, tt.want)
		}
	}
	var e genai.APIError
	if _, err := geminitest.API(t, s).Models.GenerateContent(t.Context(), "gemini-9", genai.Text("q"), nil); !errors.As(err, &e) || e.Status != "NOT_FOUND" {
		t.Errorf("GenerateContent of gemini-9 = %v, want NOT_FOUND", err)
	}
}

package gemini

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/whatis/emulators/gemini/geminitest"
)

// A documented request and what the services answer to it, by source: a page of
// the documentation, the reference that comes with Google's messages, or a public
// report with the answer in it.
type documented struct {
	name  string
	on    string // "api", "vertex", or "" for both
	model string // "" is gemini-3.6-flash; with a method behind ":" if it is not generateContent
	body  string
	// want is "" for an answer, or the code and the message: "400 Please…". After
	// "~" comes a part of the message, where no report has the whole of it.
	want   string
	source string
}

// statuses are the names of the codes.
var statuses = map[string]string{"400": "INVALID_ARGUMENT", "403": "PERMISSION_DENIED", "404": "NOT_FOUND"}

// Each request is judged as the services document it, on one of them or on both.
func TestDocumentedRequests(t *testing.T) {
	s := start(t, Options{})
	n := 0
	for _, table := range [][]documented{documentedTurns, documentedSignatures, documentedFunctions, documentedTools, documentedSchemas, documentedSettings, documentedRest, documentedEmbeddings} {
		for _, d := range table {
			n++
			if d.source == "" {
				t.Errorf("%s: no source", d.name)
			}
			for _, service := range []string{"api", "vertex"} {
				if d.on == "" || d.on == service {
					t.Run(d.name+" on "+service, func(t *testing.T) { d.check(t, s, service) })
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("the tables have %d requests, want 100", n)
	}
}

func (d documented) check(t *testing.T, s *Server, service string) {
	t.Helper()
	model := d.model
	if model == "" {
		model = "gemini-3.6-flash"
	}
	if !strings.Contains(model, ":") {
		model += ":generateContent"
	}
	path := "/v1beta/models/" + model + "?key=any"
	if service == "vertex" {
		path = "/v1/projects/p/locations/global/publishers/google/models/" + model
	}
	code, status, message := postFor(t, s.URL()+path, d.body)
	wantCode, want, _ := strings.Cut(d.want, " ")
	if wantCode == "" {
		wantCode = "200"
	}
	if fmt.Sprint(code) != wantCode || status != statuses[wantCode] {
		t.Fatalf("%s = %d %s %q, want %s", d.body, code, status, message, wantCode)
	}
	if part, ok := strings.CutPrefix(want, "~"); ok && !strings.Contains(message, part) || !ok && message != want {
		t.Errorf("%s = %q, want %q", d.body, message, want)
	}
}

// postFor sends a body and returns how it is answered, with the error's status and
// message if it is one.
func postFor(t *testing.T, url, body string) (code int, status, message string) {
	t.Helper()
	r, err := http.Post(url, "application/json", bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Error struct {
			Status, Message string
		}
	}
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return r.StatusCode, read.Error.Status, read.Error.Message
}

// What conversations are made of. The functions f, g and h are declared.
const declared = `,"tools":[{"functionDeclarations":[{"name":"f"},{"name":"g"},{"name":"h"}]}]}`

func conversation(contents ...string) string {
	return `{"contents":[` + strings.Join(contents, ",") + `]` + declared
}

func said(role, text string) string {
	return fmt.Sprintf(`{"role":%q,"parts":[{"text":%q}]}`, role, text)
}

// calling returns a turn that calls functions, the first with a signature.
func calling(names ...string) string { return signedBy("c2lnbmVk", names...) }

// signedBy is calling with another signature; "" is none.
func signedBy(signature string, names ...string) string {
	var parts []string
	for i, name := range names {
		signed := ""
		if i == 0 && signature != "" {
			signed = fmt.Sprintf(`,"thoughtSignature":%q`, signature)
		}
		parts = append(parts, fmt.Sprintf(`{"functionCall":{"name":%q,"args":{}}%s}`, name, signed))
	}
	return `{"role":"model","parts":[` + strings.Join(parts, ",") + `]}`
}

// responding returns a turn with the responses of functions.
func responding(names ...string) string { return respondingAs("user", names...) }

func respondingAs(role string, names ...string) string {
	var parts []string
	for _, name := range names {
		parts = append(parts, fmt.Sprintf(`{"functionResponse":{"name":%q,"response":{"ok":true}}}`, name))
	}
	return fmt.Sprintf(`{"role":%q,"parts":[%s]}`, role, strings.Join(parts, ","))
}

func repeated(n int, part string) string {
	return strings.TrimSuffix(strings.Repeat(part+",", n), ",")
}

// onePixel returns a part with the smallest picture.
func onePixel() string {
	return `{"inlineData":{"mimeType":"image/png","data":"` + base64.StdEncoding.EncodeToString(geminitest.PNGHeader(1, 1)) + `"}}`
}

func images(n int) string {
	return `{"contents":[{"role":"user","parts":[` + repeated(n, onePixel()) + `]}]}`
}

// asking returns a question with further members of the request.
func asking(members string) string {
	return `{"contents":[{"role":"user","parts":[{"text":"q"}]}],` + members + `}`
}

// schemed returns a question whose answer has a schema, in responseSchema.
func schemed(schema string) string {
	return asking(`"generationConfig":{"responseMimeType":"application/json","responseSchema":` + schema + `}`)
}

func jsonSchemed(schema string) string {
	return asking(`"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":` + schema + `}`)
}

func set(config string) string { return asking(`"generationConfig":{` + config + `}`) }

func declaring(names ...string) string {
	var list []string
	for _, name := range names {
		list = append(list, fmt.Sprintf(`{"name":%q}`, name))
	}
	return asking(`"tools":[{"functionDeclarations":[` + strings.Join(list, ",") + `]}]`)
}

// taking returns a function with parameters.
func taking(parameters string) string {
	return asking(`"tools":[{"functionDeclarations":[{"name":"f","parameters":` + parameters + `}]}]`)
}

// called returns a question with the function f and a functionCallingConfig.
func called(config string) string {
	return asking(`"tools":[{"functionDeclarations":[{"name":"f"}]}],"toolConfig":{"functionCallingConfig":{` + config + `}}`)
}

func uncalled(tools, config string) string {
	return asking(`"tools":` + tools + `,"toolConfig":{"functionCallingConfig":{` + config + `}}`)
}

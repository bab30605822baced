package api_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/whatis/internal/api"
)

// listen serves a until the test ends, and returns its address. Then every answer, whoever
// asked, is checked against a's OpenAPI document: its path, status, media type and schema.
func listen(t *testing.T, a *api.API) string {
	t.Helper()
	var mu sync.Mutex
	var answers []*recorder
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &recorder{ResponseWriter: w, asked: r.Clone(r.Context()), status: http.StatusOK}
		a.ServeHTTP(answer, r)
		if r.Context().Err() == nil && !answer.cut { // else the client has not got it all
			mu.Lock()
			defer mu.Unlock()
			answers = append(answers, answer)
		}
	}))
	t.Cleanup(func() {
		server.Close()
		written := documentOf(t, a)
		for _, answer := range answers {
			if err := answer.check(written); err != nil {
				t.Errorf("%s %s is not answered as documented: %v", answer.asked.Method, answer.asked.URL, err)
			}
		}
	})
	return server.URL
}

// A writtenDocument is a OpenAPI document. Its schemas are compiled once each: a schema that is
// read anew for each answer takes most of a test's time.
type writtenDocument struct {
	routers.Router
	schemas *jsonschema.Compiler
	mu      sync.Mutex
}

// documents are all documents, by what their APIs offer.
var documents sync.Map

// documentOf returns a's document, which has to be valid.
func documentOf(t *testing.T, a *api.API) *writtenDocument {
	t.Helper()
	offered := ""
	for _, field := range reflect.ValueOf(a.Config).Fields() {
		offered += fmt.Sprint(field.IsZero(), " ")
	}
	if known, ok := documents.Load(offered); ok {
		return known.(*writtenDocument)
	}
	written, err := a.Document()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(written)
	if err != nil {
		t.Fatal(err)
	}
	loader := openapi3.NewLoader()
	parsed, err := loader.LoadFromData(text)
	if err == nil {
		err = parsed.Validate(loader.Context) // with its examples
	}
	if err != nil {
		t.Fatalf("the OpenAPI document: %v", err)
	}
	d := &writtenDocument{schemas: jsonschema.NewCompiler()}
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = d.schemas.AddResource(documentURL, whole)
	}
	if err == nil {
		d.Router, err = gorillamux.NewRouter(parsed)
	}
	if err != nil {
		t.Fatalf("the OpenAPI document: %v", err)
	}
	documents.Store(offered, d)
	return d
}

const documentURL = "https://whatis.example/openapi.json"

// schema returns the schema at a path of the document.
func (d *writtenDocument) schema(path ...string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	pointer := ""
	for _, part := range path {
		pointer += "/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	return d.schemas.Compile(documentURL + "#" + pointer)
}

// A recorder passes an answer on and keeps it.
type recorder struct {
	http.ResponseWriter
	asked  *http.Request
	status int
	body   bytes.Buffer
	cut    bool // the client does not get it all
}

func (a *recorder) WriteHeader(status int) {
	if status >= 200 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *recorder) Write(b []byte) (int, error) {
	a.body.Write(b)
	return a.ResponseWriter.Write(b)
}

// SetWriteDeadline notes a deadline that has passed, by which the service cuts an answer.
func (a *recorder) SetWriteDeadline(at time.Time) error {
	a.cut = a.cut || at.Before(time.Now())
	return http.NewResponseController(a.ResponseWriter).SetWriteDeadline(at)
}

func (a *recorder) Flush() { _ = http.NewResponseController(a.ResponseWriter).Flush() }

func (a *recorder) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// check checks the answer. Paths that are no part of the document are not checked.
func (a *recorder) check(written *writtenDocument) error {
	r := a.asked
	route, _, err := written.FindRoute(r)
	if err != nil || r.Method == http.MethodHead || a.status == http.StatusNotModified {
		return nil
	}
	status := strconv.Itoa(a.status)
	answer := route.Operation.Responses.Value(status)
	if answer == nil {
		status, answer = "default", route.Operation.Responses.Default()
	}
	if answer == nil {
		return fmt.Errorf("%d is no status of it", a.status)
	}
	body, err := a.unpacked()
	if err != nil || len(body) == 0 {
		return err
	}
	kind, _, err := mime.ParseMediaType(a.Header().Get("Content-Type"))
	if err != nil {
		return err
	}
	if answer.Value.Content[kind] == nil {
		return fmt.Errorf("%q is no media type of its %d", kind, a.status)
	}
	if isJSON := kind == "application/json" || strings.HasSuffix(kind, "+json"); !isJSON && kind != "text/event-stream" {
		return nil
	}
	schema, err := written.schema("paths", route.Path, strings.ToLower(route.Method), "responses", status, "content", kind, "schema")
	if err != nil {
		return err
	}
	if kind == "text/event-stream" {
		return eachEvent(body, schema)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// unpacked returns the body without its compression.
func (a *recorder) unpacked() ([]byte, error) {
	if a.Header().Get("Content-Encoding") != "gzip" || a.body.Len() == 0 {
		return a.body.Bytes(), nil
	}
	r, err := gzip.NewReader(bytes.NewReader(a.body.Bytes()))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// eachEvent checks the events of a stream, each as an object of its fields.
func eachEvent(stream []byte, schema *jsonschema.Schema) error {
	for text := range strings.SplitSeq(string(stream), "\n\n") {
		fields := map[string]any{"event": "", "id": ""}
		for line := range strings.Lines(text) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			switch name {
			case "event", "id":
				fields[name] = value
			case "data":
				data, err := jsonschema.UnmarshalJSON(strings.NewReader(value))
				if err != nil {
					return fmt.Errorf("data of an event: %w", err)
				}
				fields[name] = data
			}
		}
		if fields["data"] == nil {
			continue // a comment, or the end
		}
		if err := schema.Validate(fields); err != nil {
			return fmt.Errorf("event %v: %w", fields["event"], err)
		}
	}
	return nil
}

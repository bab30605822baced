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
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

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
		router := routerOf(t, a)
		for _, answer := range answers {
			if err := answer.check(router); err != nil {
				t.Errorf("%s %s is not answered as documented: %v", answer.asked.Method, answer.asked.URL, err)
			}
		}
	})
	return server.URL
}

// documents are the routers of all documents, by their text.
var documents sync.Map

// routerOf returns the routes of a's document, which has to be valid.
func routerOf(t *testing.T, a *api.API) routers.Router {
	t.Helper()
	written, err := a.Document()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(written)
	if err != nil {
		t.Fatal(err)
	}
	if known, ok := documents.Load(string(text)); ok {
		return known.(routers.Router)
	}
	loader := openapi3.NewLoader()
	document, err := loader.LoadFromData(text)
	if err == nil {
		err = document.Validate(loader.Context) // with its examples
	}
	if err != nil {
		t.Fatalf("the OpenAPI document: %v", err)
	}
	router, err := gorillamux.NewRouter(document)
	if err != nil {
		t.Fatalf("the OpenAPI document: %v", err)
	}
	documents.Store(string(text), router)
	return router
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
func (a *recorder) check(document routers.Router) error {
	r := a.asked
	route, path, err := document.FindRoute(r)
	if err != nil {
		return nil
	}
	kind, _, err := mime.ParseMediaType(a.Header().Get("Content-Type"))
	if err != nil && a.body.Len() > 0 {
		return err
	}
	body, err := a.unpacked()
	if err != nil {
		return err
	}
	isJSON := kind == "application/json" || strings.HasSuffix(kind, "+json")
	err = openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: path, Route: route},
		Status:                 a.status, Header: a.Header(), Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, ExcludeResponseBody: !isJSON},
	})
	if err != nil || isJSON || r.Method == http.MethodHead || a.body.Len() == 0 {
		return err
	}
	answer := route.Operation.Responses.Status(a.status)
	if answer == nil {
		answer = route.Operation.Responses.Default()
	}
	media := answer.Value.Content[kind]
	if media == nil {
		return fmt.Errorf("%q is no media type of it", kind)
	}
	if kind == "text/event-stream" {
		return eachEvent(body, media.Schema.Value)
	}
	return nil
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
func eachEvent(stream []byte, schema *openapi3.Schema) error {
	for text := range strings.SplitSeq(string(stream), "\n\n") {
		fields := map[string]any{"event": "", "id": ""}
		for line := range strings.Lines(text) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			switch name {
			case "event", "id":
				fields[name] = value
			case "data":
				var data any
				if err := json.Unmarshal([]byte(value), &data); err != nil {
					return fmt.Errorf("data of an event: %w", err)
				}
				fields[name] = data
			}
		}
		if fields["data"] == nil {
			continue // a comment, or the end
		}
		if err := schema.VisitJSON(fields, openapi3.EnableJSONSchema2020()); err != nil {
			return fmt.Errorf("event %v: %w", fields["event"], err)
		}
	}
	return nil
}

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

const secret = "AIzaSyD-not-a-real-key-0123456789abcdef"

// Who sends an event, by trace and span.
const (
	trace1, span1 = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	trace2, span2 = "1bf7651916cd43dd8448eb211c80319c", "00000000000000ff"
	trace3, span3 = "2cf7651916cd43dd8448eb211c80319c", "c7ad6b7169203331"
)

// published returns the attributes of a message whose publisher traces it.
func published(trace, span string) map[string]string {
	return map[string]string{"googclient_traceparent": parentOf(trace, span)}
}

func parentOf(trace, span string) string { return "00-" + trace + "-" + span + "-01" }

// An object's event is one trace, from whoever sent it to the last Firestore call,
// and its log lines are of that trace. Nothing of it tells a secret.
func TestTrace(t *testing.T) {
	w := deployed(t)
	c := collect(t)
	s := serveTraced(t, w, "FUNCTION_TARGET=Upload", "TRACE=otlp", "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL)

	script(w)
	s.push(t, w, "first.jpg", published(trace1, span1))
	var both sync.WaitGroup // the same photo, whose result is known, at the same time, so that one could get the other's trace
	both.Go(func() { s.event(t, w, "second.jpg", "Ce-Traceparent", parentOf(trace2, span2)) })
	both.Go(func() { s.push(t, w, "third.jpg", published(trace3, span3)) })
	both.Wait()
	logs := s.stop(t)
	spans := c.all(t)

	for _, test := range []struct{ trace, parent string }{{trace1, span1}, {trace2, span2}, {trace3, span3}} {
		root := spans.named(test.trace, "Upload")
		if root == nil || root.parent != test.parent {
			t.Errorf("trace %s: Upload is %+v, want one below %s", test.trace, root, test.parent)
		}
		if want := `"message":"object analysed"`; !linesHave(logs, want, `"severity":"INFO"`, `"logging.googleapis.com/trace":"projects/`+w.Project+`/traces/`+test.trace+`"`) {
			t.Errorf("no log line has %s and the trace %s:\n%s", want, test.trace, logs)
		}
	}
	for name, above := range map[string][]string{
		"product_analyzer":                                 {"Upload"},
		"image_analyzer":                                   {"product_analyzer", "Upload"},
		"rag_agent":                                        {"product_analyzer", "Upload"},
		"model gemini-3.5-flash-lite":                      {"image_analyzer", "product_analyzer", "Upload"},
		"model gemini-3.6-flash":                           {"google_search", "rag_agent", "product_analyzer", "Upload"},
		"model gemini-embedding-2":                         {"search_local_db", "rag_agent", "product_analyzer", "Upload"},
		"cloud.google.com/go/firestore.Query.RunQuery":     {"search_local_db", "rag_agent", "product_analyzer", "Upload"},
		"cloud.google.com/go/firestore.DocumentRef.Create": {"Upload"},
	} {
		if !slices.ContainsFunc(spans, func(s span) bool {
			return s.trace == trace1 && s.name == name && slices.Equal(spans.above(s), above)
		}) {
			t.Errorf("no span %q below %q among:\n%v", name, above, spans)
		}
	}
	if s := spans.named(trace1, "model gemini-3.5-flash-lite"); s != nil &&
		(s.notes["gen_ai.usage.input_tokens"] == "" || s.notes["gen_ai.response.model"] != "gemini-3.5-flash-lite") {
		t.Errorf("the model call's notes are %v, want its tokens and the model that answered", s.notes)
	}
	tellNothing(t, w, "logs", []byte(logs))
	tellNothing(t, w, "spans", c.bytes())
}

// Without TRACE nothing is exported, and the log lines name the trace that came in,
// and the event.
func TestNoTrace(t *testing.T) {
	w := deployed(t)
	c := collect(t)
	s := serveTraced(t, w, "FUNCTION_TARGET=Upload", "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_TRACES_SAMPLER_ARG=1")
	script(w)
	s.push(t, w, "first.jpg", published(trace1, span1))
	logs := s.stop(t)
	if n := len(c.bytes()); n != 0 {
		t.Errorf("%d bytes are exported without TRACE, want none", n)
	}
	if !linesHave(logs, `"message":"object analysed"`, `"event":"1"`, "/traces/"+trace1, `"logging.googleapis.com/spanId":"`+span1+`"`) {
		t.Errorf("no log line of the result names the trace that came in:\n%s", logs)
	}
	tellNothing(t, w, "logs", []byte(logs))
}

// A request over HTTP is a trace as well, and its events still stream.
func TestTraceOfARequest(t *testing.T) {
	w := deployed(t)
	c := collect(t)
	s := serveTraced(t, w, "FUNCTION_TARGET=API", "TRACE=otlp", "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL)
	w.Gemini.Script(gemini.Answer{Kind: answers.KindImage, Text: noProduct, ModelVersion: "gemini-3.5-flash-lite"})
	answer := s.post(t, "/analyze", photo, "Traceparent", parentOf(trace1, span1), "Content-Type", "image/jpeg", "Accept", "text/event-stream")
	if !strings.Contains(answer, "event: end\n") {
		t.Errorf("POST /analyze = %s, want a stream with an end", answer)
	}
	s.get(t, "/nowhere", "Traceparent", parentOf(trace2, span2))
	logs := s.stop(t)
	spans := c.all(t)
	root := spans.named(trace1, "API")
	if root == nil || root.parent != span1 || root.notes["url.path"] != "/analyze" || root.notes["http.response.status_code"] != "200" {
		t.Errorf("API is %+v, want one below %s, of /analyze, with status 200", root, span1)
	}
	if lost := spans.named(trace2, "API"); lost == nil || lost.notes["http.response.status_code"] != "404" {
		t.Errorf("API of another trace is %+v, want one with status 404", lost)
	}
	if m := spans.named(trace1, "image_analyzer"); m == nil || !slices.Equal(spans.above(*m), []string{"product_analyzer", "API"}) {
		t.Errorf("no image_analyzer below product_analyzer below API among:\n%v", spans)
	}
	if !linesHave(logs, `"message":"object analysed"`, `"source":"Unable to identify product image"`, "/traces/"+trace1) {
		t.Errorf("no log line of the result names the trace:\n%s", logs)
	}
	tellNothing(t, w, "logs", []byte(logs))
	tellNothing(t, w, "spans", c.bytes())
}

const noProduct = `{"visible_text":[],"codes":[],"name_as_printed":"","brand_as_printed":"","sub_brands":[],"dates":[],"category":"","image_features":"","key_features":[],"product_name":"","brand":"","product_name_confidence":0,"brand_confidence":0,"known_product":"unsure","products_seen":0,"side":"front","not_product":true,"description":"a lake"}`

// script makes the models doubt, search, and find.
func script(w *emulate.World) {
	w.Gemini.Script(
		gemini.Answer{Kind: answers.KindImage, ModelVersion: "gemini-3.5-flash-lite", Text: `{"visible_text":[{"text":"HAETSAL","clear":true},{"text":"Barley Tea 500 ml","clear":true}],"codes":[],"name_as_printed":"Barley Tea","brand_as_printed":"HAETSAL","sub_brands":[],"dates":[],"category":"Beverage","image_features":"green bottle","key_features":["barley tea","500 ml","haetsal","green bottle","plastic bottle","no sugar","tea","label"],"product_name":"Barley Tea","brand":"Haetsal","product_name_confidence":0.5,"brand_confidence":0.5,"known_product":"yes","products_seen":1,"side":"front","not_product":false,"description":""}`},
		gemini.Answer{Kind: answers.KindSearch, ModelVersion: "gemini-3.6-flash", Text: "It is Haetsal Barley Tea.", Grounding: &gemini.Grounding{
			Queries: []string{"haetsal"}, Chunks: []gemini.GroundingChunk{{Web: gemini.WebSource{URI: "https://shop.example", Title: "shop"}}},
			Supports: []gemini.GroundingSupport{{Segment: gemini.Segment{End: 5, Text: "It is"}, Chunks: []int{0}}},
		}},
		gemini.Answer{Kind: answers.KindStructure, ModelVersion: "gemini-3.6-flash", Text: `{"found":true,"product_name":"Barley Tea","brand":"Haetsal","category":"Beverage","supported":["tea"],"probability":0.8,"evidence":"tea"}`},
	)
}

// A served is a function as Cloud Run runs it.
type served struct {
	url  string
	cmd  *exec.Cmd
	logs *bytes.Buffer
}

func serveTraced(t *testing.T, w *emulate.World, lines ...string) *served {
	t.Helper()
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TRACE", "") // and back to what it is now
	os.Unsetenv("TRACE")
	s := &served{logs: &bytes.Buffer{}}
	env := append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "K_SERVICE=upload", "ACCESS=private",
		"GOOGLE_API_KEY="+secret, "LEARN_FROM_SEARCH=true")
	s.cmd, s.url = startWith(t, s.logs, append(env, lines...)...)
	return s
}

// stop ends the process as Cloud Run does, and returns what it has logged.
func (s *served) stop(t *testing.T) string {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v, want exit 0", err)
	}
	return s.logs.String()
}

var photo = samples.All()[0].Bytes()

// deployed returns what the function is deployed with. On Cloud Run it takes no emulated
// weather.
func deployed(t *testing.T) *emulate.World {
	t.Helper()
	return emulate.Start(t, emulate.Firestore, emulate.Gemini, emulate.Storage, emulate.PubSub)
}

// resource uploads the photo under a name and returns its object resource.
func resource(t *testing.T, w *emulate.World, name string) []byte {
	return fmt.Appendf(nil, `{"bucket":"uploads","name":%q,"generation":"%d"}`, name, w.Put(t, "uploads", name, photo))
}

// push delivers the upload of an object as Pub/Sub does.
func (s *served) push(t *testing.T, w *emulate.World, name string, attributes map[string]string) {
	body, err := json.Marshal(map[string]any{"subscription": "projects/p/subscriptions/s", "message": map[string]any{
		"attributes": attributes, "data": resource(t, w, name), "messageId": "1", "publishTime": "2026-11-21T00:00:00Z"}})
	if err != nil {
		t.Error(err)
	}
	s.post(t, "/projects/"+w.Project+"/topics/uploads", body)
}

// event delivers it as Eventarc does.
func (s *served) event(t *testing.T, w *emulate.World, name string, header ...string) {
	s.post(t, "/", resource(t, w, name), append(header, "Ce-Id", "2", "Ce-Specversion", "1.0",
		"Ce-Source", "//storage.googleapis.com/projects/_/buckets/uploads", "Ce-Type", "google.cloud.storage.object.v1.finalized")...)
}

// post returns the answer, which has to have status 200.
func (s *served) post(t *testing.T, path string, body []byte, header ...string) string {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return ""
	}
	r.Header.Set("Content-Type", "application/json")
	for pair := range slices.Chunk(header, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		t.Errorf("POST %s = %s: %s", path, resp.Status, answer)
	}
	return string(answer)
}

// get asks for what is not there.
func (s *served) get(t *testing.T, path, name, value string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(name, value)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("GET %s = %s, want 404", path, resp.Status)
	}
}

func linesHave(logs string, parts ...string) bool {
	for line := range strings.Lines(logs) {
		if !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(line, p) }) {
			return true
		}
	}
	return false
}

// tellNothing looks for the key, the photo and the prompts, which the model has
// got, in what they must not be in.
func tellNothing(t *testing.T, w *emulate.World, name string, all []byte) {
	t.Helper()
	hidden := map[string]string{"the key": secret, "the photo": string(photo[:30]), "the photo's base64": base64.StdEncoding.EncodeToString(photo)[:40]}
	for _, call := range w.Gemini.Calls() {
		for _, text := range append(slices.Clone(call.Texts), call.System) {
			for line := range strings.Lines(text) {
				if line = strings.TrimSpace(line); len(line) > 40 {
					hidden["the prompt line "+line] = line
				}
			}
		}
	}
	if len(hidden) < 10 {
		t.Errorf("only %d texts to look for: has the model got no prompt?", len(hidden))
	}
	for what, text := range hidden {
		if bytes.Contains(all, []byte(text)) {
			t.Errorf("%s tell %s", name, what)
		}
	}
}

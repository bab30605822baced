package app_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/jobs/queue"
)

// A deployment is the API with every agent over emulators. Its tasks are done as they
// come, and it notes what it is asked.
type deployment struct {
	url   string
	mu    sync.Mutex
	asked map[string]bool // by method and path
}

func deploy(t *testing.T) *deployment {
	t.Helper()
	w := emulate.Start(t)
	web, err := site.Start(site.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(web.Close)
	for _, bucket := range []string{"uploads", "results", "pictures"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	w.Put(t, "uploads", "photos/a.png", samples.All()[1].Bytes())
	w.Put(t, "uploads", "01-oat-crackers.jpg", samples.All()[0].Bytes()) // as docs/clients.md has it
	w.Put(t, "uploads", "text.txt", []byte("no photo"))
	const tasks = "projects/emulated/topics/tasks"
	if err := w.PubSub.CreateTopic(tasks); err != nil {
		t.Fatal(err)
	}
	point(t, w, "TASKS_TOPIC=tasks", "LONG_TASKS_TOPIC=", "SEARCH_SHOP=eyewear", "PICTURE_BUCKETS=pictures", "FORECAST_MODEL=emulated-forecast", "SPEECH_MODEL=emulated-speech",
		"OPENWEATHER_API_KEY=emulated", "FETCH_ALLOW="+web.Allow(), "BRAVE_SEARCH_API_KEY="+web.Token(), "BRAVE_SEARCH_BASE_URL="+web.SearchURL(),
		"EMULATED_WEB=Kenya;Argentina", "THINKING_MODEL=emulated-thinking", "STRUCTURED_MODEL=emulated-structured", "RELEVANCE_CHECK_MODEL=emulated-relevance")
	c, err := app.ReadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := app.New(c)
	shelve(t, w, a)
	work(t, w, a, tasks)
	d := &deployment{asked: map[string]bool{}}
	handler := a.API()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		copied := &copier{ResponseWriter: w}
		handler.ServeHTTP(copied, r)
		d.mu.Lock()
		defer d.mu.Unlock()
		d.asked[r.Method+" "+r.URL.Path] = true
		if at := null(copied.body.Bytes()); at != "" {
			t.Errorf("%s %s answers with null at %s, and the document knows no null", r.Method, r.URL.Path, at)
		}
	}))
	t.Cleanup(server.Close)
	d.url = server.URL
	return d
}

// A copier keeps what is answered.
type copier struct {
	http.ResponseWriter
	body bytes.Buffer
}

func (c *copier) Write(p []byte) (int, error) {
	c.body.Write(p)
	return c.ResponseWriter.Write(p)
}

// Unwrap lets the handler flush and set deadlines.
func (c *copier) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// null is where a null stands in data, if that is JSON.
func null(data []byte) string {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return ""
	}
	return nullIn("$", v)
}

func nullIn(at string, v any) (found string) {
	switch v := v.(type) {
	case nil:
		return at
	case map[string]any:
		for name, one := range v {
			found = cmp.Or(found, nullIn(at+"."+name, one))
		}
	case []any:
		for i, one := range v {
			found = cmp.Or(found, nullIn(fmt.Sprint(at, "/", i), one))
		}
	}
	return found
}

// shelve fills the catalogue with the products that photos show, and with a few frames
// and their pictures.
func shelve(t *testing.T, w *emulate.World, a *app.App) {
	t.Helper()
	if _, err := a.Import(t.Context(), bytes.NewReader(samples.ProductsDB), nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, f := range samples.Frames()[:10] {
		w.Put(t, "pictures", f.SKU+".png", f.PNG())
	}
	file := bytes.Join(bytes.SplitAfter(samples.EyewearFile("gs://pictures/"), []byte("\n"))[:10], nil)
	_, err := a.ImportFile(t.Context(), app.CatalogFile{Reader: bytes.NewReader(file), Shop: "eyewear", Fault: func(f catalog.Fault) { t.Errorf("import: %+v", f) }})
	if err != nil {
		t.Fatal(err)
	}
}

// work does the tasks of a topic as they come.
func work(t *testing.T, w *emulate.World, a *app.App, topic string) {
	tray, ended := make(chan queue.Delivery, 1000), make(chan struct{})
	stop := w.PubSub.Subscribe(topic, func(m pubsub.Message) {
		tray <- queue.Delivery{Data: m.Data, Meta: queue.Meta{Published: m.PublishTime}}
	})
	go func() {
		defer close(ended)
		for m := range tray {
			if err := a.Tasks().Dispatch(t.Context(), m); err != nil && t.Context().Err() == nil {
				t.Errorf("Task(%s) = %v", m.Data, err)
			}
		}
	}()
	t.Cleanup(func() { stop(); close(tray); <-ended })
}

// unasked are the operations of the document that nobody has asked for since it was
// looked last.
func (d *deployment) unasked(t *testing.T, document []byte) (all []string) {
	t.Helper()
	var read struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal(document, &read); err != nil {
		t.Fatal(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	parameter := regexp.MustCompile(`\\\{[a-z]+\\\}`)
	for path, methods := range read.Paths {
		like := regexp.MustCompile("^" + parameter.ReplaceAllString(regexp.QuoteMeta(path), "[^/]+") + "$")
		for method := range methods {
			operation, found := strings.ToUpper(method)+" "+path, false
			for asked := range d.asked {
				name, at, _ := strings.Cut(asked, " ")
				found = found || name == strings.ToUpper(method) && like.MatchString(at) && (at == path || read.Paths[at] == nil)
			}
			if !found {
				all = append(all, operation)
			}
		}
	}
	clear(d.asked)
	return all
}

// A workshop is a folder in which clients are made.
type workshop struct {
	*testing.T
	folder string
}

func (w workshop) run(name string, args ...string) string {
	w.Helper()
	c := exec.CommandContext(w.Context(), name, args...)
	c.Dir = w.folder
	out, err := c.CombinedOutput()
	if err != nil {
		w.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func (w workshop) write(name string, data []byte) {
	w.Helper()
	if err := os.WriteFile(filepath.Join(w.folder, name), data, 0o600); err != nil {
		w.Fatal(err)
	}
}

func (w workshop) read(name string) []byte {
	w.Helper()
	data, err := os.ReadFile(filepath.Join(w.folder, name))
	if err != nil {
		w.Fatal(err)
	}
	return data
}

// example returns the only block of code in a language that a document shows.
func example(t *testing.T, file, language string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```").FindAllSubmatch(text, -1)
	if len(blocks) != 1 {
		t.Fatalf("%s has %d blocks of %s, want one", file, len(blocks), language)
	}
	return blocks[0][1]
}

// The clients that are made of the document, for Go and for TypeScript, compile and call every
// operation. With WHATIS_NPM=1.
func TestGeneratedClients(t *testing.T) {
	if os.Getenv("WHATIS_NPM") == "" {
		t.Skip("WHATIS_NPM=1 makes clients with what npm and the Go proxy have")
	}
	d := deploy(t)
	shop := workshop{t, t.TempDir()}
	if err := os.CopyFS(shop.folder, os.DirFS("testdata/generated")); err != nil {
		t.Fatal(err)
	}
	document := []byte(shop.run("curl", "-sf", d.url+"/openapi.json"))
	shop.write("openapi.json", document)
	shop.run("npm", "ci", "--no-audit", "--no-fund")

	shop.write("photo.png", samples.All()[1].Bytes())
	shop.run("go", "tool", "oapi-codegen", "-config", "oapi-codegen.yaml", "openapi.json")
	shop.run("go", "run", ".", d.url, "photo.png")
	shown := workshop{t, t.TempDir()}
	for _, name := range []string{"client.go", "go.mod", "go.sum"} {
		shown.write(name, shop.read(name))
	}
	shown.write("main.go", example(t, "../../docs/clients.md", "go"))
	if said := shown.run("go", "run", ".", d.url); said != "Sea Salt Oat Crackers 1\n" {
		t.Errorf("the program of docs/clients.md prints %q", said)
	}
	if left := d.unasked(t, document); len(left) > 0 {
		t.Errorf("the client for Go does not call %q: add them to testdata/generated/main.go", left)
	}

	shop.run("npx", "openapi-typescript", "openapi.json", "-o", "schema.d.ts")
	shop.run("npx", "tsc")
	shop.run("node", "out/main.js", d.url)
	if left := d.unasked(t, document); len(left) > 0 {
		t.Errorf("the client for TypeScript does not call %q: add them to testdata/generated/main.ts", left)
	}
}

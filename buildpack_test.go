package whatis

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// generated is the program that Google's buildpack makes of a module that registers its
// functions itself (cmd/go/functions_framework in github.com/GoogleCloudPlatform/buildpacks).
const generated = `package main

import (
	"log"
	"net/http"
	"os"

	_ "example.com/whatis"

	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework"
)

func main() {
	http.HandleFunc("/robots.txt", http.NotFound)
	http.HandleFunc("/favicon.ico", http.NotFound)
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	if err := funcframework.Start(port); err != nil {
		log.Fatal(err)
	}
}
`

// The buildpack reads the imports of all files at the module's root, tests among them. It
// stops if they are of two packages, and generates another program if none imports the
// package functions.
func TestBuildpackReadsTheRoot(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	imported := false
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		if file.Name.Name != "whatis" {
			t.Errorf("%s is of the package %s, want whatis", name, file.Name.Name)
		}
		for _, i := range file.Imports {
			imported = imported || i.Path.Value == `"github.com/GoogleCloudPlatform/functions-framework-go/functions"`
		}
	}
	if !imported {
		t.Error("no file imports the package functions of the framework")
	}
}

// gcloud uploads what is in the repository, for builds of functions and in Cloud Build, and
// nothing that lies beside it.
func TestUploadedSource(t *testing.T) {
	tracked, err := exec.CommandContext(t.Context(), "git", "ls-files").Output()
	if _, missing := exec.LookPath("gcloud"); missing != nil || err != nil {
		t.Skip("this asks gcloud what of a repository it would upload")
	}
	dir := t.TempDir()
	strange := "photo.jpg\nholiday/a.png\nkey.json\n.env\n.git/config\nphotos/whatisit\nterraform/.terraform/provider\nterraform/terraform.tfstate\n"
	for path := range strings.Lines(string(tracked) + strange) {
		path = filepath.Join(dir, strings.TrimSpace(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".gcloudignore", ".gitignore"} {
		text, err := os.ReadFile(name)
		if err := errors.Join(err, os.WriteFile(filepath.Join(dir, name), text, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), "gcloud", "meta", "list-files-for-upload", dir)
	c.Env = append(os.Environ(), "CLOUDSDK_CONFIG="+t.TempDir())
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	uploaded, want := strings.Fields(string(out)), strings.Fields(string(tracked))
	slices.Sort(uploaded)
	slices.Sort(want)
	for _, path := range want {
		if !slices.Contains(uploaded, path) {
			t.Errorf(".gcloudignore ignores %s, which is of the repository", path)
		}
	}
	for _, path := range uploaded {
		if !slices.Contains(want, path) {
			t.Errorf("gcloud uploads %s, which is not of the repository", path)
		}
	}
}

// The program that the buildpack generates serves Upload and API, logs as on Cloud Run, and
// drains at SIGTERM. It is built where the buildpack puts it, inside this module.
func TestBuildpack(t *testing.T) {
	binary := buildGenerated(t)
	w := emulate.Start(t)
	env := append(os.Environ(), w.Env()...)
	env = append(env, "K_SERVICE=", "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results",
		"IMAGE_MODEL=emulated-image", "JUDGE_MODEL=emulated-judge", "EMBEDDING_MODEL=emulated-embedding")
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	sample := samples.All()[0]

	t.Run("Upload", func(t *testing.T) {
		p := serveGenerated(t, binary, append(env, "FUNCTION_TARGET=Upload"))
		err := w.Events.Add(eventarc.Route{
			Topic: "events", Bucket: "uploads", Endpoint: eventarc.Endpoint(p.url, w.Project, "events"), Form: eventarc.CloudEventForm,
			AckDeadline: 10 * time.Second, MinBackoff: 10 * time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		w.Put(t, "uploads", "a.jpg", sample.Bytes())
		if err := w.Events.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		r, err := emulate.StorageClient(t, w).Bucket("results").Object("a.jpg.json").NewReader(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var result struct {
			Name string `json:"product_name"`
		}
		if err := json.NewDecoder(r).Decode(&result); err != nil || result.Name != sample.Truth.Name {
			t.Errorf("the result is %+v, %v; want %q", result, err, sample.Truth.Name)
		}
	})

	t.Run("API", func(t *testing.T) {
		p := serveGenerated(t, binary, append(env, "FUNCTION_TARGET=API"))
		document, err := http.Get(p.url + "/openapi.json")
		if err != nil {
			t.Fatal(err)
		}
		defer document.Body.Close()
		if text, err := io.ReadAll(document.Body); err != nil || !bytes.Contains(text, []byte(`"x-commit": "0123abc"`)) {
			t.Errorf("GET /openapi.json = %.300s, %v; want the commit that the linker was told", text, err)
		}
		// The instance has to stop while the model is asked.
		w.Gemini.SetFaults(gemini.Fault{Type: gemini.Latency, Delay: 2 * time.Second, Times: 1})
		asked := time.AfterFunc(time.Second, func() { _ = p.cmd.Process.Signal(syscall.SIGTERM) })
		defer asked.Stop()
		resp, err := http.Post(p.url+"/analyze?fresh=true", "image/jpeg", bytes.NewReader(sample.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK || !bytes.Contains(body, []byte(sample.Truth.Name)) {
			t.Errorf("POST /analyze = %s, %s, %v; want %q", resp.Status, body, err, sample.Truth.Name)
		}
		p.stop()
		if want := "function=API commit=0123abc"; !strings.Contains(p.log.String(), want) {
			t.Errorf("the log is\n%s\nwant %s, as the linker was told", &p.log, want)
		}
	})

	t.Run("the log of a refused event", func(t *testing.T) {
		p := serveGenerated(t, binary, append(env, "FUNCTION_TARGET=Upload", "K_SERVICE=whatis-upload"))
		background := `{"context":{"eventId":"1","eventType":"google.storage.object.finalize"},"data":{"bucket":"uploads","name":"a.jpg"}}`
		resp, err := http.Post(p.url, "application/json", strings.NewReader(background))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		p.stop()
		var entry struct{ Severity, Message string }
		for line := range strings.Lines(p.log.String()) {
			if json.Unmarshal([]byte(line), &entry) == nil && entry.Message == "event refused" {
				break
			}
		}
		if resp.StatusCode != http.StatusBadRequest || entry.Severity != "ERROR" || entry.Message != "event refused" {
			t.Errorf("a background event is answered %s, and the log is\n%s\nwant 400, and a line of JSON with the severity ERROR", resp.Status, &p.log)
		}
	})
}

// buildGenerated builds the generated program, which is in no folder here.
func buildGenerated(t *testing.T) (binary string) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	main, overlay, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "main")
	replaced := map[string]map[string]string{"Replace": {filepath.Join(root, "functions.local", "app", "main.go"): main}}
	text, err := json.Marshal(replaced)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{main: []byte(generated), overlay: text} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "-ldflags", "-X=example.com/whatis/internal/app.commit=0123abc", "-o", binary, "./functions.local/app").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}

// A generatedProcess serves a function. Its log may be read once it has been stopped.
type generatedProcess struct {
	url  string
	cmd  *exec.Cmd
	log  bytes.Buffer
	stop func()
}

// serveGenerated starts the program, which has to drain when it is stopped, at the latest at
// the end of the test, and returns once it answers.
func serveGenerated(t *testing.T, binary string, env []string) *generatedProcess {
	t.Helper()
	port := emulate.FreePort(t)
	p := &generatedProcess{url: "http://127.0.0.1:" + port, cmd: exec.Command(binary)}
	p.cmd.Env, p.cmd.Stderr = append(env, "PORT="+port), &p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.stop = sync.OnceFunc(func() {
		_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended, which Wait says
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("after SIGTERM: %v, want exit 0\n%s", err, &p.log)
		}
	})
	t.Cleanup(p.stop)
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		resp, err := http.Get(p.url + "/health")
		if err == nil {
			resp.Body.Close()
			return p
		}
	}
	t.Fatal("no answer for a minute")
	return nil
}

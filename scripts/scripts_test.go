// Package scripts holds the tests of the scripts, on emulators and with a
// recording in place of gcloud.
package scripts

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	gcs "cloud.google.com/go/storage"

	"example.com/whatis/emulators/emulate"
)

// bash is one run of a script.
type bash struct {
	stdout, stderr string
	code           int
}

// run runs a script with nothing in its environment but PATH, HOME and env.
func run(t *testing.T, env []string, script string, args ...string) bash {
	t.Helper()
	return runWith(t, "", env, script, args...)
}

// runWith also gives it something to read.
func runWith(t *testing.T, stdin string, env []string, script string, args ...string) bash {
	t.Helper()
	path, err := filepath.Abs(script)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), path, args...)
	c.Dir = t.TempDir()
	c.Env = slices.Concat([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.Dir, "LC_ALL=C.UTF-8"}, env)
	c.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err = c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return bash{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

func (b bash) want(t *testing.T, what string, code int, stdout, stderr string) {
	t.Helper()
	if b.code != code || b.stdout != stdout || !strings.Contains(b.stderr, stderr) {
		t.Errorf("%s = exit %d, %q, %q; want exit %d, %q, and %q among the errors", what, b.code, b.stdout, b.stderr, code, stdout, stderr)
	}
}

// function stands in for a function: it notes what it is asked.
type function struct {
	*httptest.Server
	mu       sync.Mutex
	requests []request
}

type request struct {
	path, query, media string
	body               []byte
}

func newFunction(t *testing.T, status int, answer string) *function {
	t.Helper()
	f := &function{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		f.requests = append(f.requests, request{r.URL.Path, r.URL.RawQuery, r.Header.Get("Content-Type"), body})
		f.mu.Unlock()
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(f.Close)
	return f
}

// asked returns what came since the last call.
func (f *function) asked() []request {
	f.mu.Lock()
	defer f.mu.Unlock()
	got := f.requests
	f.requests = nil
	return got
}

// names that trip up shells, URLs and JSON.
var oddNames = []string{"a.jpg", "b c/ㄱ%41?.jpg", `quo"te's\.jpg`, "$(x)&<y>*[z].jpg", "-dash.jpg"}

// store has the buckets uploads and results.
func store(t *testing.T) (*emulate.World, *gcs.Client) {
	t.Helper()
	w := emulate.Start(t, emulate.Storage)
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	return w, w.StorageClient(t)
}

func put(t *testing.T, c *gcs.Client, bucket, name, text string, metadata map[string]string) int64 {
	t.Helper()
	w := c.Bucket(bucket).Object(name).NewWriter(t.Context())
	w.Metadata = metadata
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Attrs().Generation
}

func TestUsage(t *testing.T) {
	t.Parallel()
	all := []string{"UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results", "UPLOAD_TOPIC=uploads"}
	tests := []struct {
		name   string
		env    []string
		args   []string // the script first
		stderr string
	}{
		{"upload of nothing", all, []string{"upload"}, "upload [--country CC]"},
		{"upload, unknown option", all, []string{"upload", "--fast", "a.jpg"}, "unknown option --fast"},
		{"upload, no value", all, []string{"upload", "--lang"}, "--lang needs a value"},
		{"upload, no file", all, []string{"upload", "a.jpg"}, "a.jpg is no file"},
		{"upload, no buckets", nil, []string{"upload", "a.jpg"}, "set UPLOAD_BUCKET and RESULTS_BUCKET"},
		{"invoke of nothing", nil, []string{"invoke"}, "invoke [--country CC]"},
		{"invoke, unknown option", nil, []string{"invoke", "--fast", "a.jpg"}, "unknown option --fast"},
		{"invoke, no value", nil, []string{"invoke", "--policy"}, "--policy needs a value"},
		{"invoke, odd value", nil, []string{"invoke", "--lang", "ko&x=y", "a.jpg"}, "want letters"},
		{"invoke, two photos", nil, []string{"invoke", "a.jpg", "b.jpg"}, "one photo at a time"},
		{"invoke, no file", nil, []string{"invoke", "a.jpg"}, "a.jpg is no file"},
		{"replay of nothing", all, []string{"replay"}, "replay [--dry-run]"},
		{"replay, unknown option", all, []string{"replay", "--all"}, "unknown option --all"},
		{"replay, no value", all, []string{"replay", "--prefix"}, "--prefix needs a value"},
		{"replay, empty value", all, []string{"replay", "--prefix", ""}, "--prefix needs a value"},
		{"replay, two ways", all, []string{"replay", "--prefix", "a", "b.jpg"}, "one of them"},
		{"replay, no bucket", []string{"UPLOAD_TOPIC=uploads"}, []string{"replay", "a.jpg"}, "set UPLOAD_BUCKET"},
		{"replay, no topic", []string{"UPLOAD_BUCKET=uploads"}, []string{"replay", "a.jpg"}, "set UPLOAD_TOPIC"},
		{"replay, failed and names", all, []string{"replay", "--failed", "b.jpg"}, "one of them"},
		{"replay, no subscription", []string{"UPLOAD_BUCKET=uploads", "UPLOAD_TOPIC=uploads"}, []string{"replay", "--failed"}, "set FAILURES_SUBSCRIPTION"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			run(t, test.env, test.args[0], test.args[1:]...).want(t, test.args[0], 2, "", test.stderr)
		})
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"upload": "STORAGE_EMULATOR_HOST", "invoke": "API_URL is the function's address", "replay": "UPLOAD_URL, http://127.0.0.1:8081 if unset",
		"deploy": "--dry-run prints every command", "logs": "--errors leaves warnings and", "destroy": "What stays is said at the end",
	} {
		for _, flag := range []string{"-h", "--help"} {
			got := run(t, nil, script, flag)
			if got.code != 0 || got.stderr != "" || !strings.HasPrefix(got.stdout, script+" ") || !strings.Contains(got.stdout, want) {
				t.Errorf("%s %s = exit %d, %q, %q; want its usage, with %q", script, flag, got.code, got.stdout, got.stderr, want)
			}
			if strings.Contains(got.stdout, "set -euo") || strings.HasPrefix(got.stdout, "#") {
				t.Errorf("%s %s prints code:\n%s", script, flag, got.stdout)
			}
		}
	}
}

// upload waits for the result of the generation it put, whatever lay there before.
func TestUpload(t *testing.T) {
	t.Parallel()
	w, c := store(t)
	dir := t.TempDir()
	env := append(w.Env(), "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results")
	for _, name := range []string{"a.jpg", "b c ㄱ%41?.jpg", `quo"te's\.jpg`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			photo := filepath.Join(dir, name)
			if err := os.WriteFile(photo, []byte("bytes\x00\r\n--of a photo"), 0o644); err != nil {
				t.Fatal(err)
			}
			put(t, c, "results", name+".json", `{"image": {"generation": "1"}}`, nil)
			done := make(chan bash, 1)
			go func() { done <- run(t, env, "upload", "--country", "US", "--lang", "en", photo) }()
			attrs := landed(t, c, name)
			data, err := c.Bucket("uploads").Object(name).NewReader(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer data.Close()
			if text, err := io.ReadAll(data); err != nil || string(text) != "bytes\x00\r\n--of a photo" || attrs.Metadata["country"] != "US" || attrs.Metadata["lang"] != "en" {
				t.Errorf("the object = %q, %v with %v; want the photo's bytes, of US and en", text, err, attrs.Metadata)
			}
			result := `{"image": {"generation": "` + strconv.FormatInt(attrs.Generation, 10) + `"}}`
			put(t, c, "results", name+".json", result, nil)
			(<-done).want(t, "upload", 0, result+"\n", "")
		})
	}
}

// landed waits for an upload.
func landed(t *testing.T, c *gcs.Client, name string) *gcs.ObjectAttrs {
	t.Helper()
	for t.Context().Err() == nil {
		attrs, err := c.Bucket("uploads").Object(name).Attrs(t.Context())
		if err == nil {
			return attrs
		}
		if !errors.Is(err, gcs.ErrObjectNotExist) {
			t.Fatal(err)
		}
	}
	t.Fatal(t.Context().Err())
	return nil
}

func TestUploadByGcloud(t *testing.T) {
	t.Parallel()
	g := newGcloud(t)
	g.answer("1", "storage|cp|*", "")
	g.answer("2", "storage|objects|describe|*", "42\n")
	g.answer("3", "storage|cat|*", `{"generation": "42"}`+"\n")
	photo := filepath.Join(g.dir, "b c.jpg")
	g.write("b c.jpg", "photo", 0o644)
	run(t, g.env("UPLOAD_BUCKET=up", "RESULTS_BUCKET=res"), "upload", "--country", "KR", "--lang", "ko", photo).
		want(t, "upload", 0, `{"generation": "42"}`+"\n", "")
	g.want(
		"storage | cp | --custom-metadata=country=KR,lang=ko | "+photo+" | gs://up/b c.jpg",
		"storage | objects | describe | gs://up/b c.jpg | --format=value(generation)",
		"storage | cat | gs://res/b c.jpg.json",
	)
}

// A photo that was not uploaded is not taken for an earlier one of its name.
func TestUploadFails(t *testing.T) {
	t.Parallel()
	g := newGcloud(t)
	g.answer("1", "storage|objects|describe|*", "42\n")
	g.answer("2", "storage|cat|*", `{"generation": "42"}`+"\n")
	photo := filepath.Join(g.dir, "b.jpg")
	g.write("b.jpg", "photo", 0o644)
	run(t, g.env("UPLOAD_BUCKET=up", "RESULTS_BUCKET=res"), "upload", photo).
		want(t, "upload", 1, "", "b.jpg was not uploaded")
}

func TestInvoke(t *testing.T) {
	t.Parallel()
	f := newFunction(t, http.StatusOK, `{"brand":"LG"}`)
	photo := filepath.Join(t.TempDir(), "b c ㄱ.jpg")
	if err := os.WriteFile(photo, []byte("@bytes\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args []string
		want request
	}{
		{[]string{photo}, request{"/analyze", "", "application/octet-stream", []byte("@bytes\n")}},
		{[]string{"--country", "US", "--second-look", "never", photo}, request{"/analyze", "country=US&second_look=never", "application/octet-stream", []byte("@bytes\n")}},
		{[]string{`gs://b/quo"te's\.jpg`}, request{"/analyze", "", "application/json", []byte(`{"uri":"gs://b/quo\"te's\\.jpg"}`)}},
	}
	for _, test := range tests {
		run(t, []string{"API_URL=" + f.URL}, "invoke", test.args...).want(t, "invoke", 0, `{"brand":"LG"}`, "")
		if got := f.asked(); len(got) != 1 || got[0].path != test.want.path || got[0].query != test.want.query ||
			got[0].media != test.want.media || !bytes.Equal(got[0].body, test.want.body) {
			t.Errorf("invoke %q asked %q, want %q", test.args, got, test.want)
		}
	}
	failing := newFunction(t, http.StatusBadRequest, `{"code":"no_photo"}`)
	run(t, []string{"API_URL=" + failing.URL}, "invoke", photo).want(t, "invoke at an error", 1, `{"code":"no_photo"}`, "400")
}

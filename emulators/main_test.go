package main

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

func TestOnce(t *testing.T) {
	t.Parallel()
	// None of these may be used: a key that would be spent, credentials, a proxy.
	out, stderr, code := start(t, []string{
		"GOOGLE_API_KEY=secret", "GEMINI_API_KEY=secret", "GOOGLE_GENAI_USE_VERTEXAI=true",
		"GOOGLE_APPLICATION_CREDENTIALS=/nowhere", "HTTP_PROXY=http://127.0.0.1:1", "HTTPS_PROXY=http://127.0.0.1:1",
	}, "-once").end()
	if code != 0 || stderr != "" {
		t.Fatalf("-once: exit code %d, errors %q, want 0 and none, after\n%s", code, stderr, out)
	}
	names, outcomes := columns(out)
	if want := slices.Sorted(maps.Keys(promised)); !slices.Equal(names, want) {
		t.Errorf("-once shows %q, want %q", names, want)
	}
	want := []string{"image", "local_db", "google_search", "local_db", "image", "product", "unidentified", "image", "image"}
	if !slices.Equal(outcomes, want) {
		t.Errorf("-once shows the outcomes %q, want %q", outcomes, want)
	}
	for _, part := range []string{"EMULATED MODEL: ", "by the EMULATED MODEL", "export NO_PROXY=127.0.0.1", "export GOOGLE_GENAI_USE_VERTEXAI=false"} {
		if !strings.Contains(out, part) {
			t.Errorf("-once does not print %q:\n%s", part, out)
		}
	}
	if strings.Contains(out, "secret") {
		t.Errorf("-once prints a key:\n%s", out)
	}
}

func TestEverySampleHasAPromise(t *testing.T) {
	t.Parallel()
	var files []string
	for _, s := range samples.All() {
		files = append(files, s.File)
	}
	if want := slices.Sorted(maps.Keys(promised)); !slices.Equal(files, want) {
		t.Errorf("samples.All = %q, promised has %q", files, want)
	}
}

// A photo that does not get what it should is counted, and so is one that
// cannot be read any more.
func TestIdentifyCounts(t *testing.T) {
	t.Parallel()
	w, err := startWorld(t.Context(), options{}, func(err error) { t.Error(err) })
	defer w.close()
	if err != nil {
		t.Fatal(err)
	}
	text := func() ([]byte, error) { return []byte("a text"), nil }
	gone := func() ([]byte, error) { return nil, os.ErrNotExist }
	photos := []photo{
		{name: "any", data: text},
		{name: "right", data: text, want: []string{"image", "analysis_failed"}},
		{name: "wrong", data: text, want: []string{"image"}},
		{name: "gone", data: gone},
	}
	if wrong, err := w.identify(t.Context(), photos); wrong != 2 || err != nil {
		t.Errorf("identify = %d, %v, want 2, nil", wrong, err)
	}
}

func TestPhotos(t *testing.T) {
	t.Parallel()
	sample := samples.All()[0].Bytes()
	dir := t.TempDir()
	var paths []string
	for _, f := range []struct {
		path string
		data []byte
	}{
		{"한국 제품.jpg", sample},
		{`it's "quoted" #1 100%?.jpg`, sample},
		{"a/same.jpg", sample},
		{"b/same.jpg", sample},
		{"text.jpg", []byte("a text")},
		{"empty", nil},
		{"large.png", make([]byte, 40_000_000)},
	} {
		path := filepath.Join(dir, f.path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.data, 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	out, stderr, code := start(t, nil, append([]string{"-once"}, paths...)...).end()
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d, errors %q, want 0 and none, after\n%s", code, stderr, out)
	}
	names, outcomes := columns(out)
	got := map[string]string{}
	for i := range names {
		got[names[i]] = outcomes[i]
	}
	want := map[string]string{
		"한국 제품.jpg": "image", `it's "quoted" #1 100%?.jpg`: "image", "same.jpg": "image", "same-2.jpg": "image",
		"text.jpg": "failed", "empty": "failed", "large.png": "failed",
	}
	if !maps.Equal(got, want) {
		t.Errorf("outcomes = %q, want %q", got, want)
	}
}

// -samples writes what curl and the command line can be tried with.
func TestSamples(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "folder")
	out, stderr, code := start(t, nil, "-samples", dir).end()
	if code != 0 || stderr != "" || len(strings.Split(out, "\n")) != len(samples.All()) {
		t.Fatalf("exit code %d, errors %q, prints\n%s\nwant a line for each sample", code, stderr, out)
	}
	for _, s := range samples.All() {
		if data, err := os.ReadFile(filepath.Join(dir, s.File)); err != nil || !bytes.Equal(data, s.Bytes()) {
			t.Errorf("%s: %d bytes, %v; want the sample's", s.File, len(data), err)
		}
	}
}

func TestWrongUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "photo.jpg")
	if err := os.WriteFile(file, []byte("a photo"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		env  []string
		args []string
		code int
		want string
	}{
		{nil, []string{"-replay", "a", "-record", "b"}, 2, "-replay asks no model"},
		{nil, []string{"-replay", "a", "-real"}, 2, "-replay asks no model"},
		{nil, []string{"-replay", dir}, 2, "holds no recording"},
		{nil, []string{"-nothing"}, 2, "flag provided but not defined: -nothing"},
		{nil, []string{"-h"}, 0, "-data folder"},
		{nil, []string{dir + "/none.jpg"}, 2, "none.jpg: there is no such file"},
		{nil, []string{dir}, 2, "is a folder: name the photos in it"},
		{nil, []string{"-samples", dir, file}, 2, "name no photos"},
		{nil, []string{"-samples", file}, 2, "not a directory"},
		{nil, []string{file, "-once"}, 2, "-once: options go before the photos"},
		{nil, []string{"-data", file}, 2, "-data: "},
		{nil, []string{"-function", "None"}, 2, `-function is "None", want one of ["Upload" "Task" "API"]`},
		{[]string{"GOOGLE_API_KEY=", "GEMINI_API_KEY="}, []string{"-real"}, 2, "-real needs GOOGLE_API_KEY"},
		{[]string{"GOOGLE_API_KEY=emulated"}, []string{"-real"}, 2, "unset the lines"},
		{[]string{"GOOGLE_GENAI_USE_VERTEXAI=true", "GOOGLE_CLOUD_PROJECT="}, []string{"-real"}, 2, "Vertex AI needs GOOGLE_CLOUD_PROJECT"},
		{[]string{"K_SERVICE=whatis"}, []string{"-once"}, 2, "K_SERVICE is set"},
		{[]string{"POLICY=none"}, []string{"-once"}, 1, `policy "none" is unknown`},
	}
	for _, test := range tests {
		out, stderr, code := start(t, test.env, test.args...).end()
		if code != test.code || !strings.Contains(stderr, test.want) {
			t.Errorf("%v %v: exit code %d, errors %q, want %d and %q", test.env, test.args, code, stderr, test.code, test.want)
		}
		if said := strings.TrimSpace(out); code == 2 && said != "" && said != starting {
			t.Errorf("%v %v prints %q, want nothing more than that it starts", test.env, test.args, out)
		}
	}
}

// With -real and a key, the cost is said before the model is asked.
func TestReal(t *testing.T) {
	t.Parallel()
	out, stderr, code := start(t, []string{"GOOGLE_API_KEY=secret", "GOOGLE_GENAI_USE_VERTEXAI=false", "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1"}, "-real").end()
	if code != 1 || !strings.HasPrefix(out, "REAL MODEL: ") || !strings.Contains(out, "$0.90 for 9 photos") {
		t.Errorf("-real: exit code %d, prints\n%s\nwant 1 and the cost of 9 photos", code, out)
	}
	if !strings.Contains(stderr, "no photo would get a result") || strings.Contains(out+stderr, "secret") {
		t.Errorf("-real: errors %q, want that no photo would get a result, and no key", stderr)
	}
}

// A run that stays: what it prints can be tried as it is printed, at the port that was chosen;
// another shell reads its variables, the sample shop fills behind the photos, functions that are
// killed are started again, and SIGTERM ends it.
func TestStaysUp(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here: the lines need it", tool)
		}
	}
	port := emulate.FreePort(t)
	s := start(t, nil, "-port", port)
	line := func(mark string) string { return strings.TrimSpace(s.until(mark)) }
	places := line("  web  ")
	s.until("A complete result")
	result, post := strings.TrimPrefix(line("curl "), "curl "), line("curl --data-binary")
	s.until("Which data on emissions")
	discovery := line("curl --json")
	if body, code := fetch(t, "http://127.0.0.1:"+port+"/health", nil); code != 200 {
		t.Errorf("GET /health at the chosen port = %d, %s", code, body)
	}
	if body, code := fetch(t, result, nil); code != 200 || !strings.Contains(body, `"product_name": "Sea Salt Oat Crackers"`) {
		t.Errorf("%s: status %d, body %s, want the first sample's result", result, code, body)
	}
	sample := samples.All()[4].Bytes()
	if body, code := fetch(t, post[strings.Index(post, "http"):], sample); code != 200 || !strings.Contains(body, "유자 보리차") {
		t.Errorf("%s: status %d, body %s, want the sample's result", post, code, body)
	}
	s.upload("another.gif", sample)
	if shown := s.until("another.gif"); !strings.Contains(shown, "유자 보리차") {
		t.Errorf("an upload shows %q, want its product", shown)
	}
	s.discovers(places, discovery)
	s.sells()
	s.tells()
	s.survives()
	s.cmd.Process.Signal(syscall.SIGTERM)
	if _, stderr, code := s.end(); code != 0 || strings.Count(stderr, "is restarted") != 3 {
		t.Errorf("SIGTERM: exit code %d, errors %q, want 0 and three functions started again", code, stderr)
	}
	s.toldNobody()
}

// survives kills the functions, which are started again, and go on with what comes.
func (s *session) survives() {
	s.t.Helper()
	for _, pid := range children(s.t, s.cmd.Process.Pid) {
		if p, err := os.FindProcess(pid); err == nil {
			p.Kill()
		}
	}
	s.upload("after.jpg", samples.All()[0].Bytes())
	if line := s.until("after.jpg"); !strings.Contains(line, "Sea Salt Oat Crackers") {
		s.t.Errorf("a photo after the kill shows %q, want its product", line)
	}
	for late := time.Now().Add(longWait); strings.Count(s.stderr.String(), "is restarted") < 3 && time.Now().Before(late); {
		time.Sleep(10 * time.Millisecond)
	}
}

// little are arguments of a run that has one photo, and a shop of two products.
func little(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	photo, shop := filepath.Join(dir, "photo.jpg"), filepath.Join(dir, "shelf.jsonl")
	if err := errors.Join(os.WriteFile(photo, samples.All()[0].Bytes(), 0o600), os.WriteFile(shop, []byte(shelf), 0o600)); err != nil {
		t.Fatal(err)
	}
	return []string{"-catalog", shop, photo}
}

// An end before the photos have their results is no success, and leaves nothing.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"API ", "01-oat-crackers"} {
		s := start(t, nil, "-once")
		s.until(at)
		s.cmd.Process.Signal(os.Interrupt)
		if _, stderr, code := s.end(); code != 1 || stderr != "emulators: interrupted\n" {
			t.Errorf("Ctrl-C after %q: exit code %d, errors %q, want 1 and interrupted", at, code, stderr)
		}
	}
}

// A killed parent takes its functions with it.
func TestKilled(t *testing.T) {
	t.Parallel()
	s := start(t, nil, little(t)...)
	s.until("Ready")
	s.cmd.Process.Kill()
	for late := time.Now().Add(longWait); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		if left, _ := os.ReadDir(s.temp); len(left) == 0 && !listens(s.env["API_URL"]) {
			break
		}
	}
	s.nothingLeft()
}

// A later run has the results of an earlier one, and finds in the catalogue what
// that one learnt from the web.
func TestData(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "kept")
	again := []string{"-once", "-data", dir}
	for _, sample := range []int{0, 2} { // the web is asked of the second
		one := samples.All()[sample]
		again = append(again, filepath.Join(t.TempDir(), one.File))
		if err := os.WriteFile(again[len(again)-1], one.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, stderr, code := start(t, nil, again...).end(); code != 0 {
		t.Fatalf("first run: exit code %d, errors %q, want 0:\n%s", code, stderr, out)
	}
	text := filepath.Join(t.TempDir(), "text.txt")
	if err := os.WriteFile(text, []byte("a text"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := start(t, nil, "-data", dir, text)
	s.until("Ready")
	if body, code := fetch(t, s.env["STORAGE_EMULATOR_HOST"]+"/results/01-oat-crackers.jpg.json", nil); code != 200 {
		t.Errorf("second run: the first sample's result: status %d, %s, want 200", code, body)
	}
	// second_look makes it another question than the first run's.
	if body, code := fetch(t, s.env["API_URL"]+"/analyze?country=US&lang=en&second_look=always", samples.All()[3].Bytes()); code != 200 || !strings.Contains(body, `"source": "local_db"`) {
		t.Errorf("second run: what the first learnt: status %d, %s, want source local_db", code, body)
	}
	if _, stderr, code := start(t, nil, "-once", "-data", dir).end(); code != 1 || !strings.Contains(stderr, "is in use") {
		t.Errorf("a second instance: exit code %d, errors %q, want 1 and that %s is in use", code, stderr, dir)
	}
	s.cmd.Process.Signal(os.Interrupt)
	s.end()
	if out, stderr, code := start(t, nil, again...).end(); code != 0 {
		t.Errorf("the samples again: exit code %d, errors %q, want 0:\n%s", code, stderr, out)
	}
}

// With -real, a service that is not paid for, or whose plan lacks the model, is said at once, in
// Google's words and with the page to open, and no photo is waited for; one without web search
// ends each photo.
func TestRealWithoutAPlan(t *testing.T) {
	t.Parallel()
	const key = "AIzaSyTestKeyOfNobody_0123456789abcdefg"
	photo := filepath.Join(t.TempDir(), "photo.jpg")
	if err := os.WriteFile(photo, samples.All()[2].Bytes(), 0o644); err != nil { // of the web
		t.Fatal(err)
	}
	for _, test := range []struct {
		fault gemini.FaultType
		model string // that is refused; "" is all
		says  string
		setUp bool // ends all at once
	}{
		{gemini.NotInPlan, "gemini-3.5-flash-lite", "limit: 0", true}, {gemini.Unpaid, "", "prepayment credits are depleted", true},
		{gemini.Forbidden, "", "unauthorized", true}, {gemini.DailyQuota, "", "returns at midnight in California", true}, {gemini.NoSearch, "", "without google_search", false},
	} {
		fault, says := test.fault, test.says
		t.Run(string(fault)+" "+test.model, func(t *testing.T) {
			t.Parallel()
			service, err := answers.Start(gemini.Options{APIKey: key}, answers.Options{Tesseract: "off"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { service.Close() })
			service.SetFaults(gemini.Fault{Type: fault, Model: test.model})
			out, stderr, code := start(t, []string{"GOOGLE_API_KEY=" + key, "GOOGLE_GEMINI_BASE_URL=" + service.URL()}, "-once", "-real", photo).end()
			page := fault == gemini.DailyQuota || fault == gemini.Forbidden || strings.Contains(stderr, "https://ai.studio/projects")
			refused := slices.DeleteFunc(service.Calls(), func(c gemini.Call) bool { return c.Fault != fault })
			if atOnce := code == 1 && len(refused) == 1; atOnce != test.setUp {
				t.Errorf("exit code %d after %d refusals; want an end at the first: %v; errors\n%s", code, len(refused), test.setUp, stderr)
			}
			if ended := strings.Contains(out, "search_refused"); ended != (fault == gemini.NoSearch) || !strings.Contains(stderr, says) || !page {
				t.Errorf("exit code %d, errors\n%s\nwant %q, and the page to open, after\n%s", code, stderr, says, out)
			}
		})
	}
}

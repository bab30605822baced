package scripts

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// fileBlock matches a file that the guide shows: its name, and what stands in it.
var fileBlock = regexp.MustCompile("(?s)\n`([^`\n]+)`,?[^\n]*:\n\n(?:<!--[^\n]*-->\n\n)?```[a-z]+\n(.*?)```\n")

// The guide to a fifth agent is right to the letter: with the files that it shows the program
// builds, the table of imports holds, and the emulated model answers as the guide says. The
// files lie over those of the repository, where nothing is written.
func TestFifthAgentGuide(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, guide, _ := strings.Cut(string(text), "\n## A fifth agent\n")
	clone := t.TempDir()
	over := map[string]string{}
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(clone, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		over[filepath.Join(root, name)] = path
	}
	var flags []string
	run := func(folder, name string, args ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), name, args...)
		c.Dir = folder
		c.Env = append(os.Environ(), flags...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
	}
	for _, file := range fileBlock.FindAllStringSubmatch(guide, -1) {
		put(file[1], file[2])
		for _, line := range regexp.MustCompile(`(?m)^--- a/(.*)$`).FindAllStringSubmatch(file[2], -1) {
			old, err := os.ReadFile(filepath.Join(root, line[1]))
			if err != nil {
				t.Fatal(err)
			}
			put(line[1], string(old))
		}
	}
	if len(over) != 7 {
		t.Fatalf("the guide has the files %q, want three, a diff, and the three that it changes", over)
	}
	run(clone, "git", "apply", "slogan.diff")

	overlay, err := json.Marshal(map[string]any{"Replace": over})
	if err != nil {
		t.Fatal(err)
	}
	replaced := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(replaced, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	flags = []string{"GOFLAGS=" + os.Getenv("GOFLAGS") + " -overlay=" + replaced} // with the cache of this build
	run(root, "go", "test", "-vet=off", "-run", "^TestImports$", ".")
	binary := filepath.Join(t.TempDir(), "emulators")
	run(root, "go", "build", "-o", binary, "./emulators")

	c := exec.CommandContext(t.Context(), binary)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGINT) }
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = c.Process.Signal(syscall.SIGINT)
		_, _ = io.Copy(io.Discard, out)
		_ = c.Wait()
	}()
	var url string
	for lines := bufio.NewScanner(out); url == "" && lines.Scan(); {
		_, url, _ = strings.Cut(lines.Text(), "export API_URL=")
	}
	resp, err := http.Post(url+"/skills/slogan", "application/json", strings.NewReader(`{"product":"instant noodles"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	if _, want, _ := strings.Cut(guide, "/skills/slogan\n"); err != nil || !strings.HasPrefix(want, strings.TrimSpace(string(got))) {
		t.Errorf("the fifth agent answers\n%s\n%v; the guide says\n%.100s", got, err, want)
	}
}

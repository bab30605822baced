package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Two real products are named by the codes on their photos, without any key. The
// photos are no part of the project.
func TestCatalogNamesRealProducts(t *testing.T) {
	t.Parallel()
	var photos []string
	for _, name := range []string{"upc1.jpg", "3256220787321_1.jpg"} {
		path := filepath.Join("../../shared/photos", name)
		if _, err := os.Stat(path); err != nil {
			t.Skip("there is no ../shared/photos here")
		}
		photos = append(photos, path)
	}
	file := filepath.Join(t.TempDir(), "shelf.jsonl")
	lines := `{"code":"7610352054205","product_name":"The first of two","brands":"Its brand","lang":"fr"}
{"code":"3256220787321","product_name":"The second of two","brands":"Another","quantity":"1 kg","lang":"fr"}
{"code":"3017620422003","product_name":"On neither photo","brands":"A third","lang":"fr"}
`
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, code := start(t, nil, append([]string{"-once", "-catalog", file}, photos...)...).end()
	if code != 0 || !strings.Contains(out, "The first of two") || !strings.Contains(out, "The second of two") || strings.Count(out, "local_db") < 2 || strings.Contains(out, "neither") {
		t.Errorf("-once -catalog shelf.jsonl ends with %d:\n%s\nwant both products named by local_db", code, out)
	}
}

// The README's way from a file to an export, with a correction between two photos.
func TestOwnCatalogue(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl", "grep"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here: the README's lines need it", tool)
		}
	}
	lines := shownLines(t, "Your own catalogue")
	if len(lines) != 6 {
		t.Fatalf("the README shows %d lines, want import, photo, correction, photo and export", len(lines))
	}
	dir := t.TempDir()
	whatisit := filepath.Join(dir, "whatisit")
	if out, err := exec.Command("go", "build", "-o", whatisit, "../scripts/whatisit").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	photos := filepath.Join(dir, "photos")
	start(t, nil, "-samples", photos).end()
	s := start(t, nil, filepath.Join(photos, "06-mountain-lake.jpg"))
	s.until("Ready")
	for _, line := range lines {
		asked := strings.NewReplacer("go run ./scripts/whatisit", whatisit, "http://127.0.0.1:8080", s.env["API_URL"]).Replace(line.command)
		c := exec.CommandContext(t.Context(), "bash", "-c", "set -o pipefail; "+asked)
		c.Dir, c.Env = dir, os.Environ()
		for name, value := range s.env {
			c.Env = append(c.Env, name+"="+value)
		}
		if out, err := c.CombinedOutput(); err != nil || !matches(line.answer, string(out)) {
			t.Fatalf("$ %s\nprints (%v)\n%s\nwant\n%s", line.command, err, out, line.answer)
		}
	}
}

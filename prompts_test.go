package whatis

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/whatis/emulators/goldens"
)

// Each sentence of each prompt is in a golden request of a test. A prompt is a file *.md
// below internal, except in testdata.
func TestEveryPromptIsInAGoldenRequest(t *testing.T) {
	sent := goldenTexts(t)
	prompts := 0
	for _, file := range below(t, "internal", ".md") {
		if strings.Contains(filepath.ToSlash(file), "/testdata/") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		prompts++
		for _, s := range sentences(string(text)) {
			if !strings.Contains(sent, s) {
				t.Errorf("%s: no request in a %s holds %q: compare a request that the prompt is sent with in TestRequests of its package, or run go test with -update (CONTRIBUTING.md)", file, goldens.Dir, s)
			}
		}
	}
	if prompts == 0 {
		t.Error("there is no prompt below internal: this test looks in the wrong place")
	}
}

// goldenTexts returns all texts of all golden requests, one a line.
func goldenTexts(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, file := range below(t, "internal", ".json") {
		if !strings.HasSuffix(filepath.ToSlash(filepath.Dir(file)), "/"+goldens.Dir) {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var request any
		if err := json.Unmarshal(data, &request); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		writeTexts(&b, request)
	}
	return b.String()
}

// writeTexts writes the texts in a JSON value, one a line.
func writeTexts(b *strings.Builder, v any) {
	switch v := v.(type) {
	case string:
		b.WriteString(v + "\n")
	case []any:
		for _, item := range v {
			writeTexts(b, item)
		}
	case map[string]any:
		for _, item := range v {
			writeTexts(b, item)
		}
	}
}

// filled matches a placeholder in a prompt.
var filled = regexp.MustCompile(`\{\w+\??\}`)

// sentences returns the sentences of a prompt, split at placeholders.
func sentences(prompt string) (all []string) {
	for line := range strings.Lines(prompt) {
		for _, part := range filled.Split(line, -1) {
			for s := range strings.SplitAfterSeq(part, ". ") {
				if s = strings.TrimSpace(s); s != "" {
					all = append(all, s)
				}
			}
		}
	}
	return all
}

// below returns the files below a directory whose names have that ending.
func below(t *testing.T, dir, end string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, end) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

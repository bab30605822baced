package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/whatis/emulators/samples"
)

// The programs of docs/http.md print what a photo shows, and why something is none, as they stand there.
func TestSnippets(t *testing.T) {
	_, _, url := served(t)
	folder := t.TempDir()
	photo, broken := filepath.Join(folder, "photo.jpg"), filepath.Join(folder, "broken.jpg")
	write(t, photo, string(samples.All()[0].Bytes()))
	write(t, broken, "no image")
	text, err := os.ReadFile("../../docs/http.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, tt := range []struct{ language, file, run string }{
		{"python", "ask.py", "python3"}, {"js", "ask.mjs", "node"}, {"go", "main.go", "go run"},
	} {
		code := regexp.MustCompile("(?s)```" + tt.language + "\n(.*?)```").FindStringSubmatch(page)
		if code == nil {
			t.Fatalf("docs/http.md has no program in %s", tt.language)
		}
		words := strings.Fields(tt.run)
		if _, err := exec.LookPath(words[0]); err != nil {
			t.Logf("there is no %s here", words[0])
			continue
		}
		write(t, filepath.Join(folder, tt.file), code[1])
		for of, want := range map[string]string{photo: "product, Sea Salt Oat Crackers, 2027.03.14", broken: "JPEG, PNG, WebP"} {
			c := exec.CommandContext(t.Context(), words[0], append(words[1:], filepath.Join(folder, tt.file), of)...)
			c.Env = append(c.Environ(), "API_URL="+url, "XDG_CACHE_HOME=") // go has its own cache
			if out, err := c.CombinedOutput(); !strings.Contains(string(out), want) || (err == nil) != (of == photo) {
				t.Errorf("%s of %s = %s, %v; want %q", tt.language, filepath.Base(of), out, err, want)
			}
		}
	}
}

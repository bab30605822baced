package scripts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recorder is a gcloud that notes what it is asked, a line each with " | "
// between the arguments, and says what the file answers has for the first of
// its patterns that fits.
const recorder = `#!/usr/bin/env bash
line=$(IFS='|'; printf '%s' "$*")
printf '%s\n' "${line//|/ | }" >>"$GCLOUD_LOG"
for answer in "$GCLOUD_ANSWERS"/*; do
  pattern=$(sed -n 1p "$answer")
  if [[ $line == $pattern ]]; then
    sed 1d "$answer"
    [[ $answer != *-once ]] || rm "$answer"
    exit 0
  fi
done
printf 'ERROR: (gcloud) %s\n' "$line" >&2
exit 1
`

// A gcloud stands in for the real one.
type gcloud struct {
	t   *testing.T
	dir string
}

func newGcloud(t *testing.T) gcloud {
	t.Helper()
	g := gcloud{t, t.TempDir()}
	g.write("gcloud", recorder, 0o755)
	g.write("log", "", 0o644)
	if err := os.Mkdir(filepath.Join(g.dir, "answers"), 0o755); err != nil {
		t.Fatal(err)
	}
	return g
}

func (g gcloud) write(name, text string, mode os.FileMode) {
	g.t.Helper()
	if err := os.WriteFile(filepath.Join(g.dir, name), []byte(text), mode); err != nil {
		g.t.Fatal(err)
	}
}

// answer makes gcloud print text for arguments, joined by |, that fit a glob
// pattern; a name that ends in -once answers so once.
func (g gcloud) answer(name, pattern, text string) {
	g.t.Helper()
	g.write("answers/"+name, pattern+"\n"+text, 0o644)
}

func (g gcloud) env(env ...string) []string {
	return append(env, "PATH="+g.dir+":"+os.Getenv("PATH"), "GCLOUD_LOG="+filepath.Join(g.dir, "log"), "GCLOUD_ANSWERS="+filepath.Join(g.dir, "answers"))
}

func (g gcloud) want(lines ...string) {
	g.t.Helper()
	data, err := os.ReadFile(filepath.Join(g.dir, "log"))
	if err != nil {
		g.t.Fatal(err)
	}
	if got := strings.Split(strings.TrimSpace(string(data)), "\n"); !slices.Equal(got, lines) {
		g.t.Errorf("gcloud was asked\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(lines, "\n  "))
	}
}

package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// toolRecorder is any program: it notes how it was called, and runs the bash of
// the first answer whose pattern fits, with its arguments.
const toolRecorder = `#!/usr/bin/env bash
line=${0##*/} noted=$line
for word; do line+="|$word" noted+=" | $word"; done
printf '%s\n' "$noted" >>"$TOOLS/log"
for answer in "$TOOLS"/answers/*; do
  IFS= read -r -d '' code <"$answer" || : # $(<file) would be a process for each answer
  if [[ $line == ${code%%$'\n'*} ]]; then
    [[ $answer != *-once ]] || rm "$answer"
    eval "${code#*$'\n'}"
    exit
  fi
done
printf 'ERROR: nobody answers %s\n' "$line" >&2
exit 1
`

// tools stand in for gcloud, terraform and go.
type tools struct {
	t   *testing.T
	dir string
}

func newTools(t *testing.T, names ...string) tools {
	t.Helper()
	w := tools{t, t.TempDir()}
	for _, folder := range []string{"bin", "answers", "tmp"} {
		if err := os.Mkdir(filepath.Join(w.dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.write("log", "", 0o644)
	for _, name := range names {
		w.write("bin/"+name, toolRecorder, 0o755)
	}
	return w
}

func (w tools) write(name, text string, mode os.FileMode) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
}

// answer makes the program that is called as a glob pattern says, with | between
// the words, run some bash. Names are tried in order; one that ends in -once
// answers once.
func (w tools) answer(name, pattern, code string) {
	w.t.Helper()
	w.write("answers/"+name, pattern+"\n:\n"+code+"\n", 0o644)
}

// env has the tools, and the system's programs behind them.
func (w tools) env(env ...string) []string {
	return append([]string{"PATH=" + filepath.Join(w.dir, "bin") + ":" + os.Getenv("PATH"), "TOOLS=" + w.dir, "TMPDIR=" + filepath.Join(w.dir, "tmp")}, env...)
}

// alone has the tools, bash, and no program besides.
func (w tools) alone(env ...string) []string {
	w.t.Helper()
	path, err := exec.LookPath("bash")
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.Symlink(path, filepath.Join(w.dir, "bin", "bash")); err != nil {
		w.t.Fatal(err)
	}
	return append([]string{"PATH=" + filepath.Join(w.dir, "bin"), "TOOLS=" + w.dir}, env...)
}

var temporary = regexp.MustCompile(`[^ =]*/tmp/tmp\.[A-Za-z0-9]+`)

// asked returns what was called, a line each, with NOTES for the folder of notes.
func (w tools) asked() []string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, "log"))
	if err != nil {
		w.t.Fatal(err)
	}
	text := strings.TrimSpace(temporary.ReplaceAllString(string(data), "NOTES"))
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func (w tools) want(lines ...string) {
	w.t.Helper()
	if got := w.asked(); !slices.Equal(got, lines) {
		w.t.Errorf("asked\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(lines, "\n  "))
	}
}

// changed returns those of the calls that change something in the cloud.
func (w tools) changed() []string {
	w.t.Helper()
	changing := regexp.MustCompile(`^gcloud \| (beta|services \| enable|storage \| (buckets \| (create|update)|cp))|^terraform \| .* \| (apply|destroy) |^go \| run \| github.com/google/ko`)
	var lines []string
	for _, line := range w.asked() {
		if changing.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// Package scripts holds the tests of the scripts, with recordings in place of gcloud,
// terraform and go.
package scripts

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// built is the folder in which tfvars is built.
var built string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "scripts")
	if err != nil {
		panic(err)
	}
	built = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// tfvars returns the program that deploy merges variables with.
var tfvars = sync.OnceValue(func() string {
	path := filepath.Join(built, "tfvars")
	if out, err := exec.Command("go", "build", "-o", path, "./tfvars").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("go build: %v\n%s", err, out))
	}
	return path
})

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

// answer adds answers, one a line: how a program is called, as a glob pattern with | between the
// words, an arrow, and bash that answers. The first that fits answers; later calls of answer come
// before earlier ones. A line that begins with "once " answers once.
func (w tools) answer(lines string) {
	w.t.Helper()
	there, err := os.ReadDir(filepath.Join(w.dir, "answers"))
	if err != nil {
		w.t.Fatal(err)
	}
	i := 0
	for line := range strings.Lines(lines) {
		pattern, code, ok := strings.Cut(strings.TrimSpace(line), "→")
		if !ok {
			continue
		}
		pattern, once := strings.CutPrefix(strings.TrimSpace(pattern), "once ")
		name := fmt.Sprintf("answers/%03d-%03d", 999-len(there), i)
		if i++; once {
			name += "-once"
		}
		w.write(name, pattern+"\n:\n"+strings.TrimSpace(code)+"\n", 0o644)
	}
}

// env has the tools, and the system's programs behind them.
func (w tools) env(env ...string) []string {
	return append([]string{"PATH=" + filepath.Join(w.dir, "bin") + ":" + os.Getenv("PATH"), "TOOLS=" + w.dir, "TMPDIR=" + filepath.Join(w.dir, "tmp"), "TFVARS=" + tfvars()}, env...)
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
	text := strings.TrimSpace(temporary.ReplaceAllString(read(w.t, filepath.Join(w.dir, "log")), "NOTES"))
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

// changing matches the calls that change something in the cloud.
var changing = regexp.MustCompile(`^gcloud \| (beta|services \| enable|storage \| (rm|buckets \| (create|update)|cp))|^terraform \| .* \| (apply|destroy) |^go \| run \| github.com/google/ko`)

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

// A drill is one run of a script, and what must come of it. Where something is missing, which the
// exit code 2 says, nothing may be changed.
type drill struct {
	name    string
	answers string   // before those that are there
	args    string   // behind those that all have, with blanks between them
	values  []string // --var each
	typed   string
	code    int
	says    []string // among the errors, or where there are none in all that is said
	asks    []string // parts of the commands, in this order
	omits   []string // parts of commands that are not run
}

// runs runs a drill.
func (d drill) runs(t *testing.T, w tools, script string, args ...string) bash {
	t.Helper()
	w.answer(d.answers)
	w.write("log", "", 0o644)
	args = append(slices.Clone(args), strings.Fields(d.args)...)
	for _, value := range d.values {
		args = append(args, "--var", value)
	}
	got := runWith(t, d.typed, w.env(), script, args...)
	said := got.stderr
	if d.code == 0 {
		said += got.stdout
	}
	if got.code != d.code {
		t.Errorf("%s = exit %d, %q, %q; want %d", d.name, got.code, got.stdout, got.stderr, d.code)
	}
	for _, want := range d.says {
		if !strings.Contains(said, want) {
			t.Errorf("%s says %q; want %q", d.name, said, want)
		}
	}
	left := d.asks
	for _, line := range w.asked() {
		if len(left) > 0 && strings.Contains(line, left[0]) {
			left = left[1:]
		}
		if d.code == 2 && changing.MatchString(line) || slices.ContainsFunc(d.omits, func(part string) bool { return strings.Contains(line, part) }) {
			t.Errorf("%s runs %s", d.name, line)
		}
	}
	if len(left) > 0 {
		t.Errorf("%s asked\n  %s\nwithout, or out of order,\n  %s", d.name, strings.Join(w.asked(), "\n  "), left[0])
	}
	return got
}

func TestHelp(t *testing.T) {
	t.Parallel()
	// It does not matter where one stands.
	for _, at := range [][3]string{{".", "deploy", "-h"}, {"whatisit", "../deploy", "--help"}, {"..", "scripts/deploy", "--help"}, {"../scripts", "./destroy", "--help"}, {".", "destroy", "-h"}} {
		c := exec.CommandContext(t.Context(), "bash", at[1], at[2])
		c.Dir = at[0]
		out, err := c.CombinedOutput()
		want := map[string]string{"deploy": "--dry-run prints every command", "destroy": "What stays is said at the end"}[filepath.Base(at[1])]
		if err != nil || !strings.HasPrefix(string(out), filepath.Base(at[1])+" ") || !strings.Contains(string(out), want) || strings.Contains(string(out), "set -euo") {
			t.Errorf("%q = %v, %s; want its usage, with %q, and no code", at, err, out, want)
		}
	}
}

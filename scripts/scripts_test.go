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
	"slices"
	"strings"
	"sync"
	"testing"
)

// built is where tfvars builds.
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

var buildTfvars = sync.OnceValues(func() (string, error) {
	path := filepath.Join(built, "tfvars")
	out, err := exec.Command("go", "build", "-o", path, "./tfvars").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, err
})

// tfvars returns the program that deploy merges variables with.
func tfvars(t *testing.T) string {
	t.Helper()
	path, err := buildTfvars()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

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

func TestHelp(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"deploy": "--dry-run prints every command", "destroy": "What stays is said at the end",
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

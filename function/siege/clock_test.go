package siege

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/whatis/emulators/eventarc"
)

// aheadOfTime returns the path of the function, linked with a clock that is an hour ahead.
// Go programs read the clock without libc, so that only a changed package time can move it
// for one process. Of the rest nothing is compiled anew, which would take minutes: what
// other packages see of time stays as it is, or the linker refuses it.
func aheadOfTime(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	tool := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write := func(name string, data []byte) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	root := tool("env", "GOROOT")
	original := filepath.Join(root, "src", "time", "time.go")
	source, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	const reads = "sec, nsec, mono := runtimeNow()\n"
	if !strings.Contains(string(source), reads) {
		t.Skipf("%s reads the clock in another way than this test knows", original)
	}
	// No line of it moves, and its name is trimmed as Go trims it, as packages hold both of
	// what they use.
	changed := write("time.go", []byte(strings.ReplaceAll(string(source), reads, strings.TrimSuffix(reads, "\n")+"; sec += 3600\n")))
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	if err != nil {
		t.Fatal(err)
	}
	const line = "packagefile {{.ImportPath}}={{.Export}}"
	packages := tool("list", "-export", "-deps", "-f", "{{if .Export}}"+line+"{{end}}", "../cmd")
	usual := tool("list", "-export", "-f", line, "time")
	trimmed := "-gcflags=time=-trimpath=" + changed + "=>$GOROOT/src/time/time.go;" + root + "=>$GOROOT"
	ahead := tool("list", "-export", "-overlay", write("overlay.json", replaced), trimmed, "-f", line, "time")
	if strings.Count(packages, usual) != 1 || ahead == usual {
		t.Fatalf("%s in\n%s\nwant it once, and to be replaced by %s", usual, packages, ahead)
	}
	program := filepath.Join(dir, "function")
	tool("tool", "link", "-importcfg", write("importcfg", []byte(strings.Replace(packages, usual, ahead, 1))), "-o", program, tool("list", "-export", "-f", "{{.Export}}", "../cmd"))
	return program
}

// Of two instances one has a clock that is an hour ahead, and both get every message: it
// takes no work from the other, and nothing is paid for twice.
func TestInstanceAnHourAhead(t *testing.T) {
	long(t)
	t.Parallel()
	ahead := aheadOfTime(t)
	s := lay(t, 2, eventarc.Route{Duplicates: 2})
	s.signal(1, syscall.SIGTERM)
	s.program = ahead
	s.restart(1)
	if off := s.offset(1); off < 50*time.Minute {
		t.Fatalf("the clock of the second instance is %v ahead, want an hour", off)
	}
	shots := shoot(40, allWays...)
	s.script(shots)
	s.uploadAll(shots)
	s.settle()
	l := s.ledger()
	s.counted(len(shots), l)
	if twice := l.twice(); len(twice) > 0 {
		t.Errorf("paid for twice:\n\t%s", lines(twice))
	}
	for name, r := range s.work() {
		if r.Attempts != 1 {
			t.Errorf("%s took %d attempts, want 1", name, r.Attempts)
		}
	}
}

// offset returns how far the clock of process i is ahead, by the Date of a response.
func (s *siege) offset(i int) time.Duration {
	s.t.Helper()
	resp, err := http.Get(s.processes[i].at.String())
	if err != nil {
		s.t.Fatal(err)
	}
	resp.Body.Close()
	date, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		s.t.Fatal(err)
	}
	return time.Until(date)
}

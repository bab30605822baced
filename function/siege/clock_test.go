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

// aheadOfTime returns the path of the function, built with a clock that is an hour ahead.
// Go programs read the clock without libc, so that only a changed package time can move it
// for one process; only tests with WHATIS_SIEGE build it.
func aheadOfTime(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	original := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	source, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	const reads = "sec, nsec, mono := runtimeNow()\n"
	if !strings.Contains(string(source), reads) {
		t.Skipf("%s reads the clock in another way than this test knows", original)
	}
	changed := filepath.Join(dir, "time.go")
	overlay := filepath.Join(dir, "overlay.json")
	program := filepath.Join(dir, "function")
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for path, data := range map[string][]byte{
		changed: []byte(strings.ReplaceAll(string(source), reads, reads+"\tsec += 3600\n")),
		overlay: replaced,
	} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "-o", program, "../cmd").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
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

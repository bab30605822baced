package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // a fifth less processor time, here and in the processes of tests
	if len(os.Args) > 1 && os.Args[1] == "-function" {
		main() // of a world that a test has started in its own process
	}
	emulate.Program(main)
	m.Run()
}

// longWait is for a machine that runs all tests at once.
const longWait = 3 * time.Minute

// session is a run of the command.
type session struct {
	t      *testing.T
	cmd    *exec.Cmd
	temp   string // its folder for temporary files
	cache  string // and that for caches
	lines  chan string
	stderr transcript
	lined  []string          // those read so far
	env    map[string]string // of its export lines, as a shell reads them
}

// start runs the command with args, and with env besides the test's own.
func start(t *testing.T, env []string, args ...string) *session {
	t.Helper()
	s := &session{t: t, temp: t.TempDir(), cache: t.TempDir(), lines: make(chan string, 1000), env: map[string]string{}}
	s.cmd = emulate.Command(t, args...)
	s.cmd.Env = append(append(s.cmd.Env, os.Environ()...), "TMPDIR="+s.temp, "XDG_CACHE_HOME="+s.cache)
	s.cmd.Env = append(s.cmd.Env, env...)
	s.cmd.Stderr = &s.stderr
	s.cmd.WaitDelay = longWait
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.cmd.Process.Kill(); s.cmd.Wait() })
	go func() {
		defer close(s.lines)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			s.lines <- scanner.Text()
		}
	}()
	return s
}

// A transcript is what a process has written so far.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *transcript) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// until reads lines up to the first that holds part.
func (s *session) until(part string) string {
	s.t.Helper()
	late := time.After(longWait)
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				s.cmd.Wait()
				s.t.Fatalf("the command ended before it printed %q:\n%s\n%s", part, strings.Join(s.lined, "\n"), &s.stderr)
			}
			s.lined = append(s.lined, line)
			if setting, ok := strings.CutPrefix(line, "  export "); ok {
				name, value, _ := strings.Cut(setting, "=")
				s.env[name] = value
			}
			if strings.Contains(line, part) {
				return line
			}
		case <-late:
			s.t.Fatalf("the command did not print %q:\n%s", part, strings.Join(s.lined, "\n"))
		}
	}
}

// end reads the rest and returns all that was printed, and the exit code. It
// checks that nothing is left behind.
func (s *session) end() (stdout, stderr string, code int) {
	s.t.Helper()
	for line := range s.lines {
		s.lined = append(s.lined, line)
	}
	var exit *exec.ExitError
	if err := s.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	s.nothingLeft()
	return strings.Join(s.lined, "\n"), s.stderr.String(), s.cmd.ProcessState.ExitCode()
}

// nothingLeft checks that neither a function nor a file outlives the command, but for the index of a
// shop, which the next process removes.
func (s *session) nothingLeft() {
	s.t.Helper()
	if url := s.env["API_URL"]; url != "" && listens(url) {
		s.t.Errorf("the API still listens at %s", url)
	}
	left, _ := os.ReadDir(s.temp)
	if left = slices.DeleteFunc(left, func(f os.DirEntry) bool { return strings.HasPrefix(f.Name(), "whatis-index-") }); len(left) > 0 {
		s.t.Errorf("%v is left in the folder for temporary files", left)
	}
}

func listens(url string) bool {
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err == nil {
		c.Close()
	}
	return err == nil
}

// upload puts a photo into the upload bucket, as curl does.
func (s *session) upload(name string, data []byte) {
	s.t.Helper()
	target := fmt.Sprintf("%s/upload/storage/v1/b/%s/o?uploadType=media&name=%s", s.env["STORAGE_EMULATOR_HOST"], s.env["UPLOAD_BUCKET"], name)
	if _, code := fetch(s.t, target, data); code != http.StatusOK {
		s.t.Fatalf("upload of %s: status %d", name, code)
	}
}

// fetch gets a URL, or posts a body to it.
func fetch(t *testing.T, url string, body []byte) (string, int) {
	t.Helper()
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer), resp.StatusCode
}

// columns returns the name and the outcome of the lines of results in out.
func columns(out string) (names, outcomes []string) {
	for line := range strings.Lines(out) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), "  "); ok && strings.Contains(rest, " ms  ") {
			names = append(names, name)
			outcomes = append(outcomes, strings.Fields(strings.TrimPrefix(strings.TrimSpace(rest), "no "))[0])
		}
	}
	return names, outcomes
}

// children returns the processes that pid started.
func children(t *testing.T, pid int) (pids []int) {
	t.Helper()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	if len(stats) == 0 {
		t.Skip("there is no /proc here to find processes in")
	}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, after, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(after); len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, child)
		}
	}
	return pids
}

package api_test

import (
	"context"
	"crypto/rand"
	_ "embed"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/jobs"
)

// tckFailures are the tests of the A2A TCK that fail here through a fault of their own, or
// because of what tasks and files are here, one a line, with the reason.
//
//go:embed testdata/a2a_tck_failures.txt
var tckFailures string

// conversations is a long-running skill that is done with any words after a while: the TCK
// looks at tasks at work.
type conversations struct{ runs sync.Map }

type words struct {
	Query string `json:"query"`
	Data  any    `json:"data,omitempty"`
}

// A conversation is a run of conversations.
type conversation struct {
	words
	begun    time.Time
	canceled bool
}

// Start implements agent.Runs.
func (c *conversations) Start(_ context.Context, in words) (string, error) {
	id := rand.Text()
	c.runs.Store(id, conversation{words: in, begun: time.Now()})
	return id, nil
}

// Status implements agent.Runs.
func (c *conversations) Status(_ context.Context, id string) (jobs.State, words, error) {
	v, _ := c.runs.Load(id)
	switch run := v.(conversation); {
	case run.canceled:
		return jobs.Canceled, run.words, nil
	case time.Since(run.begun) > 3*time.Second:
		return jobs.Done, run.words, nil
	default:
		return jobs.Working, run.words, nil
	}
}

// Cancel implements agent.Runs.
func (c *conversations) Cancel(_ context.Context, id string) error {
	v, _ := c.runs.Load(id)
	run := v.(conversation)
	run.canceled = true
	c.runs.Store(id, run)
	return nil
}

// The mandatory and the capability suites of the A2A TCK, of which WHATIS_A2A_TCK names a
// copy (github.com/a2aproject/a2a-tck at 410ba92), pass but for the tests that are listed.
// The python3 in the path must have what the TCK's requirements.txt names.
func TestA2ATCK(t *testing.T) {
	folder := os.Getenv("WHATIS_A2A_TCK")
	if folder == "" {
		t.Skip("WHATIS_A2A_TCK names no copy of the A2A TCK")
	}
	talk := &conversations{}
	s := agents(t, agent.NewLongSkill(agent.Card{ID: "tck", Name: "TCK", Description: "Answers words.", Tags: []string{"tck"}},
		func(context.Context) (agent.Runs[words, words], error) { return talk, nil }))
	var known []string
	for line := range strings.Lines(tckFailures) {
		if name, _, ok := strings.Cut(line, " "); ok && strings.HasPrefix(name, "tests/") {
			known = append(known, name)
		}
	}
	var failed []string
	for _, suite := range [][]string{
		{"tests/mandatory", "-m", "mandatory or mandatory_protocol or mandatory_jsonrpc"}, {"tests/optional/capabilities"},
	} {
		failed = append(failed, s.runTCK(folder, suite...)...)
	}
	for _, name := range failed {
		if !slices.Contains(known, name) {
			t.Errorf("%s failed", name)
		}
	}
	for _, name := range known {
		if !slices.Contains(failed, name) {
			t.Errorf("%s passed: take it off the list", name)
		}
	}
}

// runTCK runs a suite and returns the tests that failed.
func (s *service) runTCK(folder string, suite ...string) (failed []string) {
	s.t.Helper()
	args := append([]string{"-m", "pytest", "-q", "--tb=line", "-rfE", "-p", "no:cacheprovider", "--sut-url=" + strings.Replace(s.url, "127.0.0.1", "localhost", 1), "--test-scope=all", "--transports=jsonrpc"}, suite...)
	run := exec.CommandContext(s.t.Context(), "python3", args...)
	run.Dir, run.Env = folder, append(os.Environ(), "COLUMNS=400") // the width of a line with the reason of a failure
	out, err := run.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		for _, word := range []string{"FAILED ", "ERROR "} {
			if rest, ok := strings.CutPrefix(line, word); ok {
				name, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
				failed = append(failed, name)
				s.t.Logf("%s", strings.TrimSpace(line))
			}
		}
	}
	if !strings.Contains(string(out), " passed") {
		s.t.Fatalf("the TCK did not run: %v\n%s", err, out)
	}
	return failed
}

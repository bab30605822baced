package main

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// discovers begins the discovery that the command offers, which comes to datasets, each with a quote,
// of the web that is emulated here, and one of a place that is none of it.
func (s *session) discovers(places, curl string) {
	s.t.Helper()
	if !strings.Contains(places, "Kenya") || !strings.Contains(curl, "Kenya") {
		s.t.Errorf("places %q, and the line %q: want Kenya in both", places, curl)
	}
	r := s.discovered(curl)
	if r.Action != "accept" || len(r.Items) == 0 || r.Items[0].Quote == "" || !slices.Contains(r.Warnings, "emulated_web") {
		s.t.Errorf("$ %s\ncomes to %+v, want records with quotes and the warning emulated_web", curl, r)
	}
	if r := s.discovered(strings.Replace(curl, "Kenya", "France", 1)); r.Action != "not_on_emulated_web" {
		s.t.Errorf("France comes to %+v, want not_on_emulated_web", r)
	}
}

// A discovery is what a test reads of its result.
type discovery struct {
	Action   string
	Items    []struct{ Quote string }
	Warnings []string
}

// discovered begins a discovery by a command and waits for its result.
func (s *session) discovered(command string) (d discovery) {
	s.t.Helper()
	var run struct{ ID string }
	out, err := exec.CommandContext(s.t.Context(), "bash", "-c", command).Output()
	if err == nil {
		err = json.Unmarshal(out, &run)
	}
	if err != nil || run.ID == "" {
		s.t.Fatalf("$ %s\nprints %s, %v; want a run", command, out, err)
	}
	for late := time.Now().Add(longWait); ; time.Sleep(50 * time.Millisecond) {
		body, code := fetch(s.t, s.env["API_URL"]+"/discover/"+run.ID+"/result", nil)
		if code == http.StatusOK {
			if err := json.Unmarshal([]byte(body), &d); err != nil {
				s.t.Fatal(err)
			}
			return d
		}
		if code != http.StatusConflict || time.Now().After(late) {
			s.t.Fatalf("the result of %s: status %d, %s", run.ID, code, body)
		}
	}
}

package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A shown line of the README: a command, and what it is said to print.
type shown struct {
	command string
	answer  string
}

// shownLines are the lines under a heading that begin with $, each with the
// lines below it.
func shownLines(t *testing.T, heading string) []shown {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var lines []shown
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(section, -1) {
		for _, entry := range strings.Split("\n"+block[1], "\n$ ")[1:] {
			command, answer, _ := strings.Cut(entry, "\n")
			command, _, _ = strings.Cut(command, "  # ")
			lines = append(lines, shown{command, strings.TrimSpace(answer)})
		}
	}
	return lines
}

// matches reports that out holds the lines of answer in order, … standing for
// anything.
func matches(answer, out string) bool {
	pattern := regexp.QuoteMeta(answer)
	pattern = strings.ReplaceAll(pattern, "…", ".*")
	pattern = regexp.MustCompile(`\s+`).ReplaceAllString(pattern, `\s+`)
	return regexp.MustCompile("(?s)" + pattern).MatchString(out)
}

// Every line of the README that asks whatis something prints what the README says.
func TestREADME(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl", "grep"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here: the README's lines need it", tool)
		}
	}
	lines := shownLines(t, "Usage")
	if len(lines) < 10 {
		t.Fatalf("the README shows %d lines, want each way to ask", len(lines))
	}
	dir := t.TempDir()
	whatisit, err := commandLine()
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, nil, "-samples", filepath.Join(dir, "photos"))
	s.end()
	s = start(t, nil)
	s.until("Ready")
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		command := strings.NewReplacer(
			"go run ./emulators -samples", command+" -samples", "go run ./scripts/whatisit", whatisit, "scripts/", root+"/scripts/",
			"http://127.0.0.1:8080", s.env["API_URL"], "127.0.0.1:8080", strings.TrimPrefix(s.env["API_URL"], "http://"),
		).Replace(line.command)
		c := exec.CommandContext(t.Context(), "bash", "-c", "set -o pipefail; "+command)
		c.Dir = dir
		c.Env = os.Environ()
		for name, value := range s.env {
			c.Env = append(c.Env, name+"="+strings.Trim(value, "'"))
		}
		out, err := c.CombinedOutput()
		if err != nil || !matches(cmp.Or(line.answer, "…"), string(out)) {
			t.Errorf("$ %s\nprints (%v)\n%s\nwant\n%s", line.command, err, out, line.answer)
		}
	}
}

// A shop that -catalog fills is searched as the command says, and as the README does.
func TestCatalog(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here: the lines need it", tool)
		}
	}
	lines := shownLines(t, "Search the catalogue")
	if len(lines) != 2 || lines[0].command != "go run ./emulators -catalog eyewear" {
		t.Fatalf("the README shows %q, want how to fill a shop, and a search", lines)
	}
	s := start(t, nil, "-catalog", "eyewear")
	first := strings.TrimSpace(s.until("curl --json"))
	s.until("Ready")
	asREADME := strings.ReplaceAll(lines[1].command, "http://127.0.0.1:8080", s.env["API_URL"])
	for _, command := range []string{first, asREADME} {
		c := exec.CommandContext(t.Context(), "bash", "-c", command)
		if out, err := c.Output(); err != nil || !matches(lines[1].answer, string(out)) {
			t.Errorf("$ %s\nprints (%v)\n%s\nwant\n%s", command, err, out, lines[1].answer)
		}
	}
	id := regexp.MustCompile("/products/[0-9a-f]{32}/image").FindString(lines[1].answer)
	if body, code := fetch(t, s.env["API_URL"]+id, nil); code != 200 || !strings.HasPrefix(body, "\xff\xd8") {
		t.Errorf("GET %s = %d, %d bytes; want a JPEG", id, code, len(body))
	}
}

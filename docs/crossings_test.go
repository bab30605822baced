package docs

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What can happen, and to which kinds of work.
var (
	happens = []string{
		"Stopped after a call", "Delivered again", "Equal work at once", "Cancelled", "Overwritten", "Forgotten", "Corrected", "Undone", "Resumed",
		"Expired", "Another version", "Budget spent", "A model that does not answer",
	}
	kinds = []string{"upload", "group", "batch", "batch item", "import", "request", "A2A task", "conversation", "discovery", "forecast"}
)

var (
	section   = regexp.MustCompile(`(?m)^## `)
	cell      = regexp.MustCompile(`(?m)^\| ([^|]+) \| (.+) \|$`)
	namedTest = regexp.MustCompile("`([a-z0-9/]+)/(Test\\w+)`")
	testFunc  = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// TestCrossings holds crossings.md to be whole, and its tests to exist. That a test is of its cell is
// for whoever reads it: without the rule it must fail.
func TestCrossings(t *testing.T) {
	sections := section.Split(read(t, "crossings.md"), -1)[1:]
	var titles []string
	for _, s := range sections {
		title, body, _ := strings.Cut(s, "\n")
		titles = append(titles, title)
		var rows []string
		for _, m := range cell.FindAllStringSubmatch(body, -1) {
			if m[1] == "work" || m[1] == "---" {
				continue
			}
			rows = append(rows, m[1])
			named := namedTest.FindAllStringSubmatch(m[2], -1)
			if len(named) == 0 && !strings.HasPrefix(m[2], "cannot: ") && !strings.HasPrefix(m[2], "open: ") {
				t.Errorf("%s, %s: neither a test nor why there is none: %s", title, m[1], m[2])
			}
			for _, n := range named {
				if !slices.Contains(testsOf(t, n[1]), n[2]) {
					t.Errorf("%s, %s: there is no test %s in %s", title, m[1], n[2], n[1])
				}
			}
		}
		if !slices.Equal(rows, kinds) {
			t.Errorf("%s has rows for %q, want %q", title, rows, kinds)
		}
	}
	if !slices.Equal(titles, happens) {
		t.Errorf("crossings.md says what happens when: %q, want %q", titles, happens)
	}
}

// testsOf returns the names of the tests of a package, by its folder.
func testsOf(t *testing.T, folder string) (all []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for _, m := range testFunc.FindAllStringSubmatch(read(t, file), -1) {
			all = append(all, m[1])
		}
	}
	return all
}

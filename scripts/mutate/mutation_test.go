package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const sources = "../../terraform"

// Each mutation changes its file at one place, names a run that there is, and a text that
// this run can say.
func TestTable(t *testing.T) {
	t.Parallel()
	if len(table) < 40 {
		t.Errorf("the table holds %d mutations, want 40 and more", len(table))
	}
	for _, m := range table {
		text, err := os.ReadFile(filepath.Join(sources, m.file))
		if err != nil {
			t.Fatal(err)
		}
		if broken, err := m.apply(string(text)); err != nil || broken == string(text) {
			t.Errorf("%s: %q → %q: %v, want one change", m.file, m.from, m.to, err)
		}
		file, run, _ := strings.Cut(m.run, "/")
		tests, err := os.ReadFile(filepath.Join(sources, "tests", file+ending))
		if err != nil {
			t.Fatal(err)
		}
		block := ""
		for _, b := range runBlock.FindAllStringSubmatch(string(tests), -1) {
			if b[1] == run {
				block = b[0]
			}
		}
		// What Terraform says of a failure that did not come begins with its object.
		if says, _, _ := strings.Cut(m.says, ", was expected"); !strings.Contains(block, says) {
			t.Errorf("%s: the run %s cannot say %q", m.file, m.run, m.says)
		}
	}
}

// oneOfEachFile returns the first mutation of each file.
func oneOfEachFile(mutations []mutation) []mutation {
	seen := map[string]bool{}
	var first []mutation
	for _, m := range mutations {
		if !seen[m.file] {
			seen[m.file] = true
			first = append(first, m)
		}
	}
	return first
}

// Every file that could lose something is broken somewhere.
func TestEveryFileIsBroken(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(sources, "*.tf"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	broken := map[string]bool{}
	for _, m := range oneOfEachFile(table) {
		broken[m.file] = true
	}
	for _, path := range files {
		if !broken[filepath.Base(path)] {
			t.Errorf("no mutation breaks %s", filepath.Base(path))
		}
	}
	if n := len(batches(oneOfEachFile(table))); n != 1 {
		t.Errorf("one mutation of each file takes %d copies, want 1: the first of a file has a run of its own", n)
	}
}

// A copy holds the breakages of a batch and the runs that they name, each in a file of
// its own; what a run says of another is not taken for a notice.
func TestCopy(t *testing.T) {
	t.Parallel()
	for n, batch := range batches(table) {
		if err := (checker{dir: sources}).copy(filepath.Join(t.TempDir(), "terraform"), batch); err != nil {
			t.Errorf("copy %d: %v", n, err)
		}
	}
	batch := oneOfEachFile(table)[:2]
	dir := filepath.Join(t.TempDir(), "terraform")
	if err := (checker{dir: sources}).copy(dir, batch); err != nil {
		t.Fatal(err)
	}
	tests, err := filepath.Glob(filepath.Join(dir, "tests", "*"+ending))
	if err != nil || len(tests) != 2 {
		t.Errorf("the copy has the tests %q, %v; want two", tests, err)
	}
	for _, m := range batch {
		text, err := os.ReadFile(filepath.Join(dir, m.file))
		if err != nil || !strings.Contains(string(text), m.to) {
			t.Errorf("%s of the copy is not broken: %v", m.file, err)
		}
		alone, err := os.ReadFile(filepath.Join(dir, "tests", strings.Replace(m.run, "/", ".", 1)+ending))
		if err != nil || len(runBlock.FindAll(alone, -1)) != 1 || !strings.Contains(string(alone), "mock_provider") {
			t.Errorf("%s of the copy: %v, %s; want the head and that run", m.run, err, alone)
		}
	}
	found, runs := parse([]byte(`noise
{"type":"test_run","@testfile":"tests/a.b.tftest.hcl","@testrun":"b","test_run":{"progress":"complete","status":"fail"}}
{"type":"diagnostic","@testfile":"tests/a.b.tftest.hcl","@testrun":"b","diagnostic":{"severity":"error","summary":"Test assertion failed","detail":"it is open"}}
`))
	if runs != 1 || len(found) != 1 || !(mutation{run: "a/b", says: "is open"}).noticed(found) || (mutation{run: "a/c", says: "is open"}).noticed(found) {
		t.Errorf("parse = %v, %d runs; want that a/b says it, and no other", found, runs)
	}
}

// Changes of value are those that a reader would call another meaning, and each knows the
// resources that depend on it.
func TestValues(t *testing.T) {
	t.Parallel()
	s, err := parseSource("a.tf", []byte(`variable "place" {
  type = string
}
variable "days" {
  type    = number
  default = 7
}
locals {
  alerts = {
    age  = { look = "logs", more = 900 }
    dead = { look = "board", more = 0 }
  }
  week = "604800s"
  far  = local.week
}
resource "google_pubsub_topic" "t" {
  message_retention_duration = local.far
  labels                     = { days = var.days }
}
output "a" {
  value = local.week
}
output "b" {
  value = local.far
}
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range values([]source{s}) {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s→%s %s", m.of, m.was, strings.TrimSpace(m.is), strings.Join(m.referencing, " "))))
	}
	want := []string{
		`var.place →default = "global"`, "var.days 7→(7) + 1 google_pubsub_topic.t",
		`local.alerts "logs"→"board"`, "local.alerts 900→(900) + 1", `local.alerts "board"→"logs"`, "local.alerts 0→(0) + 1",
		`local.week "604800s"→"6048000s" google_pubsub_topic.t`, "output.a local.week→local.far", "output.b local.far→local.week",
	}
	if !slices.Equal(got, want) {
		t.Errorf("changes of value are\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

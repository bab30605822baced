package main

import (
	"os"
	"path"
	"regexp"
	"testing"
)

// The table of docs/measuring.md names every target of the module, and no other.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/measuring.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, n := range regexp.MustCompile(`\b[a-z0-9]+\.Fuzz\w+`).FindAllString(string(text), -1) {
		named[n] = false
	}
	t.Chdir("../..")
	all, err := targetsIn(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range all {
		n := path.Base(target.pkg) + "." + target.name
		if _, ok := named[n]; !ok {
			t.Errorf("docs/measuring.md does not name %s", n)
		}
		named[n] = true
	}
	for n, found := range named {
		if !found {
			t.Errorf("docs/measuring.md names %s, which there is not", n)
		}
	}
}

// A target has the name of its package and its own.
func TestTargets(t *testing.T) {
	t.Chdir("../..")
	all, err := targetsIn(t.Context(), `gs1\.`)
	if err != nil || len(all) != 1 || all[0].String() != "internal/gs1.FuzzParse" {
		t.Errorf("targetsIn = %v, %v; want internal/gs1.FuzzParse", all, err)
	}
}

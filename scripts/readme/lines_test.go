//go:build unix

package main

import (
	"fmt"
	"testing"
)

const readme = "# x\n## One\n```sh\ngo run ./emulators\n```\n```sh\ngit clone x\n```\n```console\n$ curl a  # a comment\n{\n  \"n\": …\n}\n```\n```\n$ no command\n```\n## Two\n```console\n$ go test ./...\n$ go run ./emulators -once\n```\n"

func TestLinesOf(t *testing.T) {
	want := "[{One go run ./emulators } {One curl a {\n  \"n\": …\n}} {Two go run ./emulators -once }]"
	lines := linesOf(readme)
	if got := fmt.Sprint(lines); got != want {
		t.Fatalf("linesOf = %s, want %s", got, want)
	}
	if !lines[0].serves() || lines[1].serves() || lines[2].serves() {
		t.Errorf("only the first line stays up")
	}
	for out, want := range map[string]bool{"{ \"n\": 1 }": true, "before {\n\t\"n\": 1,\n\"m\": 2 }": true, "{}": false, "": false} {
		if got := lines[1].matches(out); got != want {
			t.Errorf("matches(%q) = %v", out, got)
		}
	}
}

// Package goldens compares the requests that tests send to a model with golden files.
//
//	client → Tap → emulator
//	          └──→ testdata/requests/NAME.json
//
// A file has the whole request: method, path and query, headers, and the body as
// indented JSON with sorted keys. Two things are written otherwise, so that a diff
// can be read: a text of several lines is an array of its lines, and the bytes of
// inline data are their length and hash.
//
// The flag -update, which every test that imports this package has, writes the files
// anew and deletes those that no request was compared with.
package goldens

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Dir is the directory of the golden requests, below that of a package.
const Dir = "testdata/requests"

var update = flag.Bool("update", false, "write the golden files anew")

// Update reports that the golden files are to be written anew.
func Update() bool { return *update }

// Files are the golden requests of one package.
type Files struct {
	dir      string
	mu       sync.Mutex
	compared []string // names of files
}

// Open returns the files in Dir of the package under test. When the test ends
// without a failure, a file that no request was compared with is an error: open them
// in one test a package, which compares them all.
func Open(tb testing.TB) *Files {
	tb.Helper()
	f := &Files{dir: Dir}
	tb.Cleanup(func() {
		if !tb.Failed() {
			f.checkStale(tb)
		}
	})
	return f
}

// checkStale reports, or with -update deletes, the files of no request.
func (f *Files) checkStale(tb testing.TB) {
	tb.Helper()
	all, err := filepath.Glob(filepath.Join(f.dir, "*.json"))
	if err != nil {
		tb.Fatal(err)
	}
	for _, file := range all {
		if slices.Contains(f.compared, file) {
			continue
		}
		if !*update {
			tb.Errorf("%s is of a request that is not sent: delete it, or run go test with -update", file)
		} else if err := os.Remove(file); err != nil {
			tb.Error(err)
		}
	}
}

// compare compares a request with the file of that name, or writes it.
func (f *Files) compare(tb testing.TB, name string, r Request) {
	tb.Helper()
	file := filepath.Join(f.dir, name+".json")
	got, err := r.text()
	if err != nil {
		tb.Fatalf("%s: %v", file, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.Contains(f.compared, file) {
		tb.Errorf("%s is the name of two requests", file)
	}
	f.compared = append(f.compared, file)
	if *update {
		if err := os.MkdirAll(f.dir, 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			tb.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		tb.Errorf("%v: write it by go test with -update", err)
		return
	}
	if !bytes.Equal(got, want) {
		tb.Errorf("%s is another request than is sent: if that is meant, run go test with -update\n%s", file, firstDifference(string(got), string(want)))
	}
}

// firstDifference is the first line in which two texts differ; one that has ended has
// none there.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	n := 0
	for n < min(len(g), len(w)) && g[n] == w[n] {
		n++
	}
	line := func(of []string) string {
		return strings.TrimSpace(strings.Join(of[min(n, len(of)):min(n+1, len(of))], ""))
	}
	return "sent " + line(g) + "\nfile " + line(w)
}

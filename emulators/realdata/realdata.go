// Package realdata finds what tests read from outside their folders: files of this repository,
// and real photos, barcodes, dates and products. These belong to others and are no part of it:
// WHATIS_SHARED names the folder that holds them (docs/evidence.md).
package realdata

import (
	"os"
	"path/filepath"
	"testing"
)

// Above returns the path of a file, such as terraform/firestore.tf, in the folder of a test or in
// the nearest above that has it; where none has, the file in the test's own folder.
func Above(name string) string {
	path := filepath.FromSlash(name)
	for range 16 {
		if _, err := os.Stat(path); err == nil {
			return path
		}
		path = filepath.Join("..", path)
	}
	return name
}

// Files returns the files that match a pattern below the folder of real material, none
// where it is absent.
func Files(pattern string) []string {
	root := os.Getenv("WHATIS_SHARED")
	if root == "" {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern))) // a bad pattern matches nothing
	return files
}

// Need is Files, and skips a test where there are none.
func Need(tb testing.TB, pattern string) []string {
	tb.Helper()
	files := Files(pattern)
	if len(files) == 0 {
		tb.Skipf("no real material: WHATIS_SHARED names no folder with %s", pattern)
	}
	return files
}

// Read returns the content of one file below the folder of real material, and skips a
// test where it is absent.
func Read(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(Need(tb, name)[0])
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// Package docs holds the parts of the documentation that are made from the code to what
// the code says now. Such a part stands between two comments:
//
//	<!-- generated: NAME -->
//	…
//	<!-- end -->
//
// A test beside the code, called TestDocs…, makes it and calls [Section].
// `go generate ./docs` writes all of them anew.
package docs

//go:generate env UPDATE_DOCS=1 go test -p 1 -count=1 -run ^TestDocs .. ../function/siege ../internal/analyze ../internal/analyze/expiry ../internal/api/page ../internal/app ../internal/discover/webdoc ../internal/gemini ../scripts ../scripts/whatisit

import (
	"os"
	"strings"
	"testing"

	"example.com/whatis/emulators/realdata"
)

// Section fails the test unless the part called name of a page, such as operations.md, is
// want. With UPDATE_DOCS set it writes the part instead.
func Section(tb testing.TB, page, name, want string) {
	tb.Helper()
	path := realdata.Above("docs/" + page)
	before, rest, begun := strings.Cut(read(tb, path), "<!-- generated: "+name+" -->\n")
	got, after, ended := strings.Cut(rest, "<!-- end -->")
	if !begun || !ended {
		tb.Fatalf("docs/%s has no part <!-- generated: %s --> … <!-- end -->", page, name)
	}
	want = "\n" + strings.TrimSpace(want) + "\n\n"
	if got == want {
		return
	}
	if os.Getenv("UPDATE_DOCS") == "" {
		tb.Errorf("docs/%s, %s is not what the code says: run `go generate ./docs`. It is\n%s\nwant\n%s", page, name, got, want)
		return
	}
	text := before + "<!-- generated: " + name + " -->\n" + want + "<!-- end -->" + after
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}

func read(tb testing.TB, path string) string {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

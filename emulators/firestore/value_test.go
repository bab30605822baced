package firestore

import (
	"math"
	"slices"
	"testing"
)

func TestParseFieldPath(t *testing.T) {
	for _, row := range []struct {
		text string
		want fieldPath // nil: refused
	}{
		{"a", fieldPath{"a"}},
		{"a.b_1.C", fieldPath{"a", "b_1", "C"}},
		{"`a.b`.c", fieldPath{"a.b", "c"}},
		{"a.`b\\`c\\\\d`", fieldPath{"a", "b`c\\d"}},
		{"`한`", fieldPath{"한"}},
		{"__name__", fieldPath{"__name__"}},
		{"", nil},
		{".", nil},
		{"a.", nil},
		{".a", nil},
		{"a..b", nil},
		{"1a", nil},
		{"a b", nil},
		{"한", nil},
		{"``", nil},
		{"`a", nil},
		{"`a`b", nil},
		{"`a\\", nil},
	} {
		got, err := parseFieldPath(row.text)
		if !slices.Equal(got, row.want) || (err == nil) != (row.want != nil) {
			t.Errorf("parseFieldPath(%q) = %q, %v, want %q", row.text, got, err, row.want)
		}
		if row.want == nil {
			continue
		}
		if again := got.String(); again != row.text {
			t.Errorf("%q.String() = %q, want %q", got, again, row.text)
		}
	}
}

func TestParseDocument(t *testing.T) {
	for _, row := range []struct{ name, path, err string }{
		{"projects/p/databases/(default)/documents/c/a", "c/a", ""},
		{"projects/p/databases/d/documents/c/a/c/__id7__", "c/a/c/__id7__", ""},
		{"x", "", `Document name "x" lacks "projects" at index 0.`},
		{"projects/p", "", `Document name "projects/p" lacks "/" at index 10.`},
		{"projects/p/databases/d/documents", "", `Document name "projects/p/databases/d/documents" lacks "/" at index 32.`},
		{"projects/p/databases/d/documents/c", "", `Document name "projects/p/databases/d/documents/c" lacks "/" at index 34.`},
		{"projects/p/databases/d/documents/c/", "", `Document name "projects/p/databases/d/documents/c/" lacks a resource id at index 35.`},
		{"projects/p/databases/d/documents/c/..", "", `Document name "projects/p/databases/d/documents/c/.." contains a resource id ".." at index 35.`},
		{"projects/p/databases/d/documents/c/__a__", "", `Resource id "__a__" is invalid because it is reserved.`},
	} {
		_, path, err := parseDocument("Document", row.name)
		message := ""
		if err != nil {
			message = err.Error()[len("rpc error: code = InvalidArgument desc = "):]
		}
		if path != row.path || message != row.err {
			t.Errorf("parseDocument(%q) = %q, %q, want %q, %q", row.name, path, message, row.path, row.err)
		}
	}
}

func TestComparePaths(t *testing.T) {
	ordered := []string{
		"c/__id2__", "c/__id10__", "c/A", "c/a", "c/a/b", "c/a/b/c", "c/a-b", "c/ab", "c/한", "c/😀", "d",
	}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := comparePaths(a, b); sign(got) != sign(i-j) {
				t.Errorf("comparePaths(%q, %q) = %d, want the sign of %d", a, b, got, i-j)
			}
		}
	}
}

func TestCompareNumbers(t *testing.T) {
	ordered := []value{
		math.NaN(), math.Inf(-1), -math.MaxFloat64, int64(math.MinInt64), int64(math.MinInt64 + 1),
		-1.5, int64(-1), -0.5, int64(0), math.SmallestNonzeroFloat64, int64(1), 1.5,
		float64(1 << 53), int64(1<<53 + 1), int64(math.MaxInt64), float64(1 << 63), math.Inf(1),
	}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := compareValues(a, b); sign(got) != sign(i-j) {
				t.Errorf("compareValues(%v, %v) = %d, want the sign of %d", a, b, got, i-j)
			}
		}
	}
	for _, equal := range [][2]value{{int64(1), 1.0}, {0.0, math.Copysign(0, -1)}, {int64(math.MinInt64), float64(-1 << 63)}} {
		if got := compareValues(equal[0], equal[1]); got != 0 {
			t.Errorf("compareValues(%v, %v) = %d, want 0", equal[0], equal[1], got)
		}
		if identical(equal[0], equal[1]) {
			t.Errorf("identical(%v, %v) = true, want false", equal[0], equal[1])
		}
	}
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// The example is the one of the documentation of storage sizes.
func TestDocumentSize(t *testing.T) {
	d := &document{path: "users/jeff/tasks/my_task_id", fields: object{
		"type": "Personal", "done": false, "priority": int64(1), "description": "Learn Cloud Firestore",
	}}
	if got := documentSize(d); got != 147 {
		t.Errorf("documentSize(%v) = %d, want 147", d, got)
	}
}

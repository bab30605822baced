package jobs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport is all that the package needs; none of it but time tells the date.
var mayImport = []string{
	"cmp", "context", "encoding/json", "errors", "fmt", "maps", "slices", "strings", "sync/atomic", "time",
	"cloud.google.com/go/firestore", "github.com/google/uuid", "google.golang.org/api/iterator",
	"example.com/whatis/internal/public", "example.com/whatis/internal/store",
}

// ofTime is what the package may use of time. Nothing of it makes a time.Time
// from the machine's clock: deadlines count durations, which are monotonic, and
// every time.Time comes from Firestore.
var ofTime = []string{"Duration", "Time", "Timer", "AfterFunc", "After", "Second", "Hour", "Millisecond"}

// No decision of the package can depend on the machine's date: outside clock.go,
// whose one function returns a duration, no code can ask for it.
func TestNoWallClock(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("Glob = %v, %v", files, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, fault := range wallClock(t, name) {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

func wallClock(t *testing.T, name string) (faults []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range file.Imports {
		if path, _ := strconv.Unquote(i.Path.Value); i.Name != nil || !slices.Contains(mayImport, path) {
			faults = append(faults, "imports "+i.Path.Value+", unlisted or renamed")
		}
	}
	allowed := ofTime
	if name == "clock.go" {
		allowed = []string{"Now", "Since", "Duration"}
		if got := declared(file); got != "import start elapsed:time.Duration" {
			faults = append(faults, "declares "+got)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if n.Name == "start" && name != "clock.go" {
				faults = append(faults, "uses start")
			}
		case *ast.SelectorExpr:
			of, ok := n.X.(*ast.Ident)
			if ok && of.Name == "time" && !slices.Contains(allowed, n.Sel.Name) {
				faults = append(faults, "uses time."+n.Sel.Name)
			}
			if ok && of.Name == "context" && strings.HasPrefix(n.Sel.Name, "WithDeadline") {
				faults = append(faults, "uses context."+n.Sel.Name)
			}
		}
		return true
	})
	return faults
}

// declared lists what a file declares, functions with their results.
func declared(file *ast.File) string {
	var list []string
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			list = append(list, d.Name.Name+":"+types.ExprString(d.Type.Results.List[0].Type))
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*ast.ValueSpec); ok {
					list = append(list, v.Names[0].Name)
				} else {
					list = append(list, d.Tok.String())
				}
			}
		}
	}
	return strings.Join(list, " ")
}

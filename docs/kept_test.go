package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestKept holds the table in retention.md to name all that is used again: each cache and each map beside a
// lock by its package, collections of Firestore, folders of the bucket, and files of the page that write into
// the browser. Its tests exist.
func TestKept(t *testing.T) {
	_, table, _ := strings.Cut(read(t, "retention.md"), "## What is used again")
	table, _, _ = strings.Cut(table, "\n## ")
	code := readCode(t)
	for where, n := range code.kept {
		name := strings.Fields(where)
		if rows := strings.Count(table, "`"+name[len(name)-1]+"`"); rows == 0 || rows < n && name[0] == "memory" {
			t.Errorf("%s keeps %d things, and the table has %d: add a row with what each depends on", where, n, rows)
		}
	}
	for _, named := range regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(table, -1) {
		if !code.tests[named[1]] {
			t.Errorf("the table names %s, which is no test", named[1])
		}
	}
}

// code is what the sources below internal/ keep, and how often; and their tests.
type code struct {
	kept  map[string]int
	tests map[string]bool
}

var (
	caches     = regexp.MustCompile(`otter\.(?:Must|New)\(|\bsync\.Map\b`)
	collection = regexp.MustCompile(`\.Collection\((\w+|"\w+")\)`)
	constant   = regexp.MustCompile(`(?m)^\s*(?:const )?(\w+) += ("\w+")`)
	folders    = regexp.MustCompile(`(?m)^\s*\w+ += "(\w+/)"`)
	inBrowser  = regexp.MustCompile(`\b(?:local|session)\.set\(|indexedDB\.open`)
)

func readCode(t *testing.T) code {
	t.Helper()
	all := code{map[string]int{}, map[string]bool{}}
	packages := map[string]string{}
	err := filepath.WalkDir("../internal", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text := read(t, path)
		switch folder := filepath.Dir(path); {
		case strings.HasSuffix(path, "_test.go"):
			for _, m := range testFunc.FindAllStringSubmatch(text, -1) {
				all.tests[m[1]] = true
			}
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(folder, "test"):
			packages[folder] += text
			n, err := mapsBesideLocks(path)
			all.kept["memory of "+strings.TrimPrefix(folder, "../internal/")] += n + len(caches.FindAllString(text, -1))
			return err
		case strings.HasSuffix(path, ".js") && inBrowser.MatchString(text):
			all.kept["the page in "+d.Name()] = 1
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder, text := range packages {
		constants := map[string]string{}
		for _, m := range constant.FindAllStringSubmatch(text, -1) {
			constants[m[1]] = m[2]
		}
		for _, m := range collection.FindAllStringSubmatch(text, -1) {
			name := m[1]
			if value, ok := constants[name]; ok {
				name = value
			}
			if strings.HasPrefix(name, `"`) {
				all.kept["Firestore "+strings.Trim(name, `"`)] = 1
			}
		}
		if folder == "../internal/blob" {
			for _, m := range folders.FindAllStringSubmatch(text, -1) {
				all.kept["the bucket "+m[1]] = 1
			}
		}
	}
	for where, n := range all.kept {
		if n == 0 {
			delete(all.kept, where)
		}
	}
	return all
}

// mapsBesideLocks returns how many structs of a file have a lock and a map, as what goroutines share has.
func mapsBesideLocks(path string) (n int, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return 0, err
	}
	ast.Inspect(file, func(node ast.Node) bool {
		s, ok := node.(*ast.StructType)
		if !ok {
			return true
		}
		lock, shared := false, false
		for _, f := range s.Fields.List {
			of, qualified := f.Type.(*ast.SelectorExpr)
			_, isMap := f.Type.(*ast.MapType)
			lock, shared = lock || qualified && strings.HasSuffix(of.Sel.Name, "Mutex"), shared || isMap
		}
		if lock && shared {
			n++
		}
		return true
	})
	return n, nil
}

// Command rename gives the module another path: in go.mod, and wherever the sources name
// it.
//
//	go run ./scripts/rename example.org/you/whatis
//
// It changes the files that git knows, and nothing else: git diff shows what it did.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

func main() {
	if len(os.Args) != 2 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintln(os.Stderr, "go run ./scripts/rename example.org/you/whatis")
		os.Exit(2)
	}
	n, err := rename(".", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(1)
	}
	fmt.Printf("%d files changed: see git diff, then go build ./...\n", n)
}

// rename changes the module path of the repository at root, and returns how many files
// it wrote. Nothing is written if one of them cannot be.
func rename(root, path string) (int, error) {
	if err := module.CheckPath(path); err != nil {
		return 0, fmt.Errorf("want a module path such as example.org/you/whatis: %w", err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return 0, fmt.Errorf("this is to be run where go.mod is: %w", err)
	}
	old := modfile.ModulePath(mod)
	if old == "" {
		return 0, errors.New("go.mod has no module path")
	}
	list, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		return 0, fmt.Errorf("git ls-files: %w", err)
	}
	changed := map[string][]byte{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		name = filepath.Join(root, name)
		text, err := renamed(name, old, path)
		if err != nil {
			return 0, err
		}
		if text != nil {
			changed[name] = text
		}
	}
	for name, text := range changed {
		info, err := os.Stat(name)
		if err == nil {
			err = os.WriteFile(name, text, info.Mode())
		}
		if err != nil {
			return 0, err
		}
	}
	return len(changed), nil
}

// renamed returns what a file is to hold, nil if it does not name the old path.
func renamed(name, old, path string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil || !bytes.Contains(text, []byte(old)) {
		return nil, err
	}
	whole := regexp.MustCompile(`(^|[^A-Za-z0-9._-])` + regexp.QuoteMeta(old) + `($|[^A-Za-z0-9._-])`)
	for range 2 { // two that share the character between them
		text = whole.ReplaceAll(text, []byte("${1}"+path+"${2}"))
	}
	if filepath.Ext(name) != ".go" {
		return text, nil
	}
	if text, err = format.Source(text); err != nil { // the order of imports may change
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licenceFile are the names of files that a copy of a program must come with.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([-.].*)?$`)

// licences returns the licence texts of all that a program is built of, for an environment such
// as GOOS=linux: of Go itself, and of each module's packages and the folders above them. A text
// that several have stands once, below their names. A module without one is an error: nobody
// may pass it on.
func licences(ctx context.Context, root, program string, env ...string) ([]byte, error) {
	list := exec.CommandContext(ctx, "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", program)
	list.Dir, list.Env, list.Stderr = root, append(os.Environ(), env...), os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	folders := map[string]map[string]bool{"The Go Programming Language": {strings.TrimSpace(string(goroot)): true}}
	for line := range strings.Lines(string(out)) {
		module, dirs, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		above, dir, _ := strings.Cut(dirs, "\t")
		if folders[module] == nil {
			folders[module] = map[string]bool{}
		}
		for ; len(dir) >= len(above); dir = filepath.Dir(dir) {
			folders[module][dir] = true
		}
	}
	of := map[string][]string{} // text → who has it
	for _, module := range slices.Sorted(maps.Keys(folders)) {
		found := false
		for _, dir := range slices.Sorted(maps.Keys(folders[module])) {
			texts, err := licencesIn(dir)
			if err != nil {
				return nil, err
			}
			for _, text := range texts {
				found = true
				if !slices.Contains(of[text], module) {
					of[text] = append(of[text], module)
				}
			}
		}
		if !found {
			return nil, fmt.Errorf("%s has no licence: without one it cannot be passed on", module)
		}
	}
	var b bytes.Buffer
	for _, text := range slices.SortedFunc(maps.Keys(of), func(x, y string) int { return slices.Compare(append(of[x], x), append(of[y], y)) }) {
		fmt.Fprintf(&b, "%s\n\n%s\n\n%s\n\n", strings.Join(of[text], "\n"), text, strings.Repeat("=", 72))
	}
	return b.Bytes(), nil
}

// licencesIn returns the licence texts of a folder.
func licencesIn(dir string) (texts []string, err error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if file.IsDir() || !licenceFile.MatchString(file.Name()) || strings.HasSuffix(file.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
	}
	return texts, nil
}

// Count prints how many lines of Go the repository has by capability, code and tests apart,
// and how many more or fewer than at a revision:
//
//	go run ./scripts/count [REVISION]
//
// Files are those that git tracks, or would track. capabilities.tsv beside this file says
// which folder belongs to which capability.
package main

import (
	"archive/tar"
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"text/tabwriter"
)

//go:embed capabilities.tsv
var table string

// Lines are numbers of lines of code and of tests.
type Lines struct{ Code, Tests int }

// Count maps a capability to its lines.
type Count map[string]Lines

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
}

func run(revisions []string, out io.Writer) error {
	now, err := ofWorkTree()
	if err != nil {
		return err
	}
	if len(revisions) == 0 {
		return write(out, now, nil)
	}
	then, err := ofRevision(revisions[0])
	if err != nil {
		return err
	}
	return write(out, now, then)
}

// ofWorkTree counts the files as they are in the working directory's repository.
func ofWorkTree() (Count, error) {
	top, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	root := strings.TrimSpace(string(top))
	names, err := git("-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.go")
	if err != nil {
		return nil, err
	}
	count := Count{}
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		text, err := os.ReadFile(path.Join(root, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // removed, and not committed yet
		}
		if err != nil {
			return nil, err
		}
		count.add(name, text)
	}
	return count, nil
}

// ofRevision counts the files of a commit.
func ofRevision(revision string) (Count, error) {
	archive, err := git("archive", "--format=tar", revision, ":/")
	if err != nil {
		return nil, err
	}
	count := Count{}
	for files := tar.NewReader(bytes.NewReader(archive)); ; {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			return count, nil
		}
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(files)
		if err != nil {
			return nil, err
		}
		count.add(file.Name, text)
	}
}

func git(arguments ...string) ([]byte, error) {
	out, err := exec.Command("git", arguments...).Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return nil, fmt.Errorf("git %s: %s", arguments[0], bytes.TrimSpace(failed.Stderr))
	}
	return out, err
}

func (c Count) add(name string, text []byte) {
	if path.Ext(name) != ".go" {
		return
	}
	of, lines := capability(path.Dir(name)), bytes.Count(text, []byte("\n"))
	sum := c[of]
	if strings.HasSuffix(name, "_test.go") {
		sum.Tests += lines
	} else {
		sum.Code += lines
	}
	c[of] = sum
}

// capability returns the capability of a folder: that of the longest folder in the table that
// holds it.
func capability(folder string) string {
	longest, of := -1, ""
	for line := range strings.Lines(table) {
		above, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if (above == "." || folder == above || strings.HasPrefix(folder, above+"/")) && len(above) > longest && name != "" {
			longest, of = len(above), name
		}
	}
	return of
}

// write prints a table of now, with the change since then if there is one.
func write(out io.Writer, now, then Count) error {
	names := map[string]bool{}
	for _, c := range []Count{now, then} {
		for name := range c {
			names[name] = true
		}
	}
	columns := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, a, b Lines) {
		fmt.Fprintf(columns, "%d\t%d\t", a.Code, a.Tests)
		if then != nil {
			fmt.Fprintf(columns, "%+d\t%+d\t", a.Code-b.Code, a.Tests-b.Tests)
		}
		fmt.Fprintf(columns, " %s\n", name)
	}
	fmt.Fprint(columns, "code\ttests\t")
	if then != nil {
		fmt.Fprint(columns, "change\tchange\t")
	}
	fmt.Fprint(columns, " of\n")
	var all, before Lines
	sorted := make([]string, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.SortFunc(sorted, func(a, b string) int { return now[b].Code + now[b].Tests - now[a].Code - now[a].Tests })
	for _, name := range sorted {
		row(name, now[name], then[name])
		all = Lines{all.Code + now[name].Code, all.Tests + now[name].Tests}
		before = Lines{before.Code + then[name].Code, before.Tests + then[name].Tests}
	}
	row("all", all, before)
	return columns.Flush()
}

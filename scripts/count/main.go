// Count prints how many lines of Go the repository has by capability, code and tests apart,
// and how many more or fewer than at a revision:
//
//	go run ./scripts/count [REVISION]
//
// Files are those that git tracks, or would track. capabilities.tsv beside this file says
// which folder belongs to which capability.
package main

import (
	_ "embed"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

//go:embed capabilities.tsv
var table string

// lines are numbers of lines of code and of tests.
type lines struct{ code, tests int }

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
}

// run prints a table of the working tree, with the changes since the revision if one is named.
func run(revisions []string, out io.Writer) error {
	now, err := count("--untracked")
	if err != nil {
		return err
	}
	then, changes := map[string]lines{}, len(revisions) > 0
	if changes {
		if then, err = count(revisions[0]); err != nil {
			return err
		}
	}
	columns := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string) {
		n, before := now[name], then[name]
		fmt.Fprintf(columns, "%d\t%d\t", n.code, n.tests)
		if changes {
			fmt.Fprintf(columns, "%+d\t%+d\t", n.code-before.code, n.tests-before.tests)
		}
		fmt.Fprintf(columns, " %s\n", name)
	}
	fmt.Fprintln(columns, map[bool]string{false: "code\ttests\t of", true: "code\ttests\tchange\tchange\t of"}[changes])
	names := maps.Clone(now)
	maps.Copy(names, then)
	delete(names, all)
	for _, name := range slices.SortedFunc(maps.Keys(names), func(a, b string) int { return now[b].code + now[b].tests - now[a].code - now[a].tests }) {
		row(name)
	}
	row(all)
	return columns.Flush()
}

// all is the capability of every file.
const all = "all"

// count returns the lines by capability, of a revision or, as --untracked, of the working tree.
func count(of string) (map[string]lines, error) {
	found, err := exec.Command("git", "grep", "--full-name", "-c", "-e", "", of, "--", ":/*.go").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("git grep %s: %s", of, found)
	}
	sums := map[string]lines{}
	for line := range strings.Lines(strings.ReplaceAll("\n"+string(found), "\n"+of+":", "\n")) {
		name, n, _ := strings.Cut(strings.TrimSpace(line), ":")
		number, _ := strconv.Atoi(n)
		for _, sum := range []string{capability(path.Dir(name)), all} {
			s := sums[sum]
			if strings.HasSuffix(name, "_test.go") {
				s.tests += number
			} else {
				s.code += number
			}
			sums[sum] = s
		}
	}
	return sums, nil
}

// capability returns the capability of a folder: that of the longest folder in the table that
// holds it.
func capability(folder string) (of string) {
	longest := -1
	for line := range strings.Lines(table) {
		above, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if (above == "." || folder == above || strings.HasPrefix(folder, above+"/")) && len(above) > longest && name != "" {
			longest, of = len(above), name
		}
	}
	return of
}

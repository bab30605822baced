// Command fuzz runs the fuzz targets of this module one after the other, each for a time:
//
//	go run ./scripts/fuzz -time 10m
//	go run ./scripts/fuzz -time 30s -run 'webdoc|FuzzGzip'
//
// It prints a line for each: how many inputs were tried, and how many of them reached code
// that none before had. An input that fails is kept by the go command in testdata/fuzz, where
// it becomes a test; the command then ends with 1, after the other targets.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

func main() {
	each := flag.Duration("time", time.Minute, "how long each target is fuzzed")
	only := flag.String("run", "", "fuzz the targets whose package and name, as internal/gs1.FuzzParse, match this `regexp`")
	workers := flag.Int("parallel", 1, "how many inputs are tried at once")
	list := flag.Bool("list", false, "list the targets only")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	targets, err := targetsIn(ctx, *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(2)
	}
	failed := 0
	for _, t := range targets {
		switch {
		case *list:
			fmt.Println(t)
		case ctx.Err() == nil && !t.fuzz(ctx, *each, *workers):
			failed++
		}
	}
	if failed > 0 || ctx.Err() != nil {
		os.Exit(1)
	}
}

// A target is a fuzz test of a package, whose path begins with the module's.
type target struct{ module, pkg, name string }

func (t target) String() string { return strings.TrimPrefix(t.pkg, t.module+"/") + "." + t.name }

// targetsIn returns the targets of the module that match.
func targetsIn(ctx context.Context, only string) (all []target, err error) {
	match, err := regexp.Compile(only)
	if err != nil {
		return nil, err
	}
	packages, err := packagesOf(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range packages {
		for _, name := range p.targets() {
			if t := (target{p.Module.Path, p.ImportPath, name}); match.MatchString(t.String()) {
				all = append(all, t)
			}
		}
	}
	return all, nil
}

// A listed is a package as go list prints it.
type listed struct {
	Dir, ImportPath           string
	TestGoFiles, XTestGoFiles []string
	Module                    struct{ Path string }
}

// packagesOf returns the packages of the module. Their sources say which targets there are:
// go test -list would build the tests of each.
func packagesOf(ctx context.Context) (all []listed, err error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-json=Dir,ImportPath,TestGoFiles,XTestGoFiles,Module", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, p)
	}
}

// declared matches the declaration of a target.
var declared = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// targets returns the names of the package's targets.
func (p listed) targets() (names []string) {
	for _, file := range append(p.TestGoFiles, p.XTestGoFiles...) {
		source, _ := os.ReadFile(filepath.Join(p.Dir, file)) // that go list has read
		for _, m := range declared.FindAllSubmatch(source, -1) {
			names = append(names, string(m[1]))
		}
	}
	return names
}

// progress matches what the go command says of a target from time to time.
var progress = regexp.MustCompile(`^fuzz: elapsed: \S+, execs: (\d+) .*new interesting: (\d+)`)

// fuzz runs a target and reports whether nothing was found.
func (t target) fuzz(ctx context.Context, each time.Duration, workers int) bool {
	begin := time.Now()
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", each.String(), "-parallel", fmt.Sprint(workers), t.pkg)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that its workers end too
	out, err := cmd.CombinedOutput()
	tried, reached := "0", "0"
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if found := progress.FindStringSubmatch(lines.Text()); found != nil {
			tried, reached = found[1], found[2]
		}
	}
	found := "nothing found"
	if err != nil {
		found = "FAILED"
	}
	fmt.Printf("%-45s %8s %12s inputs, %5s reached more: %s\n", t, time.Since(begin).Round(time.Second), tried, reached, found)
	if err != nil && ctx.Err() == nil {
		fmt.Printf("%s\nkept in %s, if it is an input\n", out, path.Join(strings.TrimPrefix(t.pkg, t.module+"/"), "testdata", "fuzz", t.name))
	}
	return err == nil
}

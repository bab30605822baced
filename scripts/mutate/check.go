package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// A checker runs tool over copies of dir. One that is brief ends a run at the first thing that
// the tests complain of.
type checker struct {
	tool, dir string
	brief     bool
}

// A diagnostic is what a run of the tests complains of.
type diagnostic struct{ run, text string }

// asserted reports that a test said so, and not Terraform or the provider.
func (d diagnostic) asserted() bool { return strings.HasPrefix(d.text, "Test assertion failed") }

// passes has the tool check dir as it is, and fails if it finds anything.
func (c checker) passes(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// On a new machine the tool makes its cache first, which the next run finds.
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, c.tool, empty).CombinedOutput(); err != nil {
		return fmt.Errorf("even an empty folder: %w\n%s", err, out)
	}
	command, err := c.command(ctx, dir, c.dir)
	if err != nil {
		return err
	}
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	return command.Run()
}

// command returns the tool for the folder checked. Its cache is in dir.
func (c checker) command(ctx context.Context, dir, checked string) (*exec.Cmd, error) {
	cache, err := smallSchema(dir, c.dir)
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, c.tool, checked)
	// Terraform leaves much garbage in little memory: collected less often, it takes three
	// quarters of the time.
	command.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache, "GOGC=400")
	return command, nil
}

// check returns what the tests say of a copy with all mutations of a batch.
func (c checker) check(ctx context.Context, batch []mutation) ([]diagnostic, error) {
	found, runs, out, err := c.run(ctx, func(to string) error { return c.copy(to, batch) })
	if err == nil && runs == 0 {
		err = fmt.Errorf("%s ran no test:\n%s", c.tool, out)
	}
	return found, err
}

// run runs the tool over a copy that prepare makes. Terraform that is refused before any
// test is no error.
func (c checker) run(ctx context.Context, prepare func(to string) error) (found []diagnostic, runs int, out []byte, err error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, 0, nil, err
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := prepare(filepath.Join(dir, "terraform")); err != nil {
		return nil, 0, nil, err
	}
	format := exec.CommandContext(ctx, "terraform", "fmt", "-recursive", filepath.Join(dir, "terraform"))
	if out, err := format.CombinedOutput(); err != nil {
		return nil, 0, nil, fmt.Errorf("terraform fmt: %w: %s", err, out)
	}
	command, err := c.command(ctx, dir, filepath.Join(dir, "terraform"))
	if err != nil {
		return nil, 0, nil, err
	}
	command.Env = append(command.Env, "TF_CLI_ARGS_test=-json")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }
	var printed output
	if c.brief {
		printed.complained = stop
	}
	command.Stdout, command.Stderr = &printed, &printed
	err = command.Run()
	out = printed.Bytes()
	found, runs = parse(out)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, 0, nil, fmt.Errorf("%s: %w\n%s", c.tool, err, out)
	}
	return found, runs, out, nil
}

// An output is what a command prints, and calls complained, if it is set, at each assertion that failed.
type output struct {
	bytes.Buffer
	complained func()
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Buffer.Write(p)
	if o.complained != nil && bytes.Contains(p, []byte("Test assertion failed")) {
		o.complained()
	}
	return n, err
}

// copy makes the copy: the sources, broken, and of the tests what is named.
func (c checker) copy(to string, batch []mutation) error {
	if err := os.CopyFS(to, os.DirFS(c.dir)); err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, m := range batch {
		wanted[m.run] = true
		if err := edit(filepath.Join(to, m.file), m.apply); err != nil {
			return err
		}
	}
	return isolate(filepath.Join(to, "tests"), func(run, _ string) bool { return wanted[run] })
}

// isolate leaves of the tests the runs that are wanted, by name and text, each in a file FILE.RUN of its
// own: a run that comes to an error makes Terraform skip those behind it.
func isolate(tests string, wanted func(run, text string) bool) error {
	files, err := filepath.Glob(filepath.Join(tests, "*.tftest.hcl"))
	if err != nil {
		return err
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.Remove(path); err != nil {
			return err
		}
		name := strings.TrimSuffix(filepath.Base(path), ending)
		for _, block := range runBlock.FindAllStringSubmatch(string(text), -1) {
			if !wanted(name+"/"+block[1], block[0]) {
				continue
			}
			alone := runBlock.ReplaceAllString(string(text), "") + block[0]
			if err := os.WriteFile(filepath.Join(tests, name+"."+block[1]+ending), []byte(alone), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

const ending = ".tftest.hcl"

var runBlock = regexp.MustCompile(`(?ms)^run "(\w+)" \{\n.*?^\}\n`)

// edit rewrites a file.
func edit(path string, change func(string) (string, error)) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	changed, err := change(string(text))
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(changed), 0o644)
}

// parse reads the lines of terraform test -json: the complaints of each run, and how
// many runs came to an end.
func parse(out []byte) (found []diagnostic, runs int) {
	for line := range bytes.Lines(out) {
		var l struct {
			Type       string
			File       string `json:"@testfile"`
			Run        string `json:"@testrun"`
			Diagnostic struct{ Severity, Summary, Detail string }
			TestRun    struct{ Status string } `json:"test_run"`
		}
		if json.Unmarshal(line, &l) != nil {
			continue
		}
		if l.Type == "test_run" && l.TestRun.Status != "" {
			runs++
		}
		if l.Type == "diagnostic" && l.Diagnostic.Severity == "error" {
			file, _, _ := strings.Cut(filepath.Base(l.File), ".")
			name := file + "/" + l.Run
			found = append(found, diagnostic{name, l.Diagnostic.Summary + ": " + l.Diagnostic.Detail})
		}
	}
	return found, runs
}

// smallSchema returns a cache of the checker's, in dir, whose schema holds only the
// resources that the sources in terraform use: of the whole, Terraform needs twice as
// long for each run. Without a cache of the checker's it is the user's own.
func smallSchema(dir, terraform string) (string, error) {
	home := os.Getenv("XDG_CACHE_HOME")
	if home == "" {
		home = filepath.Join(os.Getenv("HOME"), ".cache")
	}
	caches, _ := filepath.Glob(filepath.Join(home, "tfcheck-*", "schema.json"))
	if len(caches) != 1 {
		return home, nil
	}
	text, err := os.ReadFile(caches[0])
	if err != nil {
		return "", err
	}
	small, err := shrink(text, terraform)
	if err != nil {
		return "", fmt.Errorf("%s: %w", caches[0], err)
	}
	from := filepath.Dir(caches[0])
	to := filepath.Join(dir, "cache", filepath.Base(from))
	if err := os.MkdirAll(to, 0o755); err != nil {
		return "", err
	}
	if err := os.Symlink(filepath.Join(from, "mirror"), filepath.Join(to, "mirror")); err != nil {
		return "", err
	}
	return filepath.Dir(to), os.WriteFile(filepath.Join(to, "schema.json"), small, 0o644)
}

// shrink leaves of a schema what the sources use.
func shrink(schema []byte, terraform string) ([]byte, error) {
	used := map[string]bool{}
	sources, err := filepath.Glob(filepath.Join(terraform, "*.tf"))
	if err != nil {
		return nil, err
	}
	for _, path := range sources {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for _, m := range regexp.MustCompile(`(?m)^(?:resource|data) "(\w+)"`).FindAllSubmatch(text, -1) {
			used[string(m[1])] = true
		}
	}
	var whole map[string]json.RawMessage
	var providers map[string]map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(schema, &whole), json.Unmarshal(whole["provider_schemas"], &providers)); err != nil {
		return nil, err
	}
	for _, provider := range providers {
		for _, kind := range []string{"resource_schemas", "data_source_schemas"} {
			var of map[string]json.RawMessage
			if err := json.Unmarshal(provider[kind], &of); err != nil {
				return nil, err
			}
			maps.DeleteFunc(of, func(name string, _ json.RawMessage) bool { return !used[name] })
			if provider[kind], err = json.Marshal(of); err != nil {
				return nil, err
			}
		}
	}
	if whole["provider_schemas"], err = json.Marshal(providers); err != nil {
		return nil, err
	}
	return json.Marshal(whole)
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	before = "module example.com/whatis\n\ngo 1.26\n"
	source = "package p\n\nimport (\n\t_ \"example.com/whatis/internal/p\"\n\t_ \"example.com/whatis2/q\"\n)\n\n// https://example.com/whatis is the agent, example.com/whatis-not is not.\nconst agent = \"(+https://example.com/whatis)\"\n"
)

func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	root := t.TempDir()
	for name, text := range map[string]string{"go.mod": before, "p/p.go": source, "untracked.txt": "example.com/whatis"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "go.mod", "p"}} {
		if out, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	return root
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestRename(t *testing.T) {
	root := repository(t)
	if n, err := rename(root, "zoo.example.org/you/whatis"); err != nil || n != 2 {
		t.Fatalf("rename = %d, %v; want two files", n, err)
	}
	if got := read(t, filepath.Join(root, "go.mod")); !strings.HasPrefix(got, "module zoo.example.org/you/whatis\n") {
		t.Errorf("go.mod is %s", got)
	}
	want := "package p\n\nimport (\n\t_ \"example.com/whatis2/q\"\n\t_ \"zoo.example.org/you/whatis/internal/p\"\n)\n\n// https://zoo.example.org/you/whatis is the agent, example.com/whatis-not is not.\nconst agent = \"(+https://zoo.example.org/you/whatis)\"\n"
	if got := read(t, filepath.Join(root, "p/p.go")); got != want {
		t.Errorf("p.go is\n%s\nwant\n%s", got, want)
	}
	if got := read(t, filepath.Join(root, "untracked.txt")); got != "example.com/whatis" {
		t.Errorf("a file that git does not know is %q", got)
	}
}

func TestRefused(t *testing.T) {
	root := repository(t)
	for _, path := range []string{"", "whatis", "Example.org/x y", "https://example.org/x", "../x"} {
		if n, err := rename(root, path); err == nil || n != 0 || read(t, filepath.Join(root, "go.mod")) != before {
			t.Errorf("rename to %q = %d, %v", path, n, err)
		}
	}
	if _, err := rename(t.TempDir(), "example.org/x"); err == nil {
		t.Error("rename works where there is no go.mod")
	}
}

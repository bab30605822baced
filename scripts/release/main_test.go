package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// repository makes a repository with a program that says hello.
func repository(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/hello\n\ngo 1.26\n", "hello/main.go": "package main\n\nfunc main() { print(\"hello\") }\n", "CHANGELOG.md": "# Changelog\n", ".gitignore": "dist/\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "hello"}, {"tag", "v1.2.3"}} {
		if out, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v, %s", args, err, out)
		}
	}
	return root
}

// An archive for each system has a program that runs there, and the checksums are theirs.
// The same commit makes the same archives; what is not committed is refused.
func TestRelease(t *testing.T) {
	t.Parallel()
	root := repository(t)
	here := runtime.GOOS + "/" + runtime.GOARCH
	var sums [2]string
	for i := range sums {
		r := release{root: root, program: "./hello", extra: []string{"CHANGELOG.md"}, out: filepath.Join(t.TempDir(), "dist")}
		if err := r.build(t.Context(), []string{here, "windows/amd64"}); err != nil {
			t.Fatal(err)
		}
		sums[i] = string(file(t, r.out, "SHA256SUMS"))
		name := "hello_v1.2.3_" + runtime.GOOS + "_" + runtime.GOARCH
		archive, windows := file(t, r.out, name+".tar.gz"), file(t, r.out, "hello_v1.2.3_windows_amd64.zip")
		if want := fmt.Sprintf("%x  %s.tar.gz\n%x  hello_v1.2.3_windows_amd64.zip\n", sha256.Sum256(archive), name, sha256.Sum256(windows)); sums[i] != want {
			t.Errorf("SHA256SUMS is\n%swant\n%s", sums[i], want)
		}
		runs(t, archive, name)
		z, err := zip.NewReader(bytes.NewReader(windows), int64(len(windows)))
		if err != nil || len(z.File) != 3 || z.File[0].Name != "hello_v1.2.3_windows_amd64/hello.exe" {
			t.Errorf("the archive for Windows holds %+v, %v; want hello.exe, LICENSES and CHANGELOG.md", z, err)
		}
		if err := r.build(t.Context(), []string{here}); err == nil || !strings.Contains(err.Error(), "name an empty folder") {
			t.Errorf("into a folder with files: %v, want an error", err)
		}
	}
	if sums[0] != sums[1] {
		t.Errorf("the same commit made\n%sand\n%s", sums[0], sums[1])
	}
	if err := os.WriteFile(filepath.Join(root, "hello/main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := release{root: root, program: "./hello", out: filepath.Join(t.TempDir(), "dist")}
	if err := r.build(t.Context(), []string{here}); err == nil || !strings.Contains(err.Error(), "hello/main.go") {
		t.Errorf("with a change: %v, want an error that names the file", err)
	}
}

func file(t *testing.T, folder, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// runs unpacks a gzipped tar file, whose first file says hello.
func runs(t *testing.T, archive []byte, folder string) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	files := tar.NewReader(z)
	h, err := files.Next()
	if err != nil || h.Name != folder+"/hello" {
		t.Fatalf("the first file is %+v, %v; want %s/hello", h, err, folder)
	}
	program := filepath.Join(t.TempDir(), "hello")
	data, err := io.ReadAll(files)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, data, h.FileInfo().Mode()); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program).CombinedOutput(); err != nil || string(out) != "hello" {
		t.Errorf("the program says %q, %v; want hello", out, err)
	}
	if built, err := buildinfo.ReadFile(program); err != nil || built.Main.Version != "v1.2.3" {
		t.Errorf("the program has the version %v, %v; want that of the tag", built, err)
	}
	for _, want := range []string{"LICENSES", "CHANGELOG.md"} {
		if h, err = files.Next(); err != nil || h.Name != folder+"/"+want {
			t.Errorf("the next file is %+v, %v; want %s", h, err, want)
		}
	}
}

// Each module that a program is built of has its licence among the texts, for both programs
// that are passed on.
func TestLicences(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"./scripts/whatisit", "./function/cmd"} {
		texts, err := licences(t.Context(), "../..", program)
		if err != nil {
			t.Fatal(err)
		}
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", program)
		list.Dir = "../.."
		modules, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, module := range append(strings.Fields(strings.ReplaceAll(string(modules), " ", "@")), "The@Go@Programming@Language") {
			if !bytes.Contains(texts, []byte(strings.ReplaceAll(module, "@", " ")+"\n")) {
				t.Errorf("%s: the licence of %s is missing", program, module)
			}
		}
		for _, want := range []string{"Apache License", "Permission is hereby granted", "Redistribution and use in source and binary forms"} {
			if !bytes.Contains(texts, []byte(want)) {
				t.Errorf("%s: no licence says %q", program, want)
			}
		}
	}
	root := repository(t)
	if err := os.MkdirAll(filepath.Join(root, "bare"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": "module example.com/hello\n\ngo 1.26\n\nrequire example.com/bare v0.0.0\n\nreplace example.com/bare => ./bare\n", "bare/go.mod": "module example.com/bare\n", "bare/bare.go": "package bare\n",
		"hello/main.go": "package main\n\nimport _ \"example.com/bare\"\n\nfunc main() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := licences(t.Context(), root, "./hello"); err == nil || !strings.Contains(err.Error(), "example.com/bare v0.0.0 has no licence") {
		t.Errorf("licences of a module without one: %v, want an error that names it", err)
	}
}

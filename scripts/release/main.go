// Command release builds the command line for others to download: an archive for each
// system, and their checksums.
//
//	go run ./scripts/release                                # into dist
//	go run ./scripts/release -out DIR -targets linux/amd64,windows/arm64
//	cd dist && sha256sum --check SHA256SUMS
//	go run ./scripts/release -licences FILE ./function/cmd  # of what the image is built of
//
// Each archive has the licence texts of all that the program is built of, as LICENSES.
//
// The same commit and the same Go make the same bytes: paths of this machine are left out,
// and the files in an archive have the time of the commit. A folder with changes that are
// not committed is refused.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// everywhere are the systems that archives are built for, as GOOS/GOARCH.
const everywhere = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := flag.String("out", "dist", "the folder for the archives, which must be empty or missing")
	targets := flag.String("targets", everywhere, "the systems to build for, as GOOS/GOARCH")
	texts := flag.String("licences", "", "write the licence texts of the program that is named for linux/amd64 into this file, and nothing else")
	flag.Parse()
	if flag.NArg() > 0 != (*texts != "") || flag.NArg() > 1 {
		flag.Usage()
		os.Exit(2)
	}
	if *texts != "" {
		data, err := licences(ctx, ".", flag.Arg(0), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
		if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(*texts), 0o755), os.WriteFile(*texts, data, 0o644))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "release:", err)
			os.Exit(1)
		}
		return
	}
	r := release{root: ".", program: "./scripts/whatisit", extra: []string{"CHANGELOG.md"}, out: *out}
	if err := r.build(ctx, strings.Split(*targets, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// A release is what is built of a repository.
type release struct {
	root    string   // of the repository
	program string   // the package, as ./scripts/whatisit
	extra   []string // files that each archive has beside the program
	out     string

	version string // as git describes the commit
	time    time.Time
}

// build builds the program for each target and writes the archives and SHA256SUMS.
func (r *release) build(ctx context.Context, targets []string) error {
	if err := errors.Join(r.describe(ctx), r.prepare()); err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, target := range targets {
		goos, arch, ok := strings.Cut(target, "/")
		if !ok {
			return fmt.Errorf("the target is %q: want GOOS/GOARCH, as linux/amd64", target)
		}
		name, archive, err := r.archive(ctx, goos, arch)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		if err := os.WriteFile(filepath.Join(r.out, name), archive, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(archive), name)
		fmt.Printf("%s, %.1f MB\n", filepath.Join(r.out, name), float64(len(archive))/1e6)
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), sums.Bytes(), 0o644)
}

// describe sets the version and the time of the commit.
func (r *release) describe(ctx context.Context) error {
	changed, err := r.git(ctx, "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		return fmt.Errorf("there are changes that are not committed:\n%s", changed)
	}
	if r.version, err = r.git(ctx, "describe", "--tags", "--always"); err != nil {
		return err
	}
	seconds, err := r.git(ctx, "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	at, err := strconv.ParseInt(seconds, 10, 64)
	r.time = time.Unix(at, 0).UTC()
	return err
}

// prepare makes the folder for the archives.
func (r *release) prepare() error {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	there, err := os.ReadDir(r.out)
	if err == nil && len(there) > 0 {
		err = fmt.Errorf("%s holds files: name an empty folder", r.out)
	}
	return err
}

func (r *release) git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", r.root}, args...)...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// archive builds the program for a system and returns the archive's name and bytes: a ZIP
// file for Windows, else a gzipped tar file.
func (r *release) archive(ctx context.Context, goos, arch string) (name string, data []byte, err error) {
	folder, err := os.MkdirTemp("", "release-")
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, filepath.Base(r.program))
	if goos == "windows" {
		program += ".exe"
	}
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", program, r.program)
	c.Dir, c.Stderr = r.root, os.Stderr
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+arch)
	if err := c.Run(); err != nil {
		return "", nil, fmt.Errorf("go build: %w", err)
	}
	stem := strings.Join([]string{filepath.Base(r.program), r.version, goos, arch}, "_")
	texts, err := licences(ctx, r.root, r.program, "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+arch)
	if err != nil {
		return "", nil, err
	}
	files := []string{program, filepath.Join(folder, "LICENSES")}
	if err := os.WriteFile(files[1], texts, 0o644); err != nil {
		return "", nil, err
	}
	for _, extra := range r.extra {
		files = append(files, filepath.Join(r.root, extra))
	}
	if goos == "windows" {
		data, err = zipped(stem, files, r.time)
		return stem + ".zip", data, err
	}
	data, err = tarred(stem, files, r.time)
	return stem + ".tar.gz", data, err
}

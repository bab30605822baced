//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// A newcomer has a clone and an empty home folder, and what the last server that it
// started printed to be exported.
type newcomer struct {
	clone  string
	env    []string
	server *exec.Cmd
}

// newNewcomer clones the repository into folder. Go's caches are those of this machine.
func newNewcomer(ctx context.Context, folder string) (*newcomer, error) {
	root, err := git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	n := &newcomer{clone: filepath.Join(folder, "whatis")}
	if _, err := git(ctx, "clone", "--quiet", root, n.clone); err != nil {
		return nil, err
	}
	home := filepath.Join(folder, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, err
	}
	n.env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOTOOLCHAIN", "GOFLAGS"} {
		value, err := exec.CommandContext(ctx, "go", "env", name).Output()
		if err != nil {
			return nil, fmt.Errorf("go env %s: %w", name, err)
		}
		n.env = append(n.env, name+"="+strings.TrimSpace(string(value)))
	}
	return n, nil
}

// command returns a line that bash reads in the clone.
func (n *newcomer) command(ctx context.Context, text string) *exec.Cmd {
	c := exec.CommandContext(ctx, "bash", "-c", "set -o pipefail; "+text)
	c.Dir, c.Env = n.clone, n.env
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // go run has a child
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGINT) }
	c.WaitDelay = time.Minute
	return c
}

// do does what a line shows.
func (n *newcomer) do(ctx context.Context, l line) error {
	if l.serves() {
		return n.serve(ctx, l)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	out, err := n.command(ctx, l.command).CombinedOutput()
	if err != nil || !l.matches(string(out)) {
		return fmt.Errorf("%s: $ %s\nprints (%v)\n%s\nwant\n%s", l.section, l.command, err, out, l.answer)
	}
	return nil
}

var exported = regexp.MustCompile(`^\s*export ([A-Za-z_]+=.*)$`)

// serve starts a server in the place of the last one, and waits until it is ready.
func (n *newcomer) serve(ctx context.Context, l line) error {
	n.stop()
	n.server = n.command(context.WithoutCancel(ctx), l.command)
	out, err := n.server.StdoutPipe()
	if err != nil {
		return err
	}
	n.server.Stderr = os.Stderr
	if err := n.server.Start(); err != nil {
		return err
	}
	var said bytes.Buffer
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "Ready") {
		fmt.Fprintln(&said, lines.Text())
		if m := exported.FindStringSubmatch(lines.Text()); m != nil {
			name, value, _ := strings.Cut(m[1], "=")
			n.env = append(n.env, name+"="+strings.Trim(value, "'"))
		}
	}
	if !strings.HasPrefix(lines.Text(), "Ready") || !strings.Contains(said.String(), "PORT 8080 IS TAKEN") || !l.matches(said.String()) {
		return fmt.Errorf("%s: $ %s\nis not ready, does not say that its port is taken, or does not print\n%s\nbut\n%s", l.section, l.command, l.answer, said.String())
	}
	go func() {
		for lines.Scan() { // it may go on to print
		}
	}()
	return nil
}

// stop ends the server, as Ctrl-C does.
func (n *newcomer) stop() {
	if n.server == nil || n.server.Process == nil {
		return
	}
	_ = syscall.Kill(-n.server.Process.Pid, syscall.SIGINT) // it may have ended by itself
	_ = n.server.Wait()
	n.server = nil
}

// refused checks that a port that is chosen and taken ends the start with 2.
func (n *newcomer) refused(ctx context.Context) error {
	out, err := n.command(ctx, "go build -o ../emulators ./emulators && ../emulators -port 8080").CombinedOutput()
	var failed *exec.ExitError
	if !errors.As(err, &failed) || failed.ExitCode() != 2 {
		return fmt.Errorf("emulators -port 8080, which is taken: %w, want exit code 2\n%s", err, out)
	}
	return nil
}

// left checks that what was done has left nothing behind that git sees.
func (n *newcomer) left(ctx context.Context) error {
	files, err := git(ctx, "-C", n.clone, "status", "--porcelain")
	if err == nil && files != "" {
		err = fmt.Errorf("the README's commands have left files behind:\n%s", files)
	}
	return err
}

//go:build unix

// Command readme does what the README and the first documents show, as a newcomer does it:
// in a fresh clone, with an empty home folder, and with port 8080 taken.
//
//	README.md → lines that begin with $ → bash → output, held to what the README shows
//
// Lines that start the emulators and leave them up are servers in the background, and
// what they print to be exported is there for the lines that follow. Nothing that is
// shown may leave a file behind that git does not know or ignore.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

// documents show commands that a newcomer types, one document after the other.
var documents = []string{"README.md", "docs/tasks.md", "docs/my-shop.md", "docs/weather.md", "docs/drills.md"}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "readme:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "whatis-readme-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	taken, err := net.Listen("tcp", ":8080")
	if err != nil {
		return fmt.Errorf("port 8080 is to be taken by this program alone: %w", err)
	}
	defer taken.Close()
	n, err := newNewcomer(ctx, folder)
	if err != nil {
		return err
	}
	defer n.stop()
	var lines []line
	for _, d := range documents {
		text, err := os.ReadFile(filepath.Join(n.clone, d))
		if err != nil {
			return err
		}
		lines = append(lines, linesOf(string(text))...)
	}
	for _, l := range lines {
		fmt.Printf("%s: $ %s\n", l.section, l.command)
		if failed := n.do(ctx, l); failed != nil {
			err = errors.Join(err, failed)
			fmt.Println(failed)
		}
	}
	if len(lines) < 35 {
		err = errors.Join(err, fmt.Errorf("%d commands are shown: are they read?", len(lines)))
	}
	return errors.Join(err, n.refused(ctx), n.left(ctx))
}

// git runs git and returns what it prints.
func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

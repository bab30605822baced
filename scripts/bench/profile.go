//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// profileFile returns where the profile of a case goes, "" if dir is.
func profileFile(dir, name string) string {
	if dir == "" {
		return ""
	}
	keep := func(r rune) rune {
		if strings.ContainsRune(", ", r) {
			return '_'
		}
		return r
	}
	return filepath.Join(dir, strings.ReplaceAll(strings.Map(keep, name), "__", "_")+".pprof")
}

// profiled does do, and has p write its processor time meanwhile to its profile if
// there is to be one. The program then has the tag profile (function/cmd/profile.go).
func (p *process) profiled(do func() error) error {
	if p.profile == "" {
		return do()
	}
	if err := p.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	if err := p.cmd.Process.Signal(syscall.SIGUSR2); err != nil {
		return err
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(p.profile); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s: the function wrote no profile", p.profile)
}

//go:build darwin || linux

package main

import (
	"os"
	"syscall"
)

// lock keeps every other process from locking f until it is closed, or this
// process ends.
func lock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

//go:build darwin || linux

package main

import (
	"os"
	"syscall"
	"unsafe"
)

// terminalWidth is the width of the terminal that f is, in cells; 0 if f is none.
func terminalWidth(f *os.File) int {
	var size struct{ rows, columns, x, y uint16 }
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	if errno != 0 {
		return 0
	}
	return int(size.columns)
}

// lock keeps every other process from locking f until it is closed, or this
// process ends.
func lock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

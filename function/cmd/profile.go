//go:build profile

package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"syscall"
)

// Between SIGUSR1 and SIGUSR2, a build with the tag profile writes its processor time to the
// file that WHATIS_PROFILE names, or the bytes it allocates to that of WHATIS_ALLOCATED.
// scripts/bench builds it; what is deployed has none of this.
func init() {
	if path := os.Getenv("WHATIS_PROFILE"); path != "" {
		var file *os.File
		between(func() {
			var err error
			if file, err = os.Create(path + ".part"); err == nil {
				err = pprof.StartCPUProfile(file)
			}
			must(err)
		}, func() {
			pprof.StopCPUProfile()
			must(file.Close())
			must(os.Rename(path+".part", path)) // whole once it has its name
		})
	}
	if path := os.Getenv("WHATIS_ALLOCATED"); path != "" {
		var before, after runtime.MemStats
		between(func() { runtime.ReadMemStats(&before) }, func() {
			runtime.ReadMemStats(&after)
			must(os.WriteFile(path+".part", fmt.Append(nil, after.TotalAlloc-before.TotalAlloc), 0o600))
			must(os.Rename(path+".part", path))
		})
	}
}

// between calls begin at SIGUSR1, and end at the SIGUSR2 after it.
func between(begin, end func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		begun := false
		for s := range signals {
			switch {
			case s == syscall.SIGUSR1 && !begun:
				begin()
				begun = true
			case s == syscall.SIGUSR2 && begun:
				end()
				begun = false
			}
		}
	}()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

//go:build profile

package main

import (
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
)

// A build with the tag profile writes its processor time to the file that
// WHATIS_PROFILE names, between SIGUSR1 and SIGUSR2. scripts/bench -profile
// builds it; what is deployed has none of this.
func init() {
	path := os.Getenv("WHATIS_PROFILE")
	if path == "" {
		return
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		var file *os.File
		for s := range signals {
			switch {
			case s == syscall.SIGUSR1 && file == nil:
				var err error
				if file, err = os.Create(path + ".part"); err == nil {
					err = pprof.StartCPUProfile(file)
				}
				if err != nil {
					panic(err)
				}
			case s == syscall.SIGUSR2 && file != nil:
				pprof.StopCPUProfile()
				_ = file.Close()
				_ = os.Rename(path+".part", path) // whole once it has its name
				file = nil
			}
		}
	}()
}

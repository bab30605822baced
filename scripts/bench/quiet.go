//go:build linux

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// quietShare is how much of the processors other programs may take for times to be held.
const quietShare = 0.1

// othersShare returns the share of the processors that other programs take, from a second in
// which this one sleeps. A machine that does not say so in /proc/stat is taken for a quiet one.
func othersShare() float64 {
	before, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	time.Sleep(time.Second)
	after, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	return busy(string(before), string(after))
}

// busy returns the share of the processors' time that was used between two states of
// /proc/stat, whose first line has user, nice, system, idle and iowait, in ticks (proc(5)).
func busy(before, after string) float64 {
	var all, idle float64
	a, b := ticks(before), ticks(after)
	for i := range a {
		all += b[i] - a[i]
	}
	if idle = b[3] - a[3] + b[4] - a[4]; all <= 0 {
		return 0
	}
	return 1 - idle/all
}

func ticks(stat string) (t [8]float64) {
	line, _, _ := strings.Cut(stat, "\n")
	_, _ = fmt.Sscanf(line, "cpu %g %g %g %g %g %g %g %g", &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) // what is missing is 0
	return t
}

// machine says on what the figures were measured.
func machine() string {
	processor, cores := "unknown processor", 0
	data, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(data)) {
		switch name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) {
		case "processor":
			cores++
		case "model name":
			processor = strings.TrimSpace(value)
		}
	}
	return fmt.Sprintf("%d cores (%s), %s", cores, processor, runtime.Version())
}

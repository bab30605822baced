//go:build linux

package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// quietShare is how much of the processors other programs may take for times to be held.
const quietShare = 0.1

// quiet reports whether the machine does nothing else, from what it does for a second. A
// machine that does not say so in /proc/stat is taken for a quiet one.
func quiet() bool {
	before, err := os.ReadFile("/proc/stat")
	if err != nil {
		return true
	}
	time.Sleep(time.Second)
	after, err := os.ReadFile("/proc/stat")
	return err != nil || busy(string(before), string(after)) <= quietShare
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

package app_test

import (
	"math"
	"runtime/debug"
	"testing"

	"example.com/whatis/internal/app"
)

// The collector is told what the instance has, unless the environment says it.
func TestLimitMemory(t *testing.T) {
	tests := []struct {
		gomemlimit, gogc string
		limit            int64
		percent          int
	}{
		{"", "", 400 << 20, 150},
		{"100MiB", "", math.MaxInt64, 150},
		{"", "50", 400 << 20, 100},
	}
	for _, test := range tests {
		t.Setenv("GOMEMLIMIT", test.gomemlimit)
		t.Setenv("GOGC", test.gogc)
		limit, percent := debug.SetMemoryLimit(math.MaxInt64), debug.SetGCPercent(100)
		app.Platform{MemoryMB: 500}.LimitMemory()
		if gotLimit, gotPercent := debug.SetMemoryLimit(limit), debug.SetGCPercent(percent); gotLimit != test.limit || gotPercent != test.percent {
			t.Errorf("LimitMemory of 500 MB, GOMEMLIMIT=%q GOGC=%q: limit %d, percent %d; want %d, %d", test.gomemlimit, test.gogc, gotLimit, gotPercent, test.limit, test.percent)
		}
	}
}

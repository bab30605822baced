package app

import "testing"

// The processes that read pages take half of an instance's memory at most.
func TestPageLimits(t *testing.T) {
	for _, test := range []struct{ instance, processes, each int64 }{{256, 1, 128}, {512, 1, 256}, {1000, 1, 256}, {1024, 2, 256}, {4096, 8, 256}} {
		l := pageLimits(test.instance)
		if int64(l.AtOnce) != test.processes || l.Memory>>20 != test.each || int64(l.AtOnce)*l.Memory > test.instance<<20/2 {
			t.Errorf("pageLimits(%d) = %d of %d MB, want %d of %d", test.instance, l.AtOnce, l.Memory>>20, test.processes, test.each)
		}
	}
}

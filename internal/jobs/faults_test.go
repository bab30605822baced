package jobs_test

import (
	"testing"

	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/jobs/jobstest"
)

// The two kinds of jobs that events ask for are work of one delivery, and a slice of a
// long run.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) jobs.Trial{"delivery": jobs.OpenDelivery, "slice": jobs.OpenSlice} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			jobstest.Faults(t, func(t *testing.T) jobstest.Trial { return jobstest.Trial(open(t)) })
		})
	}
}

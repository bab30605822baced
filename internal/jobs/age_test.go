package jobs_test

import (
	"testing"
	"time"

	"example.com/whatis/internal/jobs"
)

// Work ages from its first attempt that did not merely wait, and not while it
// waits. One letter is one attempt and the pause behind it.
func TestAgeOfWork(t *testing.T) {
	const pause = 30 * time.Millisecond
	tests := []struct {
		reasons string // W waiting, O outage, C counted
		ages    string // x if the pause after the attempt counts
	}{
		{"", ""},
		{"WWW", "   "},
		{"O", "x"},
		{"C", "x"},
		{"OO", "xx"},
		{"OWWW", "x   "},
		{"WOWO", " x x"},
		{"WOWWOC", " x  xx"},
	}
	reasons := map[rune]jobs.Reason{'W': jobs.Waiting, 'O': jobs.Outage, 'C': jobs.Counted}
	for _, test := range tests {
		t.Run("after "+test.reasons, func(t *testing.T) {
			b := open(t, jobs.Options{})
			var begun time.Time // before the release that begins the age
			var least, waited time.Duration
			c := b.claim(b.store)
			for i, letter := range test.reasons {
				if begun.IsZero() && letter != 'W' {
					begun = time.Now()
				}
				b.ok("Release", c.Release(t.Context(), reasons[letter]))
				paused := time.Now()
				time.Sleep(pause)
				if test.ages[i] == 'x' {
					least += pause
				} else if !begun.IsZero() {
					waited += time.Since(paused)
				}
				c = b.claim(b.store)
			}
			var most time.Duration
			if !begun.IsZero() {
				most = time.Since(begun) - waited + time.Millisecond // to which Firestore rounds its dates down
			}
			if c.Age < least || c.Age > most {
				t.Errorf("Age after %q = %v, want %v to %v", test.reasons, c.Age, least, most)
			}
		})
	}
}

// After Reopen, attempts and age count from zero.
func TestReopenedIsYoung(t *testing.T) {
	b := open(t, jobs.Options{})
	b.ok("Release", b.claim(b.store).Release(t.Context(), jobs.Outage))
	time.Sleep(10 * time.Millisecond)
	b.ok("Finish", b.claim(b.store).Finish(t.Context(), failure))
	b.ok("Reopen", b.store.Reopen(t.Context(), item.ID))
	if c := b.claim(b.store); c.Age != 0 || c.Attempt != 1 {
		t.Errorf("after Reopen: attempt %d at the age of %v, want the first at 0", c.Attempt, c.Age)
	}
}

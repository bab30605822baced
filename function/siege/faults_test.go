package siege

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/eventarc"
	emulated "example.com/whatis/emulators/gemini"
)

// everyFault fails about one call in five, in every way except one: a call without
// an answer takes a minute and has its own test.
func everyFault() []emulated.Fault {
	types := []emulated.FaultType{
		emulated.RateLimited, emulated.DailyQuota, emulated.Internal, emulated.Unavailable, emulated.Cut, emulated.Gone,
		emulated.Malformed, emulated.WrongTypes, emulated.Truncated, emulated.BlockedPrompt, emulated.BlockedAnswer,
	}
	faults := []emulated.Fault{{Type: emulated.Latency, Delay: 20 * time.Millisecond}}
	for i, each := range types {
		fault := emulated.Fault{Type: each, Probability: 0.2 / float64(len(types)), Seed: uint64(i)}
		if each == emulated.WrongTypes {
			fault.Kind = answers.KindImage // a judgement of wrong types is repaired, and takes the script's one answer
		}
		faults = append(faults, fault)
	}
	return faults
}

// Two hundred photos, each delivered three times at once and in no order, while
// one model call in five fails in every way there is: each has its one result, no
// step is answered twice, and the attempts counted are those that the model's own
// log explains.
func TestFaults(t *testing.T) {
	long(t)
	t.Parallel()
	s := lay(t, 3, eventarc.Route{Duplicates: 2, Reorder: 300 * time.Millisecond})
	shots := shoot(200, allWays...)
	s.script(shots)
	s.Gemini.SetFaults(everyFault()...)
	s.uploadAll(shots)
	s.settle()

	l := s.ledger()
	s.counted(len(shots), l)
	fates := s.checkAll(shots, l)
	t.Logf("of %d photos %d failed as they had to: %d after four failed attempts, %d refused by the model; %d did without a step that was refused",
		len(shots), fates.exhausted+fates.refused, fates.exhausted, fates.refused, fates.degraded)
	if n := l.faulted(); n < len(shots)/4 {
		t.Errorf("only %d calls met a fault: the test tests nothing", n)
	}
	if n := s.busy.Load(); n == 0 {
		t.Error("no delivery was refused: nothing came at once")
	}
}

// fates count the outcomes of photos that had faults.
type fates struct{ exhausted, refused, degraded int }

// checkAll checks that every shot has its result and its attempts, that there are no
// other objects, and that nothing was paid for twice.
func (s *siege) checkAll(shots []shot, l ledger) (sum fates) {
	s.t.Helper()
	problems := l.twice()
	records := s.work()
	for _, shot := range shots {
		f := l.fate(shot.mark)
		switch {
		case f.refused:
			sum.refused++
		case f.attempts >= 4:
			sum.exhausted++
		case f.degraded:
			sum.degraded++
		}
		if problem := s.problem(shot, f, records[shot.name()], l); problem != "" {
			problems = append(problems, fmt.Sprintf("%s (%s): %s; its calls: %+v", shot.mark, shot.way.name, problem, l[shot.mark]))
		}
	}
	if n := len(s.names("results")); n != len(shots) {
		problems = append(problems, fmt.Sprintf("%d results for %d uploads", n, len(shots)))
	}
	if len(problems) > 0 {
		s.t.Errorf("%d problems:\n\t%s", len(problems), lines(problems))
	}
	return sum
}

// problem returns what is wrong with the result, the record or the calls of a photo.
func (s *siege) problem(shot shot, f fate, r record, l ledger) string {
	s.t.Helper()
	got, ok := s.result(shot.name())
	switch {
	case !ok:
		return fmt.Sprintf("lost; its record is %+v", r)
	case r.State != "done" || r.Attempts != f.attempts+1:
		return fmt.Sprintf("the record says %s after %d attempts, the model's log done after %d", r.State, r.Attempts, f.attempts+1)
	case f.refused || f.attempts >= 4:
		if got.Error != "analysis_failed" || got.Retryable == nil || *got.Retryable {
			return fmt.Sprintf("the result is %+v, want analysis_failed", got)
		}
		return ""
	case got.Lang != tagOf(shot.mark):
		return fmt.Sprintf("the result is another photo's: %+v", got)
	case f.degraded:
		return ""
	case got.Source != shot.way.source || got.ProductName != shot.product() || got.Error == "analysis_failed":
		return fmt.Sprintf("the result is %+v, want %q by %q", got, shot.product(), shot.way.source)
	}
	for _, step := range shot.way.steps {
		// A sure reading does not wait until midnight for the second look.
		late := step == stepJudge && shot.way.name == confirmed.name && slices.ContainsFunc(l[shot.mark][step], func(c call) bool { return c.fault == emulated.DailyQuota })
		if n := l.answered(shot.mark, step); n != 1 && !(late && n == 0) {
			return fmt.Sprintf("%s was answered %d times, want once", step, n)
		}
	}
	return ""
}

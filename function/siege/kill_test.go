package siege

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/emulators/eventarc"
	emulated "example.com/whatis/emulators/gemini"
)

// checkpoints are the keys of the record after each of a refined photo's steps.
var checkpoints = map[string][]string{
	stepImage:   {},
	stepEmbed:   {"image_analyzer"},
	stepJudge:   {"embedding", "image_analyzer", "search_local_db"},
	stepSearch:  {"embedding", "image_analyzer", "judgement", "search_local_db"},
	stepRefined: {"embedding", "google_search", "image_analyzer", "judgement", "search_local_db"},
	stepFinding: {"embedding", "google_search", "google_search_refined", "image_analyzer", "judgement", "search_local_db"},
}

// Six photos, one of which stands before each paid step of the longest way, when
// their process is killed: once the lease has run out each goes on at that very
// step, and no step is called twice. A seventh fails three times after the kill,
// which counts as much as a fault: its fifth attempt gives it up. The lease is the
// real one of 30 s, shared by all.
func TestKilledAfterEachStep(t *testing.T) {
	long(t)
	t.Parallel()
	s := lay(t, 1, eventarc.Route{Duplicates: 1, Reorder: 50 * time.Millisecond})
	all := shoot(len(refined.steps)+1, refined)
	shots, failing := all[:len(refined.steps)], all[len(refined.steps)]
	s.script(shots)
	s.scriptFaults(failing, 3)
	holds := []*hold{s.gate.hold(failing.mark, stepImage)}
	for i, step := range refined.steps {
		holds = append(holds, s.gate.hold(shots[i].mark, step))
	}
	s.uploadAll(all)
	for _, h := range holds {
		s.arrival(h)
	}
	s.checkKept(shots)
	killed := time.Now()
	s.signal(0, syscall.SIGKILL)
	for _, h := range holds {
		s.departure(h)
		h.release()
	}
	s.restart(0)
	s.settle()
	t.Logf("all went on after %s", time.Since(killed).Round(time.Second))
	s.checkKilled(shots, 2)
	r, _ := s.result(failing.name())
	record, calls := s.work()[failing.name()], s.ledger()[failing.mark][stepImage]
	if r.Error != "analysis_failed" || record.Attempts != 5 || len(calls) != 3 {
		t.Errorf("killed once and failed three times: %+v, %d attempts, %d calls; want analysis_failed, 5, 3", r, record.Attempts, len(calls))
	}
}

// scriptFaults makes the next n readings of shot fail with an error that counts as an
// attempt.
func (s *siege) scriptFaults(shot shot, n int) {
	a := shot.script()[0]
	a.JSON, a.Fault = nil, &emulated.Fault{Type: emulated.Gone}
	for range n {
		s.Gemini.Script(a)
	}
}

// checkKept checks that shot i has the checkpoints of the steps before step i.
func (s *siege) checkKept(shots []shot) {
	s.t.Helper()
	records := s.work()
	for i, step := range refined.steps {
		var got []string
		for key := range records[shots[i].name()].Kept {
			name, _, _ := strings.Cut(key, " ")
			got = append(got, name)
		}
		slices.Sort(got)
		if !slices.Equal(got, checkpoints[step]) {
			s.t.Errorf("before %s the record keeps %q, want %q", step, got, checkpoints[step])
		}
	}
}

// checkKilled checks that every shot has its right result after so many attempts,
// each step paid once.
func (s *siege) checkKilled(shots []shot, attempts int) {
	s.t.Helper()
	l := s.ledger()
	s.counted(len(s.names("uploads")), l)
	records := s.work()
	for _, shot := range shots {
		if problem := s.problem(shot, fate{attempts: attempts - 1}, records[shot.name()], l); problem != "" {
			s.t.Errorf("%s: %s", shot.mark, problem)
		}
	}
	if twice := l.twice(); len(twice) > 0 {
		s.t.Errorf("paid twice:\n\t%s", lines(twice))
	}
}

// A process is killed when the work is done and its result is not yet written:
// the next delivery writes it, at once and without a call.
func TestKilledBeforeTheResult(t *testing.T) {
	t.Parallel()
	s := lay(t, 1, eventarc.Route{})
	all := s.env
	closeStorage := s.removeStorage()
	shots := shoot(1, clear)
	s.script(shots)
	h := s.gate.hold(shots[0].mark, stepImage)
	s.uploadAll(shots)
	s.arrival(h) // the photo has been read
	closeStorage()
	h.release()
	s.await("the work is done", func() bool { return s.work()[shots[0].name()].State == "done" })
	s.signal(0, syscall.SIGKILL)
	s.env = all
	if _, ok := s.result(shots[0].name()); ok {
		t.Error("the result was written: the test tests nothing")
	}
	s.restart(0)
	s.settle()
	s.checkKilled(shots, 1)
}

// expire makes the leases of a killed process run out at once, by shortening them in the
// records, instead of after 30 s.
func (s *siege) expire() {
	s.t.Helper()
	for _, r := range s.work() {
		if r.State != "running" {
			continue
		}
		if _, err := r.ref.Update(s.t.Context(), []firestore.Update{{Path: "lease_ns", Value: 1}}); err != nil {
			s.t.Fatal(err)
		}
	}
}

// A photo kills its process whenever a model call for it is under way: after four
// attempts it ends as analysis_failed without a fifth call. The photos beside it
// have their results, and one that was killed with it goes on where it was.
func TestPhotoThatKills(t *testing.T) {
	t.Parallel()
	s := lay(t, 1, eventarc.Route{})
	shots := shoot(11, clear, searched)
	killer, beside, others := shots[0], shots[1], shots[2:]
	s.script(shots[1:])
	h, held := s.gate.hold(killer.mark, stepImage), s.gate.hold(beside.mark, stepFinding)
	s.uploadAll(shots)
	s.arrival(held)
	s.finished(others)
	for kill := 1; kill <= 4; kill++ {
		s.arrival(h)
		if got := s.work()[killer.name()].Attempts; got != kill {
			t.Fatalf("attempts = %d before kill %d, want as many", got, kill)
		}
		s.signal(0, syscall.SIGKILL)
		if kill == 1 {
			s.departure(held)
			held.release()
		}
		s.expire()
		s.restart(0)
		s.finished([]shot{beside})
	}
	s.await("the killer has its result, or is called for again", func() bool {
		_, ok := s.result(killer.name())
		return ok || len(h.arrived) > 0
	})
	if len(h.arrived) > 0 {
		t.Fatal("the killer is called for a fifth time, want it given up")
	}
	s.settle()
	if r, _ := s.result(killer.name()); r.Error != "analysis_failed" || r.Retryable == nil || *r.Retryable {
		t.Errorf("the killer's result is %+v, want analysis_failed", r)
	}
	if got := s.work()[killer.name()].Attempts; got != 5 {
		t.Errorf("the killer took %d attempts, want 5, the last of which only gives it up", got)
	}
	s.checkKilled([]shot{beside}, 2)
	s.checkKilled(others, 1)
}

// finished waits until shots have their results.
func (s *siege) finished(shots []shot) {
	s.t.Helper()
	for _, shot := range shots {
		s.await(shot.mark+" has its result", func() bool { _, ok := s.result(shot.name()); return ok })
	}
}

// After SIGTERM a photo that can finish does, and one that cannot is released with its
// attempt refunded: another instance goes on at once, not after the lease.
func TestTerminated(t *testing.T) {
	long(t) // not parallel: an instance has one second to release all of its work
	s := lay(t, 1, eventarc.Route{})
	s.removeFirestore()
	shots := shoot(60, searched)
	s.script(shots)
	var holds []*hold
	for i, shot := range shots {
		holds = append(holds, s.gate.hold(shot.mark, shot.way.steps[i%len(shot.way.steps)]))
	}
	s.uploadAll(shots)
	for _, h := range holds {
		s.arrival(h)
	}
	s.await("the first photo has ended", func() bool {
		holds[0].release()
		_, ok := s.result(shots[0].name())
		return ok
	})
	took, most := s.signal(0, syscall.SIGTERM), 10*time.Second+10*s.processes[0].ready
	if took > most || !s.processes[0].cmd.ProcessState.Success() {
		t.Errorf("after SIGTERM: %s after %s, want exit 0 within %s", s.processes[0].cmd.ProcessState, took, most)
	}
	for i, shot := range shots[1:] {
		if r := s.work()[shot.name()]; r.State != "open" || r.Attempts != 0 {
			t.Errorf("%s, stopped at %s: the record is %s with %d attempts; want it open with none",
				shot.mark, holds[1+i].step, r.State, r.Attempts)
		}
	}
	for _, h := range holds[1:] {
		s.departure(h)
		h.release()
	}
	begin := time.Now()
	s.restart(0)
	s.settle() // open records wait for no lease
	t.Logf("ended %s after SIGTERM, done %s after the restart", took.Round(time.Millisecond), time.Since(begin).Round(time.Millisecond))
	s.checkKilled(shots, 1)
}

package siege

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/emulators/firestore"
	emulated "example.com/whatis/emulators/gemini"
)

// bursts are the temporary faults, in turn: Firestore before and after it has applied a
// call, and storage.
var bursts = []func(*siege){
	func(s *siege) { s.Firestore.Fail(firestore.Fault{Method: "Commit", Times: 5}) },
	func(s *siege) { s.Firestore.Fail(firestore.Fault{Method: "Commit", Times: 3, Applied: true}) },
	func(s *siege) { s.Storage.Fail(5, http.StatusServiceUnavailable) },
	func(s *siege) { s.Firestore.Fail(firestore.Fault{Method: "BatchGetDocuments", Times: 5}) },
	func(s *siege) {
		s.Firestore.Fail(firestore.Fault{Method: "Commit", Times: 2, Code: codes.DeadlineExceeded, Applied: true})
	},
	func(s *siege) { s.Firestore.Fail(firestore.Fault{Method: "RunQuery", Times: 2}) },
}

// Firestore and storage fail in bursts while a hundred photos, delivered twice, go
// through: each has its right result, and no step is paid for twice.
func TestBursts(t *testing.T) {
	long(t)
	t.Parallel()
	s := lay(t, 3, eventarc.Route{Duplicates: 1, Reorder: 3 * time.Second})
	shots := shoot(100, allWays...)
	s.script(shots)
	s.Gemini.SetFaults(emulated.Fault{Type: emulated.Latency, Delay: 20 * time.Millisecond})
	s.uploadAll(shots)
	n, end := s.burst()
	s.settle()
	end()
	l := s.ledger()
	s.counted(len(shots), l)
	problems := l.twice()
	records, again := s.work(), 0
	for _, shot := range shots {
		r := records[shot.name()]
		again += max(0, r.Attempts-1)
		if problem := s.problem(shot, fate{attempts: max(0, min(r.Attempts-1, 3))}, r, l); problem != "" {
			problems = append(problems, fmt.Sprintf("%s (%s): %s", shot.mark, shot.way.name, problem))
		}
	}
	if len(problems) > 0 {
		t.Errorf("%d problems:\n\t%s", len(problems), lines(problems))
	}
	t.Logf("%d bursts; %d attempts beyond the first", *n, again)
	if *n < len(bursts) {
		t.Errorf("%d bursts, want each kind once at least", *n)
	}
}

// A burst lasts a while, and is followed by calm.
const (
	burstFor = 100 * time.Millisecond
	calmFor  = 150 * time.Millisecond
)

// burst begins to inject faults, one kind after the other, until end.
func (s *siege) burst() (count *int, end func()) {
	count = new(int)
	stop := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			bursts[*count%len(bursts)](s)
			*count++
			time.Sleep(burstFor)
			s.Firestore.ClearFaults()
			s.Storage.Fail(0, 0)
			select {
			case <-stop:
				return
			case <-time.After(calmFor):
			}
		}
	})
	return count, func() { close(stop); running.Wait() }
}

// A model call without an answer for a minute outlasts two leases: the claim is renewed
// meanwhile, so that deliveries every second cannot take over, and the photo has its
// result at the second attempt.
func TestNoAnswer(t *testing.T) {
	long(t)
	t.Parallel()
	s := lay(t, 2, eventarc.Route{Duplicates: 2})
	shots := shoot(3, clear, searched, refined)
	s.script(shots)
	s.Gemini.SetFaults(
		emulated.Fault{Type: emulated.TimeOut, Kind: answers.KindImage, Times: 1},
		emulated.Fault{Type: emulated.TimeOut, Kind: answers.KindStructure, Times: 1})
	s.uploadAll(shots)
	s.settle()
	l := s.ledger()
	s.counted(len(shots), l)
	s.checkAll(shots, l)
	if n := l.faulted(); n != 2 {
		t.Errorf("%d calls were left without an answer, want 2", n)
	}
}

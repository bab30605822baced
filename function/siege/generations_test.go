package siege

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"example.com/whatis/emulators/eventarc"
)

// twoOf are two generations of one photo, under way at once.
type twoOf struct {
	name     string
	shots    []shot
	holds    []*hold
	versions []int64
}

// begin uploads two generations of each of n names, and holds the model calls that read
// them.
func (s *siege) begin(n int) []twoOf {
	s.t.Helper()
	all := make([]twoOf, n)
	shots := shoot(2*n, clear)
	s.script(shots)
	for i := range all {
		all[i] = twoOf{name: fmt.Sprintf("name%d.jpg", i), shots: shots[2*i : 2*i+2]}
		for _, shot := range all[i].shots {
			h := s.gate.hold(shot.mark, stepImage)
			all[i].versions = append(all[i].versions, s.upload(all[i].name, shot.mark, shot.data))
			all[i].holds = append(all[i].holds, h)
			s.arrival(h)
		}
	}
	return all
}

// stands checks that the result is the newer generation's.
func (s *siege) stands(pair twoOf) {
	s.t.Helper()
	r, _ := s.result(pair.name)
	if r.Image.Generation != pair.versions[1] || r.ProductName != pair.shots[1].product() {
		s.t.Errorf("%s: the result is %q of generation %d, want %q of %d; the other is %d", pair.name,
			r.ProductName, r.Image.Generation, pair.shots[1].product(), pair.versions[1], pair.versions[0])
	}
}

// A newer generation ends before the older, which must not overwrite its result.
func TestNewerGenerationEndsFirst(t *testing.T) {
	t.Parallel()
	s := lay(t, 2, eventarc.Route{Duplicates: 2})
	pairs := s.begin(5)
	for _, pair := range pairs {
		pair.holds[1].release()
		s.await("the newer generation has its result", func() bool { _, ok := s.result(pair.name); return ok })
		s.stands(pair)
		pair.holds[0].release()
	}
	s.settle()
	for _, pair := range pairs {
		s.stands(pair)
	}
	s.countedGenerations(pairs)
}

// Two generations end at the same moment: the newer result wins, whichever wrote first.
func TestGenerationsAtOnce(t *testing.T) {
	t.Parallel()
	s := lay(t, 2, eventarc.Route{Duplicates: 2})
	pairs := s.begin(10)
	for _, pair := range pairs {
		for _, h := range pair.holds {
			go h.release()
		}
	}
	s.settle()
	for _, pair := range pairs {
		s.stands(pair)
	}
	s.countedGenerations(pairs)
}

func (s *siege) countedGenerations(pairs []twoOf) {
	s.t.Helper()
	l := s.ledger()
	s.counted(len(pairs), l)
	for _, pair := range pairs {
		for _, shot := range pair.shots {
			if n := l.answered(shot.mark, stepImage); n != 1 {
				s.t.Errorf("%s: generation %s was paid for %d times, want once", pair.name, shot.mark, n)
			}
		}
	}
}

// A generation that is overwritten before it was read is acknowledged, and costs nothing.
func TestVanishedGeneration(t *testing.T) {
	t.Parallel()
	s := lay(t, 1, eventarc.Route{})
	shots := shoot(1, clear)
	s.script(shots)
	generation := s.upload(shots[0].name(), shots[0].mark, shots[0].data)
	s.settle()
	old := fmt.Sprintf(`{"bucket":"uploads","name":%q,"generation":"%d","size":"9"}`, shots[0].name(), generation-1)
	if status := s.push(old, nil, time.Now()); status != http.StatusOK {
		t.Errorf("the event of a generation that is gone is answered %d, want 200", status)
	}
	l := s.ledger()
	s.counted(1, l)
	if r, _ := s.result(shots[0].name()); r.Image.Generation != generation || l.answered(shots[0].mark, stepImage) != 1 {
		t.Errorf("the result is of %d after %s, want %d after one call", r.Image.Generation, l, generation)
	}
}

// A result that lands in the upload bucket, by a copy or by a wrong trigger, is
// no photo: nothing is called and nothing is written.
func TestResultIsNoPhoto(t *testing.T) {
	t.Parallel()
	s := lay(t, 1, eventarc.Route{})
	shots := shoot(3, clear)
	s.script(shots)
	s.uploadAll(shots)
	s.settle()
	err := s.Events.Add(eventarc.Route{Topic: "wrong", Bucket: "results", Endpoint: eventarc.Endpoint(s.fleet.URL, s.Project, "wrong")})
	if err != nil {
		t.Fatal(err)
	}
	for _, shot := range shots {
		for _, bucket := range []string{"uploads", "results"} {
			from := s.objects.Bucket("results").Object(shot.name() + ".json")
			if _, err := s.objects.Bucket(bucket).Object("copy/" + shot.name() + ".json").CopierFrom(from).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.await("the events settle, or go round in a loop", func() bool {
		stats := s.Events.Stats()
		return stats.Acked == stats.Published || stats.Published > 50
	})
	l := s.ledger()
	s.counted(len(shots), l)
	if up, down := len(s.names("uploads")), len(s.names("results")); up != 6 || down != 6 || len(s.work()) != 3 || s.Events.Stats().Published != 9 {
		t.Errorf("%d objects in uploads, %d in results, %d records, %+v; want 6, 6, 3 and 9 events", up, down, len(s.work()), s.Events.Stats())
	}
	for _, shot := range shots {
		if n := l.answered(shot.mark, stepImage); n != 1 {
			t.Errorf("%s was called for %d times, want once", shot.mark, n)
		}
	}
}

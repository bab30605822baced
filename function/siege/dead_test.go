package siege

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/eventarc"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/pubsub"
)

// A photo whose deliveries are used up becomes a dead letter, which is pushed to
// the function and closes it with a result that says what to do. Replayed when the
// fault is gone it has the result it should have had, and keeps it.
func TestDeadLetter(t *testing.T) {
	t.Parallel()
	s := lay(t, 2, eventarc.Route{MaxDeliveries: 2})
	var mu sync.Mutex
	var dead []pubsub.Message
	s.PubSub.Subscribe("projects/"+s.Project+"/topics/uploads-dead-letter", func(m pubsub.Message) {
		mu.Lock()
		defer mu.Unlock()
		dead = append(dead, m)
	})
	shots := shoot(2, clear, searched)
	s.script(shots)
	s.Gemini.SetFaults(emulated.Fault{Type: emulated.Internal, Kind: emulated.KindImage}, emulated.Fault{Type: emulated.Internal, Kind: emulated.KindStructure})
	s.uploadAll(shots)
	s.settle()
	for _, shot := range shots {
		r, _ := s.result(shot.name())
		if r.Error != "analysis_failed" || r.Retryable == nil || *r.Retryable || !strings.Contains(r.Message, "replay") {
			t.Errorf("%s: the result is %+v, want analysis_failed that says to replay it", shot.mark, r)
		}
	}
	if n := s.ledger().faulted(); n != 4 {
		t.Errorf("%d calls failed, want 2 for each photo and none for its dead letter", n)
	}
	s.Gemini.SetFaults()
	for _, m := range dead {
		attributes := map[string]string{"replay": "true"}
		for name, value := range m.Attributes {
			if !strings.HasPrefix(name, "CloudPubSub") {
				attributes[name] = value
			}
		}
		if err := s.Events.Publish("uploads", m.Data, attributes); err != nil {
			t.Fatal(err)
		}
	}
	s.settle()
	l := s.ledger()
	s.counted(len(shots), l)
	records := s.work()
	for _, shot := range shots {
		if problem := s.problem(shot, fate{}, records[shot.name()], l); problem != "" {
			t.Errorf("%s, replayed: %s", shot.mark, problem)
		}
	}
	if stats := s.Events.Stats(); stats.DeadLettered != 2 {
		t.Errorf("events: %+v, want 2 dead letters", stats)
	}
}

// An instance whose clock is an hour off would take every message for an hour
// older or younger than it is. The date of a Go process cannot be shifted from
// outside, that of a message can: the one rule that asks for a date, the age at
// which a message is given up, must not mind an hour.
func TestClockAnHourOff(t *testing.T) {
	t.Parallel()
	s := lay(t, 1, eventarc.Route{})
	if err := s.Storage.CreateBucket("aged"); err != nil { // without a route
		t.Fatal(err)
	}
	tests := []struct {
		age  time.Duration
		want string // the result's error
	}{{0, ""}, {time.Hour, ""}, {-time.Hour, ""}, {25 * time.Hour, "analysis_failed"}}
	shots := shoot(len(tests), clear)
	s.script(shots)
	for i, test := range tests {
		generation, err := s.put("aged", shots[i].name(), shots[i].mark, shots[i].data)
		if err != nil {
			t.Fatal(err)
		}
		object := fmt.Sprintf(`{"bucket":"aged","name":%q,"generation":"%d","size":"%d","metadata":{"lang":"ko-x-%s"}}`,
			shots[i].name(), generation, len(shots[i].data), shots[i].mark)
		if status := s.push(object, nil, time.Now().Add(-test.age)); status != http.StatusOK {
			t.Errorf("a message of %s ago is answered %d, want 200", test.age, status)
		}
		if r, ok := s.result(shots[i].name()); !ok || r.Error != test.want {
			t.Errorf("a message of %s ago: result %+v, want error %q", test.age, r, test.want)
		}
	}
	s.counted(len(shots), s.ledger())
}

package siege

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/eventarc"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/pubsub"
)

// Photos that are given up have a failed result, which is published to the topic of
// failures. A dead letter is one more delivery: two before it and three after it are the
// five attempts. A replay after the fault gives a photo its right result, which it keeps.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	s := lay(t, 2, eventarc.Route{MaxDeliveries: 2})
	var mu sync.Mutex
	told := map[string]pubsub.Message{}
	s.PubSub.Subscribe("projects/"+s.Project+"/topics/failures", func(m pubsub.Message) {
		mu.Lock()
		defer mu.Unlock()
		told[m.Attributes["object"]] = m
	})
	shots := shoot(2, clear, searched)
	s.script(shots)
	s.Gemini.SetFaults(emulated.Fault{Type: emulated.Gone, Kind: answers.KindImage}, emulated.Fault{Type: emulated.Gone, Kind: answers.KindStructure})
	s.uploadAll(shots)
	s.settle()
	for _, shot := range shots {
		r, _ := s.result(shot.name())
		if r.Error != "analysis_failed" || r.Retryable == nil || *r.Retryable || !strings.Contains(r.Message, "replay") {
			t.Errorf("%s: the result is %+v, want analysis_failed that says to replay it", shot.mark, r)
		}
	}
	if n := s.ledger().faulted(); n != 8 {
		t.Errorf("%d calls failed, want 4 for each photo and none at the fifth attempt", n)
	}
	s.Gemini.SetFaults()
	for _, shot := range shots {
		mu.Lock()
		generation := told["gs://uploads/"+shot.name()].Attributes["generation"]
		mu.Unlock()
		resource := fmt.Sprintf(`{"bucket":"uploads","name":%q,"generation":%q,"metadata":{"lang":%q}}`, shot.name(), generation, tagOf(shot.mark))
		if err := s.Events.Publish("uploads", []byte(resource), map[string]string{"replay": "true"}); err != nil {
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

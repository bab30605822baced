package siege

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
)

// Many photos come at once, and for a day and a half the models' quota lets almost none
// through: they wait for longer than GiveUpAfter, and still have their right result at
// their first attempt.
func TestCrowd(t *testing.T) {
	number, err := strconv.Atoi(os.Getenv("WHATIS_CROWD"))
	if err != nil {
		t.Skip("it takes a minute and more: set WHATIS_CROWD to how many photos come at once, such as 2000, or 100000 for half an hour")
	}
	shots := shoot(number, clear, clear, clear, rejected, clear, confirmed, clear, catalogued, clear, searched)
	model := newCrowdModel(t, shots)
	production := scaled(t, 24*60*4) // a day takes a quarter of a minute
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini, emulate.PubSub, emulate.StorageInFiles)
	s := buildIn(t, w, 2, scaledEnv(production, "GOOGLE_GEMINI_BASE_URL="+model.URL())...)
	events := s.uploadUnseen(shots)
	model.SetFaults(emulated.Fault{Type: emulated.RateLimited, Delay: time.Minute, PerSecond: 2})

	begin := time.Now()
	s.open(scaledRoute(production))
	for _, event := range events {
		if err := s.Events.Publish("uploads", event, nil); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(production(36 * time.Hour))
	refused := s.busy.Load()
	model.SetFaults()
	if err := s.Events.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	stats := s.Events.Stats()
	t.Logf("%d photos took %s, with %d calls of models; %d deliveries, %d of them refused, %d of those in the first %s; %d dead letters",
		number, time.Since(begin).Round(time.Second), model.calls(), stats.Delivered, s.busy.Load(), refused, production(36*time.Hour), stats.DeadLettered)
	longest := s.checkCrowd(shots, model)
	t.Logf("the longest that a photo waited is %s, where its tries may take %s", longest.Round(time.Second), production(24*time.Hour))
	if longest < production(24*time.Hour) {
		t.Error("no photo waited for longer than it may be tried: the test tests nothing")
	}
}

// uploadUnseen uploads shots without delivering their events, and returns the events.
func (s *siege) uploadUnseen(shots []shot) [][]byte {
	s.t.Helper()
	events := make([][]byte, len(shots))
	var group errgroup.Group
	group.SetLimit(8)
	for i, shot := range shots {
		group.Go(func() error {
			generation, err := s.put("uploads", shot.name(), shot.mark, shot.data)
			events[i] = fmt.Appendf(nil, `{"bucket":"uploads","name":%q,"generation":"%d","metadata":{"lang":%q}}`, shot.name(), generation, tagOf(shot.mark))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		s.t.Fatal(err)
	}
	return events
}

// checkCrowd checks that every photo has its right result at its first attempt, and that
// each step was answered once. It returns the longest time from a photo's first claim to
// its result.
func (s *siege) checkCrowd(shots []shot, model *crowdModel) (longest time.Duration) {
	s.t.Helper()
	problems := model.problems()
	records := s.work()
	for _, shot := range shots {
		got, ok := s.result(shot.name())
		r := records[shot.name()]
		longest = max(longest, r.Finished.Sub(r.Created))
		switch {
		case !ok:
			problems = append(problems, fmt.Sprintf("%s is lost; its record is %+v", shot.mark, r))
		case r.State != "done" || r.Attempts != 1:
			problems = append(problems, fmt.Sprintf("%s: the record says %s after %d attempts, want done after 1", shot.mark, r.State, r.Attempts))
		case got.Lang != tagOf(shot.mark) || got.Source != shot.way.source || got.ProductName != shot.product() || got.Error == "analysis_failed":
			problems = append(problems, fmt.Sprintf("%s: the result is %+v, want %q by %q", shot.mark, got, shot.product(), shot.way.source))
		}
	}
	if n := len(s.names("results")); n != len(shots) {
		problems = append(problems, fmt.Sprintf("%d results for %d uploads", n, len(shots)))
	}
	if len(problems) > 0 {
		s.t.Errorf("%d problems:\n\t%s", len(problems), lines(problems))
	}
	return longest
}

// A crowdModel answers the steps of a crowd of shots, as often as it is asked: the
// emulator's scripts and call log do not scale to so many.
type crowdModel struct {
	*emulated.Server
	shots map[string]shot // by mark

	mu       sync.Mutex
	answered map[string]int // by mark and step, without embeddings, which no responder makes
}

func newCrowdModel(t *testing.T, shots []shot) *crowdModel {
	t.Helper()
	m := &crowdModel{shots: map[string]shot{}, answered: map[string]int{}}
	for _, s := range shots {
		m.shots[s.mark] = s
	}
	var err error
	if m.Server, err = answers.Start(emulated.Options{Responders: []emulated.Responder{m}}, answers.Options{Tesseract: "off", Espeak: "off"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// Kinds returns the step of a request, by the requested answer.
func (m *crowdModel) Kinds(r *emulated.Request) []emulated.Kind {
	wanted, _ := r.ResponseSchema["properties"].(map[string]any)
	for property, kind := range map[string]emulated.Kind{"visible_text": answers.KindImage, "pick": answers.KindJudge, "probability": answers.KindStructure} {
		if wanted[property] != nil {
			return []emulated.Kind{kind}
		}
	}
	if r.Search {
		return []emulated.Kind{answers.KindSearch}
	}
	return nil
}

// Answer returns the answer of the photo's way.
func (m *crowdModel) Answer(_ context.Context, r *emulated.Request) (emulated.Answer, error) {
	mark := markOf(strings.Join(r.Texts, "\n"))
	shot, ok := m.shots[mark]
	if !ok {
		return emulated.Answer{}, fmt.Errorf("no photo has the mark %q", mark)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answered[mark+" "+string(r.Kind)]++
	return shot.answer(string(r.Kind)), nil
}

// calls returns the number of answers that all the shots need.
func (m *crowdModel) calls() int {
	n := 0
	for _, s := range m.shots {
		n += len(s.way.steps)
	}
	return n
}

// problems returns the steps that were not answered exactly once.
func (m *crowdModel) problems() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := maps.Clone(m.answered)
	for mark, s := range m.shots {
		for _, step := range s.way.steps {
			if step != stepEmbed {
				left[mark+" "+step]--
			}
		}
	}
	var problems []string
	for _, step := range slices.Sorted(maps.Keys(left)) {
		if n := left[step]; n != 0 {
			problems = append(problems, fmt.Sprintf("%s was answered %d times, want %d", step, m.answered[step], m.answered[step]-n))
		}
	}
	return problems
}

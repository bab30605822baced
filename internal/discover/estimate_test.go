package discover_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs/queue"
)

// A slowModel stands before the emulated model and answers as late as a real one, on a clock
// that runs faster. It gives answers the name of the model that was asked, so that they have
// its price, and says that the model has thought.
type slowModel struct {
	*httptest.Server
	latency time.Duration

	mu    sync.Mutex
	calls [][2]time.Time // begin and end
}

var askedModel = regexp.MustCompile(`/models/([^/:]+):`)

func newSlowModel(t *testing.T, emulated string, latency time.Duration) *slowModel {
	t.Helper()
	to, err := url.Parse(emulated)
	if err != nil {
		t.Fatal(err)
	}
	m := &slowModel{latency: latency}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ModifyResponse = func(r *http.Response) error {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		thoughts := 200 + len(body)%900 // neither what is estimated nor always the same
		body = bytes.Replace(body, []byte(`"modelVersion":"emulated"`), []byte(`"modelVersion":"`+askedModel.FindStringSubmatch(r.Request.URL.Path)[1]+`"`), 1)
		body = bytes.Replace(body, []byte(`"usageMetadata":{`), []byte(`"usageMetadata":{"thoughtsTokenCount":`+strconv.Itoa(thoughts)+`,`), 1)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		return nil
	}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		proxy.ServeHTTP(w, r)
		time.Sleep(time.Until(begun.Add(latency)))
		m.mu.Lock()
		defer m.mu.Unlock()
		m.calls = append(m.calls, [2]time.Time{begun, time.Now()})
	}))
	t.Cleanup(m.Close)
	return m
}

// waits returns how many calls a run has waited for one after the other: the longest chain of
// calls of which each began after the one before had ended.
func (m *slowModel) waits() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	slices.SortFunc(m.calls, func(a, b [2]time.Time) int { return a[1].Compare(b[1]) })
	n, end := 0, time.Time{}
	for _, c := range m.calls {
		if c[0].After(end) {
			n, end = n+1, c[1]
		}
	}
	return n
}

// newPricedLab is newLab with a perfect model that has the default models' names and prices.
func newPricedLab(t *testing.T, o site.Options, latency time.Duration) (*lab, *slowModel) {
	t.Helper()
	var slow *slowModel
	l := openLab(t, emulate.PerfectModel, o, func(l *lab, c *discover.Config) {
		slow = newSlowModel(t, l.Gemini.URL(), latency)
		model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: slow.URL, AllowEmulated: true, Backoff: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		c.Gemini, c.TaskTime = model, -1 // progress is looked at behind each slice
		c.Models = discover.Models{Thinking: "gemini-3.6-flash", Structured: "gemini-3.5-flash-lite", Relevance: "gemini-3.5-flash-lite", Effort: gemini.ThinkLow}
	})
	return l, slow
}

// The estimate of ten runs, on webs of several sizes, is right to ±50 % once the first searches
// are done: calls and dollars, and minutes where an answer takes 4 s (WHATIS_LONG).
func TestEstimate(t *testing.T) {
	webs, latency := uint64(3), time.Duration(0)
	if os.Getenv("WHATIS_LONG") != "" {
		webs, latency = 10, 4*time.Second
	}
	for n := range webs {
		t.Run(fmt.Sprint("web ", n), func(t *testing.T) {
			t.Parallel()
			o := site.Options{Drawn: true, Seed: n, Publishers: 1 + int(n%3), Scale: 1 + int(n%4)}
			l, _ := newPricedLab(t, o, latency)
			s, err := l.Start(t.Context(), discover.Request{Country: l.web.Places()[0].Country, Sector: site.DrawnSector(n)})
			if err != nil {
				t.Fatal(err)
			}
			var said []discover.Progress
			begun := time.Now()
			r := l.finish(s.ID, func(m queue.Delivery) error {
				err := l.once(m)
				if p, bad := l.Get(t.Context(), s.ID); bad == nil && p.Estimate != nil {
					said = append(said, p.Progress)
				}
				return err
			})
			took := time.Since(begun).Minutes()
			t.Logf("%d calls, $%.3f, %.2f min, %d pages, %d searches", r.Calls, r.CostUSD, took, len(r.Sources), r.Searches)
			for _, phase := range []discover.Phase{"fetch", "extractor"} {
				i := slices.IndexFunc(said, func(p discover.Progress) bool { return p.Phase == phase })
				if i < 0 {
					t.Fatalf("no slice ends before the %s", phase)
				}
				e := said[i].Estimate
				off := map[string]float64{"calls": float64(e.Calls) / float64(r.Calls), "dollars": e.USD / r.CostUSD}
				if latency > 0 {
					off["minutes"] = e.Minutes / took
				}
				t.Logf("before the %s: %d calls, $%.3f, %.2f min: %v", phase, e.Calls, e.USD, e.Minutes, off)
				for what, ratio := range off {
					if ratio < 0.5 || ratio > 1.5 {
						t.Errorf("before the %s: estimate %+v, %.2f of the %s", phase, *e, ratio, what)
					}
				}
			}
		})
	}
}

// A run ends before the slice that would exceed its limit of dollars, and uses most of it. The
// model thinks up to twice as much as is estimated.
func TestDollars(t *testing.T) {
	for _, most := range []float64{0.02, 0.05, 0.1} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			t.Parallel()
			l, _ := newPricedLab(t, site.Options{Drawn: true, Seed: 1, Publishers: 3, Scale: 4, PerSecond: 1000}, 0)
			r := l.run(discover.Request{Country: l.web.Places()[0].Country, Sector: site.DrawnSector(1), Limits: discover.Limits{USD: most}})
			t.Logf("limit $%g: $%.4f, %d calls, %d records: %s", most, r.CostUSD, r.Calls, len(r.Items), r.Reason)
			if r.CostUSD > most || r.CostUSD < most/2 || r.Action != "limit" {
				t.Errorf("a run with the limit of $%g cost $%.4f and ended with %s: %s", most, r.CostUSD, r.Action, r.Reason)
			}
		})
	}
}

// A run of 15 queries with 10 results each, on a web with more than 60 promising pages, takes
// at most 250 calls and $0.9, and waits at most 8 minutes for models that answer in 4 s.
func TestCountryWithinBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	t.Parallel()
	l, slow := newPricedLab(t, site.Options{Drawn: true, Seed: 1, Publishers: 9, Scale: 8, PerSecond: 1000}, 20*time.Millisecond)
	r := l.run(discover.Request{Country: l.web.Places()[0].Country, Sector: site.DrawnSector(1)})
	chosen := 0
	for _, p := range r.Sources {
		if p.Status == "extracted" || p.Status == "selected" {
			chosen++
		}
	}
	score := l.measure(l.web.Places()[0], []string{site.DrawnSector(1)}, r)
	minutes := float64(slow.waits()) * 4 / 60
	t.Logf("%d searches, %d pages, %d promising, %d calls, $%.2f, %d calls one after the other: %.1f min; recall %.2f of %d, %s: %s", r.Searches, len(r.Sources), chosen, r.Calls, r.CostUSD, slow.waits(), minutes, score.Recall(), score.Truth, r.Action, r.Reason)
	if r.Searches < 15 || chosen < 60 || r.Calls > 250 || r.CostUSD > 0.9 || minutes > 8 {
		t.Errorf("more than the budget, or less than a country")
	}
}

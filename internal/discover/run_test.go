package discover_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/discover"

	"example.com/whatis/internal/fetch"

	"example.com/whatis/internal/jobs/queue"
)

// A run whose every slice dies as it saves its state, is done again and then delivered
// once more comes to the same records, by as many searches and paid calls.
func TestKilledAfterEveryStep(t *testing.T) {
	request := discover.Request{Country: "Argentina", Sector: "waste", Limits: discover.Limits{Iterations: 3}} // the third is a deep dive
	if os.Getenv("WHATIS_LONG") != "" {
		request.Limits = discover.Limits{}
	}
	killed(t, emulate.Gemini, site.Options{}, request)
}

// The same where catalogues are asked, and lists and files followed.
func TestKilledOnADrawnWeb(t *testing.T) {
	killed(t, emulate.PerfectModel, site.Options{Drawn: true, Seed: 5}, discover.Request{Country: "US", Sector: "waste", Limits: discover.Limits{Iterations: 2}})
}

// killed does a request twice, the second time killed at each slice, and compares.
func killed(t *testing.T, model emulate.Service, of site.Options, request discover.Request) {
	t.Helper()
	cut := &cutter{cut: map[string]bool{}}
	l := newLabWith(t, model, of, func(l *lab, c *discover.Config) {
		c.Objects = blob.New(l.storageOver(cut))
	})
	want := l.run(request)
	if len(want.Items) == 0 {
		t.Fatal("the run that nobody kills finds nothing")
	}
	s, err := l.Start(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	before, deaths := len(l.Gemini.Calls()), 0
	cut.armed.Store(true)
	got := l.finish(s.ID, func(m queue.Delivery) error {
		for l.once(m) != nil {
			if deaths++; deaths > 1000 {
				t.Fatal("the run does not end")
			}
		}
		return l.once(m)
	})
	if deaths < 10 || deaths != len(cut.cut) {
		t.Errorf("it died %d times at %d states, want once at each of as many as tell something", deaths, len(cut.cut))
	}
	if !reflect.DeepEqual(addresses(got), addresses(want)) || got.Action != want.Action || got.Iterations != want.Iterations || got.Searches != want.Searches || got.Calls != want.Calls {
		t.Errorf("killed: %s, %d iterations, %d searches, %d calls, %q; want %s, %d, %d, %d, %q", got.Action, got.Iterations, got.Searches, got.Calls, addresses(got),
			want.Action, want.Iterations, want.Searches, want.Calls, addresses(want))
	}
	if n := len(l.Gemini.Calls()) - before; n != want.Calls {
		t.Errorf("%d calls of models were paid for, want %d", n, want.Calls)
	}
}

func addresses(r discover.Result) (all []string) {
	for _, i := range r.Items {
		all = append(all, i.URL+" "+i.DuplicateKey)
	}
	return all
}

// Every record quotes a page that was fetched in its run, no host that only an injected
// text names is asked for, what robots.txt forbids is not read, and a page that does not
// answer is said not to be read.
func TestEvidence(t *testing.T) {
	l := newLab(t, site.Options{Slow: time.Minute}, func(l *lab, c *discover.Config) { c.Fetch = newFetcher(t, l.web.Allow(), 2*time.Second) })
	r := l.run(discover.Request{Country: "AR", Sector: "afolu", Limits: discover.Limits{Iterations: 2}})
	asked := map[string]bool{}
	for _, q := range l.web.Requests() {
		address, _ := fetch.Canonical("http://" + q.Host + q.Path)
		asked[address] = true
		if strings.HasPrefix(q.Host, "www.open-") || strings.Contains(q.Path, "draft") {
			t.Errorf("%s%s was asked for", q.Host, q.Path)
		}
	}
	if len(r.Items) == 0 {
		t.Fatal("nothing was found")
	}
	for _, i := range r.Items {
		if !asked[i.URL] || i.Quote == "" || i.Acceptance < 0.5 || i.DuplicateKey == "" || i.PublisherKind == "other" {
			t.Errorf("record %+v: not asked for, or without its proof", i)
		}
	}
	kept := func(ctx context.Context, name string) ([]byte, error) {
		data, _, err := l.Objects.Read(ctx, blob.ObjectRef{Bucket: l.Bucket, Name: name}, 32<<20)
		return data, err
	}
	if broken, err := discover.Verify(t.Context(), r, kept); err != nil || len(broken) > 0 {
		t.Errorf("Verify = %v, %v, want every quote to stand on its page", broken, err)
	}
	r.Items[0].Quote += " And this was never written anywhere."
	if broken, err := discover.Verify(t.Context(), r, kept); err != nil || len(broken) != 1 {
		t.Errorf("Verify of a forged quote = %v, %v, want it alone", broken, err)
	}
	r.Items[0] = r.Items[1]
	r.Items[0].Name = "A name that no page has"
	if broken, err := discover.Verify(t.Context(), r, kept); err != nil || len(broken) != 1 || !strings.Contains(broken[0].Reason, "A name that") {
		t.Errorf("Verify of a forged name = %v, %v, want it alone", broken, err)
	}
	r.Items[0].Name, r.Items[0].LastYear = r.Items[1].Name, 1789
	if broken, err := discover.Verify(t.Context(), r, kept); err != nil || len(broken) != 1 || !strings.Contains(broken[0].Reason, "1789") {
		t.Errorf("Verify of a forged year = %v, %v, want it alone", broken, err)
	}
	if !slices.ContainsFunc(r.NotRead, func(n discover.NotRead) bool { return strings.Contains(n.Reason, "did not answer") }) {
		t.Errorf("not read: %+v, want a page that did not answer", r.NotRead)
	}
	if len(r.Dropped) == 0 || len(r.Grid.Rows) == 0 || r.Plan.Queries[0].Status != "searched" {
		t.Errorf("%d dropped, %d rows of coverage, first query %q", len(r.Dropped), len(r.Grid.Rows), r.Plan.Queries[0].Status)
	}
}

// A run stays within its limits, and has a result when it reaches one.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		name   string
		limits discover.Limits
	}{{"calls", discover.Limits{Calls: 6}}, {"iterations", discover.Limits{Iterations: 1}}, {"searches", discover.Limits{Searches: 2}}, {"pages", discover.Limits{Pages: 5}}} {
		t.Run(test.name, func(t *testing.T) {
			l := newLab(t, site.Options{}, nil)
			r := l.run(discover.Request{Country: "Kenya", Sector: "waste", Limits: test.limits})
			if test.limits.Calls > 0 && r.Calls > test.limits.Calls || test.limits.Iterations > 0 && r.Iterations > test.limits.Iterations ||
				test.limits.Searches > 0 && r.Searches > test.limits.Searches || test.limits.Pages > 0 && len(r.Sources) > test.limits.Pages {
				t.Errorf("%+v: %d calls, %d iterations, %d searches, %d pages", test.limits, r.Calls, r.Iterations, r.Searches, len(r.Sources))
			}
		})
	}
}

// A run whose calls end has read the most promising of its pages, keeps their records, and says
// in its status why it ended and in its result what it did not read.
func TestCallsEnd(t *testing.T) {
	l := newLabWith(t, emulate.PerfectModel, site.Options{Drawn: true, Seed: 1, Publishers: 4}, nil)
	const most = 18 // in the midst of the first pages
	r := l.run(discover.Request{Country: l.web.Places()[0].Country, Sector: site.DrawnSector(1), Limits: discover.Limits{Calls: most}})
	s, err := l.Get(t.Context(), r.ID)
	if err != nil || s.Action != "limit" || !strings.Contains(s.Reason, fmt.Sprint(most)) || s.Reason != r.Reason || r.Calls > most || len(r.Items) == 0 {
		t.Errorf("%v: %s (%s) after %d calls with %d records, want a limit of %d that is said, and records", err, s.Action, s.Reason, r.Calls, len(r.Items), most)
	}
	var read, left []int
	for _, p := range r.Sources {
		switch p.Status {
		case "extracted":
			read = append(read, p.Promise)
		case "selected":
			left = append(left, p.Promise)
			if !slices.ContainsFunc(r.NotRead, func(n discover.NotRead) bool { return n.URL == p.URL && n.Reason == "the run had ended" }) {
				t.Errorf("%s was left when the calls ended, and is not said to be", p.URL)
			}
		}
	}
	if len(read) == 0 || len(left) == 0 || slices.Min(read) < slices.Max(left) {
		t.Errorf("pages of promise %v were read and of %v left, want the better part read", read, left)
	}
}

// A run that fails says why, in its status and in its result.
func TestFailedRun(t *testing.T) {
	l := newLab(t, site.Options{}, func(l *lab, c *discover.Config) { c.GiveUpAfter = 200 * time.Millisecond })
	l.Gemini.SetFaults(emulated.Fault{Type: emulated.Forbidden, Kind: answers.KindScreen})
	started, err := l.Start(t.Context(), discover.Request{Country: "Kenya", Sector: "waste", Limits: discover.Limits{Iterations: 1}})
	if err != nil {
		t.Fatal(err)
	}
	r := l.finish(started.ID, func(m queue.Delivery) (err error) {
		for range 20 { // deliveries of one task
			if err = l.once(m); err == nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		return err
	})
	s, err := l.Get(t.Context(), r.ID)
	if err != nil || s.Action != "failed" || s.Error != "discovery_failed" || !strings.Contains(s.Reason, "PERMISSION_DENIED") || r.Action != s.Action || r.Reason != s.Reason || r.Searches == 0 {
		t.Errorf("%v: status %s (%s: %s), result %s (%s) with %d searches; want failed, for a permission, with what was searched", err, s.Action, s.Error, s.Reason, r.Action, r.Reason, r.Searches)
	}
}

// A run is asked at its tier, and ends where that is refused, at the same number of calls.
func TestTier(t *testing.T) {
	for _, refused := range []bool{false, true} {
		t.Run(fmt.Sprint("refused ", refused), func(t *testing.T) {
			l := newLab(t, site.Options{}, nil)
			if refused {
				l.Gemini.SetFaults(emulated.Fault{Type: emulated.Unavailable, Tier: "flex"})
			}
			r := l.run(discover.Request{Country: "Kenya", Sector: "waste", Tier: "flex", Limits: discover.Limits{Iterations: 1}})
			asked := map[string]int{}
			for _, c := range l.Gemini.Calls() {
				asked[c.Tier]++
			}
			standard := 0
			if refused {
				standard = r.Calls
			}
			if r.Calls == 0 || len(r.Items) == 0 || asked["flex"] != r.Calls || asked[""] != standard {
				t.Errorf("%d calls found %d records, asked by tier %v; want each at flex, and %d at the standard one", r.Calls, len(r.Items), asked, standard)
			}
		})
	}
}

// What is cancelled ends before its next slice, with a result.
func TestCancel(t *testing.T) {
	l := newLab(t, site.Options{}, func(_ *lab, c *discover.Config) { c.TaskTime = -1 })
	s, err := l.Start(t.Context(), discover.Request{Country: "Kenya", Sector: "waste"})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := l.once(l.take()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.File(t.Context(), s.ID, "result.json"); !errors.Is(err, discover.ErrUnfinished) {
		t.Errorf("the result of a run that goes on: %v, want %v", err, discover.ErrUnfinished)
	}
	if _, err := l.Cancel(t.Context(), s.ID); err != nil {
		t.Fatal(err)
	}
	r := l.finish(s.ID, l.once)
	got, err := l.Get(t.Context(), s.ID)
	if err != nil || r.Action != "canceled" || got.State != "canceled" || len(r.Plan.Queries) == 0 || got.ResultURI == "" {
		t.Errorf("%v, %v: result %s with %d queries, want a canceled one", got, err, r.Action, len(r.Plan.Queries))
	}
	all, _, err := l.List(t.Context(), "", 5)
	if err != nil || len(all) != 1 || all[0].ID != s.ID || len(all[0].Decisions) > 5 {
		t.Errorf("List = %+v, %v, want the one run", all, err)
	}
}

// Without a search key the portals alone are read, and the result says so.
func TestPortalsAlone(t *testing.T) {
	l := newLab(t, site.Options{}, func(l *lab, c *discover.Config) {
		c.Search, c.Portals = nil, []discover.Portal{{Name: "UNFCCC", URL: "http://unfccc.int/"}, {Country: "KR", URL: "http://elsewhere.go.kr/"}}
	})
	r := l.run(discover.Request{Country: "Kenya", Sector: "waste"})
	if len(r.Items) != 1 || !strings.Contains(r.Items[0].URL, "unfccc.int") || r.Searches != 0 || !strings.Contains(strings.Join(r.Warnings, " "), discover.WarnNoSearch) {
		t.Errorf("%q after %d searches with %q, want the inventory of unfccc.int, none, and a warning; the pages: %s", addresses(r), r.Searches, r.Warnings, pages(r))
	}
}

// pages says what became of the pages of a result.
func pages(r discover.Result) string {
	var b strings.Builder
	for _, p := range r.Sources {
		fmt.Fprintf(&b, "\n%+v", *p)
	}
	return b.String()
}

// What the sitemap of a portal lists is read where its address speaks of what is sought.
func TestSitemap(t *testing.T) {
	l := newLab(t, site.Options{}, func(l *lab, c *discover.Config) { c.Search = nil })
	i := slices.IndexFunc(l.web.Truth(), func(d site.Dataset) bool {
		return d.Place.Country == "KE" && d.Sectors[0] == "waste" && strings.Contains(d.URL, "emissions")
	})
	d := l.web.Truth()[i]
	at, err := url.Parse(d.URL)
	if err != nil {
		t.Fatal(err)
	}
	l.Portals = []discover.Portal{{Country: "KE", URL: "http://" + at.Host + "/"}}
	r := l.run(discover.Request{Country: "Kenya", Sector: "waste", Limits: discover.Limits{Iterations: 1}})
	if !slices.ContainsFunc(r.Items, func(i discover.StructuredDataItem) bool { return i.URL == d.URL }) {
		t.Errorf("%q, want %s, which the sitemap lists", addresses(r), d.URL)
	}
}

// A slice reads the state once, whatever came before it, and pays for its own calls only;
// one that is done is not done again.
func TestReplayIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and under the race detector too long")
	}
	count := &counter{}
	l := newLab(t, site.Options{}, func(l *lab, c *discover.Config) { c.Objects, c.TaskTime = blob.New(l.storageOver(count)), -1 })
	s, err := l.Start(t.Context(), discover.Request{Country: "Kenya", Sector: "waste", Limits: discover.Limits{Iterations: 3}})
	if err != nil {
		t.Fatal(err)
	}
	slices := 0
	l.finish(s.ID, func(m queue.Delivery) error {
		slices++
		for again := range 2 {
			count.reads.Store(0)
			count.bytes.Store(0)
			before := len(l.Gemini.Calls())
			if err := l.once(m); err != nil {
				return err
			}
			calls, reads, most := len(l.Gemini.Calls())-before, count.reads.Load(), int64(1)
			if again > 0 || slices == 1 { // what is done is on record, and the first slice has no state before it
				most = 0
			}
			if reads != most || count.bytes.Load() > 512<<10 || calls > 24*(1-again) {
				t.Errorf("slice %d, time %d: %d states of %d bytes were read, %d calls paid", slices, again+1, reads, count.bytes.Load(), calls)
			}
		}
		return nil
	})
	if slices < 10 {
		t.Errorf("%d slices, want as many as tell something", slices)
	}
}

// A place that the emulated web does not have ends the run as not_on_emulated_web.
func TestNotOnTheEmulatedWeb(t *testing.T) {
	l := newLab(t, site.Options{}, func(l *lab, c *discover.Config) { c.EmulatedWeb = []string{"Kenya"} })
	r := l.run(discover.Request{Country: "France", Sector: "waste"})
	if r.Action != "not_on_emulated_web" || r.Calls != 0 || !strings.Contains(strings.Join(r.Warnings, " "), discover.WarnEmulatedWeb) {
		t.Errorf("%s after %d calls with %q", r.Action, r.Calls, r.Warnings)
	}
}

func TestBadRequests(t *testing.T) {
	l := newLab(t, site.Options{}, nil)
	for _, test := range []struct{ request, want string }{
		{`{}`, "no place"},
		{`{"country":"Atlantis","sector":"waste"}`, "Atlantis"},
		{`{"country":"KR"}`, "no sector"},
		{`{"country":"KR","sector":"waste","tier":"cheap"}`, "cheap"},
		{`{"region":"AR-M"}`, "no sector"},
		{`{"country":"KR","sector":"energy"}`, "energy"},
		{`{"country":"KR","sector":"waste","limits":{"max_calls":-1}}`, "max_calls"},
		{`{"country":"KR","sector":"waste","limits":{"max_usd":1000}}`, "max_usd"},
		{`{"region":"AR-M","city":"Mendoza","sector":"waste"}`, "one of them"},
		{`{"region":"Nowhere","sector":"waste"}`, "Nowhere"},
		{`{"city":"Linz"}`, "its country"},
		{`{"city":"...","country":"AT"}`, "name"},
	} {
		var r discover.Request
		if err := json.Unmarshal([]byte(test.request), &r); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Start(t.Context(), r); !errors.Is(err, discover.ErrRequest) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Start(%s) = %v, want %v with %q", test.request, err, discover.ErrRequest, test.want)
		}
	}
	var several *discover.Ambiguous
	if _, err := l.Start(t.Context(), discover.Request{Region: "Córdoba", Sector: "waste"}); !errors.As(err, &several) || len(several.Candidates) < 2 {
		t.Errorf("Start(Córdoba) = %v, want its candidates", err)
	}
}

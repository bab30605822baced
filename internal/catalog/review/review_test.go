package review_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/gemini"
)

func TestMain(m *testing.M) { emulate.Run(m) }

// A bench is a review service over emulators, and the results it reviews.
type bench struct {
	*testing.T
	*review.Service
	db      *firestore.Client
	catalog *catalog.Catalog
	space   catalog.VectorSpace

	embedded atomic.Int64

	mu       sync.Mutex
	subjects map[string]review.Subject
	answered map[string]string // what stands of each photo, by the last one to spread it
	spread   map[string]int64  // the revision of that
}

const shop = "test"

func open(t *testing.T) *bench {
	t.Helper()
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini)
	model, err := gemini.Open(t.Context(), gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, subjects: map[string]review.Subject{}, answered: map[string]string{}, spread: map[string]int64{}}
	b.space, err = catalog.VectorSpaceOf("emulated-embedding")
	if err != nil {
		t.Fatal(err)
	}
	db := w.FirestoreClient(t)
	b.db, b.catalog = db, catalog.New(db)
	b.Service, err = review.New(review.Config{
		DB: db, Catalog: b.catalog, Shop: shop, Space: b.space,
		Embed: func(ctx context.Context, texts []string) ([]float32, error) {
			b.embedded.Add(1)
			v, err := model.Embed(ctx, gemini.EmbedRequest{Model: b.space.Model, Prefix: b.space.Prefix, Texts: []string{strings.Join(texts, " ")}})
			if err != nil {
				return nil, err
			}
			return v[0], nil
		},
		Subject: func(_ context.Context, id string) (review.Subject, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			s, ok := b.subjects[id]
			if !ok {
				return s, review.ErrNotFound
			}
			return s, nil
		},
		Spread: func(_ context.Context, s review.Subject, v review.Verdict, _ bool) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			if v.Revision > b.spread[s.ID] { // as results are rewritten
				b.spread[s.ID], b.answered[s.ID] = v.Revision, ""
				if v.Stands != nil {
					b.answered[s.ID] = v.Stands.Verdict
				}
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func tea(name string) catalog.Product {
	return catalog.Product{ProductName: name, Brand: "Lotte", Category: "Tea", KeyFeatures: []string{"green tea", name, "500 ml"}, Country: "KR", Lang: "ko"}
}

// result adds a result that names p.
func (b *bench) result(id string, p catalog.Product) {
	b.subjects[id] = review.Subject{ID: id, Product: p, Photo: "photo" + id, Where: "gs://uploads/" + id + ".jpg"}
}

// record creates the record of p with a status, and returns its ID.
func (b *bench) record(p catalog.Product, s catalog.Status) string {
	b.Helper()
	v, err := b.Embed(b.Context(), p.KeyFeatures)
	if err != nil {
		b.Fatal(err)
	}
	p.Shop, p.Vectors, p.Status, p.CreatedAt = shop, catalog.Vectors{Embedder: b.space.ID(), Embedding: v}, s, time.Now().UTC()
	p.Source, p.Probability = "google_search", 0.8
	id, err := b.catalog.Create(b.Context(), p)
	if err != nil && !errors.Is(err, catalog.ErrDuplicate) {
		b.Fatal(err)
	}
	return id
}

func (b *bench) say(id, verdict string, fields *review.Fields) review.Review {
	b.Helper()
	revision := ""
	if now, err := b.Get(b.Context(), id); err == nil && verdict == review.Undo {
		revision = now.Revision
	}
	r, err := b.Give(b.Context(), id, review.Request{Verdict: verdict, Fields: fields, By: "kim", Revision: revision})
	if err != nil {
		b.Fatalf("%s %s = %v", verdict, id, err)
	}
	return r
}

// is checks the status of p's record, and that it is found by its features unless it is
// rejected or gone.
func (b *bench) is(p catalog.Product, want catalog.Status) {
	b.Helper()
	p.Shop = shop
	got, err := b.catalog.StatusOf(b.Context(), p.Identify())
	if err != nil || got != want {
		b.Errorf("the record of %q is %s, %v; want %s", p.ProductName, got, err, want)
	}
	v, err := b.Embed(b.Context(), p.KeyFeatures)
	if err != nil {
		b.Fatal(err)
	}
	near, err := b.catalog.Search(b.Context(), catalog.Query{Shop: shop, Lang: "ko", Space: b.space, Vector: v, Names: []string{p.ProductName}, Limit: 3})
	if err != nil {
		b.Fatal(err)
	}
	found := slices.ContainsFunc(near, func(m catalog.Match) bool {
		return m.ProductName == p.ProductName && m.Status == want && m.Score > 0.99
	})
	if living := want != catalog.Rejected && want != catalog.Gone; found != living {
		b.Errorf("%s %q is among what is near: %t, want %t: %v", want, p.ProductName, found, living, near)
	}
}

// shows checks which product is known for a photo; "" means none.
func (b *bench) shows(photo, want string) {
	b.Helper()
	known, err := b.catalog.Known(b.Context(), catalog.Keys{Shop: shop, Photo: photo})
	got := ""
	if known.Shown != nil {
		got = known.Shown.ProductName
	}
	if err != nil || got != want {
		b.Errorf("%s shows %q, %v; want %q", photo, got, err, want)
	}
}

func TestAcceptWhatNobodyKnows(t *testing.T) {
	b := open(t)
	p := tea("Onul")
	b.result("a", p)
	r := b.say("a", review.Accept, nil)
	if len(r.Records) != 1 || r.Records[0].Status != "confirmed" || b.answered["a"] != "accept" {
		t.Errorf("accept = %+v, answered %q", r, b.answered)
	}
	b.is(p, catalog.Confirmed)
	b.shows("photoa", "Onul")
	if r = b.say("a", review.Undo, nil); len(r.History) != 1 || r.History[0].Verdict != "accept" || b.answered["a"] != "" {
		t.Errorf("undo = %+v, answered %q; want one entry of history, and no verdict", r, b.answered)
	}
	b.is(p, catalog.Gone)
	b.shows("photoa", "")
}

// A learnt record is confirmed or permanently rejected by reviews, and restored when they
// are undone.
func TestLearntRecord(t *testing.T) {
	b := open(t)
	p := tea("Onul")
	b.record(p, catalog.Unconfirmed)
	b.result("a", p)
	b.result("b", p)
	steps := []struct {
		result, verdict string
		want            catalog.Status
	}{
		{"a", review.Accept, catalog.Confirmed},
		{"b", review.Reject, catalog.Confirmed}, // confirming outranks rejecting
		{"a", review.Undo, catalog.Rejected},
		{"b", review.Accept, catalog.Confirmed},
		{"a", review.Accept, catalog.Confirmed},
		{"b", review.Undo, catalog.Confirmed},
		{"a", review.Undo, catalog.Rejected}, // as b said before
		{"b", review.Undo, catalog.Unconfirmed},
		{"a", review.Reject, catalog.Rejected},
	}
	for _, s := range steps {
		b.say(s.result, s.verdict, nil)
		b.is(p, s.want)
	}
	b.record(p, catalog.Unconfirmed) // it tries to learn the record again
	b.is(p, catalog.Rejected)
	b.say("a", review.Undo, nil)
	b.is(p, catalog.Unconfirmed)
}

// Rejecting a result does not remove an imported record.
func TestRejectImported(t *testing.T) {
	b := open(t)
	p := tea("Onul")
	b.record(p, catalog.Imported)
	b.result("a", p)
	if r := b.say("a", review.Reject, nil); r.Records[0].Status != "imported" {
		t.Errorf("reject = %+v, want the record imported", r)
	}
	b.is(p, catalog.Imported)
	b.say("a", review.Accept, nil)
	b.is(p, catalog.Confirmed)
	b.say("a", review.Undo, nil)
	b.is(p, catalog.Imported)
}

func TestCorrect(t *testing.T) {
	b := open(t)
	wrong, right := tea("Onul"), tea("Haneul")
	right.KeyFeatures = wrong.KeyFeatures
	b.record(wrong, catalog.Unconfirmed)
	b.result("a", wrong)
	name, category := "Haneul", "Green tea"
	r := b.say("a", review.Correct, &review.Fields{ProductName: &name})
	if len(r.Records) != 2 || r.Fields == nil || *r.Fields.ProductName != name {
		t.Errorf("correct = %+v", r)
	}
	b.is(right, catalog.Confirmed)
	b.is(wrong, catalog.Rejected)
	b.shows("photoa", name)

	b.say("a", review.Correct, &review.Fields{Category: &category}) // the name was right
	b.is(right, catalog.Gone)
	b.is(wrong, catalog.Confirmed)
	b.shows("photoa", "Onul")
	wrong.Shop = shop
	if p, err := b.Record(t.Context(), wrong.Identify()); err != nil || p.Category != category || p.ConfirmedBy != "kim" || p.Base.Category != "Tea" {
		t.Errorf("Record = %+v, %v; want the corrected category", p, err)
	}
	b.say("a", review.Undo, nil) // of the second correction
	b.is(right, catalog.Confirmed)
	b.is(wrong, catalog.Rejected)
	b.shows("photoa", name)
	b.say("a", review.Undo, nil)
	b.is(right, catalog.Gone)
	b.is(wrong, catalog.Unconfirmed)
}

// A name with another sign is another product: correcting it says that the first was wrong, and
// rejecting it says nothing of the other. The same name in other writing is the same.
func TestSigns(t *testing.T) {
	for _, test := range []struct {
		a, b review.Name
		same bool
	}{
		{review.Name{ProductName: "Orion S23"}, review.Name{ProductName: "Orion S23+"}, false},
		{review.Name{ProductName: "Learning C++"}, review.Name{ProductName: "Learning C#"}, false},
		{review.Name{ProductName: "Tea 2.5 l"}, review.Name{ProductName: "Tea 25 l"}, false},
		{review.Name{ProductName: "Socket 1/2"}, review.Name{ProductName: "Socket 12"}, false},
		{review.Name{ProductName: "Tea", Brand: "Vela+"}, review.Name{ProductName: "Tea", Brand: "Vela"}, false},
		{review.Name{ProductName: "Tea", Brand: "Vela+"}, review.Name{ProductName: "Tea"}, true},
		{review.Name{ProductName: "Fanta®", Brand: "Coca-Cola"}, review.Name{ProductName: "FANTA", Brand: "Coca Cola"}, true},
		{review.Name{ProductName: "Farmer’s Tea 2,5L"}, review.Name{ProductName: "Farmer's tea 2.5 l"}, true},
		{review.Name{}, review.Name{}, false},
	} {
		if test.a.Same(test.b) != test.same || test.b.Same(test.a) != test.same {
			t.Errorf("%+v and %+v are the same: %v", test.a, test.b, !test.same)
		}
	}
	b := open(t)
	b.result("a", tea("S23"))
	name := "S23+"
	b.say("a", review.Correct, &review.Fields{ProductName: &name})
	v, err := review.NewPhotos(b.db).Verdict(t.Context(), "photoa")
	if err != nil || v.Product == nil || v.Product.ProductName != name || !v.Excludes(review.Name{ProductName: "S23", Brand: "Lotte"}) || v.Excludes(review.Name{ProductName: name}) {
		t.Errorf("Verdict = %+v, %v; want S23+, and not S23", v, err)
	}
}

// Giving the same review again changes nothing and costs nothing.
func TestAgain(t *testing.T) {
	b := open(t)
	b.result("a", tea("Onul"))
	first := b.say("a", review.Accept, nil)
	paid := b.embedded.Load()
	for range 3 {
		if r := b.say("a", review.Accept, nil); len(r.History) != 0 || !r.At.Equal(first.At) {
			t.Errorf("accept again = %+v, want %+v", r, first)
		}
	}
	if n := b.embedded.Load(); paid != 1 || n != paid {
		t.Errorf("accepting once embedded %d times, and again %d, want 1 and 0", paid, n-paid)
	}
}

// replayed returns the verdicts of different persons that stand after their acts.
func replayed(acts []review.Entry) (standing []string) {
	for _, a := range acts {
		if a.Verdict == review.Undo {
			standing = standing[:max(0, len(standing)-1)]
		} else {
			standing = append(standing, a.Verdict)
		}
	}
	return standing
}

// However the acts of several persons on two photos interleave, each counts once: the
// latest that stands decides what its photo shows, and the record stays confirmed while
// anybody's confirmation stands.
func TestRace(t *testing.T) {
	b := open(t)
	p := tea("Onul")
	b.record(p, catalog.Unconfirmed)
	verdicts := []string{review.Accept, review.Reject, review.Accept, review.Undo, review.Reject, review.Accept}
	const results = 2
	var wg sync.WaitGroup
	for i := range results {
		b.result(fmt.Sprint(i), p)
	}
	for i := range results {
		for j, v := range verdicts {
			wg.Go(func() {
				for {
					revision := ""
					if now, err := b.Get(t.Context(), fmt.Sprint(i)); err == nil {
						revision = now.Revision
					}
					_, err := b.Give(t.Context(), fmt.Sprint(i), review.Request{Verdict: v, By: fmt.Sprint(j), Revision: revision})
					if err == nil || errors.Is(err, review.ErrNone) {
						return
					}
					var late *review.Superseded
					if !errors.Is(err, review.ErrBusy) && !errors.As(err, &late) {
						t.Errorf("%s = %v", v, err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
	want := catalog.Unconfirmed
	for i := range results {
		r, err := b.Get(t.Context(), fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		standing := replayed(append(r.History, r.Entry))
		stands := ""
		if len(standing) > 0 {
			stands = standing[len(standing)-1]
		}
		switch {
		case slices.Contains(standing, review.Accept): // also if another has rejected the answer since
			want = catalog.Confirmed
		case slices.Contains(standing, review.Reject) && want == catalog.Unconfirmed:
			want = catalog.Rejected
		}
		if b.answered[fmt.Sprint(i)] != stands || r.Stands != nil && r.Stands.Verdict != stands {
			t.Errorf("result %d is listed by %q, and %+v stands; want %q", i, b.answered[fmt.Sprint(i)], r.Stands, stands)
		}
	}
	b.is(p, want)
}

func TestRefused(t *testing.T) {
	b := open(t)
	b.result("a", tea("Onul"))
	b.subjects["failed"] = review.Subject{ID: "failed", Failed: true}
	empty, long, code := "", strings.Repeat("a", 301), "8801234567890"
	tests := []struct {
		id   string
		r    review.Request
		want string
	}{
		{"a", review.Request{By: "kim"}, "names no verdict"},
		{"a", review.Request{Verdict: "like", By: "kim"}, `"like"`},
		{"a", review.Request{Verdict: "accept"}, `send "by"`},
		{"a", review.Request{Verdict: "accept", By: long}, "200 characters"},
		{"a", review.Request{Verdict: "accept", By: "kim", Fields: &review.Fields{Brand: &empty}}, "only correct takes"},
		{"a", review.Request{Verdict: "correct", By: "kim"}, "corrects nothing"},
		{"a", review.Request{Verdict: "correct", By: "kim", Fields: &review.Fields{}}, "corrects nothing"},
		{"a", review.Request{Verdict: "correct", By: "kim", Fields: &review.Fields{ProductName: &empty}}, "empty product_name"},
		{"a", review.Request{Verdict: "correct", By: "kim", Fields: &review.Fields{Brand: &long}}, "301 characters"},
		{"a", review.Request{Verdict: "correct", By: "kim", Fields: &review.Fields{GTIN: &code}}, "check digit"},
		{"a", review.Request{Verdict: "correct", By: "kim", Fields: &review.Fields{KeyFeatures: []string{" "}}}, "key feature"},
		{"failed", review.Request{Verdict: "accept", By: "kim"}, "could not be analysed"},
		{"failed", review.Request{Verdict: "correct", By: "kim", Fields: &review.Fields{Brand: &empty}}, "send product_name"},
		{"none", review.Request{Verdict: "accept", By: "kim"}, "no such result"},
		{"a", review.Request{Verdict: "undo", By: "kim"}, "nobody has reviewed"},
	}
	for _, test := range tests {
		if _, err := b.Give(t.Context(), test.id, test.r); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v = %v, want an error with %q", test.r, err, test.want)
		}
	}
}

func TestBrowseConfirmDelete(t *testing.T) {
	b := open(t)
	for i := range 5 {
		p := tea(fmt.Sprint("Onul ", i))
		p.GTIN = fmt.Sprintf("0880000000000%d", i)
		b.record(p, []catalog.Status{catalog.Imported, catalog.Unconfirmed}[i%2])
	}
	all := func(q review.Search) (names []string, ids []string) {
		t.Helper()
		for q.Limit = 2; ; {
			page, next, err := b.Browse(t.Context(), q)
			if err != nil {
				t.Fatalf("Browse(%+v) = %v", q, err)
			}
			for _, p := range page {
				names, ids = append(names, p.ProductName), append(ids, p.ID)
			}
			if q.After = next; next == "" {
				return names, ids
			}
		}
	}
	names, ids := all(review.Search{})
	if got := strings.Join(names, ","); got != "Onul 4,Onul 3,Onul 2,Onul 1,Onul 0" {
		t.Errorf("Browse = %s", got)
	}
	if names, _ := all(review.Search{Status: catalog.Unconfirmed}); strings.Join(names, ",") != "Onul 3,Onul 1" {
		t.Errorf("unconfirmed: %q", names)
	}
	if names, _ := all(review.Search{Words: "onul"}); len(names) != 5 {
		t.Errorf("onul brings %q, want all five", names)
	}
	if names, _ := all(review.Search{Words: "ONUL 3"}); len(names) == 0 || names[0] != "Onul 3" {
		t.Errorf("ONUL 3 brings %q, want it first", names)
	}
	learnt := ids[1]
	for range 2 {
		if p, err := b.Confirm(t.Context(), learnt, review.Signature{By: "lee"}); err != nil || p.Status != catalog.Confirmed || p.ConfirmedBy != "lee" {
			t.Fatalf("Confirm = %+v, %v", p, err)
		}
	}
	if done, err := b.Delete(t.Context(), learnt, review.Signature{By: "lee", Verified: true}); err != nil || !done.Tombstone {
		t.Errorf("Delete of what was learnt = %+v, %v; want a tombstone", done, err)
	}
	if _, err := b.Record(t.Context(), learnt); !errors.Is(err, review.ErrRecord) {
		t.Errorf("Record of what is deleted = %v", err)
	}
	if _, err := b.Delete(t.Context(), learnt, review.Signature{By: "lee", Verified: true}); !errors.Is(err, review.ErrRecord) {
		t.Errorf("Delete again = %v", err)
	}
	v, err := b.Embed(t.Context(), []string{"tea"})
	if err != nil {
		t.Fatal(err)
	}
	other, err := b.catalog.Create(t.Context(), catalog.Product{
		Shop: "other", ProductName: "Onul 9", KeyFeatures: []string{"tea"}, Vectors: catalog.Vectors{Embedder: b.space.ID(), Embedding: v}, Status: catalog.Imported, Source: "import", CreatedAt: time.Now().UTC(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if page, _, err := b.Browse(t.Context(), review.Search{Shop: "other", Limit: 2}); err != nil || len(page) != 1 || page[0].ID != other {
		t.Errorf("Browse of another shop = %v, %v; want its record", page, err)
	}
	if p, err := b.Confirm(t.Context(), other, review.Signature{By: "lee"}); err != nil || p.Shop != "other" || p.Status != catalog.Confirmed {
		t.Errorf("Confirm of another shop's record = %+v, %v; want it confirmed there", p, err)
	}
	if acts, err := b.Acts(t.Context(), other); err != nil || len(acts) != 1 || acts[0].After == nil {
		t.Errorf("Acts of another shop's record = %+v, %v; want its confirmation", acts, err)
	}
	if _, err := b.Delete(t.Context(), other, review.Signature{By: "lee"}); err != nil {
		t.Errorf("Delete of another shop's record = %v", err)
	}
	if names, _ := all(review.Search{}); slices.Contains(names, "Onul 3") || len(names) != 4 {
		t.Errorf("Browse = %q, want four", names)
	}
	if _, _, err := b.Browse(t.Context(), review.Search{After: "x", Limit: 2}); !errors.Is(err, review.ErrPlace) {
		t.Errorf("Browse after nothing = %v, want ErrPlace", err)
	}
}

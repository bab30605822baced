package search_test

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
	"github.com/google/uuid"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/session"
)

func namesOf(r search.Result) (names []string) {
	for _, p := range r.Products {
		names = append(names, p.Name)
	}
	return names
}

// Every query of a conversation speaks of what the one before has shown.
func TestConversation(t *testing.T) {
	b := eyewear(t)
	first := b.search(search.Request{Query: "sunglasses for men", Session: search.NewSession})
	if first.ModelCalls.Generate != 0 || len(first.Session) != 32 || first.Count < 3 {
		t.Fatalf("the first search: %d calls, session %q, %d products", first.ModelCalls.Generate, first.Session, first.Count)
	}
	say := func(query string) search.Result {
		t.Helper()
		return b.search(search.Request{Query: query, Session: first.Session})
	}
	if r := say("is it in stock?"); len(r.Result.Availability) != 1 || r.Result.Availability[0].ProductID != first.Products[0].ProductID {
		t.Errorf("in stock: %+v, want the first of %v", r.Result.Availability, namesOf(first))
	}
	if r := say("compare the first two"); r.Result.Comparison == nil || !slices.Equal(r.Result.Comparison.Products, []string{first.Products[0].ProductID, first.Products[1].ProductID}) {
		t.Errorf("compared: %+v, want the first two of %v", r.Result.Comparison, namesOf(first))
	}
	if r := say("tell me more about the second"); r.Result.Product == nil || r.Result.Product.ProductID != first.Products[1].ProductID || r.ModelCalls.Embed != 0 {
		t.Errorf("detail: %+v, %+v; want the second of %v without an embedding", r.Result.Product, r.ModelCalls, namesOf(first))
	}
	cheaper := say("cheaper")
	least := slices.MinFunc(first.Products, func(a, b search.Hit) int { return int(a.Amount - b.Amount) }).Amount
	if cheaper.Count == 0 || slices.ContainsFunc(cheaper.Products, func(h search.Hit) bool { return h.Amount >= least || h.Gender != "men" }) {
		t.Errorf("cheaper than %v: %v at %+v", least, namesOf(cheaper), cheaper.ExtractedAttributes.Price)
	}
	still := say("in black")
	if still.ExtractedAttributes.Color != "black" || still.ExtractedAttributes.Gender != "men" || still.ExtractedAttributes.Price == nil || still.ExtractedAttributes.Price.Max != least-1 {
		t.Errorf("in black: %+v, want what held before", still.ExtractedAttributes)
	}
}

// More of the last search, in another order, is no question to the model.
func TestConversationGoesOn(t *testing.T) {
	b := eyewear(t)
	two := 2
	first := b.search(search.Request{Query: "sunglasses for women", Session: search.NewSession, Limit: &two})
	cheaper := b.search(search.Request{Query: "more expensive ones please", Session: first.Session, Limit: &two})
	calls := b.calls()[answers.KindIntent]
	next := b.search(search.Request{Session: first.Session, After: cheaper.Next, Limit: &two})
	sorted := b.search(search.Request{Session: first.Session, After: "0", Sort: search.PriceUp, Limit: &two})
	if n := b.calls()[answers.KindIntent]; n != calls {
		t.Errorf("%d more questions to the model, want none", n-calls)
	}
	for _, r := range []search.Result{next, sorted} {
		if r.Count == 0 || fmt.Sprint(r.ExtractedAttributes.Price) != fmt.Sprint(cheaper.ExtractedAttributes.Price) {
			t.Errorf("%v with %+v, want the price of %+v", namesOf(r), r.ExtractedAttributes, cheaper.ExtractedAttributes)
		}
	}
	if slices.ContainsFunc(next.Products, func(h search.Hit) bool { return slices.Contains(namesOf(cheaper), h.Name) }) || !slices.IsSortedFunc(sorted.Products, func(a, b search.Hit) int { return int(a.Amount - b.Amount) }) {
		t.Errorf("next %v behind %v, sorted %+v", namesOf(next), namesOf(cheaper), sorted.Products)
	}
}

// A conversation whose last turns another version has written begins anew.
func TestConversationOfAnotherVersion(t *testing.T) {
	b := eyewear(t)
	first := b.search(search.Request{Query: "sunglasses for women", Session: search.NewSession})
	docs, err := b.FirestoreClient(t).Collection("sessions").Documents(t.Context()).GetAll()
	if err != nil || len(docs) != 1 {
		t.Fatal(len(docs), err)
	}
	for _, turns := range []string{`{"of": "another version"}`, `[{"shown": {}}]`, `null`} {
		if _, err := docs[0].Ref.Update(t.Context(), []firestore.Update{{FieldPath: firestore.FieldPath{"state", "_search"}, Value: turns}}); err != nil {
			t.Fatal(err)
		}
		if r := b.search(search.Request{Query: "sunglasses for men", Session: first.Session}); r.Count == 0 {
			t.Errorf("behind %s nothing is found", turns)
		}
	}
}

// A search without words in a conversation, by a product, a picture or filters, has further pages of
// its own, and begins anew without the words before. A question about what was shown changes neither.
func TestConversationWithoutWords(t *testing.T) {
	b := eyewear(t)
	two := 2
	words := search.Request{Query: "sunglasses for men", Session: search.NewSession, Limit: &two}
	for name, req := range map[string]search.Request{
		"a product": {Like: b.id("EW-1156"), Limit: &two},
		"a picture": {Image: frameOf(t, "EW-1156").PNG(), Limit: &two},
		"filters":   {Filters: map[string]search.Choices{"gender": {"women"}}, Limit: &two},
	} {
		alone := b.search(req)
		req.After = alone.Next
		behind := b.search(req)
		req.Session, req.After = b.search(words).Session, ""
		if r := b.search(req); !slices.Equal(namesOf(r), namesOf(alone)) {
			t.Errorf("%s: %q behind words, want %q", name, namesOf(r), namesOf(alone))
		}
		for after, want := range map[string]search.Result{alone.Next: behind, "0": alone} {
			req.After = after
			if r, err := b.pipeline.Run(t.Context(), req, nil); err != nil || !slices.Equal(namesOf(r), namesOf(want)) {
				t.Errorf("%s: %q after %q, %v; want %q", name, namesOf(r), after, err, namesOf(want))
			}
		}
	}
	first := b.search(words)
	behind := b.search(search.Request{Query: words.Query, After: first.Next, Limit: &two})
	b.search(search.Request{Query: "is it in stock?", Session: first.Session})
	if r, err := b.pipeline.Run(t.Context(), search.Request{Session: first.Session, After: first.Next, Limit: &two}, nil); err != nil || !slices.Equal(namesOf(r), namesOf(behind)) {
		t.Errorf("behind the first after a question: %q, %v; want %q", namesOf(r), err, namesOf(behind))
	}
}

// A conversation is its caller's, of its shop, and forgotten with its session.
func TestConversationBelongs(t *testing.T) {
	b := eyewear(t)
	b.caller = "anna"
	first := b.search(search.Request{Query: "sunglasses for men", Session: search.NewSession})
	b.caller = "ben"
	for _, id := range []string{first.Session, session.NewID()} {
		for _, ctx := range []context.Context{t.Context(), agent.InConversation(t.Context(), uuid.NewString(), "")} {
			if _, err := b.pipeline.Run(ctx, search.Request{Query: "cheaper", Session: id}, nil); !errors.Is(err, session.ErrNotFound) {
				t.Errorf("the session %s of another: %v, want ErrNotFound", id, err)
			}
		}
	}
	found, err := b.config.Sessions.Find(t.Context(), "anna", first.Session)
	if err != nil || len(found.Messages) != 2 || found.Messages[0].Text != "sunglasses for men" || len(found.State) != 0 {
		t.Errorf("the conversation is %+v, %v", found, err)
	}
	if err := b.config.Sessions.Remove(t.Context(), "anna", first.Session); err != nil {
		t.Fatal(err)
	}
	b.caller = "anna"
	if _, err := b.pipeline.Run(t.Context(), search.Request{Query: "cheaper", Session: first.Session}, nil); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("a session that was forgotten: %v, want ErrNotFound", err)
	}
}

// The conversation of a protocol has its session from its first search on; one whose ID
// anybody could guess has none, unless its caller has a name.
func TestConversationOfProtocol(t *testing.T) {
	b := eyewear(t)
	for _, test := range []struct {
		caller, around string
		kept           bool
	}{{"", uuid.NewString(), true}, {"", "s1", false}, {"", "my conversation of today", false}, {"", strings.Repeat("a", 36), false}, {"anna", "s1", true}} {
		b.caller = test.caller
		ctx := agent.InConversation(t.Context(), test.around, "")
		first, err := b.pipeline.Run(ctx, search.Request{Query: "sunglasses for men"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		second, err := b.pipeline.Run(ctx, search.Request{Query: "is it in stock?"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		about := len(second.Result.Availability) == 1 && second.Result.Availability[0].ProductID == first.Products[0].ProductID
		if about != test.kept || (second.Session != "") != test.kept || first.Session != second.Session {
			t.Errorf("%q of %q: %+v in the session %q, want kept %v", test.around, test.caller, second.Result.Availability, second.Session, test.kept)
		}
	}
}

// The first searches of a protocol's conversation may come at once, as those by several pictures of a
// message do: each is answered, and one is kept.
func TestConversationBeginsAtOnce(t *testing.T) {
	b := eyewear(t)
	for range 5 {
		ctx := agent.InConversation(t.Context(), uuid.NewString(), "")
		var kept atomic.Int32
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				r, err := b.pipeline.Run(ctx, search.Request{Query: "sunglasses for men"}, nil)
				if err != nil {
					t.Error(err)
				} else if !slices.Contains(r.Warnings, search.WarnNotKept) {
					kept.Add(1)
				}
			})
		}
		if group.Wait(); kept.Load() == 0 {
			t.Error("none of four searches at once is kept")
		}
	}
}

// idsOf returns the IDs of the products found.
func idsOf(r search.Result) (ids []string) {
	for _, p := range r.Products {
		ids = append(ids, p.ProductID)
	}
	return ids
}

// A search that is sent again with its ID is understood by what was there before it, as often as it
// is sent and whatever was asked meanwhile, and is in the conversation once. With another ID, or
// none, the same words are another search.
func TestTurnSentAgain(t *testing.T) {
	b := eyewear(t)
	for name, ask := range map[string]func(conversation, turn, query string) search.Result{
		"its own ID": func(conversation, turn, query string) search.Result {
			return b.search(search.Request{Query: query, Session: conversation, Turn: turn})
		},
		"a message's": func(conversation, turn, query string) search.Result {
			ctx := agent.InConversation(t.Context(), conversation, turn)
			r, err := b.pipeline.Run(ctx, search.Request{Query: query}, nil)
			if err != nil {
				t.Fatal(err)
			}
			return r
		},
	} {
		conversation := uuid.NewString()
		if name == "its own ID" {
			conversation = search.NewSession
		}
		first := ask(conversation, "1", "sunglasses for men")
		if name == "its own ID" {
			conversation = first.Session
		}
		cheaper := ask(conversation, "2", "cheaper")
		again := ask(conversation, "2", "cheaper")
		if cheaper.Count == 0 || !slices.Equal(idsOf(again), idsOf(cheaper)) || again.Summary != cheaper.Summary || len(again.Warnings) > 0 {
			t.Errorf("%s: cheaper again: %s, %q; want %s", name, again.Summary, again.Warnings, cheaper.Summary)
		}
		black := ask(conversation, "3", "in black")
		if again := ask(conversation, "2", "cheaper"); !slices.Equal(idsOf(again), idsOf(cheaper)) || len(again.Warnings) > 0 {
			t.Errorf("%s: cheaper again after another: %s, %q; want %s", name, again.Summary, again.Warnings, cheaper.Summary)
		}
		if first := ask(conversation, "1", "sunglasses for men"); !slices.Equal(idsOf(ask(conversation, "3", "in black")), idsOf(black)) || len(first.Warnings) > 0 {
			t.Errorf("%s: the first again: %s, %q; want that the last one stays", name, first.Summary, first.Warnings)
		}
		found, err := b.config.Sessions.Find(t.Context(), "", first.Session)
		if err != nil || len(found.Messages) != 6 {
			t.Errorf("%s: the conversation has %d messages, %v; want 6: %+v", name, len(found.Messages), err, found.Messages)
		}
		if cheapest := ask(conversation, "4", "cheaper"); len(cheapest.Products) > 0 && slices.Contains(idsOf(black), cheapest.Products[0].ProductID) {
			t.Errorf("%s: cheaper with another ID: %s, want cheaper ones than %s", name, cheapest.Summary, black.Summary)
		}
		if other := ask(conversation, "2", "in black"); other.ExtractedAttributes.Color != "black" {
			t.Errorf("%s: other words with the same ID: %s", name, other.Summary)
		}
	}
}

// The next of a search is refused by another of the same words: its products would begin at a place
// of the former.
func TestNextOfAnotherTurn(t *testing.T) {
	b := eyewear(t)
	two := 2
	for _, query := range []string{"more expensive ones please", "show me others"} {
		first := b.search(search.Request{Query: "sunglasses for women", Session: search.NewSession, Limit: &two})
		say := func(query, after string) (search.Result, error) {
			return b.pipeline.Run(t.Context(), search.Request{Query: query, Session: first.Session, After: after, Limit: &two}, nil)
		}
		before, err := say(query, "")
		if err != nil || before.Next == "" {
			t.Fatalf("%s: %v, %v", query, namesOf(before), err)
		}
		if _, err := say("", before.Next); err != nil {
			t.Errorf("%s: its own next: %v", query, err)
		}
		if _, err := say(query, ""); err != nil {
			t.Fatal(err)
		}
		var input *search.InputError
		if r, err := say("", before.Next); !errors.As(err, &input) || input.Field != "after" {
			t.Errorf("%s: the next of the turn before: %v, %v; want it refused", query, namesOf(r), err)
		}
	}
}

// What a search has found that was asked before the last one and answered after it takes no part in
// the conversation, and neither does one whose client has left.
func TestTurnsAtOnce(t *testing.T) {
	b := eyewear(t)
	first := b.search(search.Request{Query: "sunglasses for men", Session: search.NewSession})
	b.Gemini.SetFaults(emulated.Fault{Type: emulated.Latency, Kind: answers.KindIntent, Delay: 800 * time.Millisecond, Times: 1})
	var slow search.Result
	var group sync.WaitGroup
	group.Go(func() { slow = b.search(search.Request{Query: "glasses for women in red", Session: first.Session}) })
	time.Sleep(300 * time.Millisecond) // a call is recorded when it ends
	last := b.search(search.Request{Query: "black frames for men please", Session: first.Session})
	group.Wait()
	if slow.Count == 0 || !slices.Contains(slow.Warnings, search.WarnNotKept) || slices.Contains(last.Warnings, search.WarnNotKept) {
		t.Errorf("asked before and answered after: %s %q; the last: %s %q; want %s of the former alone", slow.Summary, slow.Warnings, last.Summary, last.Warnings, search.WarnNotKept)
	}
	follows := func(when string) {
		t.Helper()
		sorted := b.search(search.Request{Session: first.Session, After: "0", Sort: search.PriceUp})
		second := b.search(search.Request{Query: "tell me more about the second", Session: first.Session})
		if sorted.ExtractedAttributes.Color != "black" || second.Result.Product == nil || second.Result.Product.ProductID != sorted.Products[1].ProductID {
			t.Errorf("%s: in another order %s, the second %+v; want what follows %s", when, sorted.Summary, second.Result.Product, last.Summary)
		}
	}
	follows("answered after it")
	ctx, leave := context.WithCancel(t.Context())
	_, err := b.pipeline.Run(ctx, search.Request{Query: "red glasses for women", Session: first.Session}, func(e *agent.Event) {
		if e.Author == "format_response" && e.Kind == agent.Finished {
			leave()
		}
	})
	if ctx.Err() == nil {
		t.Fatalf("the client has not left: %v", err)
	}
	follows("whose client has left")
}

// "Others" are none that were shown before, however often they are asked for and however many are
// shown at once, until there are no more of what is wanted.
func TestOthersEnd(t *testing.T) {
	b := eyewear(t)
	for _, limit := range []int{3, 20} {
		first := b.search(search.Request{Query: "sunglasses for women", Session: search.NewSession, Limit: &limit})
		seen, turns := idsOf(first), 0
		for r := first; len(r.Relaxed) == 0; turns++ {
			if r = b.search(search.Request{Query: "show me others", Session: first.Session, Limit: &limit}); turns > 30 {
				t.Fatalf("%d at once: others for ever", limit)
			}
			for _, p := range r.Products {
				if slices.Contains(seen, p.ProductID) {
					t.Errorf("%d at once: %s is no other after %d turns", limit, p.Name, turns+1)
				}
			}
			seen = append(seen, idsOf(r)...)
		}
		all := 50
		if r := b.search(search.Request{Query: "sunglasses for women", Limit: &all}); slices.ContainsFunc(idsOf(r), func(id string) bool { return !slices.Contains(seen, id) }) {
			t.Errorf("%d at once: %d products in %d turns, want all of %q", limit, len(seen), turns, namesOf(r))
		}
	}
}

// A search by a picture or a product stays one as long as it goes on in words, and ends with other
// words. Of a picture nothing is kept.
func TestGoesOnBehindAPicture(t *testing.T) {
	b := eyewear(t)
	five := 5
	for name, req := range map[string]search.Request{
		"a picture": {Image: frameOf(t, "EW-1156").PNG()}, "a product": {Like: b.id("EW-1001")}, "a picture and words": {Query: "sunglasses for women", Image: frameOf(t, "EW-1156").PNG()},
	} {
		req.Session, req.Limit = search.NewSession, &five
		first := b.search(req)
		least := slices.MinFunc(first.Products, func(x, y search.Hit) int { return int(x.Amount - y.Amount) }).Amount
		bounded := req
		bounded.Session, bounded.Price = "", &search.PriceRange{Max: least - 1, Currency: "VND"}
		want := b.search(bounded)
		cheaper := b.search(search.Request{Query: "cheaper", Session: first.Session, Limit: &five})
		if cheaper.Count == 0 || cheaper.Products[0].Image == nil || !slices.Contains(idsOf(cheaper), want.Products[0].ProductID) {
			t.Errorf("%s: cheaper: %q by %s, want %q", name, namesOf(cheaper), cheaper.SearchType, namesOf(want))
		}
		for _, h := range cheaper.Products {
			if why := strings.Join(h.Why, "; "); strings.Contains(why, "like the words") || strings.Contains(why, "chosen") != (req.Like != "") {
				t.Errorf("%s: %s is there as %q, want that no more is said than is so", name, h.Name, why)
			}
		}
		for _, query := range []string{"in black", "show me others"} {
			if r := b.search(search.Request{Query: query, Session: first.Session, Limit: &five}); r.Count > 0 && r.Products[0].Image == nil {
				t.Errorf("%s: %s: %q by %q, want them by looks", name, query, namesOf(r), r.SearchType)
			}
		}
		sorted := b.search(search.Request{Session: first.Session, After: "0", Sort: search.PriceUp, Limit: &five})
		if sorted.Count > 0 && sorted.Products[0].Image == nil {
			t.Errorf("%s: in another order: %q by %q, want them by looks", name, namesOf(sorted), sorted.SearchType)
		}
		if r := b.search(search.Request{Query: "forget that, cat-eye frames please", Session: first.Session}); r.SearchType != search.ByText {
			t.Errorf("%s: other words: by %q", name, r.SearchType)
		}
	}
}

package search_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/whatis/emulators/answers"
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

// A search without words in a conversation, by a product, a picture or filters, has further pages of
// its own, and begins anew without the words before. A question about what was shown changes neither.
func TestConversationWithoutWords(t *testing.T) {
	b := eyewear(t)
	two := 2
	words := search.Request{Query: "sunglasses for men", Session: search.NewSession, Limit: &two}
	for name, req := range map[string]search.Request{
		"a product": {Like: b.id("EW-1156"), Limit: &two},
		"a picture": {Image: frameOf(t, "EW-1156").PNG(), Limit: &two},
		"filters":   {Filters: map[string]string{"gender": "women"}, Limit: &two},
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
		if _, err := b.pipeline.Run(t.Context(), search.Request{Query: "cheaper", Session: id}, nil); !errors.Is(err, session.ErrNotFound) {
			t.Errorf("the session %s of another: %v, want ErrNotFound", id, err)
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
	}{{"", strings.Repeat("a", 36), true}, {"", "s1", false}, {"anna", "s1", true}} {
		b.caller = test.caller
		ctx := agent.InConversation(t.Context(), test.around)
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

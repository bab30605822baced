package search

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	adksession "google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/session"
	"example.com/whatis/internal/store"
)

// NewSession is the session of a request that begins a conversation.
const NewSession = session.Begin

// Bounds of what a conversation keeps.
const (
	keptTurns = 4
	keptShown = 12   // products that the model is told
	keptSeen  = 200  // IDs of products that were shown, or are not to be shown again
	keptAsked = 3    // queries
	keptBytes = 8000 // of a reading
)

// A turn is what a conversation keeps of one search: by it the next is understood. Of products it
// keeps IDs: names, prices and stock are read again.
type turn struct {
	ID      string        `json:"id"`     // says whether a search was sent again
	Search  string        `json:"search"` // the ID of the turn that searched: a question about what was shown does not
	Shop    string        `json:"shop"`
	Asked   []string      `json:"asked"`   // the last queries, oldest first
	Query   string        `json:"query"`   // of the search that Reading is of; "" had no words
	Reading Understanding `json:"reading"` // of the last, and of what still held of those before
	Shown   []string      `json:"shown"`   // product IDs, in their order
	// Like is the ID of the product that was searched by, or of the nearest to a picture that was:
	// it stands for the picture, of which nothing is kept.
	Like   string   `json:"like,omitempty"`
	Except []string `json:"except,omitempty"`
}

// turnsKey is the place of the last turns in the state of a session, oldest first.
const turnsKey = "_search"

// A talk is the conversation that a request belongs to, up to the turn that the request follows.
// That is the last one, or if the request is a turn that was sent again, the one before that.
type talk struct {
	session adksession.Session
	id      string // of this turn
	search  string // the ID of the turn that searches: of this, or of the one whose products go on
	turns   []turn
	again   bool              // this turn is in the conversation already
	passed  bool              // and others have followed it
	memory  turn              // of the turn before, if it was in this shop
	before  bool              // something was searched before, in this shop
	shown   []catalog.Product // by the search before, the first of those that there still are
}

// converse opens the conversation of a request: the one that it names, or else the one that
// its protocol has around it. Without either there is none.
func (p *Pipeline) converse(ctx context.Context, s *state) error {
	around, message, is := agent.Conversation(ctx)
	switch {
	case s.Session == "" && !is:
		return nil
	case p.Sessions == nil && s.Session == "":
		return nil
	case p.Sessions == nil:
		return wrong("session", "no conversations are kept here: leave it out")
	}
	owner := ""
	if p.Owner != nil {
		owner = p.Owner(ctx)
	}
	opened, err := p.Sessions.Open(ctx, session.Opening{App: p.agent.Name, ID: s.Session, Around: around, Owner: owner})
	if err != nil || opened == nil {
		return err
	}
	s.talk = &talk{session: opened, id: session.NewID()}
	if sent := cmp.Or(s.Turn, message); sent != "" {
		s.talk.id = store.HashID(sent, s.query, s.After) // clients may give all they send one ID
	}
	s.talk.search = s.talk.id
	return p.recall(ctx, s)
}

// recall reads what was searched for and shown before. A conversation that goes on in another
// shop begins anew there.
func (p *Pipeline) recall(ctx context.Context, s *state) error {
	t := s.talk
	if kept, err := t.session.State().Get(turnsKey); err == nil {
		data, _ := json.Marshal(kept) // which was JSON
		if err := json.Unmarshal(data, &t.turns); err != nil {
			slog.WarnContext(ctx, "search: a conversation of another version begins anew", "error", err)
			t.turns = nil
		}
	} else if !errors.Is(err, adksession.ErrStateKeyNotExist) {
		return fmt.Errorf("search: %w", err)
	}
	if len(t.turns) == 0 {
		t.turns = []turn{{}} // before the first
	}
	if i := slices.IndexFunc(t.turns, func(one turn) bool { return one.ID == t.id }); i > 0 {
		t.again, t.passed, t.turns = true, i < len(t.turns)-1, t.turns[:i]
	}
	m := t.turns[len(t.turns)-1]
	if m.Shop != s.Shop {
		return nil
	}
	t.memory, t.before = m, true
	first := m.Shown[:min(len(m.Shown), keptShown)]
	there, err := s.shop.index.ByIDs(ctx, s.Shop, first...)
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	t.memory.Shown = nil
	for _, id := range first {
		if i := slices.IndexFunc(there, func(product catalog.Product) bool { return product.ID == id }); i >= 0 {
			t.shown, t.memory.Shown = append(t.shown, there[i]), append(t.memory.Shown, id)
		}
	}
	t.memory.Shown = append(t.memory.Shown, m.Shown[len(first):]...)
	return nil
}

// follows reports whether the request is part of a conversation in which something was
// searched for.
func (s *state) follows() bool { return s.talk != nil && s.talk.before }

// before describes to the model what was searched for and shown; "" if nothing was.
func (s *state) before() string {
	if !s.follows() {
		return ""
	}
	lines := []string{}
	for i, product := range s.talk.shown {
		line := fmt.Sprintf("%d. %s", i+1, product.ProductName)
		for _, facet := range sortedKeys(product.Values()) {
			line += "; " + facet + " " + strings.Join(product.ValuesOf(facet), ", ")
		}
		if price := product.Price.Plain(); price != "" {
			line += "; price " + price
		}
		lines = append(lines, line)
	}
	data, _ := json.Marshal(struct {
		Asked  []string      `json:"asked"`
		Wanted Understanding `json:"wanted"`
		Shown  []string      `json:"shown"`
	}{s.talk.memory.Asked, s.talk.memory.Reading, lines})
	return string(data)
}

// A Reference is how a query speaks of products that were shown before.
type Reference string

// The references.
const (
	ToThese   Reference = "these"   // it is about them
	ToLike    Reference = "like"    // something like the first of them is wanted
	ToCheaper Reference = "cheaper" // than each of them
	ToDearer  Reference = "dearer"
	ToOthers  Reference = "others" // anything but them
	ToSame    Reference = "same"   // what was wanted is, with something added or changed
)

// refer does what a query says of what was wanted and shown before: the model says of which, and
// the prices are the shop's. As long as the same search goes on, it is by the same product or
// picture, and without the products that were not wanted.
func (p *Pipeline) refer(ctx context.Context, s *state, u Understanding) (err error) {
	if !s.follows() || u.Reference == none || u.Reference == "" {
		return nil
	}
	var spoken []catalog.Product
	for _, n := range u.Shown {
		if n >= 1 && n <= len(s.talk.shown) {
			spoken = append(spoken, s.talk.shown[n-1])
		}
	}
	all := spoken
	if len(all) == 0 {
		all, spoken = s.talk.shown, s.talk.shown[:min(len(s.talk.shown), 1)]
	}
	if u.Reference == ToThese {
		s.these = s.meeting(u, spoken)
		return nil
	}
	s.except = append(s.except, s.talk.memory.Except...)
	switch {
	case u.Reference == ToLike && len(spoken) > 0:
		s.except = append(s.except, spoken[0].ID)
		return p.likeShown(ctx, s, spoken[0].ID)
	case u.Reference == ToCheaper || u.Reference == ToDearer:
		s.beyond(all, u.Reference == ToCheaper)
	case u.Reference == ToOthers && len(u.Shown) == 0:
		s.except = append(s.except, s.talk.memory.Shown...)
	case u.Reference == ToOthers:
		for _, product := range all {
			s.except = append(s.except, product.ID)
		}
	}
	return p.stillLike(ctx, s)
}

// meeting returns those of products that were shown, or else of all that were, which are what a question
// about them says that was not wanted before: the purple one. If none is, those are asked about of which the
// model says which they are, or else other products.
func (s *state) meeting(u Understanding, spoken []catalog.Product) []catalog.Product {
	of := *s
	of.relaxed, of.recommended, of.want = nil, nil, wanted{is: map[string][]string{}}
	for _, one := range u.Wanted {
		code, ok := s.shop.vocabulary.Code(one.Facet, one.Value)
		if ok && !slices.Contains(s.talk.memory.Reading.Wanted, one) {
			of.want.is[one.Facet] = append(of.want.is[one.Facet], code)
		}
	}
	if len(of.want.is) == 0 {
		return spoken
	}
	for _, among := range [][]catalog.Product{spoken, s.talk.shown} {
		among = slices.DeleteFunc(slices.Clone(among), func(p catalog.Product) bool {
			_, fails := failed(of.conditions(), p)
			return fails
		})
		if len(among) > 0 {
			return among
		}
	}
	if len(u.Shown) > 0 {
		return spoken
	}
	return nil
}

// stillLike makes the search one for more like what it was by before, unless it has a picture or a
// product of its own.
func (p *Pipeline) stillLike(ctx context.Context, s *state) error {
	if s.talk.memory.Like == "" || s.pictured {
		return nil
	}
	return p.likeShown(ctx, s, s.talk.memory.Like)
}

// likeShown makes the search one for more like a product.
func (p *Pipeline) likeShown(ctx context.Context, s *state, id string) error {
	like, err := s.productOf(ctx, id)
	if err != nil || like == nil { // sold meanwhile
		return err
	}
	s.like, s.pictured, s.likeBefore = like, true, true
	return s.readVectors(ctx)
}

// beyond bounds the price by those of products: below the least, or above the most, in each of their
// currencies.
func (s *state) beyond(products []catalog.Product, below bool) {
	bounds := map[string]catalog.Price{}
	for _, product := range products {
		bound, has := bounds[product.Currency]
		order, ok := product.Price.Compare(bound)
		if product.Price.Known() && !has || ok && (order < 0) == below {
			bounds[product.Currency] = product.Price
		}
	}
	if len(bounds) == 0 {
		return
	}
	before := s.want.prices
	s.want.prices = nil
	for _, currency := range sortedKeys(bounds) {
		price, beyond := PriceRange{}, PriceRange.Over
		if below {
			beyond = PriceRange.Under
		}
		if i := slices.IndexFunc(before, func(r PriceRange) bool { return r.Currency == "" || r.Currency == currency }); i >= 0 {
			price = before[i]
		}
		s.want.prices = append(s.want.prices, beyond(price, bounds[currency]))
	}
}

// goesOn reads a request for further products of the last search, or for the same in another
// order or with other filters: what was wanted is what is wanted, without a model call.
func (p *Pipeline) goesOn(ctx context.Context, s *state) (err error) {
	m := s.talk.memory
	s.query, s.talk.search = m.Query, m.Search
	if err := s.resumes(); err != nil {
		return err
	}
	s.understanding, s.intent = m.Reading, m.Reading.Intent
	s.speaks(cmp.Or(m.Reading.Lang, s.reading.Lang))
	if s.want, err = p.byModel(ctx, s, m.Reading); err != nil {
		return err
	}
	s.except = m.Except
	return p.stillLike(ctx, s)
}

// remember keeps what was wanted and shown for the next search of the conversation. An answer
// about products that were shown leaves these as they are: "the second" stays the second.
func (p *Pipeline) remember(ctx context.Context, s *state) {
	if s.talk == nil {
		return
	}
	m := s.talk.memory
	m.ID, m.Shop = s.talk.id, s.Shop
	if s.query != "" && s.After == "" {
		m.Asked = append(slices.Clip(m.Asked), s.query)
		m.Asked = m.Asked[max(0, len(m.Asked)-keptAsked):]
	}
	if s.route.searches && len(s.these) == 0 {
		if s.After == "" {
			m.Search, m.Query, m.Reading, m.Like = s.talk.id, s.query, s.settled(), s.searchedBy()
			m.Except = s.except[max(0, len(s.except)-keptSeen):]
		}
		if s.offset == 0 {
			m.Shown = nil
		}
		for _, c := range s.results {
			m.Shown = append(m.Shown, c.ID)
		}
		m.Shown = m.Shown[:min(len(m.Shown), keptSeen)]
	}
	if err := p.keep(ctx, s, m); err != nil {
		slog.WarnContext(ctx, "search: the conversation does not keep this search", "error", err)
		s.warn(WarnNotKept)
	}
	s.response.Session = s.talk.session.ID()
}

// searchedBy returns the ID of the product that the search was by, or of the nearest to its
// picture; "" if it was by words alone, or by a picture of something else.
func (s *state) searchedBy() string {
	switch {
	case s.like != nil:
		return s.like.ID
	case s.picture == nil || s.imageVector == nil || slices.Contains(s.warnings, WarnIrrelevantImage) || len(s.results) == 0:
		return ""
	}
	nearest := slices.MaxFunc(s.results, func(a, b candidate) int { return cmp.Compare(a.scores[1], b.scores[1]) })
	return nearest.ID
}

// keep appends what was asked, and what was answered, to the conversation, unless that has gone
// on since this search has read it: what this one has found would take the place of what came
// later. A turn that was sent again is not said again.
func (p *Pipeline) keep(ctx context.Context, s *state, m turn) error {
	if s.talk.passed {
		return nil
	}
	said := func(author, text string) *adksession.Event {
		e := adksession.NewEvent(ctx, session.NewID())
		e.Author = author
		if !s.talk.again {
			e.Content = genai.NewContentFromText(text, genai.RoleUser)
		}
		return e
	}
	turns := append(slices.Clip(s.talk.turns), m)
	answered := said(p.agent.Name, s.response.Summary)
	answered.Actions.StateDelta = map[string]any{turnsKey: turns[max(0, len(turns)-keptTurns):]}
	if s.query == "" || s.After != "" || s.talk.again {
		return p.Sessions.AppendIfUnchanged(ctx, s.talk.session, answered)
	}
	return p.Sessions.AppendIfUnchanged(ctx, s.talk.session, said(genai.RoleUser, s.query), answered)
}

// settled returns the reading of the query as one that needs nothing before it: with the
// bounds that products shown before have given it.
func (s *state) settled() Understanding {
	u := s.understanding
	if u.Intent == "" {
		u = hintOf(s.reading)
	}
	u.Reference, u.Shown = "", nil
	u.Ranges = append(boundsOf(slices.DeleteFunc(slices.Clone(s.said.prices), s.foreign)...), s.said.ranges...)
	if data, err := json.Marshal(u); err != nil || len(data) > keptBytes {
		return hintOf(s.reading)
	}
	return u
}

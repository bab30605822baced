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
const NewSession = "new"

// Bounds of what a conversation keeps.
const (
	keptShown  = 12   // products
	keptAsked  = 3    // queries
	keptExcept = 50   // products that are not to be shown again
	keptBytes  = 8000 // of a reading
)

// A memory is what a conversation keeps of its last search. Of products it keeps IDs: names,
// prices and stock are read again.
type memory struct {
	Shop    string        `json:"shop"`
	Asked   []string      `json:"asked"`   // the last queries, oldest first
	Query   string        `json:"query"`   // of the search that Reading is of; "" had no words
	Reading Understanding `json:"reading"` // of the last, and of what still held of those before
	Shown   []string      `json:"shown"`   // product IDs, in their order
	Like    string        `json:"like,omitempty"`
	Except  []string      `json:"except,omitempty"`
}

// memoryKey is its place in the state of a session.
const memoryKey = "_search"

// A talk is the conversation that a request belongs to.
type talk struct {
	session adksession.Session
	memory  memory
	before  bool              // something was searched before, in this shop
	shown   []catalog.Product // by the search before, those that there still are
}

// converse opens the conversation of a request: the one that it names, or else the one that
// its protocol has around it. Without either there is none.
func (p *Pipeline) converse(ctx context.Context, s *state) error {
	around, is := agent.Conversation(ctx)
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
	opened, err := p.open(ctx, s.Session, around, owner)
	if err != nil || opened == nil {
		return err
	}
	s.talk = &talk{session: opened}
	return p.recall(ctx, s)
}

// leastAround is the length from which IDs of conversations that callers choose are taken for
// unguessable: those of callers without a name belong to whoever knows them.
const leastAround = 16

// open returns a session: a new one, the one with an ID, or the one for a conversation of a
// protocol, which begins with its first search. The latter is nil if it could be anybody's.
func (p *Pipeline) open(ctx context.Context, id, around, owner string) (adksession.Session, error) {
	name := p.agent.Name
	create := func(id string) (adksession.Session, error) {
		made, err := p.Sessions.Create(ctx, &adksession.CreateRequest{AppName: name, UserID: session.User(owner, id), SessionID: id})
		if err != nil {
			return nil, err
		}
		return made.Session, nil
	}
	switch {
	case id == NewSession:
		return create(session.NewID())
	case id != "":
	case owner == "" && len(around) < leastAround:
		return nil, nil
	default:
		id = store.HashID("conversation", owner, around)
	}
	there, err := p.Sessions.Get(ctx, &adksession.GetRequest{AppName: name, UserID: session.User(owner, id), SessionID: id, NumRecentEvents: 1})
	if errors.Is(err, session.ErrNotFound) && around != "" {
		return create(id)
	}
	if err != nil {
		return nil, err
	}
	return there.Session, nil
}

// recall reads what was searched for and shown before. A conversation that goes on in another
// shop begins anew there.
func (p *Pipeline) recall(ctx context.Context, s *state) error {
	kept, err := s.talk.session.State().Get(memoryKey)
	if errors.Is(err, adksession.ErrStateKeyNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	var m memory
	data, err := json.Marshal(kept)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil || m.Shop != s.Shop {
		return err
	}
	s.talk.memory, s.talk.before = m, true
	there, err := p.Catalog.ByIDs(ctx, m.Shown)
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	s.talk.memory.Shown = nil
	for _, id := range m.Shown {
		if product, ok := there[id]; ok && !product.NotForSale {
			s.talk.shown, s.talk.memory.Shown = append(s.talk.shown, product), append(s.talk.memory.Shown, id)
		}
	}
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
)

// refer does what a query says of products that were shown: the model says of which, and the
// prices are the shop's.
func (p *Pipeline) refer(ctx context.Context, s *state, u Understanding) (err error) {
	if !s.follows() || u.Reference == none || u.Reference == "" || len(s.talk.shown) == 0 {
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
		all, spoken = s.talk.shown, s.talk.shown[:1]
	}
	switch u.Reference {
	case ToThese:
		s.these = spoken
	case ToLike:
		return p.likeShown(ctx, s, spoken[0].ID)
	case ToCheaper, ToDearer:
		s.beyond(all, u.Reference == ToCheaper)
	case ToOthers:
		for _, product := range all {
			s.except = append(s.except, product.ID)
		}
		s.except = s.except[max(0, len(s.except)-keptExcept):]
	}
	return nil
}

// likeShown makes the search one for more like a product.
func (p *Pipeline) likeShown(ctx context.Context, s *state, id string) error {
	product, err := p.Catalog.WithVectors(ctx, s.Shop, id)
	if errors.Is(err, catalog.ErrNotFound) { // sold meanwhile
		return nil
	}
	if err == nil {
		s.like, s.pictured, s.likeBefore = &product, true, true
	}
	return err
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
	s.query = m.Query
	if err := s.resumes(); err != nil {
		return err
	}
	s.understanding, s.intent = m.Reading, m.Reading.Intent
	s.speaks(cmp.Or(m.Reading.Lang, s.reading.Lang))
	if s.want, err = p.byModel(ctx, s, m.Reading); err != nil {
		return err
	}
	s.except = m.Except
	if m.Like != "" {
		return p.likeShown(ctx, s, m.Like)
	}
	return nil
}

// remember keeps what was wanted and shown for the next search of the conversation. An answer
// about products that were shown leaves these as they are: "the second" stays the second.
func (p *Pipeline) remember(ctx context.Context, s *state) {
	if s.talk == nil {
		return
	}
	m := s.talk.memory
	m.Shop = s.Shop
	if s.query != "" && s.After == "" {
		m.Asked = append(m.Asked, s.query)
		m.Asked = m.Asked[max(0, len(m.Asked)-keptAsked):]
	}
	if s.route.searches && len(s.these) == 0 {
		if s.After == "" {
			m.Query, m.Reading, m.Except, m.Like = s.query, s.settled(), s.except, ""
			if s.likeBefore {
				m.Like = s.like.ID
			}
		}
		if s.offset == 0 {
			m.Shown = nil
		}
		for _, c := range s.results {
			m.Shown = append(m.Shown, c.ID)
		}
		m.Shown = m.Shown[:min(len(m.Shown), keptShown)]
	}
	if err := p.keep(ctx, s, m); err != nil {
		slog.WarnContext(ctx, "search: the conversation does not keep this search", "error", err)
		s.warn(WarnNotKept)
	}
	s.response.Session = s.talk.session.ID()
}

// keep appends what was asked, and what was answered, to the conversation.
func (p *Pipeline) keep(ctx context.Context, s *state, m memory) error {
	said := func(author, text string) *adksession.Event {
		e := adksession.NewEvent(ctx, session.NewID())
		e.Author = author
		e.Content = genai.NewContentFromText(text, genai.RoleUser)
		return e
	}
	if s.query != "" && s.After == "" {
		if err := p.Sessions.AppendEvent(ctx, s.talk.session, said(genai.RoleUser, s.query)); err != nil {
			return err
		}
	}
	answered := said(p.agent.Name, s.response.Summary)
	answered.Actions.StateDelta = map[string]any{memoryKey: m}
	return p.Sessions.AppendEvent(ctx, s.talk.session, answered)
}

// settled returns the reading of the query as one that needs nothing before it: with the
// bounds that products shown before have given it.
func (s *state) settled() Understanding {
	u := s.understanding
	if u.Intent == "" {
		u = hintOf(s.reading)
	}
	u.Reference, u.Shown = none, []int{}
	u.Ranges = append(boundsOf(slices.DeleteFunc(slices.Clone(s.said.prices), s.foreign)...), s.said.ranges...)
	if data, err := json.Marshal(u); err != nil || len(data) > keptBytes {
		return hintOf(s.reading)
	}
	return u
}

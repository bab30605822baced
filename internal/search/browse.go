package search

import (
	"context"
	"fmt"
	"slices"

	"example.com/whatis/internal/catalog"
)

// Bounds of what is read for a page of an order.
const (
	firstInOrder  = 100  // products are read in their order before filters that are rare are read by values
	pageOfOrder   = 300  // products in a query
	maxInOrder    = 3000 // products are read for a page
	maxOfAWindow  = 1000 // of these by their values
	firstWindow   = 1.2  // the ratio of the highest to the lowest price in the first window
	widerEachTime = 3    // is a query than the one before
)

// browses reports whether all that meets the conditions comes in an order of Firestore: by its
// price, or the newest first where there is nothing to be relevant to. With words that are
// searched by meaning, only the nearest are sorted: what is cheapest would hardly be meant.
func (s *state) browses() bool {
	switch {
	case s.searchType() == ByNothing:
		return true
	case s.want.sort == "" || s.want.sort == ByRelevance:
		return false
	}
	return !s.compares()
}

// compares reports whether the request has something that products are compared with by
// meaning or by looks.
func (s *state) compares() bool {
	return len(s.want.words) > 0 || s.pictured
}

// order returns the order in which products are browsed.
func (s *state) browseOrder() catalog.Order {
	switch s.want.sort {
	case PriceUp:
		return catalog.Cheapest
	case PriceDown:
		return catalog.Dearest
	}
	return catalog.Newest
}

// A part of an answer comes before the next as a whole.
type part struct {
	name   string
	order  catalog.Order
	offers []catalog.Offer            // of which products have one
	span   PriceRange                 // of the shop's prices, or of those that are asked for
	asked  bool                       // its ends are asked for
	is     func(catalog.Product) bool // besides
}

// has reports whether a product is in the part.
func (of part) has(p catalog.Product) bool {
	return slices.Contains(of.offers, p.Offer()) && of.is(p)
}

// parts returns the parts of an answer in their order: what is not sold out, then what is. Of
// either, what is preferred comes first; by price, then one currency after the other, that of
// most products first, and at last what has no price, the newest first.
func (s *state) parts() (all []part) {
	order := s.browseOrder()
	for _, soldOut := range []bool{false, true} {
		for _, preferred := range s.preference() {
			add := func(order catalog.Order, span PriceRange, currencies ...string) {
				of := part{name: fmt.Sprintf("%s %s %v %v", order, span.Currency, soldOut, preferred), order: order, span: span, asked: len(s.priced()) > 0}
				for _, currency := range currencies {
					of.offers = append(of.offers, catalog.Offer{SoldOut: soldOut, Currency: currency})
				}
				of.is = func(p catalog.Product) bool { return s.prefers(p) == preferred }
				all = append(all, of)
			}
			if order == catalog.Newest {
				add(order, PriceRange{}, append([]string{""}, s.shop.currencies...)...)
				continue
			}
			for _, span := range s.spans() {
				add(order, span, span.Currency)
			}
			if len(s.priced()) == 0 {
				add(catalog.Newest, PriceRange{}, "")
			}
		}
	}
	return all
}

// preference returns the values of prefers that parts are made for.
func (s *state) preference() []bool {
	if len(s.want.preferred) == 0 {
		return []bool{false}
	}
	return []bool{true, false}
}

// A walk reads one page of an order.
type walk struct {
	pipeline *Pipeline
	*state
	conditions []condition
	parts      []part
	found      []candidate
	parted     []string // the part of each of found, "" of those that are named
	seen       map[string]bool
	named      map[catalog.Key]bool // variant keys of what is named
	read       int
	rare       bool // what is wanted is read by its values, in each part
	short      bool // it ended before the page was full or all was read
	at         place
}

// browse returns the products of a page, in an order whose pages have each product once, and
// sets the place behind it. What the request names comes first. A page is short if too many
// products would have to be read for it.
func (p *Pipeline) browse(ctx context.Context, s *state, conditions []condition) ([]candidate, error) {
	w := &walk{pipeline: p, state: s, conditions: conditions, parts: s.parts(), seen: map[string]bool{}, named: map[catalog.Key]bool{}, at: s.place}
	named := s.withExact(s.withWorded(nil))
	s.order(named)
	for _, c := range s.grouped(named) {
		if c.exact == 0 && c.soldOut() {
			continue
		}
		w.add("", c)
		if key, ok := c.VariantKey(); ok {
			w.named[key] = true
		}
	}
	w.found, w.parted = w.found[min(len(w.found), s.offset):], w.parted[min(len(w.parted), s.offset):]
	for _, id := range s.except {
		w.seen[id] = true
	}
	if s.searchType() == ByNothing && (s.query != "" || s.pictured) && !p.filterQuery(s, conditions).Selects() {
		return w.page(), nil // a picture of something else, and nothing that says what is wanted
	}
	begin := 0
	if s.place.Part != "" {
		if begin = slices.IndexFunc(w.parts, func(of part) bool { return of.name == s.place.Part }); begin < 0 {
			return nil, errAfter
		}
	}
	for i, of := range w.parts[begin:] {
		if i > 0 || s.place.Part == "" {
			w.at.Part, w.at.Place = of.name, catalog.Place{}
		}
		if err := w.through(ctx, of); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		if w.full() || w.short {
			break
		}
	}
	return w.page(), nil
}

// page returns the products of the page, and sets where the next begins.
func (w *walk) page() []candidate {
	w.exhausted, w.next = !w.short, ""
	n := min(len(w.found), w.limit)
	next := place{Relaxed: w.relaxed, Seen: w.offset + n}
	switch {
	case len(w.found) > n && w.parted[n-1] == "": // what is named fills the page
	case len(w.found) > n:
		next.Part, next.Place = w.parted[n-1], w.found[n-1].Product.Place()
	case w.short:
		next.Part, next.Place = w.at.Part, w.at.Place
	default:
		return w.found
	}
	w.setNext(next)
	return w.found[:n]
}

// full reports whether the page is, and another product shows that there are more.
func (w *walk) full() bool { return len(w.found) > w.limit }

func (w *walk) add(part string, c candidate) {
	if !w.seen[c.ID] {
		w.seen[c.ID] = true
		w.found, w.parted = append(w.found, c), append(w.parted, part)
	}
}

// take adds the products of a part that meet the conditions, of the variants of a product the
// first of all.
func (w *walk) take(ctx context.Context, of part, products []catalog.Product) error {
	meeting := slices.DeleteFunc(slices.Clone(products), func(p catalog.Product) bool { return w.seen[p.ID] || !of.is(p) || !w.meets(p) })
	for len(meeting) > 0 && !w.full() {
		n := min(len(meeting), w.limit+1-len(w.found))
		first, err := w.firsts(ctx, of, meeting[:n])
		if err != nil {
			return err
		}
		for _, product := range first {
			w.add(of.name, candidate{Product: &product, bound: [2]bool{true, true}})
		}
		meeting = meeting[n:]
	}
	return nil
}

func (w *walk) meets(p catalog.Product) bool {
	_, fails := failed(w.conditions, p)
	return !fails
}

// firsts returns those of products, which are in a part, of which no variant is in the answer
// before them, on this page or one before.
func (w *walk) firsts(ctx context.Context, of part, products []catalog.Product) ([]catalog.Product, error) {
	if !w.listsOnce() {
		return products, nil
	}
	if err := w.pipeline.readVariants(ctx, w.state, products); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(products), func(p catalog.Product) bool {
		key, ok := p.VariantKey()
		return ok && (w.named[key] || slices.ContainsFunc(w.variants[key], func(other catalog.Product) bool { return w.before(other, p, of) }))
	}), nil
}

// before reports whether a product is in the answer, before one that is in a part.
func (w *walk) before(a, b catalog.Product, of part) bool {
	if slices.Contains(w.except, a.ID) || !w.meets(a) {
		return false
	}
	for _, one := range w.parts {
		switch {
		case one.name == of.name:
			return of.has(a) && of.order.Compare(a.Place(), b.Place()) < 0
		case one.has(a):
			return true
		}
	}
	return false
}

// through reads a part from w.at on until the page is full: in its order, and if what is wanted
// turns out to be rare, by its values.
func (w *walk) through(ctx context.Context, of part) error {
	by, tried := w.values(), false
	for limit := w.limit + 1 - len(w.found); !w.full(); limit = min(limit*widerEachTime, pageOfOrder) {
		if w.rare = w.rare || by.Selects() && w.read >= firstInOrder; w.rare && !tried {
			tried = true
			if all, err := w.byValues(ctx, of, by); all || err != nil {
				return err
			}
		}
		if w.short = w.read >= maxInOrder; w.short {
			return nil
		}
		if by.Selects() && !w.rare {
			limit = min(limit, firstInOrder-w.read)
		}
		if all, err := w.inOrder(ctx, of, limit); all || err != nil {
			return err
		}
	}
	return nil
}

// inOrder reads the next products of a part, and reports whether these were the last.
func (w *walk) inOrder(ctx context.Context, of part, limit int) (all bool, err error) {
	q := catalog.OrderedQuery{Shop: w.Shop, Space: w.pipeline.Space.ID(), Offers: of.offers, Order: of.order, After: w.at.Place, Limit: limit}
	if of.asked {
		q.Prices = of.span
	}
	page, err := w.pipeline.Catalog.Ordered(ctx, q)
	if err != nil {
		return false, err
	}
	w.read += len(page)
	if len(page) > 0 {
		w.at.Place = page[len(page)-1].Place()
	}
	return len(page) < limit, w.take(ctx, of, page)
}

// values returns the query for what is wanted, without the prices, which are in the order, and
// without what is unwanted, which products of no value are not either.
func (w *walk) values() catalog.FilterQuery {
	of := *w.state
	of.want.not, of.want.prices, of.want.chosen.price = nil, nil, PriceRange{}
	return w.pipeline.filterQuery(&of, w.conditions)
}

// byValues reads what is behind w.at by its values, in windows of prices that grow, until the
// page is full or all is read. It returns false if that would be too much: the order goes on
// behind what was found.
func (w *walk) byValues(ctx context.Context, of part, q catalog.FilterQuery) (all bool, err error) {
	rest, most := of.span, w.read+maxOfAWindow
	if w.at.ID != "" && of.order == catalog.Cheapest {
		rest = rest.From(w.at.Price)
	}
	if w.at.ID != "" && of.order == catalog.Dearest {
		rest = rest.Until(w.at.Price)
	}
	for width := firstWindow; !w.full(); width *= width {
		window := rest
		switch of.order {
		case catalog.Cheapest:
			window, rest = rest.Lowest(width)
		case catalog.Dearest:
			window, rest = rest.Highest(width)
		}
		q.Priced, q.Prices = of.order != catalog.Newest, []PriceRange{window}
		inside, done, err := w.window(ctx, of, q, most)
		if err != nil || !done {
			if n := len(w.found); n > 0 && w.parted[n-1] == of.name {
				w.at.Place = w.found[n-1].Product.Place()
			}
			return false, err
		}
		if err := w.take(ctx, of, inside); err != nil {
			return false, err
		}
		if rest.Min >= rest.Max { // of what has no price, too
			return true, nil
		}
	}
	return true, nil
}

// window returns the products of q in a part behind w.at, in their order, unless more than most
// would be read.
func (w *walk) window(ctx context.Context, of part, q catalog.FilterQuery, most int) (inside []catalog.Product, done bool, err error) {
	for q.Limit = pageOfRare; w.read < most; {
		page, err := w.pipeline.Catalog.Filtered(ctx, q)
		if err != nil {
			return nil, false, err
		}
		w.read += len(page)
		for _, product := range page {
			behind := w.at.ID == "" || of.order.Compare(w.at.Place, product.Place()) < 0
			within := !q.Priced || q.Prices[0].Holds(product.Price)
			if behind && within && of.has(product) {
				inside = append(inside, product)
			}
		}
		if len(page) < q.Limit {
			slices.SortFunc(inside, func(a, b catalog.Product) int { return of.order.Compare(a.Place(), b.Place()) })
			return inside, true, nil
		}
		q.After = page[len(page)-1].ID
	}
	return nil, false, nil
}

package catalog

import (
	"cmp"
	"context"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/money"
)

// An Offer is whether a product can be bought, and the currency of its price.
type Offer struct {
	SoldOut  bool   // OutOfStock
	Currency string // "" of one without a price
}

// key returns the key of an offer, by which products in an order are selected.
func (o Offer) key() string {
	available := "available"
	if o.SoldOut {
		available = "sold_out"
	}
	return strings.TrimSpace(available + " " + o.Currency)
}

// Offer returns that of p.
func (p Product) Offer() Offer {
	o := Offer{SoldOut: p.Availability == OutOfStock}
	if p.Price.Known() {
		o.Currency = p.Currency
	}
	return o
}

// offerKey returns the key of p's offer, "" of one that is not for sale.
func (p Product) offerKey() string {
	if !p.sold() {
		return ""
	}
	return p.Offer().key()
}

// An Order is how products for sale are ordered.
type Order string

// The orders. Equal products come by their IDs, in the same direction.
const (
	Cheapest Order = "price"
	Dearest  Order = "price_down"
	Newest   Order = "newest"
)

// field returns the field of an order, and its direction.
func (o Order) field() (string, firestore.Direction) {
	switch o {
	case Cheapest:
		return "price", firestore.Asc
	case Dearest:
		return "price", firestore.Desc
	}
	return "created_at", firestore.Desc
}

// Compare compares the places of two products in the order, which have prices in one currency.
func (o Order) Compare(a, b Place) int {
	switch o {
	case Cheapest:
		order, _ := a.Price.Compare(b.Price)
		return cmp.Or(order, strings.Compare(a.ID, b.ID))
	case Dearest:
		order, _ := b.Price.Compare(a.Price)
		return cmp.Or(order, strings.Compare(b.ID, a.ID))
	}
	return cmp.Or(b.At.Compare(a.At), strings.Compare(b.ID, a.ID))
}

// A Place is what orders compare of a product.
type Place struct {
	Price
	At time.Time `json:"at,omitzero"`
	ID string    `json:"id,omitempty"`
}

// Place returns that of p.
func (p Product) Place() Place { return Place{p.Price, p.CreatedAt, p.ID} }

// An OrderedQuery selects products for sale in an order.
type OrderedQuery struct {
	Shop, Space string
	Offers      []Offer // of which products have one; of one currency, where the order is by price
	Order       Order
	Prices      money.Range // in an order by them
	After       Place       // of the last product that was read; one without an ID begins
	Limit       int
}

// Ordered returns products of q in its order, with the fields that filters compare. Fewer than
// q.Limit are all there are. Each product that is returned costs a read, however many there are.
func (c *Catalog) Ordered(ctx context.Context, q OrderedQuery) ([]Product, error) {
	var offers []string
	for _, offer := range q.Offers {
		offers = append(offers, offer.key())
	}
	field, direction := q.Order.field()
	of := c.in(q.Shop, q.Space).Where("offer_key", "in", offers)
	if q.Prices.Min > 0 {
		of = of.Where(field, ">=", q.Prices.Min)
	}
	if q.Prices.Max > 0 {
		of = of.Where(field, "<=", q.Prices.Max)
	}
	of = of.OrderBy(field, direction).OrderBy(firestore.DocumentID, direction).Select(briefFields...).Limit(q.Limit)
	switch {
	case q.After.ID == "":
	case q.Order == Newest:
		of = of.StartAfter(q.After.At, q.After.ID)
	default:
		of = of.StartAfter(q.After.Amount, q.After.ID)
	}
	return c.query(ctx, of)
}

// CountPriced returns how many products for sale have a price in a currency. Firestore counts;
// no product is read.
func (c *Catalog) CountPriced(ctx context.Context, shop, space, currency string) (int64, error) {
	keys := []string{Offer{false, currency}.key(), Offer{true, currency}.key()}
	return c.counted(ctx, c.in(shop, space).Where("offer_key", "in", keys))
}

package catalog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/money"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
)

// shops is the Firestore collection of data about shops.
const shops = "shops"

// brandFacet is the facet of the folded brand.
const brandFacet = "brand"

// Limits of the values that are kept of a shop: of a facet with more, such as a serial
// number, only the first are offered to people; all of them are searched. Of values that are listed
// some may be removed again before others take their place.
const (
	MaxValues      = 300
	maxShopsFacets = 40
	maxListed      = 100 // characters: a longer value is a text, and nothing that people choose
	// A document of Firestore has 1 MiB at most. Values whose key and name have more than shortValue
	// bytes are listed until those of all facets have maxLongValues bytes; shorter ones, as numbers
	// are, always fit: with their counts and fields, all have less than a million bytes.
	shortValue    = 32
	maxLongValues = 300_000
)

// A ShopValue is a value that products of a shop have.
type ShopValue struct {
	Name  string `firestore:"name"`            // as a product spells it
	Count int64  `firestore:"count,omitempty"` // of products for sale, when they were counted last
}

// ShopValues are what the products of a shop have: values by facet and folded value, and
// prices by currency. Imports write them; no query of Firestore could list them.
type ShopValues struct {
	Values    map[string]map[string]ShopValue `firestore:"values,omitempty"`
	Prices    map[string]money.Range          `firestore:"prices,omitempty"` // the lowest and the highest
	CountedAt time.Time                       `firestore:"counted_at,omitempty"`
	// Uncounted is the import that has written products, or was about to, since the values were counted
	// last: one that was stopped leaves it to the next.
	Uncounted string `firestore:"uncounted,omitempty"`
	// Variants says that some products come in variants.
	Variants bool `firestore:"variants,omitempty"`
	// Several says that some products have several categories.
	Several bool `firestore:"several_categories,omitempty"`

	Updated time.Time `firestore:"-"` // when they were changed last; zero if nothing was imported

	long int // bytes of the long values that are listed
}

// shop returns the document of a shop. Its ID is a hash of the shop's name, because some
// names are not valid IDs.
func (c *Catalog) shop(name string) *firestore.DocumentRef {
	return c.db.Collection(shops).Doc(store.HashID(name))
}

// ShopValues returns what the products of a shop have; none of a shop that nothing was
// imported into.
func (c *Catalog) ShopValues(ctx context.Context, name string) (ShopValues, error) {
	ref := c.shop(name)
	d, err := store.In[ShopValues](ref.Parent).Get(ctx, ref.ID)
	if err != nil && !store.Gone(err) {
		return ShopValues{}, fmt.Errorf("catalog: values of %s: %w", name, err)
	}
	d.Value.Updated = d.Updated
	for _, values := range d.Value.Values {
		for key, value := range values {
			d.Value.long += longBytes(key, value.Name)
		}
	}
	return d.Value, nil
}

// addValues records the values of products for sale, unless the shop has them already. Values
// that no product has any more are removed when the shop is counted. Variants says that some of
// the products come in variants; else it is asked whether other files have brought variants of them.
func (c *Catalog) addValues(ctx context.Context, name, space string, products []Product, variants bool) error {
	known, err := c.ShopValues(ctx, name)
	if err == nil && !variants && !known.Variants {
		variants, err = c.haveVariants(ctx, name, space, products)
	}
	if err != nil {
		return err
	}
	values, prices, several := map[string]any{}, map[string]any{}, false
	for _, p := range products {
		if !p.sold() {
			continue
		}
		for facet, held := range p.Values() {
			known.add(facet, held, values)
		}
		known.addPrice(p, prices)
		several = several || p.severalCategories()
	}
	changes := map[string]any{}
	for field, change := range map[string]map[string]any{"values": values, "prices": prices} {
		if len(change) > 0 {
			changes[field] = change
		}
	}
	if variants && !known.Variants {
		changes["variants"] = true
	}
	if several && !known.Several {
		changes["several_categories"] = true
	}
	if len(changes) == 0 {
		return nil
	}
	if _, err := c.shop(name).Set(ctx, changes, firestore.MergeAll); err != nil {
		return fmt.Errorf("catalog: values of %s: %w", name, err)
	}
	return nil
}

// add adds the values of a facet that are new to s, and to the changes.
func (s *ShopValues) add(facet string, held []string, changes map[string]any) {
	if s.Values == nil {
		s.Values = map[string]map[string]ShopValue{}
	}
	of := s.Values[facet]
	if of == nil {
		if len(s.Values) >= maxShopsFacets {
			return
		}
		of = map[string]ShopValue{}
		s.Values[facet] = of
	}
	for _, value := range held {
		key := textfold.Name(value)
		long := longBytes(key, value)
		if _, has := of[key]; has || key == "" || utf8.RuneCountInString(value) > maxListed || len(of) >= MaxValues || long > 0 && s.long+long > maxLongValues {
			continue
		}
		of[key] = ShopValue{Name: value}
		s.long += long
		if changes[facet] == nil {
			changes[facet] = map[string]any{}
		}
		changes[facet].(map[string]any)[key] = map[string]any{"name": value}
	}
}

// longBytes returns the bytes of a value that is long, 0 for a short one.
func longBytes(key, name string) int {
	if n := len(key) + len(name); n > shortValue {
		return n
	}
	return 0
}

func (s *ShopValues) addPrice(p Product, changes map[string]any) {
	known := s.Prices[p.Currency]
	if wider := known.With(p.Price); p.Price.Known() && wider != known {
		if s.Prices == nil {
			s.Prices = map[string]money.Range{}
		}
		s.Prices[p.Currency], changes[p.Currency] = wider, wider
	}
}

// setUncounted changes the import whose products are not counted, unless it is none of before.
func (c *Catalog) setUncounted(ctx context.Context, name, to string, before ...string) error {
	ref := c.shop(name)
	_, err := store.In[ShopValues](ref.Parent).Change(ctx, ref.ID, func(d *store.Doc[ShopValues]) error {
		if len(before) == 0 || slices.Contains(before, d.Value.Uncounted) {
			d.Exists, d.Value.Uncounted = true, to
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("catalog: values of %s: %w", name, err)
	}
	return nil
}

// CountShop counts the products for sale with each value of a shop, and removes the values
// that none has. Firestore counts; each value costs a read per thousand products. Another import
// may bring a value back meanwhile, and has seen it listed: what is removed is counted once more.
func (c *Catalog) CountShop(ctx context.Context, name, space string) error {
	known, err := c.ShopValues(ctx, name)
	if err != nil || len(known.Values) == 0 {
		return err
	}
	var keys, removed []Key
	for _, facet := range slices.Sorted(maps.Keys(known.Values)) {
		for _, key := range slices.Sorted(maps.Keys(known.Values[facet])) {
			keys = append(keys, Key{facet, key})
		}
	}
	updates := []firestore.Update{{Path: "counted_at", Value: firestore.ServerTimestamp}}
	for again := range 2 {
		counts, err := c.countEach(ctx, name, space, keys)
		if err != nil {
			return err
		}
		for i, key := range keys {
			update := firestore.Update{FieldPath: firestore.FieldPath{"values", key.Facet, key.Value}, Value: firestore.Delete}
			switch {
			case counts[i] > 0:
				update.Value = ShopValue{known.Values[key.Facet][key.Value].Name, counts[i]}
			case again > 0: // it may be listed anew
				continue
			default:
				removed = append(removed, key)
			}
			updates = append(updates, update)
		}
		if len(updates) == 0 {
			break
		}
		if _, err := c.shop(name).Update(ctx, updates); err != nil {
			return fmt.Errorf("catalog: count the values of %s: %w", name, err)
		}
		keys, updates = removed, nil
	}
	if err := c.findPrices(ctx, name, space, known.Prices); err != nil {
		return fmt.Errorf("catalog: prices of %s: %w", name, err)
	}
	return c.setUncounted(ctx, name, "", known.Uncounted)
}

// findPrices sets the lowest and the highest price of each currency as they are, and removes
// currencies that no price is in; two queries for one product tell those of a currency. Another
// import may bring a price meanwhile that was within the bounds of before: they are looked up
// until they are as written.
func (c *Catalog) findPrices(ctx context.Context, name, space string, written map[string]money.Range) error {
	for {
		var updates []firestore.Update
		for _, currency := range slices.Sorted(maps.Keys(written)) {
			is, err := c.pricesIn(ctx, name, space, currency)
			if err != nil {
				return err
			}
			update := firestore.Update{FieldPath: firestore.FieldPath{"prices", currency}, Value: is}
			if is.Empty() {
				update.Value = firestore.Delete
			}
			if is != written[currency] {
				updates = append(updates, update)
			}
			written[currency] = is
		}
		if len(updates) == 0 {
			return nil
		}
		if _, err := c.shop(name).Update(ctx, updates); err != nil {
			return err
		}
	}
}

// pricesIn returns the lowest and the highest price in a currency, none if there is none.
func (c *Catalog) pricesIn(ctx context.Context, name, space, currency string) (r money.Range, err error) {
	for _, order := range []Order{Cheapest, Dearest} {
		first, err := c.Ordered(ctx, OrderedQuery{Shop: name, Space: space, Offers: []Offer{{false, currency}, {true, currency}}, Order: order, Limit: 1})
		if err != nil || len(first) == 0 {
			return money.Range{}, err
		}
		r = r.With(first[0].Price)
	}
	return r, nil
}

// countEach returns how many products for sale have each of keys.
func (c *Catalog) countEach(ctx context.Context, name, space string, keys []Key) ([]int64, error) {
	counts := make([]int64, len(keys))
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(countsAtOnce)
	for i, key := range keys {
		group.Go(func() (err error) {
			counts[i], err = c.CountFiltered(within, FilterQuery{Shop: name, Space: space, Any: [][]Key{{key}}})
			return err
		})
	}
	return counts, group.Wait()
}

// countsAtOnce is how many counts run concurrently.
const countsAtOnce = 10

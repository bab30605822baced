package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
)

// Rekeyed counts the records that Rekey saw by what became of them.
type Rekeyed struct {
	Same    int // had the keys of today
	Changed int // got them
	Moved   int // of these, got the ID of today too
	Stayed  int // of these, keep their former ID
}

func (r Rekeyed) String() string {
	return fmt.Sprintf("%d records had their keys, %d got new ones; %d have a new ID, %d keep a former one", r.Same, r.Changed, r.Moved, r.Stayed)
}

// Rekey writes the look-up keys of a shop's records as the package makes them today: records
// that an earlier version stored are found by the same spelling without it, and by all other
// spellings after it. A record whose ID would differ is moved there, except one that reviews
// refer to, and one whose place another record has. Rekey may be interrupted and repeated,
// beside other writers: a record that changes meanwhile is left to the next run.
func (c *Catalog) Rekey(ctx context.Context, shop string) (done Rekeyed, err error) {
	variants, several, prices := false, false, ShopValues{}
	for model := range spaces {
		space, _ := VectorSpaceOf(model)
		of := groups{seen: map[uint64]bool{}}
		for p, err := range c.All(ctx, shop, space.ID()) {
			several = several || p.severalCategories()
			prices.addPrice(p, map[string]any{})
			if of.add(p); err == nil {
				err = c.rekey(ctx, p, &done)
			}
			if err != nil {
				return done, err
			}
		}
		variants = variants || of.several
	}
	return done, c.rekeyShop(ctx, shop, variants, several, prices.Prices)
}

// rekey writes the keys of one record, which may change meanwhile.
func (c *Catalog) rekey(ctx context.Context, p Product, done *Rekeyed) error {
	if moves := p.ID == p.formerID() && p.ID != p.id(); !moves && p.hasKeys() {
		done.Same++
		return nil
	}
	var one Rekeyed
	err := c.db.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		one = Rekeyed{}
		snap, err := tx.Get(c.db.Collection(collection).Doc(p.ID))
		if store.Gone(err) {
			return nil
		}
		var before Product
		if err == nil {
			err = snap.DataTo(&before)
		}
		if err != nil {
			return err
		}
		one, err = c.rewrite(tx, snap.Ref, before)
		return err
	})
	if err != nil {
		return fmt.Errorf("catalog: rekey %s: %w", p.ID, err)
	}
	done.Changed, done.Moved, done.Stayed = done.Changed+one.Changed, done.Moved+one.Moved, done.Stayed+one.Stayed
	return nil
}

// rewrite writes a record with its keys: under its ID of today if it may move there.
func (c *Catalog) rewrite(tx *firestore.Transaction, at *firestore.DocumentRef, p Product) (one Rekeyed, err error) {
	after := p.rekeyed()
	to := c.db.Collection(collection).Doc(after.id())
	if to.ID == at.ID || at.ID != p.formerID() { // else a file has changed what identifies it
		return Rekeyed{Changed: 1}, tx.Set(at, after)
	}
	_, err = tx.Get(to)
	switch {
	case store.Gone(err) && !p.Reviewed:
		err = tx.Create(to, after)
		return Rekeyed{Changed: 1, Moved: 1}, errors.Join(err, tx.Delete(at))
	case err == nil || store.Gone(err):
		return Rekeyed{Changed: 1, Stayed: 1}, tx.Set(at, after)
	}
	return one, err
}

// hasKeys reports whether p has the keys of today.
func (p Product) hasKeys() bool {
	k := p.rekeyed()
	return k.NameKey == p.NameKey && k.BrandKey == p.BrandKey && k.SKUKey == p.SKUKey && k.CategoryKey == p.CategoryKey && k.OfferKey == p.OfferKey &&
		maps.EqualFunc(k.ValueKeys, p.ValueKeys, maps.Equal[map[string]bool]) &&
		slices.Equal(k.AliasKeys, p.AliasKeys) && k.Facets[brandFacet] == p.Facets[brandFacet]
}

// rekeyed returns p with the keys of today, and the code of its brand if that was its key.
func (p Product) rekeyed() Product {
	if code := p.Facets[brandFacet]; code != "" && code == textfold.Former(p.Brand) {
		p.Facets = maps.Clone(p.Facets)
		p.Facets[brandFacet] = textfold.String(p.Brand)
	}
	return p.keyed()
}

// rekeyShop writes the codes of a shop's brands and the keys of its values as imports make them
// today, whether its products come in variants or have several categories, and their prices, which
// no count found without their keys.
func (c *Catalog) rekeyShop(ctx context.Context, name string, variants, several bool, prices map[string]Span) error {
	_, err := store.In[ShopValues](c.shop(name).Parent).Change(ctx, c.shop(name).ID, func(d *store.Doc[ShopValues]) error {
		brands := map[string]string{}
		for code, label := range d.Value.Brands {
			if code == textfold.Former(label) {
				code = textfold.String(label)
			}
			brands[code] = label
		}
		all := map[string]map[string]ShopValue{}
		for facet, values := range d.Value.Values {
			all[facet] = map[string]ShopValue{}
			for _, value := range values {
				if key := textfold.Value(value.Name); key != "" {
					all[facet][key] = ShopValue{value.Name, all[facet][key].Count + value.Count}
				}
			}
		}
		if d.Exists {
			for currency, span := range prices {
				d.Value.widen(currency, span)
			}
			d.Value.Brands, d.Value.Values, d.Value.Variants, d.Value.Several = brands, all, variants, several
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("catalog: values of %s: %w", name, err)
	}
	return nil
}

package catalog

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
)

// An Identity says which fields identify a product.
type Identity string

// The identities. The GTIN or the SKU identifies a record together with its shop.
const (
	ByName Identity = ""
	ByGTIN Identity = "gtin"
	BySKU  Identity = "sku"
)

// identified returns p, from a file, with what identifies it: its SKU, else its GTIN, else its
// name. A GTIN that identifies no product does not count.
func (p Product) identified() Product {
	switch {
	case p.restored != nil:
	case p.Identity == ByGTIN && gs1.Restricted(p.GTIN):
		p.Identity = ByName
	case p.Identity != ByName:
	case p.SKU != "":
		p.Identity, p.derived = BySKU, true
	case p.GTIN != "" && !gs1.Restricted(p.GTIN):
		p.Identity, p.derived = ByGTIN, true
	}
	return p
}

// byName returns p as identified by its name.
func (p Product) byName() Product {
	p.Identity = ByName
	return p
}

// storedOf returns those of products that the catalogue has, by the IDs of products. A product
// that has no record under its own ID is looked up by what else identifies it: its SKU, its GTIN,
// or its name. Undecided are the records of products for which several are possible, by the IDs of
// the products.
func (im Import) storedOf(ctx context.Context, products []Product) (stored map[string]storedProduct, undecided map[string][]storedProduct, err error) {
	if stored, err = im.Catalog.stored(ctx, products); err != nil {
		return nil, nil, err
	}
	rest := slices.DeleteFunc(slices.Clone(products), func(p Product) bool {
		_, known := stored[p.id()]
		return known || p.restored != nil
	})
	im.claim(stored)
	if err = im.readWhole(ctx, products, stored); err != nil {
		return nil, nil, err
	}
	if len(rest) == 0 {
		return stored, nil, nil
	}
	others, err := im.Catalog.others(ctx, im.Shop, rest)
	if err != nil {
		return nil, nil, err
	}
	undecided = map[string][]storedProduct{}
	for _, p := range rest {
		switch found := others.of(p, im); len(found) {
		case 0:
		case 1:
			stored[p.id()] = found[0]
			im.claimed[keyOf(found[0].ID)] = true
		default:
			undecided[p.id()] = found
		}
	}
	return stored, undecided, nil
}

// claim notes whose records the products of the file are: no other product of it may be taken for
// one of them.
func (im Import) claim(stored map[string]storedProduct) {
	for _, before := range stored {
		im.claimed[keyOf(before.ID)] = true
	}
}

// claimOf is between an import and the ID of its product, in the ClaimedBy of the product's record.
const claimOf = " of "

// claimedByOther reports whether another product of the file has the record, in this attempt at the
// import or one before.
func (im Import) claimedByOther(before storedProduct, p Product) bool {
	return im.ID != "" && strings.HasPrefix(before.ClaimedBy, im.ID+claimOf) && before.ClaimedBy != p.ClaimedBy
}

// claimKnown notes on records that are not changed whose they are, if it does not follow from their
// IDs.
func (im Import) claimKnown(ctx context.Context, d decisions) error {
	var claims []change
	for _, p := range d.known {
		if before := d.stored[p.id()]; before.ID != p.id() && before.ClaimedBy != p.ClaimedBy {
			claims = append(claims, change{id: before.ID, fields: []firestore.Update{{Path: "claimed_by", Value: p.ClaimedBy}}})
		}
	}
	_, err := im.Catalog.changeAll(ctx, claims)
	return err
}

// keyOf returns a part of an ID, which is a hash, that takes little memory and is as good as
// distinct.
func keyOf(id string) uint64 {
	key, _ := strconv.ParseUint(id[:16], 16, 64)
	return key
}

// A candidates holds stored records, by their IDs.
type candidates map[string]storedProduct

// others returns the records that may be those of products which have none under their own ID.
// A query looks up 30 products.
func (c *Catalog) others(ctx context.Context, shop string, products []Product) (candidates, error) {
	of := c.products(shop)
	keys := map[string]map[string]bool{"gtin": {}, "sku_key": {}, "name_key": {}, "": {}}
	for _, p := range products {
		keys["gtin"][p.GTIN], keys["sku_key"][textfold.Name(p.SKU)] = true, true
		if p.Identity == ByName {
			keys["name_key"][textfold.Name(p.ProductName)] = true
		} else {
			keys[""][p.byName().id()] = true
		}
	}
	found := candidates{}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(importLookups)
	for field, values := range keys {
		delete(values, "")
		for some := range slices.Chunk(slices.Sorted(maps.Keys(values)), idsOfOneLookup) {
			group.Go(func() error {
				q := of.Where(field, "in", some)
				if field == "" {
					q = c.withIDs(some)
				}
				records, err := comparedIn(ctx, q)
				mu.Lock()
				defer mu.Unlock()
				for _, p := range records {
					found[p.ID] = p
				}
				return err
			})
		}
	}
	return found, group.Wait()
}

// of returns the records that may be p's: those with its SKU, else the trusted ones with its GTIN,
// else those with its name. A record with another SKU or GTIN is another product, and so is one
// that another product of the file has, and a tombstone, unless all that p has is its name. An import
// that vouches for its records takes those that were learnt, too.
func (all candidates) of(p Product, im Import) []storedProduct {
	vouched := im.Status == Confirmed
	var bySKU, byGTIN, byName []storedProduct
	for _, id := range slices.Sorted(maps.Keys(all)) {
		switch r := all[id]; {
		case im.claimed[keyOf(id)], im.claimedByOther(r, p), r.Status == Rejected && p.Identity != ByName:
		case p.SKU != "" && textfold.Caseless(r.SKU) == textfold.Caseless(p.SKU):
			bySKU = append(bySKU, r)
		case p.SKU != "" && r.SKU != "":
		case p.GTIN != "" && r.GTIN == p.GTIN && !gs1.Restricted(p.GTIN) && (vouched || r.Status != Unconfirmed):
			byGTIN = append(byGTIN, r)
		case p.GTIN != "" && r.GTIN != "" && p.GTIN != r.GTIN:
		case r.named(p):
			byName = append(byName, r)
		}
	}
	for _, found := range [][]storedProduct{bySKU, byGTIN, byName} {
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

func idsOf(records []storedProduct) (ids []string) {
	for _, r := range records {
		ids = append(ids, r.ID)
	}
	return ids
}

// named reports whether the record has p's name, brand, country and language, or is what is left
// of such a record.
func (before storedProduct) named(p Product) bool {
	name := p.byName()
	if before.ID == name.id() {
		return true
	}
	name.ProductName, name.Brand, name.Country, name.Lang = before.ProductName, before.Brand, before.Country, before.Lang
	return before.ProductName != "" && name.id() == p.byName().id()
}

// as returns p as the record before. A row without a SKU keeps the record's, and with it what
// the record has for sale and the row has not: a file without the shop's own numbers, such as one
// of Open Food Facts, knows nothing of it. A row without a GTIN, too, keeps that. What was learnt
// is a guess, of which nothing is kept.
func (p Product) as(before storedProduct) Product {
	gives := before.SKU != "" || p.GTIN == "" && before.GTIN != ""
	if p.SKU != "" || !gives || before.Status == Rejected || before.Status == Unconfirmed || p.restored != nil {
		return p
	}
	p.GTIN = cmp.Or(p.GTIN, before.GTIN)
	if before.SKU != "" {
		p = p.soldAs(before)
	}
	if p.derived {
		p.Identity = ByName
	}
	p = p.identified()
	p.RecordDigest, p.EmbeddedDigest = p.digests()
	return p
}

// soldAs returns p with what it lacks of the fields for products for sale.
func (p Product) soldAs(before storedProduct) Product {
	p.SKU, p.Description, p.ImageURI = before.SKU, cmp.Or(p.Description, before.Description), cmp.Or(p.ImageURI, before.ImageURI)
	p.VariantOf = cmp.Or(p.VariantOf, before.VariantOf)
	if !p.Price.Known() {
		p.Price = before.Price
	}
	if p.Stock == nil && p.Availability == Unknown {
		p.Stock, p.Availability = before.Stock, before.Availability
	}
	if len(p.Facets) == 0 {
		p.Facets = facetsOf(before.Facets, p.Brand)
	}
	p.NotForSale = p.NotForSale || before.NotForSale
	return p
}

// Called returns the trusted record of a product that is known by its name alone: the only one with its
// name, brand, country and language, under the SKU or the GTIN of a file. None, or several, give "".
func (c *Catalog) Called(ctx context.Context, p Product) (id string, err error) {
	found, err := comparedIn(ctx, c.products(p.Shop).Where("name_key", "==", textfold.Name(p.ProductName)))
	found = slices.DeleteFunc(found, func(r storedProduct) bool {
		return !slices.Contains(trusted, r.Status) || p.GTIN != "" && r.GTIN != "" && p.GTIN != r.GTIN || !r.named(p)
	})
	if len(found) != 1 {
		return "", err
	}
	return found[0].ID, nil
}

// withIDs returns the query for the records with these IDs.
func (c *Catalog) withIDs(ids []string) firestore.Query {
	refs := make([]*firestore.DocumentRef, len(ids))
	for i, id := range ids {
		refs[i] = c.db.Collection(collection).Doc(id)
	}
	return c.db.Collection(collection).Where(firestore.DocumentID, "in", refs)
}

// A storedProduct holds the fields of a stored product that an import compares.
type storedProduct struct {
	Status         Status `firestore:"status"`
	RecordDigest   string `firestore:"record_digest"`
	EmbeddedDigest string `firestore:"embedded_digest"`
	Reviewed       bool   `firestore:"reviewed"`
	Embedder       string `firestore:"embedder"`
	Second         string `firestore:"embedder_b"`
	Image          string `firestore:"image_hash"`
	SecondImage    string `firestore:"image_hash_b"`
	ProductName    string `firestore:"product_name"`
	Brand          string `firestore:"brand"`
	Country        string `firestore:"country"`
	Lang           string `firestore:"lang"`
	GTIN           string `firestore:"gtin"`
	SKU            string `firestore:"sku"`

	Description string `firestore:"description"`
	Price
	NotForSale   bool              `firestore:"not_for_sale"`
	Hidden       bool              `firestore:"hidden"`
	Availability Availability      `firestore:"availability"`
	Stock        *int              `firestore:"stock"`
	ImageURI     string            `firestore:"image_uri"`
	VariantOf    string            `firestore:"variant_of"`
	Facets       map[string]string `firestore:"facets"`
	ClaimedBy    string            `firestore:"claimed_by"`

	UpdateTime time.Time `firestore:"-"`
	ID         string    `firestore:"-"`

	equal bool // to the restored record that is compared with it
}

// comparedFields are the fields of a storedProduct.
var comparedFields = fieldsIn(reflect.TypeFor[storedProduct]())

// comparedIn returns what an import compares of the records of a query.
func comparedIn(ctx context.Context, of firestore.Query) ([]storedProduct, error) {
	docs, err := of.Select(comparedFields...).Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("catalog: look up the products of a file: %w", err)
	}
	found := make([]storedProduct, len(docs))
	for i, snap := range docs {
		if err := snap.DataTo(&found[i]); err != nil {
			return nil, fmt.Errorf("catalog: document %s: %w", snap.Ref.ID, err)
		}
		found[i].UpdateTime, found[i].ID = snap.UpdateTime, snap.Ref.ID
	}
	return found, nil
}

// identifyingHash returns the ID that follows from p's identity.
func (p Product) identifyingHash() string {
	switch p.Identity {
	case ByGTIN:
		return store.HashID(p.Shop, string(ByGTIN), p.GTIN)
	case BySKU:
		return store.HashID(p.Shop, string(BySKU), textfold.Caseless(p.SKU))
	}
	parts := []string{p.Shop, p.ProductName, p.Brand, p.Country, p.Lang}
	for i, s := range parts {
		parts[i] = textfold.Caseless(s)
	}
	return store.HashID(parts...)
}

package catalog

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"cloud.google.com/go/firestore"
	"cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/whatis/internal/fold"
	"example.com/whatis/internal/gs1"
)

// The vectors that a VectorQuery can compare with.
const (
	SearchVector = "search_embedding"
	ImageVector  = "image_embedding"
)

// MaxNearest is how many products one NearestBy returns at most: Firestore's limit.
const MaxNearest = 1000

// categoryFacet is the facet by which a search by vector can be narrowed.
const categoryFacet = "category"

// ErrNotFound is ByID's error for a product that the shop does not have.
var ErrNotFound = errors.New("catalog: the shop has no such product")

// A VectorQuery asks for the products of a shop nearest to a vector by one of
// their vectors.
type VectorQuery struct {
	Shop     string
	Space    string // the ID of the stamp that the vector belongs to
	Field    string // SearchVector or ImageVector
	Vector   []float32
	Category string // the code of the facet category; "" is any
	Limit    int    // 1 to MaxNearest
}

// NearestBy returns the products that q is about, best first, however low their
// scores are. Those without a vector of q.Field are not among them. They come
// without their vectors.
func (c *Catalog) NearestBy(ctx context.Context, q VectorQuery) ([]Match, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	of := c.products(q.Shop).Where("embedder", "==", q.Space)
	if q.Category != "" {
		of = of.WherePath(facetPath(categoryFacet), "==", q.Category)
	}
	return c.nearest(ctx, of, q.Field, q.Vector, q.Limit)
}

func (q VectorQuery) check() error {
	switch {
	case q.Shop == "" || q.Space == "":
		return errors.New("catalog: a search by vector needs a shop and a space")
	case q.Field != SearchVector && q.Field != ImageVector:
		return fmt.Errorf("catalog: the vector %q is none to search by: want %s or %s", q.Field, SearchVector, ImageVector)
	case len(q.Vector) != Dimensions:
		return fmt.Errorf("catalog: the vector has %d dimensions, want %d", len(q.Vector), Dimensions)
	case q.Limit < 1 || q.Limit > MaxNearest:
		return fmt.Errorf("catalog: the limit is %d, want 1 to %d", q.Limit, MaxNearest)
	}
	return nil
}

// facetPath is where the code of a facet is stored.
func facetPath(facet string) firestore.FieldPath { return firestore.FieldPath{"facets", facet} }

// idForm is how the ID of a product looks.
var idForm = regexp.MustCompile(`^[0-9a-f]{32}$`)

// ByID returns a product of the shop, without its vectors. ErrNotFound is the error
// for one that there is not, or that is another shop's.
func (c *Catalog) ByID(ctx context.Context, shop, id string) (Product, error) {
	if !idForm.MatchString(id) { // Firestore's client retries some names for ever
		return Product{}, ErrNotFound
	}
	ref := c.db.Collection(collection).Doc(id)
	found, err := c.query(ctx, c.db.Collection(collection).Where(firestore.DocumentID, "==", ref).Select(plainFields...))
	switch {
	case err != nil:
		return Product{}, err
	case len(found) == 0 || found[0].Shop != shop:
		return Product{}, ErrNotFound
	}
	return found[0], nil
}

// Named returns the products of a shop that are called exactly so, letter case,
// spaces and punctuation aside, or have that SKU or that GTIN: at most five,
// without their vectors.
func (c *Catalog) Named(ctx context.Context, shop, space, nameOrSKUOrGTIN string) ([]Product, error) {
	var either []firestore.EntityFilter
	equal := func(field, value string) {
		either = append(either, firestore.PropertyFilter{Path: field, Operator: "==", Value: value})
	}
	if key := fold.String(nameOrSKUOrGTIN); key != "" {
		equal("name_key", key)
		equal("sku_key", key)
	}
	if gtin, ok := gs1.GTIN(nameOrSKUOrGTIN); ok {
		equal("gtin", gtin)
	}
	if len(either) == 0 {
		return nil, nil
	}
	return c.query(ctx, c.products(shop).Where("embedder", "==", space).
		WhereEntity(firestore.OrFilter{Filters: either}).Select(plainFields...).Limit(lookups))
}

// CountBy returns how many products of a shop have that code of a facet; without a
// code, how many it has at all. Firestore counts: no product is fetched.
func (c *Catalog) CountBy(ctx context.Context, shop, space, facet, code string) (int64, error) {
	of := c.products(shop).Where("embedder", "==", space)
	if code != "" {
		of = of.WherePath(facetPath(facet), "==", code)
	}
	result, err := of.NewAggregationQuery().WithCount("n").Get(ctx)
	if err != nil {
		return 0, fmt.Errorf("catalog: count %s %q: %w", facet, code, err)
	}
	n, ok := result["n"].(*firestorepb.Value)
	if !ok {
		return 0, fmt.Errorf("catalog: count %s %q: the answer is %T, want a number", facet, code, result["n"])
	}
	return n.GetIntegerValue(), nil
}

// KnownShop reports that there is a product of the shop.
func (c *Catalog) KnownShop(ctx context.Context, shop string) (bool, error) {
	found, err := c.query(ctx, c.products(shop).Select().Limit(1))
	return len(found) > 0, err
}

package catalog

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/gs1"
)

// The vectors that a VectorQuery can compare with.
const (
	SearchVector = "search_embedding"
	ImageVector  = "image_embedding"
)

// MaxNearest is the largest number of products that NearestBy returns: Firestore's limit.
const MaxNearest = 1000

// ErrNotFound is the error for a product that the shop does not have.
var ErrNotFound = errors.New("catalog: the shop has no such product")

// A VectorQuery selects the products of a shop with the vectors nearest to a given one.
type VectorQuery struct {
	Shop   string
	Space  string // the ID of the vector's space
	Field  string // SearchVector or ImageVector
	Vector []float32
	Limit  int // 1 to MaxNearest
}

// shownFields are the fields that a search finds, shows or compares. The others of plainFields say where
// a record comes from.
var shownFields = []string{
	"shop", "brand", "category", "facets", "price", "currency", "availability", "stock", "created_at", "product_name", "sku", "variant_of",
	"key_features", "gtin", "status", "description", "image_uri", "not_for_sale", "aliases", "brand_aliases",
}

// pathsOf returns the paths of fields of a document.
func pathsOf(fields []string) (all []firestore.FieldPath) {
	for _, field := range fields {
		all = append(all, firestore.FieldPath{field})
	}
	return all
}

// NearestBy returns the IDs and scores of the products that q selects, best first, whatever their
// scores. Products without a vector in q.Field are left out.
func (c *Catalog) NearestBy(ctx context.Context, q VectorQuery) ([]Match, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	return c.nearest(ctx, c.in(q.Shop, q.Space), nil, fieldIn(q.Space, q.Field), q.Vector, q.Limit)
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

// idForm matches product IDs.
var idForm = regexp.MustCompile(`^[0-9a-f]{32}$`)

// ByID returns a product of the shop, without its vectors. A missing one, one of another shop, and one
// that is not for sale give ErrNotFound.
func (c *Catalog) ByID(ctx context.Context, shop, id string) (Product, error) {
	if !idForm.MatchString(id) { // Firestore's client retries some invalid names for ever
		return Product{}, ErrNotFound
	}
	ref := c.db.Collection(collection).Doc(id)
	found, err := c.query(ctx, c.db.Collection(collection).Where(firestore.DocumentID, "==", ref).Select(plainFields...))
	switch {
	case err != nil:
		return Product{}, err
	case len(found) == 0 || found[0].Shop != shop || found[0].Status == Rejected || found[0].NotForSale:
		return Product{}, ErrNotFound
	}
	return found[0], nil
}

// fetch reads products in several concurrent calls.
func (c *Catalog) fetch(ctx context.Context, ids, fields []string) (map[string]Product, error) {
	all := map[string]Product{}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	for some := range slices.Chunk(ids, idsOfOneLookup) {
		group.Go(func() error {
			refs := make([]*firestore.DocumentRef, len(some))
			for i, id := range some {
				refs[i] = c.db.Collection(collection).Doc(id)
			}
			found, err := c.query(ctx, c.db.Collection(collection).Where(firestore.DocumentID, "in", refs).Select(fields...))
			mu.Lock()
			defer mu.Unlock()
			for _, p := range found {
				all[p.ID] = p
			}
			return err
		})
	}
	return all, group.Wait()
}

// Limits of an exact look-up: a Firestore query takes 30 alternatives.
const (
	maxNames       = 12
	maxNamedByGTIN = 6
)

// Named returns the products of a shop with one of these names (ignoring case, spaces and
// punctuation), SKUs or GTINs. It looks up the first 12, and returns at most five products
// for each, without their vectors.
func (c *Catalog) Named(ctx context.Context, shop, space string, namesOrSKUsOrGTINs ...string) ([]Product, error) {
	keys := foldedKeys(namesOrSKUsOrGTINs)
	keys = keys[:min(len(keys), maxNames)]
	var gtins []string
	for _, name := range namesOrSKUsOrGTINs {
		if gtin, ok := gs1.GTIN(name); ok && len(gtins) < maxNamedByGTIN {
			gtins = append(gtins, gtin)
		}
	}
	var either []firestore.EntityFilter
	for field, values := range map[string][]string{"name_key": keys, "sku_key": keys, "gtin": gtins} {
		if len(values) > 0 {
			either = append(either, firestore.PropertyFilter{Path: field, Operator: "in", Value: values})
		}
	}
	if len(either) == 0 {
		return nil, nil
	}
	return c.query(ctx, c.in(shop, space).
		WhereEntity(firestore.OrFilter{Filters: either}).Select(plainFields...).Limit(lookups*len(namesOrSKUsOrGTINs)))
}

// KnownShop reports whether the shop has any product.
func (c *Catalog) KnownShop(ctx context.Context, shop string) (bool, error) {
	found, err := c.query(ctx, c.products(shop).Select().Limit(1))
	return len(found) > 0, err
}

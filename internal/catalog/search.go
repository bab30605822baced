package catalog

import (
	"cmp"
	"context"
	"math"
	"slices"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
)

// lookups is how many records look-ups by GTIN and name return at most.
const lookups = 5

// A Query asks for the products nearest to a vector, and for those that bear a
// GTIN or a name.
type Query struct {
	Shop   string
	Lang   string // preferred; without a match in it, every language is searched
	Stamp  Stamp
	Vector []float32 // Dimensions long, of unit length
	GTINs  []string  // GTIN-14
	Names  []string  // as printed and as translated; compared folded
	Limit  int       // of the nearest
}

// A Match is a product and its score: 1 − cosine distance, in [-1, 1].
type Match struct {
	Product
	Score float64
}

// Search returns the products that q is about, best first, none under the stamp's
// floor: at most five that bear its GTINs or its name, and the q.Limit nearest.
func (c *Catalog) Search(ctx context.Context, q Query) ([]Match, error) {
	matches, err := c.lookUp(ctx, q)
	if err != nil {
		return nil, err
	}
	near, err := c.Nearest(ctx, q)
	if err != nil {
		return nil, err
	}
	return ranked(append(matches, near...)), nil
}

// ranked is matches, best first, each product once.
func ranked(matches []Match) []Match {
	slices.SortStableFunc(matches, func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })
	return dedupe(matches)
}

// above is matches without those that score under floor.
func above(floor float64, matches []Match) []Match {
	return slices.DeleteFunc(matches, func(m Match) bool { return m.Score < floor })
}

// Nearest returns at most q.Limit products whose embedding is closest to
// q.Vector by cosine, best first, none under the stamp's floor: those of q.Lang,
// or of any language if there are none. Products of another embedder are never
// compared.
func (c *Catalog) Nearest(ctx context.Context, q Query) ([]Match, error) {
	of := c.products(q.Shop).Where("embedder", "==", q.Stamp.ID())
	if q.Lang != "" {
		found, err := c.nearest(ctx, of.Where("lang", "==", q.Lang), q)
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return c.nearest(ctx, of, q)
}

func (c *Catalog) nearest(ctx context.Context, of firestore.Query, q Query) ([]Match, error) {
	options := firestore.FindNearestOptions{DistanceResultField: "distance"}
	found, err := c.query(ctx, of.FindNearest("embedding", firestore.Vector32(q.Vector), q.Limit, firestore.DistanceMeasureCosine, &options))
	if err != nil {
		return nil, err
	}
	matches := make([]Match, 0, len(found))
	for _, p := range found {
		if !math.IsNaN(p.Distance) {
			matches = append(matches, Match{Product: p, Score: min(1-p.Distance, 1)})
		}
	}
	return above(q.Stamp.Floor, matches), nil
}

// lookUp returns the products that bear one of q's GTINs or its name, with the
// score that their embedding has.
func (c *Catalog) lookUp(ctx context.Context, q Query) ([]Match, error) {
	var queries []firestore.Query
	of := c.products(q.Shop).Where("embedder", "==", q.Stamp.ID())
	if len(q.GTINs) > 0 {
		queries = append(queries, of.Where("gtin", "in", q.GTINs).Limit(lookups))
	}
	if keys := foldedKeys(q.Names); len(keys) > 0 {
		queries = append(queries, of.Where("name_key", "in", keys).Limit(lookups))
	}
	found := make([][]Product, len(queries))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for i, query := range queries {
		group.Go(func() (err error) {
			found[i], err = c.query(ctx, query)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var matches []Match
	for _, p := range slices.Concat(found...) {
		matches = append(matches, Match{Product: p, Score: cosine(q.Vector, p.Embedding)})
	}
	matches = ranked(above(q.Stamp.Floor, matches))
	return matches[:min(len(matches), lookups)], nil
}

// cosine is the similarity of two vectors of one length, -1 when either has
// none.
func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return -1
	}
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return -1
	}
	return min(dot/math.Sqrt(aa*bb), 1)
}

// dedupe keeps the first match of each product.
func dedupe(matches []Match) []Match {
	seen := map[string]bool{}
	return slices.DeleteFunc(matches, func(m Match) bool {
		again := seen[m.ID]
		seen[m.ID] = true
		return again
	})
}

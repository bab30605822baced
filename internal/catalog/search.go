package catalog

import (
	"cmp"
	"context"
	"math"
	"slices"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/textfold"
)

// lookups is how many products a look-up by GTIN or by name brings at most.
const lookups = 5

// maxGTINs is how many GTINs are looked up: Firestore takes 30 alternatives, names
// included.
const maxGTINs = 20

// A Query asks for the products nearest to a vector, and for those that bear a
// GTIN or a name, be it an alias.
type Query struct {
	Shop   string
	Lang   string // preferred; without a match in it, every language is searched
	Brand  string // searched first, and alone where it has an acceptable match; compared folded
	Space  VectorSpace
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

// Search returns the products that q is about, best first, none under the space's
// floor: at most five that bear its GTINs or its name, and the q.Limit nearest.
// Both are asked for at the same time.
func (c *Catalog) Search(ctx context.Context, q Query) ([]Match, error) {
	var bearers, near []Match
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		bearers, err = c.lookUp(ctx, q)
		return err
	})
	group.Go(func() (err error) {
		near, err = c.Nearest(ctx, q)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return ranked(append(bearers, near...)), nil
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
// q.Vector by cosine, best first, none under the space's floor: those of q.Brand if one
// of them is acceptable, else those of q.Lang, or of any language if there are none. A
// search reads one document for each hundred vectors that it passes, so that it is
// narrow before it is wide. Products of another embedder are never compared. The products
// come without their vectors: the score is told instead.
func (c *Catalog) Nearest(ctx context.Context, q Query) ([]Match, error) {
	of := c.products(q.Shop).Where("embedder", "==", q.Space.ID())
	if brand := textfold.String(q.Brand); brand != "" {
		found, err := c.nearest(ctx, of.Where("brand_key", "==", brand), plainFields, "embedding", q.Vector, q.Limit)
		if err != nil || len(found) > 0 && found[0].Score >= q.Space.Accept {
			return above(q.Space.Floor, found), err
		}
	}
	if q.Lang != "" {
		found, err := c.nearest(ctx, of.Where("lang", "==", q.Lang), plainFields, "embedding", q.Vector, q.Limit)
		if found = above(q.Space.Floor, found); err != nil || len(found) > 0 {
			return found, err
		}
	}
	found, err := c.nearest(ctx, of, plainFields, "embedding", q.Vector, q.Limit)
	return above(q.Space.Floor, found), err
}

// nearest are at most limit products of a query whose vector of that field is
// closest to v by cosine, best first. Those without the vector are not among them.
func (c *Catalog) nearest(ctx context.Context, of firestore.Query, fields []string, field string, v []float32, limit int) ([]Match, error) {
	options := firestore.FindNearestOptions{DistanceResultField: "distance"}
	fields = append(slices.Clone(fields), options.DistanceResultField)
	found, err := c.query(ctx, of.Select(fields...).FindNearest(field, firestore.Vector32(v), limit, firestore.DistanceMeasureCosine, &options))
	if err != nil {
		return nil, err
	}
	matches := make([]Match, 0, len(found))
	for _, p := range found {
		if !math.IsNaN(p.Distance) {
			matches = append(matches, Match{Product: p, Score: min(1-p.Distance, 1)})
		}
	}
	return matches, nil
}

// lookUp returns the products that bear one of q's GTINs or names, with the score
// that their embedding has. They alone come with that vector, as their scores
// are reckoned here: a vector search among the bearers would be a call and an index
// for each key.
func (c *Catalog) lookUp(ctx context.Context, q Query) ([]Match, error) {
	var either []firestore.EntityFilter
	if n := min(len(q.GTINs), maxGTINs); n > 0 {
		either = append(either, firestore.PropertyFilter{Path: "gtin", Operator: "in", Value: q.GTINs[:n]})
	}
	if keys := foldedKeys(q.Names); len(keys) > 0 {
		either = append(either, firestore.PropertyFilter{Path: "name_key", Operator: "in", Value: keys},
			firestore.PropertyFilter{Path: "alias_keys", Operator: "array-contains-any", Value: keys})
	}
	if len(either) == 0 {
		return nil, nil
	}
	found, err := c.query(ctx, c.products(q.Shop).Where("embedder", "==", q.Space.ID()).
		WhereEntity(firestore.OrFilter{Filters: either}).Select(append(slices.Clone(plainFields), "embedding")...).Limit(lookups*len(either)))
	if err != nil {
		return nil, err
	}
	matches := make([]Match, len(found))
	for i, p := range found {
		score := cosine(q.Vector, p.Embedding)
		p.Embedding = nil
		matches[i] = Match{Product: p, Score: score}
	}
	matches = ranked(above(q.Space.Floor, matches))
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

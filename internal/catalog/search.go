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

// lookups is the largest number of products returned by a look-up by GTIN or name.
const lookups = 5

// maxGTINs is how many GTINs are looked up: a Firestore query takes 30 alternatives,
// including names.
const maxGTINs = 20

// A Query selects the products nearest to a vector, and those with a GTIN or a name,
// including aliases.
type Query struct {
	Shop   string
	Lang   string // searched before all languages, and alone if a match is acceptable
	Brand  string // searched first, and alone if a match is acceptable; compared folded
	Space  VectorSpace
	Vector []float32 // Dimensions long, of length 1
	GTINs  []string  // GTIN-14
	Names  []string  // as printed and as translated; compared folded
	Limit  int       // for the nearest products
}

// A Match is a product and its score: 1 − cosine distance, in [-1, 1].
type Match struct {
	Product
	Score float64
}

// Search returns the products that q selects, best first, none below the space's Floor: at
// most five with its GTINs or names, and the q.Limit nearest. Both queries run
// concurrently.
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

// ranked returns matches, best first, without duplicates.
func ranked(matches []Match) []Match {
	slices.SortStableFunc(matches, func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })
	return dedupe(matches)
}

// above returns the matches with a score of at least floor.
func above(floor float64, matches []Match) []Match {
	return slices.DeleteFunc(matches, func(m Match) bool { return m.Score < floor })
}

// Nearest returns at most q.Limit products whose embedding is closest to q.Vector by
// cosine, best first, none below the space's Floor: those of q.Brand if one of them is
// acceptable, otherwise those of q.Lang if one of them is, otherwise those of any language.
// A vector search is charged one read per hundred vectors it passes, so narrow queries come
// first. Products of another embedder are never compared. The products come with their
// score and without their vectors.
func (c *Catalog) Nearest(ctx context.Context, q Query) ([]Match, error) {
	all := c.in(q.Shop, q.Space.ID())
	var queries []firestore.Query
	if brand := textfold.Name(q.Brand); brand != "" {
		queries = append(queries, all.Where("brand_key", "==", brand))
	}
	if q.Lang != "" {
		queries = append(queries, all.Where("lang", "==", q.Lang))
	}
	var found []Match
	for _, of := range append(queries, all) {
		var err error
		found, err = c.nearest(ctx, of, pathsOf(plainFields), fieldIn(q.Space.ID(), "embedding"), q.Vector, q.Limit)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 && found[0].Score >= q.Space.Accept {
			break
		}
	}
	return above(q.Space.Floor, found), nil
}

// nearest returns at most limit products of a query whose vector in that field is closest
// to v by cosine, best first. Products without the vector are left out.
func (c *Catalog) nearest(ctx context.Context, of firestore.Query, fields []firestore.FieldPath, field string, v []float32, limit int) ([]Match, error) {
	options := firestore.FindNearestOptions{DistanceResultField: "distance"}
	fields = append(fields, firestore.FieldPath{options.DistanceResultField})
	found, err := c.query(ctx, of.SelectPaths(fields...).FindNearest(field, firestore.Vector32(v), limit, firestore.DistanceMeasureCosine, &options))
	if err != nil {
		return nil, err
	}
	matches := make([]Match, 0, len(found))
	for i := range found {
		if d := found[i].Distance; !math.IsNaN(d) {
			matches = append(matches, Match{Product: found[i], Score: min(1-d, 1)})
		}
	}
	return matches, nil
}

// lookUp returns the products with one of q's GTINs or names, and the score of their
// embedding. They are read with that vector, and the score is computed here: a vector
// search among them would need a call and an index for each key.
func (c *Catalog) lookUp(ctx context.Context, q Query) ([]Match, error) {
	var either []firestore.EntityFilter
	gtins := q.GTINs[:min(len(q.GTINs), maxGTINs)]
	if len(gtins) > 0 {
		either = append(either, firestore.PropertyFilter{Path: "gtin", Operator: "in", Value: gtins})
	}
	keys := foldedKeys(q.Names)
	if len(keys) > 0 {
		either = append(either, firestore.PropertyFilter{Path: "name_key", Operator: "in", Value: keys},
			firestore.PropertyFilter{Path: "alias_keys", Operator: "array-contains-any", Value: keys})
	}
	if len(either) == 0 {
		return nil, nil
	}
	found, err := c.query(ctx, c.in(q.Shop, q.Space.ID()).
		WhereEntity(firestore.OrFilter{Filters: either}).Select(append(slices.Clone(plainFields), fieldIn(q.Space.ID(), "embedding"))...).Limit(lookups*len(either)))
	if err != nil {
		return nil, err
	}
	var matches []Match
	for _, p := range found {
		matches = append(matches, Match{Product: p.WithoutVectors(), Score: cosine(q.Vector, p.In(q.Space.ID()).Embedding)})
	}
	matches = ranked(above(q.Space.Floor, matches))
	return matches[:min(len(matches), lookups)], nil
}

// cosine returns the cosine of two vectors of equal length, -1 if either is empty.
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

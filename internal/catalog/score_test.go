package catalog_test

import (
	"math"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/catalog"
)

// Scores are those of the vectors that Firestore compares, of records of an earlier version too;
// after Rekey they come with what is found by values, and go with the vectors.
func TestScores(t *testing.T) {
	c, db := openBoth(t)
	create(t, c, pair("both", 10, 80, "frames", "black"), pair("no picture", 40, 0, "frames", "black", without(catalog.ImageVector)))
	all := c.All(t.Context(), "eyewear", spaceID(t))
	ids := map[string]string{}
	for p, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		ids[p.ProductName] = p.ID
	}
	q := catalog.FilterQuery{Shop: "eyewear", Space: spaceID(t), Any: [][]catalog.Key{{{Facet: "color", Value: "black"}}}, Vectors: []string{catalog.SearchVector, catalog.ImageVector}, Limit: 9}
	check := func(when string, packed bool) {
		t.Helper()
		for field, want := range map[string]map[string]float64{
			catalog.SearchVector: {"both": math.Cos(10 * math.Pi / 180), "no picture": math.Cos(40 * math.Pi / 180)},
			catalog.ImageVector:  {"both": math.Cos(80 * math.Pi / 180)},
		} {
			scores, err := c.Scores(t.Context(), []string{ids["both"], ids["no picture"]}, field, at(0))
			if err != nil || len(scores) != len(want) {
				t.Errorf("%s: Scores(%s) = %v, %v; want %v", when, field, scores, err, want)
			}
			found, err := c.Filtered(t.Context(), q)
			if err != nil || len(found) != 2 {
				t.Fatalf("%s: Filtered = %d products, %v; want both", when, len(found), err)
			}
			for _, p := range found {
				score, scored := want[p.ProductName]
				if got := scores[p.ID]; math.Abs(got-score) > 1e-6 {
					t.Errorf("%s: the score of %s by %s is %v, want %v", when, p.ProductName, field, got, score)
				}
				got, ok := p.Score(field, at(0))
				if p.Packed() != packed || ok != (packed && scored) || ok && got != scores[p.ID] {
					t.Errorf("%s: %s has the score %v, %v, packed %v; want that of Scores, packed %v", when, p.ProductName, got, ok, p.Packed(), packed)
				}
			}
		}
	}
	check("stored", true)
	for _, id := range ids {
		_, err := db.Collection("products").Doc(id).Update(t.Context(), []firestore.Update{
			{Path: "offer_key", Value: firestore.Delete}, {Path: "search_bytes", Value: firestore.Delete}, {Path: "image_bytes", Value: firestore.Delete},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	check("of an earlier version", false)
	if done, err := c.Rekey(t.Context(), "eyewear"); err != nil || done.Changed != 2 {
		t.Errorf("Rekey = %+v, %v; want both changed", done, err)
	}
	check("rekeyed", true)
}

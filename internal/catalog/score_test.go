package catalog_test

import (
	"math"
	"testing"

	"example.com/whatis/internal/catalog"
)

// Scores are those of the vectors that Firestore compares.
func TestScores(t *testing.T) {
	c := open(t)
	create(t, c, pair("both", 10, 80, "frames", "black"), pair("no picture", 40, 0, "frames", "black", without(catalog.ImageVector)))
	found, err := c.Named(t.Context(), "eyewear", spaceID(t), "both", "no picture")
	if err != nil || len(found) != 2 {
		t.Fatalf("Named = %d products, %v; want both", len(found), err)
	}
	for field, want := range map[string]map[string]float64{
		catalog.SearchVector: {"both": math.Cos(10 * math.Pi / 180), "no picture": math.Cos(40 * math.Pi / 180)},
		catalog.ImageVector:  {"both": math.Cos(80 * math.Pi / 180)},
	} {
		scores, err := c.Scores(t.Context(), []string{found[0].ID, found[1].ID}, spaceID(t), field, at(0))
		if err != nil || len(scores) != len(want) {
			t.Errorf("Scores(%s) = %v, %v; want %v", field, scores, err, want)
		}
		for _, p := range found {
			if got := scores[p.ID]; math.Abs(got-want[p.ProductName]) > 1e-6 {
				t.Errorf("the score of %s by %s is %v, want %v", p.ProductName, field, got, want[p.ProductName])
			}
		}
	}
}

package catalog_test

import (
	"fmt"
	"testing"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/catalog"
)

// A brand with many products costs no further query and none of its documents, once it was
// looked up; what is found by GTIN, name and brand does not depend on how many there are.
func TestKnownOfLargeBrand(t *testing.T) {
	t.Parallel()
	const gtin = "08801234567893"
	for _, size := range []int{19, 20, 50, 1000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			w := emulate.Start(t, emulate.Firestore)
			c := catalog.New(w.FirestoreClient(t))
			for i := range size {
				create(t, c, tea(fmt.Sprint("tea ", i), 0, func(p *catalog.Product) { p.Brand, p.BrandAliases = "Kraft", []string{"크래프트"} }))
			}
			create(t, c,
				tea("coded", 0, func(p *catalog.Product) { p.Brand, p.GTIN, p.Status = "Kraft", gtin, catalog.Confirmed }),
				tea("rival", 0, func(p *catalog.Product) { p.Brand, p.GTIN = "Kraft", gtin }),
				tea("other", 0, func(p *catalog.Product) { p.Brand = "Kraft Heinz" }),
				tea("read", 0, func(p *catalog.Product) { p.Brand = "Nobody" }),
				tea("shown", 0, func(p *catalog.Product) { p.Brand, p.Photos = "Kraft", map[string]bool{"a1": true} }))
			k := catalog.Keys{Shop: "test", GTIN: gtin, Country: "KR", Photo: "a1", Brands: []string{"Kraft Heinz", "Kraft", "KRAFT"}, Names: []string{"read"}}
			for look, budget := range []struct{ queries, documents int }{{2, 20 + 5}, {1, 5}, {1, 5}} {
				w.Firestore.ResetCalls()
				got, err := c.Known(t.Context(), k)
				if err != nil || got.Record == nil || got.Record.ProductName != "coded" || got.Rival == nil || got.Rival.ProductName != "rival" || got.Shown == nil || got.Shown.ProductName != "shown" {
					t.Fatalf("look-up %d = %+v, %v; want the record, its rival and the product of the photo", look+1, got, err)
				}
				brands := map[string]bool{}
				for _, p := range got.Bearers {
					brands[p.Brand] = true
					brands[fmt.Sprint(p.BrandAliases)] = true
				}
				if !brands["Kraft"] || !brands["[크래프트]"] || !brands["Kraft Heinz"] || !brands["Nobody"] || len(got.Bearers) > 20+5 {
					t.Errorf("look-up %d has %d bearers with %v, want all brands", look+1, len(got.Bearers), brands)
				}
				queries, documents := w.Firestore.Calls()["RunQuery"], w.Firestore.Reads().Documents
				if queries > budget.queries || documents > budget.documents {
					t.Errorf("look-up %d took %d queries and %d documents, want at most %d and %d", look+1, queries, documents, budget.queries, budget.documents)
				}
			}
		})
	}
}

package catalog

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/store"
)

// shops is the Firestore collection of data about shops.
const shops = "shops"

// brandFacet is the facet of the folded brand.
const brandFacet = "brand"

// A shop is a document of shops. Its ID is a hash of the shop's name, because some names
// are not valid IDs.
type shop struct {
	Brands map[string]string `firestore:"brands"` // the shop's spelling of each brand, by the brand's code
}

func (c *Catalog) shop(name string) *firestore.DocumentRef {
	return c.db.Collection(shops).Doc(store.HashID(name))
}

// addBrands records the brands of products for sale, because Firestore has no query for
// distinct values. A brand without products is not removed.
func (c *Catalog) addBrands(ctx context.Context, name string, products []Product) error {
	brands := map[string]any{}
	for _, p := range products {
		if code := p.Facets[brandFacet]; code != "" && p.Brand != "" {
			brands[code] = p.Brand
		}
	}
	if len(brands) == 0 {
		return nil
	}
	if _, err := c.shop(name).Set(ctx, map[string]any{"brands": brands}, firestore.MergeAll); err != nil {
		return fmt.Errorf("catalog: brands of %s: %w", name, err)
	}
	return nil
}

// Brands returns the brands that imports have brought to a shop, as it spells them, by
// their codes in the facet brand.
func (c *Catalog) Brands(ctx context.Context, name string) (map[string]string, error) {
	ref := c.shop(name)
	s, err := store.In[shop](ref.Parent).Get(ctx, ref.ID)
	if err != nil && !store.Gone(err) {
		return nil, fmt.Errorf("catalog: brands of %s: %w", name, err)
	}
	return s.Value.Brands, nil
}

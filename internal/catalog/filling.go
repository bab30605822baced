package catalog

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/store"
)

// A Filling is the first import into a shop while it goes on. Until it ends a search would find some of
// the products, and say that they are all.
type Filling struct {
	Total  int64 `firestore:"total"` // the products of the file; 0 if they were not counted
	Stored int64 `firestore:"-"`     // those that are in the catalogue by now
}

// fillingFor is for how long a filling counts that does not say that it goes on: it was broken off.
const fillingFor = 10 * time.Minute

func (c *Catalog) filling(shop string) *firestore.DocumentRef {
	return c.db.Collection("fillings").Doc(store.HashID("shop", shop))
}

// Fill says that the first import into a shop, of so many products, goes on.
func (c *Catalog) Fill(ctx context.Context, shop string, total int64) error {
	_, err := c.filling(shop).Set(ctx, map[string]any{"total": total, "expires_at": time.Now().Add(fillingFor)})
	if err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	return nil
}

// Filled says that it has ended.
func (c *Catalog) Filled(ctx context.Context, shop string) error {
	if _, err := c.filling(shop).Delete(ctx); err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	return nil
}

// FillingOf returns the first import into a shop that goes on, nil if none does.
func (c *Catalog) FillingOf(ctx context.Context, shop string) (*Filling, error) {
	f, err := store.In[Filling](c.filling(shop).Parent).Get(ctx, c.filling(shop).ID)
	if store.Gone(err) {
		return nil, nil
	}
	if err == nil {
		f.Value.Stored, err = c.counted(ctx, c.products(shop))
	}
	if err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	return &f.Value, nil
}

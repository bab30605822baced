package catalog

import (
	"context"
	"fmt"
	"slices"

	"example.com/whatis/internal/store"
)

// Unlink takes sources out of the provenance of a record, such as the names of a photo. A
// missing record is no error.
func (c *Catalog) Unlink(ctx context.Context, id string, sources ...string) error {
	without := func(p *Product) {
		p.Provenance = slices.DeleteFunc(slices.Clone(p.Provenance), func(s string) bool { return slices.Contains(sources, s) })
	}
	_, err := documentsOf(c).Update(ctx, id, func(d *store.Doc[document]) error {
		without(&d.Value.Product)
		if d.Value.Base != nil {
			without(d.Value.Base)
		}
		return nil
	})
	if err != nil && !store.Gone(err) {
		return fmt.Errorf("catalog: provenance of %s: %w", id, err)
	}
	return nil
}

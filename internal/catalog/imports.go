package catalog

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// imports is the Firestore collection that remembers which files were imported.
const imports = "imports"

// Imported reports that the file with this hash was imported whole.
func (c *Catalog) Imported(ctx context.Context, hash string) (bool, error) {
	_, err := c.db.Collection(imports).Doc(hash).Get(ctx)
	if status.Code(err) == codes.NotFound {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("catalog: imports: %w", err)
	}
	return true, nil
}

// SetImported remembers that the file with this hash was imported whole.
func (c *Catalog) SetImported(ctx context.Context, hash string, products int) error {
	_, err := c.db.Collection(imports).Doc(hash).Set(ctx, map[string]any{
		"products": products, "imported_at": firestore.ServerTimestamp,
	})
	if err != nil {
		return fmt.Errorf("catalog: imports: %w", err)
	}
	return nil
}

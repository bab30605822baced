package app

import (
	"bytes"
	"context"
	"fmt"

	"example.com/whatis/internal/analyze/gtindirectory"
)

// fromDirectory is the provenance of products from the directory.
const fromDirectory = "gtin_directory"

func (c Catalog) openDirectory() (*gtindirectory.Directory, error) {
	return gtindirectory.New(gtindirectory.Config{BaseURL: c.Directory, Contact: c.DirectoryContact})
}

// directory returns a function that imports the product of a GTIN from the configured
// directory; nil without one.
func (a *App) directory(c clients) (func(ctx context.Context, gtin string) (bool, error), error) {
	if a.Catalog.Directory == "" {
		return nil, nil
	}
	products, err := a.Catalog.openDirectory()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, gtin string) (bool, error) {
		record, err := products.Product(ctx, gtin)
		if err != nil || record == nil {
			return false, err
		}
		im, err := a.importer(ctx, c, "")
		if err != nil {
			return false, fmt.Errorf("app: %w", err)
		}
		im.From = fromDirectory
		done, err := im.Run(ctx, bytes.NewReader(record))
		return done.New+done.Known+done.Changed > 0, err
	}, nil
}

package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/whatis/internal/gs1"
)

// ReadProducts reads a products_db.json: {"products": [ … ]}, {"products":
// {"0": …}} or a bare array, of objects with product_name, brand, category,
// key_features and, if known, gtin, country and lang. A GTIN whose check digit is
// wrong is left out; a product without a name or features is an error that says
// which.
func ReadProducts(data []byte) ([]Product, error) {
	records, err := seedRecords(data)
	if err != nil {
		return nil, fmt.Errorf("catalog: products_db.json: %w", err)
	}
	products := make([]Product, len(records))
	for i, r := range records {
		if r.ProductName == "" || len(r.KeyFeatures) == 0 {
			return nil, fmt.Errorf("catalog: products_db.json: product %d needs a product_name and key_features", i+1)
		}
		gtin, _ := gs1.GTIN(r.GTIN)
		products[i] = Product{
			ProductName: r.ProductName, Brand: r.Brand, Category: r.Category, GTIN: gtin,
			KeyFeatures: r.KeyFeatures[:min(len(r.KeyFeatures), MaxFeatures)],
			Country:     r.Country, Lang: r.Lang, Status: Imported, Source: "import",
		}
	}
	return products, nil
}

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

type seedRecord struct {
	ProductName string   `json:"product_name"`
	Brand       string   `json:"brand"`
	Category    string   `json:"category"`
	KeyFeatures []string `json:"key_features"`
	GTIN        string   `json:"gtin"`
	Country     string   `json:"country"`
	Lang        string   `json:"lang"`
}

func seedRecords(data []byte) ([]seedRecord, error) {
	var list []seedRecord
	if json.Unmarshal(data, &list) == nil {
		return list, nil
	}
	var file struct {
		Products json.RawMessage `json:"products"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	if json.Unmarshal(file.Products, &list) == nil {
		return list, nil
	}
	var keyed map[string]seedRecord
	if err := json.Unmarshal(file.Products, &keyed); err != nil {
		return nil, fmt.Errorf("products: %w", err)
	}
	keys := make([]string, 0, len(keyed))
	for k := range keyed {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		list = append(list, keyed[k])
	}
	return list, nil
}

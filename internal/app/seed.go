package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
)

// importOnce imports the file of ProductsDB, where one is configured, unless it
// was imported whole before into this shop and vector space.
func (a *App) importOnce(ctx context.Context, products *catalog.Catalog, model *gemini.Client, stamp catalog.Stamp) error {
	if a.ProductsDB == "" {
		return nil
	}
	data, err := os.ReadFile(a.ProductsDB)
	if err != nil {
		return fmt.Errorf("PRODUCTS_DB: %w", err)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s", a.Shop, stamp.ID(), data))
	hash := hex.EncodeToString(sum[:])
	done, err := products.Imported(ctx, hash)
	if err != nil || done {
		return err
	}
	n, err := a.importProducts(ctx, data, products, model, stamp)
	if err != nil {
		return err
	}
	slog.InfoContext(ctx, "catalogue filled", "products", n, "file", a.ProductsDB)
	return products.SetImported(ctx, hash, n)
}

// importProducts embeds the products of a products_db.json, stores those that the
// catalogue does not have, and returns how many the file holds. Instances that do
// this at the same time do it twice and leave one copy.
func (a *App) importProducts(ctx context.Context, data []byte, products *catalog.Catalog, model *gemini.Client, stamp catalog.Stamp) (int, error) {
	list, err := catalog.ReadProducts(data)
	if err != nil {
		return 0, err
	}
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = strings.Join(p.KeyFeatures, " ")
	}
	ctx = gemini.WithAccount(ctx, &gemini.Account{Attempts: 3})
	vectors, err := model.Embed(ctx, gemini.EmbedRequest{Model: stamp.Model, Prefix: stamp.Prefix, Texts: texts})
	if err != nil {
		return 0, err
	}
	for i, p := range list {
		p.UUID, p.CreatedAt, p.Shop = uuid.NewString(), time.Now().UTC(), a.Shop
		p.Country, p.Lang = cmp.Or(p.Country, a.Country), cmp.Or(p.Lang, a.Lang)
		p.Embedder, p.Embedding = stamp.ID(), vectors[i]
		if _, err := products.Create(ctx, p); err != nil && !errors.Is(err, catalog.ErrDuplicate) {
			return 0, err
		}
	}
	return len(list), nil
}

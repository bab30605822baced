package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
)

// importProducts embeds the products of a products_db.json and stores those that
// the catalogue does not have. Instances that do this at the same time do it
// twice and leave one copy.
func importProducts(ctx context.Context, data []byte, c Config, products *catalog.Catalog, model *gemini.Client, stamp catalog.Stamp) error {
	list, err := catalog.ReadProducts(data)
	if err != nil {
		return err
	}
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = strings.Join(p.KeyFeatures, " ")
	}
	ctx = gemini.WithAccount(ctx, &gemini.Account{Attempts: 3})
	vectors, err := model.Embed(ctx, gemini.EmbedRequest{Model: stamp.Model, Prefix: stamp.Prefix, Texts: texts})
	if err != nil {
		return err
	}
	for i, p := range list {
		p.UUID, p.CreatedAt, p.Shop = uuid.NewString(), time.Now().UTC(), c.Shop
		p.Country, p.Lang = cmp.Or(p.Country, c.Country), cmp.Or(p.Lang, c.Lang)
		p.Embedder, p.Embedding = stamp.ID(), vectors[i]
		if _, err := products.Create(ctx, p); err != nil && !errors.Is(err, catalog.ErrDuplicate) {
			return err
		}
	}
	slog.InfoContext(ctx, "catalogue filled", "products", len(list), "file", c.ProductsDB)
	return nil
}

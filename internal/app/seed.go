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
// was imported before into this shop and vector space. A file that is missing is a
// wrong configuration, and an error. One that cannot be understood is logged, by
// each instance, and photos are analysed without it.
func (a *App) importOnce(ctx context.Context, products *catalog.Catalog, model *gemini.Client, stamp catalog.Stamp) error {
	if a.ProductsDB == "" {
		return nil
	}
	data, err := os.ReadFile(a.ProductsDB)
	if err != nil {
		return fmt.Errorf("PRODUCTS_DB: %w (correct the path, or unset it)", err)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s", a.Shop, stamp.ID(), data))
	hash := hex.EncodeToString(sum[:])
	done, err := products.Imported(ctx, hash)
	if err != nil || done {
		return err
	}
	list, faults, err := catalog.ReadProducts(data)
	if err != nil {
		slog.ErrorContext(ctx, "PRODUCTS_DB is not imported, and photos are analysed without it: mend the file or unset the variable, then deploy again",
			"file", a.ProductsDB, "error", err)
		return nil
	}
	leftOut := logFaults(ctx, faults)
	known, err := a.importProducts(ctx, list, products, model, stamp)
	if err != nil {
		return err
	}
	slog.InfoContext(ctx, "PRODUCTS_DB imported", "file", a.ProductsDB, "imported", len(list)-known, "known_before", known, "left_out", leftOut)
	return products.SetImported(ctx, hash, len(list))
}

// maxFaultLines is how many faults of an imported file are logged one by one.
const maxFaultLines = 20

// logFaults logs what is wrong with records of the imported file, and returns how
// many of them are left out.
func logFaults(ctx context.Context, faults []catalog.Fault) (leftOut int) {
	for i, f := range faults {
		if f.LeftOut {
			leftOut++
		}
		if i < maxFaultLines {
			slog.WarnContext(ctx, "PRODUCTS_DB: wrong record", "record", f.Record, "why", f.Why, "left_out", f.LeftOut)
		}
	}
	if more := len(faults) - maxFaultLines; more > 0 {
		slog.WarnContext(ctx, "PRODUCTS_DB: more wrong records, which are not listed", "records", more)
	}
	return leftOut
}

// importProducts embeds products, stores those that the catalogue does not have,
// and returns how many it had. Instances that do this at the same time do it twice
// and leave one copy.
func (a *App) importProducts(ctx context.Context, list []catalog.Product, products *catalog.Catalog, model *gemini.Client, stamp catalog.Stamp) (known int, err error) {
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
		_, err := products.Create(ctx, p)
		if errors.Is(err, catalog.ErrDuplicate) {
			known++
			continue
		}
		if err != nil {
			return 0, err
		}
	}
	return known, nil
}

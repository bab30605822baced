//go:build linux

package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	emulated "example.com/whatis/emulators/firestore"
	"example.com/whatis/emulators/storage"
	"example.com/whatis/internal/catalog"
)

// A world is what the servers under measurement speak to.
type world struct {
	model     *model
	firestore *emulated.Server
	storage   *storage.Server
	others    *others // nil until forecasts or discoveries are measured
}

func newWorld(ctx context.Context) (w *world, err error) {
	w = &world{}
	if w.model, err = newModel(); err != nil {
		return nil, err
	}
	if w.firestore, err = emulated.Start(emulated.Options{}); err != nil {
		return nil, err
	}
	if w.storage, err = storage.Start(storage.Options{Buckets: []string{"uploads", "results"}}); err != nil {
		return nil, err
	}
	return w, w.stock(ctx)
}

func (w *world) close() {
	if w.others != nil {
		w.others.close()
	}
	_ = w.model.server.Close()
	_ = w.firestore.Close()
	w.storage.Close()
}

// stock fills the catalogue: 1,000 products, of which 100 are for sale and the others of brands of
// 50, and the one of the model's answers among those of its brand.
func (w *world) stock(ctx context.Context) error {
	return w.withCatalog(ctx, func(products *catalog.Catalog, space catalog.VectorSpace) error {
		for _, lines := range [][]byte{frames(forSale), packs(stocked - forSale - 1)} {
			if err := fillShop(ctx, products, space, defaultShop, lines); err != nil {
				return err
			}
		}
		_, err := products.Create(ctx, catalog.Product{
			Shop: defaultShop, ProductName: "Barley Tea", Brand: "Haetsal", Category: "Beverage", KeyFeatures: []string{"barley tea"},
			Country: "US", Lang: "en", Status: catalog.Imported, Source: "import", Vectors: catalog.Vectors{Embedder: space.ID(), Embedding: axis(0)},
		})
		return err
	})
}

// withCatalog opens the catalogue for as long as do needs it.
func (w *world) withCatalog(ctx context.Context, do func(*catalog.Catalog, catalog.VectorSpace) error) error {
	conn, err := grpc.NewClient(w.firestore.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	db, err := firestore.NewClient(ctx, project, option.WithGRPCConn(conn))
	if err != nil {
		return err
	}
	defer db.Close()
	space, err := catalog.VectorSpaceOf("gemini-embedding-2")
	if err != nil {
		return err
	}
	return do(catalog.New(db), space)
}

// fill makes the shops that are searched.
func (w *world) fill(ctx context.Context, large int) error {
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // 23 million numbers go over the wire, each on its own
	return w.withCatalog(ctx, func(products *catalog.Catalog, space catalog.VectorSpace) error {
		if err := fillShop(ctx, products, space, smallShop, frames(smallProducts)); err != nil {
			return err
		}
		return fillShop(ctx, products, space, largeShop, frames(large))
	})
}

const (
	project    = "bench"
	instanceMB = 512 // of a deployed instance, as MEMORY_MB is by default
)

// env returns the variables of a function that speaks to w; all else is its defaults.
func (w *world) env() []string {
	return []string{
		"FUNCTION_TARGET=API", "GOOGLE_CLOUD_PROJECT=" + project, "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results",
		"FIRESTORE_EMULATOR_HOST=" + w.firestore.Addr(), "STORAGE_EMULATOR_HOST=" + w.storage.URL(),
		"GOOGLE_GEMINI_BASE_URL=" + w.model.url, "GOOGLE_API_KEY=none",
	}
}

// A side is one of the servers that are compared.
type side int

const (
	function side = iota
	bare          // the floor that does not store
	stored        // the floor that does
	other         // the server of another command
)

// server starts one side. The function writes its profile to a file, unless that is "". Of the
// other side the program is its command.
func (w *world) server(ctx context.Context, program string, s side, profile string) (*process, error) {
	if s == other {
		command := strings.Fields(program)
		return start(ctx, w.env(), command[0], command[1:]...)
	}
	if s != function {
		return start(ctx, w.env(), selfPath, "floor", w.model.url, fmt.Sprint(s == stored))
	}
	p, err := start(ctx, append(w.env(), "WHATIS_PROFILE="+profile), program)
	if err != nil {
		return nil, fmt.Errorf("the function: %w", err)
	}
	p.profile = profile
	return p, nil
}

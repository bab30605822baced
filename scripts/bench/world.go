//go:build linux

package main

import (
	"context"
	"fmt"
	"runtime/debug"

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
	_ = w.model.server.Close()
	_ = w.firestore.Close()
	w.storage.Close()
}

// stock puts the product of the model's answers into the catalogue.
func (w *world) stock(ctx context.Context) error {
	return w.withCatalog(ctx, func(products *catalog.Catalog, space catalog.VectorSpace) error {
		_, err := products.Create(ctx, catalog.Product{
			Shop: "default", ProductName: "Barley Tea", Brand: "Haetsal", Category: "Beverage", KeyFeatures: []string{"barley tea"},
			Country: "US", Lang: "en", Status: catalog.Imported, Source: "import", Embedder: space.ID(), Embedding: axis(0),
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
func (w *world) fill(ctx context.Context) error {
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // 23 million numbers go over the wire, each on its own
	return w.withCatalog(ctx, func(products *catalog.Catalog, space catalog.VectorSpace) error {
		if err := fillShop(ctx, products, space, smallShop, smallProducts); err != nil {
			return err
		}
		return fillShop(ctx, products, space, largeShop, largeProducts)
	})
}

const project = "bench"

// env returns the variables of a function that speaks to w; all else is its defaults.
func (w *world) env() []string {
	return []string{
		"FUNCTION_TARGET=API", "GOOGLE_CLOUD_PROJECT=" + project, "UPLOAD_BUCKET=uploads", "RESULTS_BUCKET=results",
		"FIRESTORE_EMULATOR_HOST=" + w.firestore.Addr(), "STORAGE_EMULATOR_HOST=" + w.storage.URL(),
		"GOOGLE_GEMINI_BASE_URL=" + w.model.url, "GOOGLE_API_KEY=none", "K_SERVICE=",
	}
}

// calls returns the calls of Firestore since the last reset.
func (w *world) calls() int {
	n := 0
	for _, count := range w.firestore.Calls() {
		n += count
	}
	return n
}

// server starts the function, which writes its profile to a file unless that is "",
// or the bare handler.
func (w *world) server(ctx context.Context, program string, bare bool, profile string) (*process, error) {
	if bare {
		return start(ctx, nil, selfPath, "bare", w.model.url)
	}
	p, err := start(ctx, append(w.env(), "WHATIS_PROFILE="+profile), program)
	if err != nil {
		return nil, fmt.Errorf("the function: %w", err)
	}
	p.profile = profile
	return p, nil
}

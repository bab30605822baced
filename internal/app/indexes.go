package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/search/index"
)

// openShops opens the indexes of shops. If a file lacks much, a task writes it anew.
func (a *App) openShops(ctx context.Context) (*index.Shops, error) {
	db, err := a.firestore.Get(ctx)
	if err != nil {
		return nil, fmt.Errorf("app: %w", err)
	}
	space, err := catalog.VectorSpaceOf(a.Catalog.EmbeddingModel)
	if err != nil {
		return nil, fmt.Errorf("app: %w", err)
	}
	shops := &index.Shops{Catalog: catalog.New(db), Database: a.Platform.Project + "/" + a.Platform.Database, Space: space.ID(), Bucket: a.Search.IndexBucket}
	if shops.Bucket == "" {
		return shops, nil
	}
	if shops.Objects, err = a.objects.Get(ctx); err != nil {
		return nil, fmt.Errorf("app: %w", err)
	}
	if a.Platform.TasksTopic != "" {
		shops.Stale = func(ctx context.Context, shop string) {
			c, err := a.clients.Get(ctx)
			if err == nil {
				err = c.tasks.PublishLong(ctx, queue.Task{Agent: "catalog", Kind: "index", Payload: indexPayload{Shop: shop}})
			}
			if err != nil {
				slog.WarnContext(ctx, "search: the index is not written anew", "shop", shop, "error", err)
			}
		}
	}
	return shops, nil
}

// An indexPayload is the payload of the task that writes the index of a shop:
//
//	{"agent": "catalog", "kind": "index", "payload": {"shop": "default", "anew": true}}
type indexPayload struct {
	Shop string `json:"shop"`
	Anew bool   `json:"anew,omitempty"` // of all its products
}

// handleIndexes registers with d the handler of the tasks that write indexes.
func handleIndexes(d *queue.Dispatcher, write func(ctx context.Context, shop string, anew bool) error) {
	d.Handle("catalog", "index", func(ctx context.Context, payload queue.Payload, _ queue.Meta) error {
		var p indexPayload
		if err := payload.Decode(&p); err != nil {
			return err
		}
		return write(ctx, p.Shop, p.Anew)
	})
}

// WriteIndex writes the file of a shop's index, if there is a bucket for it; "" is the configured shop.
// If anew is set, all products are read for it, as is needed after the database was restored.
func (a *App) WriteIndex(ctx context.Context, shop string, anew bool) error {
	defer a.Begin()()
	shops, err := a.shops.Get(ctx)
	if err != nil {
		return err
	}
	return shops.Write(ctx, cmp.Or(shop, a.Catalog.Shop), anew)
}

// startIndex has a task write a shop's index of all its products.
func (a *App) startIndex(ctx context.Context, shop string) error {
	c, err := a.clients.Get(ctx)
	if err != nil {
		return fmt.Errorf("app: %w", err)
	}
	return c.tasks.PublishLong(ctx, queue.Task{Agent: "catalog", Kind: "index", Payload: indexPayload{Shop: shop, Anew: true}})
}

package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// An Import brings the products of a file into the catalogue:
//
//	file → products, 800 at a time → which are known? → embed the others → create
//
// It may end anywhere and be begun again, by several at a time too: what is there is
// neither embedded nor written again, and of two that write a product one wins.
type Import struct {
	Catalog *Catalog
	Shop    string      // that the products are of
	Space   VectorSpace // of what Embed makes
	Country string      // of products that name none
	Lang    string      // likewise

	// Embed returns a vector for each text. It is asked for a few hundred at a time.
	Embed func(ctx context.Context, texts []string) ([][]float32, error)
	// Fault is told of each wrong record; nil tells nobody.
	Fault func(Fault)
	// Progress is told how far the import is, now and then; nil tells nobody.
	Progress func(Imports)
}

// Imports are how many records of a file became what.
type Imports struct {
	New     int // are in the catalogue now
	Known   int // were there before
	LeftOut int // are no products
}

func (i Imports) String() string {
	return fmt.Sprintf("%d imported, %d known before, %d left out", i.New, i.Known, i.LeftOut)
}

const (
	importChunk    = 800 // products at a time: eight requests of an embedding model
	importLookups  = 8   // queries for known products at once
	idsOfOneLookup = 30  // Firestore's limit for "in"
)

// Run imports the products that r holds. What it tells is right with an error too:
// then Run may be called again, unless the error is ErrFile.
func (im Import) Run(ctx context.Context, r io.Reader) (Imports, error) {
	var done Imports
	fault := func(f Fault) {
		if f.LeftOut {
			done.LeftOut++
		}
		if im.Fault != nil {
			im.Fault(f)
		}
	}
	chunk := make([]Product, 0, importChunk)
	for p, err := range ReadProducts(r, fault) {
		if err != nil {
			return done, errors.Join(im.chunk(ctx, chunk, &done), err)
		}
		if chunk = append(chunk, im.completed(p)); len(chunk) < importChunk {
			continue
		}
		if err := im.chunk(ctx, chunk, &done); err != nil {
			return done, err
		}
		chunk = chunk[:0]
	}
	return done, im.chunk(ctx, chunk, &done)
}

// completed is p with all but its vector.
func (im Import) completed(p Product) Product {
	p.UUID, p.CreatedAt = uuid.NewString(), time.Now().UTC()
	p.Shop, p.Embedder = im.Shop, im.Space.ID()
	p.Country, p.Lang = cmp.Or(p.Country, im.Country), cmp.Or(p.Lang, im.Lang)
	return p
}

// chunk imports products and counts them.
func (im Import) chunk(ctx context.Context, products []Product, done *Imports) error {
	if len(products) == 0 {
		return nil
	}
	known, err := im.Catalog.existing(ctx, products)
	if err != nil {
		return err
	}
	unknown := slices.DeleteFunc(products, func(p Product) bool { return known[p.id()] })
	done.Known += len(known)
	added, err := im.create(ctx, unknown)
	done.New += added
	if err == nil {
		done.Known += len(unknown) - added
	}
	if im.Progress != nil {
		im.Progress(*done)
	}
	return err
}

// existing are the IDs of those products that the catalogue has. Their documents stay
// there: a vector is 8 KiB.
func (c *Catalog) existing(ctx context.Context, products []Product) (map[string]bool, error) {
	known := map[string]bool{}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(importLookups)
	for some := range slices.Chunk(products, idsOfOneLookup) {
		group.Go(func() error {
			refs := make([]*firestore.DocumentRef, len(some))
			for i, p := range some {
				refs[i] = c.db.Collection(collection).Doc(p.id())
			}
			found, err := c.query(ctx, c.db.Collection(collection).Where(firestore.DocumentID, "in", refs).Select())
			mu.Lock()
			defer mu.Unlock()
			for _, p := range found {
				known[p.ID] = true
			}
			return err
		})
	}
	return known, group.Wait()
}

// create embeds products and stores them. It returns how many of them are new:
// somebody else may have been quicker.
func (im Import) create(ctx context.Context, products []Product) (added int, err error) {
	if len(products) == 0 {
		return 0, nil
	}
	texts := make([]string, len(products))
	for i, p := range products {
		texts[i] = strings.Join(p.KeyFeatures, " ")
	}
	vectors, err := im.Embed(ctx, texts)
	if err != nil {
		return 0, fmt.Errorf("catalog: embed %d products: %w", len(products), err)
	}
	for i := range products {
		products[i].Embedding = vectors[i]
	}
	return im.Catalog.createAll(ctx, products)
}

// createAll is Create of many products, twenty a call. It returns how many of them
// are new.
func (c *Catalog) createAll(ctx context.Context, products []Product) (added int, err error) {
	writer := c.db.BulkWriter(ctx)
	jobs := make([]*firestore.BulkWriterJob, len(products))
	for i, p := range products {
		if err := p.check(); err != nil {
			return 0, err
		}
		if jobs[i], err = writer.Create(c.db.Collection(collection).Doc(p.id()), p.keyed()); err != nil {
			return 0, fmt.Errorf("catalog: create %q: %w", p.ProductName, err)
		}
	}
	writer.End()
	for i, job := range jobs {
		switch _, failed := job.Results(); {
		case failed == nil:
			added++
		case status.Code(failed) != codes.AlreadyExists:
			err = fmt.Errorf("catalog: create %q: %w", products[i].ProductName, failed)
		}
	}
	return added, err
}

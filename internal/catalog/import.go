package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/store"
)

// An Import brings the products of a file into the catalogue:
//
//	file → products, 800 at a time → which are known? → embed the others → create
//
// It may end anywhere and be begun again, by several at a time too: what is there is
// neither embedded nor written again, and of two that write a product one wins. What
// has changed is written, and embedded again only if its text or its picture is
// another.
//
// A record keeps who vouches for it: what is imported never changes what people have
// confirmed, nor what was learnt; what is imported as confirmed changes both.
type Import struct {
	Catalog *Catalog
	Shop    string      // that the products are of
	Status  Status      // of the products: Imported, or Confirmed if the owner vouches for the file; "" is Imported
	From    string      // the provenance of what it brings: the name or the address of the file
	Format  Format      // of the file
	Space   VectorSpace // of what Embed makes
	Country string      // of products that name none
	Lang    string      // likewise

	// Embed returns a vector for each text. It is asked for a few hundred at a time.
	Embed func(ctx context.Context, texts []string) ([][]float32, error)
	// EmbedDocuments is Embed of texts that are searched, and EmbedImages of the
	// pictures at addresses as a product has them: what is wrong with one is its
	// fault, and it has no vector. Both are asked only for products that are sold;
	// nil makes no such vectors.
	EmbedDocuments func(ctx context.Context, texts []string) ([][]float32, error)
	EmbedImages    func(ctx context.Context, uris []string) (vectors [][]float32, faults []error, err error)
	// Fault is told of each wrong record; nil tells nobody.
	Fault func(Fault)
	// Progress is told how far the import is, now and then; nil tells nobody.
	Progress func(Imports)
}

// Imports are how many records of a file became what.
type Imports struct {
	New     int // are in the catalogue now
	Changed int // were there before, and are now as the file says
	Known   int // were there before
	LeftOut int // are no products
}

func (i Imports) String() string {
	if i.Changed > 0 {
		return fmt.Sprintf("%d imported, %d changed, %d known before, %d left out", i.New, i.Changed, i.Known, i.LeftOut)
	}
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
	if im.Status != "" && !slices.Contains(trusted, im.Status) {
		return done, fmt.Errorf("catalog: products cannot be imported as %q: want %s or %s", im.Status, Imported, Confirmed)
	}
	err := im.all(ctx, ReadProducts(r, im.Format, fault), im.completed, &done)
	return done, err
}

// all imports products as completed makes them, and counts them.
func (im Import) all(ctx context.Context, products iter.Seq2[Product, error], completed func(Product) Product, done *Imports) error {
	chunk := make([]Product, 0, importChunk)
	for p, err := range products {
		if err != nil {
			return errors.Join(im.chunk(ctx, chunk, done), err)
		}
		if chunk = append(chunk, completed(p)); len(chunk) < importChunk {
			continue
		}
		if err := im.chunk(ctx, chunk, done); err != nil {
			return err
		}
		chunk = chunk[:0]
	}
	return im.chunk(ctx, chunk, done)
}

// completed is p with all but its vector.
func (im Import) completed(p Product) Product {
	p.UUID, p.CreatedAt = uuid.NewString(), time.Now().UTC()
	p.Shop, p.Embedder, p.Status = im.Shop, im.Space.ID(), cmp.Or(im.Status, Imported)
	if im.From != "" {
		p.Provenance = append(p.Provenance, im.From)
	}
	p.Country, p.Lang = cmp.Or(p.Country, im.Country), cmp.Or(p.Lang, im.Lang)
	p.RecordDigest, p.EmbeddedDigest = p.digests()
	return p
}

// chunk imports products and counts them.
func (im Import) chunk(ctx context.Context, products []Product, done *Imports) error {
	if len(products) == 0 {
		return nil
	}
	stored, err := im.Catalog.stored(ctx, products)
	if err != nil {
		return err
	}
	var fresh, changed []Product
	for _, p := range products {
		switch before, known := stored[p.id()]; {
		case !known:
			fresh = append(fresh, p)
		case before.yields(p):
			changed = append(changed, p)
		default:
			done.Known++
		}
	}
	err = im.write(ctx, fresh, changed, stored, done)
	if err == nil {
		err = im.Catalog.addBrands(ctx, im.Shop, products)
	}
	if im.Progress != nil {
		im.Progress(*done)
	}
	return err
}

// write embeds what is fresh or has changed, and stores it.
func (im Import) write(ctx context.Context, fresh, changed []Product, stored map[string]storedProduct, done *Imports) error {
	if err := im.embed(ctx, fresh); err != nil {
		return err
	}
	added, err := im.Catalog.createAll(ctx, fresh)
	done.New += added
	if err != nil {
		return err
	}
	done.Known += len(fresh) - added
	updated, err := im.change(ctx, changed, stored)
	done.Changed += updated
	if err == nil {
		done.Known += len(changed) - updated
	}
	return err
}

// A storedProduct is what an import must know of a product that is there.
type storedProduct struct {
	Status         Status    `firestore:"status"`
	RecordDigest   string    `firestore:"record_digest"`
	EmbeddedDigest string    `firestore:"embedded_digest"`
	Reviewed       bool      `firestore:"reviewed"`
	UpdateTime     time.Time `firestore:"-"`
}

// yields reports that p, of a file, is to be written in the place of the record.
func (before storedProduct) yields(p Product) bool {
	switch {
	case before.Reviewed: // people have looked at photos of it
		return false
	case before.Status != p.Status:
		return p.Status == Confirmed && (before.Status == Imported || before.Status == Unconfirmed)
	}
	return before.RecordDigest != p.RecordDigest
}

// stored are those products that the catalogue has, by their IDs. Their vectors stay
// there: each is 8 KiB.
func (c *Catalog) stored(ctx context.Context, products []Product) (map[string]storedProduct, error) {
	stored := map[string]storedProduct{}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(importLookups)
	for some := range slices.Chunk(products, idsOfOneLookup) {
		group.Go(func() error {
			refs := make([]*firestore.DocumentRef, len(some))
			for i, p := range some {
				refs[i] = c.db.Collection(collection).Doc(p.id())
			}
			found, err := c.db.Collection(collection).Where(firestore.DocumentID, "in", refs).
				Select("status", "record_digest", "embedded_digest", "reviewed").Documents(ctx).GetAll()
			if err != nil {
				return fmt.Errorf("catalog: look up %d products: %w", len(some), err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, snap := range found {
				var p storedProduct
				if err := snap.DataTo(&p); err != nil {
					return fmt.Errorf("catalog: document %s: %w", snap.Ref.ID, err)
				}
				p.UpdateTime = snap.UpdateTime
				stored[snap.Ref.ID] = p
			}
			return nil
		})
	}
	return stored, group.Wait()
}

// createAll is Create of many products, twenty a call. It returns how many of them
// are new: somebody else may have been quicker.
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
		case !store.Exists(failed):
			err = fmt.Errorf("catalog: create %q: %w", products[i].ProductName, failed)
		}
	}
	return added, err
}

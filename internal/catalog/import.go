package catalog

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/store"
)

// An Import stores the products of a file in the catalogue:
//
//	file → products, 800 at a time → which are known? → embed the others → create
//
// It may be interrupted and repeated, and several may run at once: products that are stored
// already are neither embedded nor written again, and of two writers of a product one
// succeeds. Changed products are updated, and embedded again only if their text or picture
// changed.
//
// What is offered, as the price, always follows the file, and what the product is, until people have
// confirmed or reviewed it: an import with status Confirmed then changes what was only confirmed. What
// was learnt is changed by a row with a SKU or a GTIN, or by an import with status Confirmed.
type Import struct {
	Catalog *Catalog
	ID      string      // of the import, the same for each attempt at it; "" gets one of its own
	Shop    string      // of the products
	Status  Status      // of the products: Imported, or Confirmed if the owner guarantees the file; "" means Imported
	From    string      // the provenance of its records: the name or address of the file
	Format  Format      // of the file
	Space   VectorSpace // of the vectors that Embed returns
	Country string      // for products without a country
	Lang    string      // for products without a language

	// Embed returns a vector for each text. It is called with a few hundred texts at a
	// time.
	Embed func(ctx context.Context, texts []string) ([][]float32, error)
	// EmbedDocuments embeds texts as documents to be searched, EmbedImages pictures. Both are
	// called only for products for sale; nil means no such vectors.
	EmbedDocuments func(ctx context.Context, texts []string) ([][]float32, error)
	EmbedImages    func(ctx context.Context, pictures []*Picture) error
	// Fault is called for each faulty record; it may be nil.
	Fault func(Fault)
	// Progress is called from time to time; it may be nil.
	Progress func(Imports)

	// After is what an earlier attempt at the same file has stored: as many rows are skipped.
	After Checkpoint
	// Keep is called with what is stored, which a later attempt may have as After. Its error ends
	// the import. It may be nil.
	Keep func(context.Context, Checkpoint) error

	// Differ, if set, is called for each product with what an import would do, and nothing is
	// embedded or written.
	Differ func(Difference)

	claimed map[uint64]bool // the records of the file's products so far, by keyOf
}

// A Picture is one to be read. If the bytes have its hash, it is embedded already; else it gets theirs and a vector.
// One of no use gets a Fault, and neither.
type Picture struct {
	URI    string
	Hash   string // the SHA-256 of its bytes
	Vector []float32
	Fault  error

	of []*Product
}

// Imports counts the records of a file by what became of them.
type Imports struct {
	New     int `json:"imported"`     // added to the catalogue
	Changed int `json:"changed"`      // updated in the catalogue
	Known   int `json:"known_before"` // already in the catalogue, as in the file
	LeftOut int `json:"left_out"`     // not products
}

// products returns how many products were stored, or were stored already.
func (i Imports) products() int { return i.New + i.Changed + i.Known }

// A Checkpoint is what became of the first rows of a file, those that are no products too.
type Checkpoint struct {
	Imports
	Rows int `json:"rows"`
}

func (i Imports) String() string {
	if i.Changed > 0 {
		return fmt.Sprintf("%d imported, %d changed, %d known before, %d left out", i.New, i.Changed, i.Known, i.LeftOut)
	}
	return fmt.Sprintf("%d imported, %d known before, %d left out", i.New, i.Known, i.LeftOut)
}

const (
	importChunk    = 800 // products per chunk: eight requests of an embedding model
	pictureChunk   = 20  // where pictures are fetched, each within 25 s at most: a task is stopped after 540 s
	importLookups  = 8   // concurrent queries for known products
	idsOfOneLookup = 30  // Firestore's limit for "in"
)

// Run imports the products that r contains. The counts are valid with an error too. Then
// Run may be repeated, unless the error is ErrFile.
func (im Import) Run(ctx context.Context, r io.Reader) (Imports, error) {
	done := Checkpoint{Imports: im.After.Imports} // the file is read from its beginning
	fault := func(f Fault) {
		if f.LeftOut {
			if done.Rows++; done.Rows > im.After.Rows {
				done.LeftOut++
			}
		}
		if im.Fault != nil {
			im.Fault(f)
		}
	}
	if im.Status != "" && !slices.Contains(trusted, im.Status) {
		return done.Imports, fmt.Errorf("catalog: products cannot be imported as %q: want %s or %s", im.Status, Imported, Confirmed)
	}
	im.ID = cmp.Or(im.ID, uuid.NewString())
	err := im.all(ctx, ReadProducts(r, im.Format, fault), im.completed, &done)
	return done.Imports, err
}

// all imports products, each completed by the function of that name, and counts them. Of those that an
// earlier attempt has stored it notes only which records are theirs by their IDs; others say so themselves
// (Product.ClaimedBy).
func (im Import) all(ctx context.Context, products iter.Seq2[Product, error], completed func(Product) Product, done *Checkpoint) error {
	size := importChunk
	if im.Format.Pictures {
		size = pictureChunk
	}
	chunk := make([]Product, 0, size)
	im.claimed = map[uint64]bool{}
	for p, err := range products {
		if err != nil {
			return cmp.Or(im.chunk(ctx, chunk, done), err)
		}
		p = completed(p)
		p.pictured = im.Format.Pictures
		if done.Rows++; done.Rows <= im.After.Rows {
			im.claimed[keyOf(p.id())] = true
			continue
		}
		if chunk = append(chunk, p); len(chunk) < size {
			continue
		}
		if err := im.chunk(ctx, chunk, done); err != nil {
			return err
		}
		chunk = chunk[:0]
	}
	return im.chunk(ctx, chunk, done)
}

// completed returns p with all fields set but its vectors.
func (im Import) completed(p Product) Product {
	if p.restored != nil {
		return im.restoredIn(p)
	}
	p.UUID, p.CreatedAt = uuid.NewString(), time.Now().UTC()
	p.Shop, p.Vectors.Embedder, p.Status = im.Shop, im.Space.ID(), cmp.Or(im.Status, Imported)
	if im.From != "" {
		p.Provenance = append(p.Provenance, im.From)
	}
	p.Country, p.Lang, p.ImportedAt = cmp.Or(p.Country, im.Country), cmp.Or(p.Lang, im.Lang), p.CreatedAt
	p = p.identified()
	p.RecordDigest, p.EmbeddedDigest = p.digests()
	p.ClaimedBy = im.ID + claimOf + p.id()
	return p
}

// chunk imports products and counts them.
func (im Import) chunk(ctx context.Context, products []Product, done *Checkpoint) error {
	if len(products) == 0 {
		return nil
	}
	d, err := im.decide(ctx, products)
	if err != nil {
		return err
	}
	if im.Differ != nil {
		return im.compare(ctx, d, &done.Imports)
	}
	for _, one := range d.undecided {
		im.leaveOut(one, &done.Imports)
	}
	done.Known += len(d.known)
	err = im.write(ctx, d.fresh, d.changed, d.stored, &done.Imports)
	if err == nil {
		err = im.claimKnown(ctx, d)
	}
	if im.Progress != nil {
		im.Progress(done.Imports)
	}
	if err == nil && im.Keep != nil {
		err = im.Keep(ctx, *done)
	}
	return err
}

// decisions are what becomes of products.
type decisions struct {
	stored                map[string]storedProduct // the records of changed and known ones, by the IDs of the products
	fresh, changed, known []Product
	undecided             []undecided
}

// decide looks products up and decides what becomes of each.
func (im Import) decide(ctx context.Context, products []Product) (d decisions, err error) {
	var open map[string][]storedProduct
	if d.stored, open, err = im.storedOf(ctx, products); err != nil {
		return d, err
	}
	var held []Product
	for _, p := range products {
		before, known := d.stored[p.id()]
		of := p.as(before)
		if before.Hidden && of.restored == nil {
			of.Hidden, of.NotForSale = true, true
		}
		switch {
		case open[p.id()] != nil:
			d.undecided = append(d.undecided, undecided{p, open[p.id()]})
		case !known:
			d.fresh = append(d.fresh, p)
			im.claimed[keyOf(p.id())] = true
		case !before.yields(of):
			d.known = append(d.known, of)
			d.stored[of.id()] = before
		case before.held(of):
			held = append(held, of)
			d.stored[of.id()] = before
		default:
			d.changed = append(d.changed, of)
			d.stored[of.id()] = before
		}
	}
	return d, im.offer(ctx, held, &d)
}

// offer decides what becomes of products of whose records people have said what they are: only what
// is offered is changed.
func (im Import) offer(ctx context.Context, held []Product, d *decisions) error {
	var ids []string
	for _, p := range held {
		ids = append(ids, d.stored[p.id()].ID)
	}
	records, err := im.Catalog.fetch(ctx, ids, wholeFields)
	if err != nil {
		return err
	}
	for _, p := range held {
		record := records[d.stored[p.id()].ID]
		if of := p.offeredAs(record); len(record.fieldsOther(of)) == 0 && d.stored[p.id()].embedded(p) {
			d.known = append(d.known, p)
		} else {
			d.changed = append(d.changed, of)
		}
	}
	return nil
}

// offeredAs returns what the record is once p, from a file, is what is offered, and what remains of it
// if people take back what they said.
func (p Product) offeredAs(record Product) Product {
	if record.Reviewed && record.Base != nil {
		p.UUID, p.CreatedAt = record.Base.UUID, record.Base.CreatedAt
		record.Provenance = slices.DeleteFunc(slices.Clone(record.Provenance), func(s string) bool { return slices.Contains(record.Base.Provenance, s) })
	}
	of := *record.over(&p)
	of.row = p.id()
	if of.EmbeddedDigest = of.embeddedDigest(); !record.Reviewed {
		of.Base, of.Provenance = nil, p.Provenance
	}
	return of
}

// An undecided is a product for which several records are possible.
type undecided struct {
	Product
	possible []storedProduct
}

func (u undecided) why() string {
	return fmt.Sprintf("%q may be any of the records %s: give it their sku or gtin, or delete those that are not the product", u.ProductName, strings.Join(idsOf(u.possible), ", "))
}

// leaveOut reports a product for which several records are possible.
func (im Import) leaveOut(u undecided, done *Imports) {
	done.LeftOut++
	if im.Fault != nil {
		im.Fault(Fault{Record: fmt.Sprintf("%.60q", u.ProductName), Code: u.GTIN, Reason: Undecided, Why: u.why(), LeftOut: true})
	}
}

// write embeds and stores new and changed products.
func (im Import) write(ctx context.Context, fresh, changed []Product, stored map[string]storedProduct, done *Imports) error {
	if err := im.embed(ctx, fresh, nil); err != nil {
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

// yields reports whether p, from a file, may replace the record.
func (before storedProduct) yields(p Product) bool {
	switch {
	case p.restored != nil:
		return before.yieldsTo(p)
	case before.Status == Rejected:
		return false
	case before.Status == Unconfirmed: // what has a SKU or a GTIN of its own is more than a guess from the web
		return p.Identity != ByName || p.Status == Confirmed
	case before.Status == Imported && p.Status == Confirmed, !before.embedded(p):
		return true
	}
	return before.RecordDigest != p.RecordDigest
}

// embedded reports whether the record has vectors in the space of p, from a file, and of its picture if that is on
// the web and was fetched, or is to be.
func (before storedProduct) embedded(p Product) bool {
	picture := before.pictureIn(p.Vectors.Embedder)
	if picture == "" && p.pictured && IsWebAddress(p.ImageURI) && !p.NotForSale || picture != "" && before.ImageURI != p.ImageURI {
		return false
	}
	return before.Embedder == p.Vectors.Embedder || before.Second == p.Vectors.Embedder
}

// pictureIn returns the hash of the picture of which the record has a vector in a space.
func (before storedProduct) pictureIn(space string) string {
	switch space {
	case before.Embedder:
		return before.Image
	case before.Second:
		return before.SecondImage
	}
	return ""
}

// held reports whether people have said what the record is, so that p, from a file, changes only what
// is offered.
func (before storedProduct) held(p Product) bool {
	return p.restored == nil && (before.Reviewed || before.Status == Confirmed && p.Status != Confirmed)
}

// stored returns those of products that the catalogue has, by their IDs, without the vectors, which take 8 KiB each.
func (c *Catalog) stored(ctx context.Context, products []Product) (map[string]storedProduct, error) {
	ids := map[string]string{} // by the ID that a record may have
	for _, p := range products {
		ids[p.identifyingHash()] = p.id()
	}
	for _, p := range products {
		ids[p.id()] = p.id()
	}
	stored := map[string]storedProduct{}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(importLookups)
	for some := range slices.Chunk(slices.Sorted(maps.Keys(ids)), idsOfOneLookup) {
		group.Go(func() error {
			found, err := comparedIn(ctx, c.withIDs(some))
			mu.Lock()
			defer mu.Unlock()
			for _, p := range found {
				id := ids[p.ID]
				if _, there := stored[id]; !there || p.ID == id {
					stored[id] = p
				}
			}
			return err
		})
	}
	return stored, group.Wait()
}

// createAll is Create for many products. It returns how many were new; other writers may have created
// some meanwhile.
func (c *Catalog) createAll(ctx context.Context, products []Product) (added int, err error) {
	for _, p := range products {
		if err := p.check(); err != nil && p.Status != Rejected {
			return 0, err
		}
	}
	return writeAll(ctx, c.db, products, func(writer *firestore.BulkWriter, p Product) (*firestore.BulkWriterJob, error) {
		return writer.Create(c.db.Collection(collection).Doc(p.id()), document{Product: p.keyed()})
	}, func(p Product, failed error) error {
		if store.Exists(failed) {
			return nil
		}
		return fmt.Errorf("catalog: create %q: %w", p.ProductName, failed)
	})
}

// writesAtOnce bounds the writes in memory: as Firestore's messages, the vectors of a record take 200 kB.
const writesAtOnce = 40

// writeAll makes a write of each, up to twenty in a call, which succeed or fail one by one. It returns how many
// succeeded, and the last error that is one.
func writeAll[T any](ctx context.Context, db *firestore.Client, all []T, write func(*firestore.BulkWriter, T) (*firestore.BulkWriterJob, error), wrong func(one T, failed error) error) (made int, err error) {
	for some := range slices.Chunk(all, writesAtOnce) {
		writer := db.BulkWriter(ctx)
		jobs := make([]*firestore.BulkWriterJob, len(some))
		for i, one := range some {
			job, failed := write(writer, one)
			if failed != nil {
				return made, wrong(one, failed)
			}
			jobs[i] = job
		}
		writer.End()
		for i, job := range jobs {
			if _, failed := job.Results(); failed == nil {
				made++
			} else {
				err = cmp.Or(wrong(some[i], failed), err)
			}
		}
	}
	return made, err
}

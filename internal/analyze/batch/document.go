package batch

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/usererror"
)

// collection is the Firestore collection of the batches.
const collection = "batches"

// A document is a batch as it is stored.
type document struct {
	State      jobs.State     `firestore:"state"`
	Handed     bool           `firestore:"handed"` // the tasks of all its photos are published
	Reason     string         `firestore:"reason,omitempty"`
	Bucket     string         `firestore:"bucket"`
	Prefix     string         `firestore:"prefix"`
	Number     int            `firestore:"number"`
	Bytes      int64          `firestore:"bytes"`
	Sample     int            `firestore:"sample,omitempty"`
	Random     bool           `firestore:"random,omitempty"`
	Seed       Seed           `firestore:"seed,omitempty"` // as text: Firestore has no uint64
	Country    string         `firestore:"country,omitempty"`
	Lang       string         `firestore:"lang,omitempty"`
	Policy     string         `firestore:"policy,omitempty"`
	SecondLook string         `firestore:"second_look,omitempty"`
	Dedupe     bool           `firestore:"dedupe,omitempty"`
	Group      string         `firestore:"group,omitempty"`
	Fresh      bool           `firestore:"fresh,omitempty"` // no result of before it is returned again
	Photos     int            `firestore:"photos,omitempty"`
	Grouped    bool           `firestore:"grouped,omitempty"` // by barcode: the photos are grouped
	Tier       gemini.Tier    `firestore:"tier,omitempty"`
	Result     string         `firestore:"result"`
	Low        float64        `firestore:"usd_low"`
	High       float64        `firestore:"usd_high"`
	Counts     map[string]int `firestore:"counts,omitempty"`
	CostUSD    float64        `firestore:"cost_usd,omitempty"`
	CreatedAt  time.Time      `firestore:"created_at,serverTimestamp"`
	FinishedAt time.Time      `firestore:"finished_at,omitempty"`
	ExpiresAt  time.Time      `firestore:"expires_at"`

	id   string
	read time.Time // when it was read, by the server's clock
}

// uri returns the URI of an object in the photos' bucket.
func (d document) uri(name string) string { return blob.ObjectRef{Bucket: d.Bucket, Name: name}.URI() }

func (b *Batches) batch(id string) *firestore.DocumentRef { return b.DB.Collection(collection).Doc(id) }

// documentsOf returns the batches of b.
// A method would have each package that names a Batches compile those of store.Collection again.
func documentsOf(b *Batches) store.Collection[document] {
	return store.In[document](b.DB.Collection(collection))
}

func (b *Batches) items(id string) *firestore.CollectionRef { return b.batch(id).Collection("items") }

func (b *Batches) item(id string, index int) *firestore.DocumentRef {
	return b.items(id).Doc(itemID(index))
}

// itemID returns the ID of a photo's item. IDs sort like indexes.
func itemID(index int) string { return fmt.Sprintf("%06d", index) }

// document reads what this version can read of a batch, or returns ErrNotFound.
func (b *Batches) document(ctx context.Context, id string) (document, error) {
	return b.documentOf(ctx, documentsOf(b).InPart(), id)
}

// wholeDocument is document for work on the batch, which needs all of it.
func (b *Batches) wholeDocument(ctx context.Context, id string) (document, error) {
	return b.documentOf(ctx, documentsOf(b), id)
}

func (b *Batches) documentOf(ctx context.Context, all store.Collection[document], id string) (document, error) {
	if err := checkID(id); err != nil {
		return document{}, err
	}
	d, err := all.Get(ctx, id)
	if store.Gone(err) {
		return document{}, fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	if err != nil {
		return document{}, fmt.Errorf("batch: %w", err)
	}
	return known(d), nil
}

// checkID returns ErrNotFound if id cannot be a document's ID.
func checkID(id string) error {
	if id == "" || len(id) > 100 || strings.ContainsAny(id, "/.") || !utf8.ValidString(id) {
		return fmt.Errorf("%w: %q", ErrNotFound, usererror.Short(id, usererror.Quoted))
	}
	return nil
}

// known returns a document with its ID and read time set.
func known(d store.Doc[document]) document {
	d.Value.id, d.Value.read = d.ID, d.Read
	return d.Value
}

// change updates a batch with decide, again if another writer came first.
func (b *Batches) change(ctx context.Context, id string, decide func(*document)) error {
	if err := checkID(id); err != nil {
		return err
	}
	_, err := documentsOf(b).InPart().Update(ctx, id, func(d *store.Doc[document]) error {
		d.Value = known(*d)
		decide(&d.Value)
		return nil
	})
	if store.Gone(err) {
		return fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	if err != nil {
		return fmt.Errorf("batch: %w", err)
	}
	return nil
}

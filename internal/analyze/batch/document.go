package batch

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/public"
)

// collection is the Firestore collection of the batches.
const collection = "batches"

// A document is a batch as it is stored.
type document struct {
	State      State          `firestore:"state"`
	Handed     bool           `firestore:"handed"` // the tasks of all its photos are out
	Reason     string         `firestore:"reason,omitempty"`
	Bucket     string         `firestore:"bucket"`
	Prefix     string         `firestore:"prefix"`
	Number     int            `firestore:"number"`
	Bytes      int64          `firestore:"bytes"`
	Sample     int            `firestore:"sample,omitempty"`
	Random     bool           `firestore:"random,omitempty"`
	Seed       string         `firestore:"seed,omitempty"` // as Firestore has no such integers
	Country    string         `firestore:"country,omitempty"`
	Lang       string         `firestore:"lang,omitempty"`
	Policy     string         `firestore:"policy,omitempty"`
	SecondLook string         `firestore:"second_look,omitempty"`
	Dedupe     bool           `firestore:"dedupe,omitempty"`
	Result     string         `firestore:"result"`
	Low        float64        `firestore:"usd_low"`
	High       float64        `firestore:"usd_high"`
	Counts     map[string]int `firestore:"counts,omitempty"`
	CostUSD    float64        `firestore:"cost_usd,omitempty"`
	CreatedAt  time.Time      `firestore:"created_at,serverTimestamp"`
	FinishedAt time.Time      `firestore:"finished_at,omitempty"`
	ExpiresAt  time.Time      `firestore:"expires_at"`

	id            string
	read, updated time.Time // by the server
}

// uri is where an object of the photos' bucket lies.
func (d document) uri(name string) string { return blob.ObjectRef{Bucket: d.Bucket, Name: name}.URI() }

func (b *Batches) batch(id string) *firestore.DocumentRef { return b.DB.Collection(collection).Doc(id) }

func (b *Batches) items(id string) *firestore.CollectionRef { return b.batch(id).Collection("items") }

func (b *Batches) item(id string, index int) *firestore.DocumentRef {
	return b.items(id).Doc(itemID(index))
}

// itemID is the ID of a photo's item. It sorts as the index does.
func itemID(index int) string { return fmt.Sprintf("%06d", index) }

// document reads a batch, or returns ErrNotFound.
func (b *Batches) document(ctx context.Context, id string) (document, error) {
	if id == "" || len(id) > 100 || strings.ContainsAny(id, "/.") || !utf8.ValidString(id) {
		return document{}, fmt.Errorf("%w: %q", ErrNotFound, public.Short(id, public.Quoted))
	}
	snap, err := b.batch(id).Get(ctx)
	if status.Code(err) == codes.NotFound {
		return document{}, fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	if err != nil {
		return document{}, fmt.Errorf("batch: read %s: %w", id, err)
	}
	return parse(snap)
}

func parse(snap *firestore.DocumentSnapshot) (document, error) {
	d := document{id: snap.Ref.ID, read: snap.ReadTime, updated: snap.UpdateTime}
	if err := snap.DataTo(&d); err != nil {
		return d, fmt.Errorf("batch: document %s: %w", snap.Ref.ID, err)
	}
	return d, nil
}

// changes bounds how often change begins again: only a few ever write a batch.
const changes = 20

// change updates a batch with what decide makes of it, nil for nothing, under the
// condition that it is still so; else it begins again.
func (b *Batches) change(ctx context.Context, id string, decide func(document) []firestore.Update) error {
	for range changes {
		d, err := b.document(ctx, id)
		if err != nil {
			return err
		}
		updates := decide(d)
		if updates == nil {
			return nil
		}
		_, err = b.batch(id).Update(ctx, updates, firestore.LastUpdateTime(d.updated))
		switch status.Code(err) {
		case codes.OK:
			return nil
		case codes.FailedPrecondition, codes.Aborted:
			continue
		}
		return fmt.Errorf("batch: write %s: %w", id, err)
	}
	return fmt.Errorf("batch: write %s: others came first %d times", id, changes)
}

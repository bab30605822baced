package catalog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/store"
)

// removals is the Firestore collection of the IDs of records that were deleted.
const removals = "removals"

// KeptRemovals is for how long a removal is remembered: what follows the changes of a shop must begin
// anew if it has not looked for as long.
const KeptRemovals = 30 * 24 * time.Hour

// A removal says that a record was deleted, or was about to be.
type removal struct {
	Shop    string    `firestore:"shop"`
	At      time.Time `firestore:"at,serverTimestamp"`
	Expires time.Time `firestore:"expires_at"`
}

// noteRemoval records that a record is about to be deleted. If it then is not, whoever reads the
// removal finds the record.
func (c *Catalog) noteRemoval(ctx context.Context, shop, id string) error {
	_, err := c.db.Collection(removals).Doc(id).Set(ctx, removal{Shop: shop, Expires: time.Now().Add(KeptRemovals + 24*time.Hour)})
	if err != nil {
		return fmt.Errorf("catalog: removal of %s: %w", id, err)
	}
	return nil
}

// pageOfChanges is how many changes are read at once.
const pageOfChanges = 500

// Changes passes to each, page by page, the records of a shop that were written since a time, in the
// order of these writes and with what a search finds, compares in a space and shows, and at last the IDs of those that were
// deleted. All records have been written since the zero time. A record may be passed again.
func (c *Catalog) Changes(ctx context.Context, shop, space string, since time.Time, each func(changed []Product, removed []string) error) error {
	fields := append(slices.Clone(shownFields), fieldIn(space, "embedder"), fieldIn(space, "search_bytes"), fieldIn(space, "image_bytes"))
	of := c.products(shop).Where("changed_at", ">=", since).OrderBy("changed_at", firestore.Asc).Select(append(slices.Clone(fields), "changed_at")...).Limit(pageOfChanges)
	for q := of; ; {
		docs, err := store.List[document](ctx, q)
		if err != nil {
			return fmt.Errorf("catalog: changes of %s: %w", shop, err)
		}
		page := make([]Product, len(docs))
		for i, d := range docs {
			page[i], page[i].ID = d.Value.Product, d.ID
		}
		if err := each(page, nil); err != nil {
			return err
		}
		if len(page) < pageOfChanges {
			break
		}
		last := docs[len(docs)-1]
		q = of.OrderBy(firestore.DocumentID, firestore.Asc).StartAfter(last.Value.ChangedAt, last.ID)
	}
	if since.IsZero() {
		return nil
	}
	gone, err := store.List[removal](ctx, c.db.Collection(removals).Where("shop", "==", shop).Where("at", ">=", since).OrderBy("at", firestore.Asc))
	if err != nil || len(gone) == 0 {
		return err
	}
	ids := map[string]bool{}
	for _, d := range gone {
		ids[d.ID] = true
	}
	there, err := c.fetch(ctx, slices.Collect(maps.Keys(ids)), fields)
	if err != nil {
		return err
	}
	for id := range there {
		delete(ids, id)
	}
	return each(slices.Collect(maps.Values(there)), slices.Collect(maps.Keys(ids)))
}

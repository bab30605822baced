package batch

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/store"
	"example.com/whatis/internal/usererror"
)

// maxItems is how many items Items returns at most.
const maxItems = 1000

// overlap bounds the delay between an item's end time and its visibility to queries.
// Within it an item that ended earlier may still appear.
const overlap = time.Second

// A place is a position in the order in which items end: after all items that ended
// before At and, if Index is not negative, after that item of At too.
type place struct {
	At    time.Time
	Index int
}

func (p place) String() string { return fmt.Sprintf("%d.%d", p.At.UnixMicro(), p.Index) }

func parsePlace(s string) (p place, err error) {
	at, index, _ := strings.Cut(s, ".")
	micro, err := strconv.ParseInt(at, 10, 64)
	if err != nil || micro < 0 || micro > 1e17 {
		return p, fmt.Errorf("%w: %q: leave it out to begin with the first", ErrPlace, usererror.Short(s, usererror.Quoted))
	}
	if p.Index, err = strconv.Atoi(index); err != nil || p.Index < -1 || p.Index >= maxPhotos {
		return p, fmt.Errorf("%w: %q: leave it out to begin with the first", ErrPlace, usererror.Short(s, usererror.Quoted))
	}
	p.At = time.UnixMicro(micro)
	return p, nil
}

// Items returns at most 1,000 items that ended after the place since, in the order
// in which they ended, and the place after the last; "" is the beginning. Items of the
// last second are returned again by the next call, as one that ended earlier may
// still appear: an item may come more than once, and none is left out. In a batch
// that has ended no item comes twice, and an empty page is the end. An invalid place
// is ErrPlace.
func (b *Batches) Items(ctx context.Context, id, since string) (items []Item, next string, err error) {
	d, err := b.document(ctx, id)
	if err != nil {
		return nil, "", err
	}
	q := b.items(id).OrderBy("ended_at", firestore.Asc).OrderBy(firestore.DocumentID, firestore.Asc).Select(listedFields...).Limit(maxItems)
	if since != "" {
		p, err := parsePlace(since)
		if err != nil {
			return nil, "", err
		}
		q = p.after(q)
	}
	ended, err := store.List[stored](ctx, q)
	if err != nil {
		return nil, "", fmt.Errorf("batch: items of %s: %w", id, err)
	}
	settled := d.read.Add(-overlap)
	next = since
	for _, s := range ended {
		item := s.Value.item()
		after := place{item.Ended, item.Index}
		if !d.State.Over() && after.At.After(settled) {
			after = place{settled, -1}
		}
		next = after.String()
		item.Place = next
		items = append(items, item)
	}
	return items, next, nil
}

// after returns q limited to the items after p.
func (p place) after(q firestore.Query) firestore.Query {
	if p.Index < 0 {
		return q.StartAt(p.At, itemID(0))
	}
	return q.StartAfter(p.At, itemID(p.Index))
}

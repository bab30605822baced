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

// maxItems is how many items come at once.
const maxItems = 1000

// overlap is how far apart the time of an item and the moment at which it can be
// seen may lie. What ended so lately may be followed by what ended before.
const overlap = time.Second

// A place is a place in the order in which items end: behind all that ended
// before At and, where Index is not negative, behind that item of At too.
type place struct {
	At    time.Time
	Index int
}

func (p place) String() string { return fmt.Sprintf("%d.%d", p.At.UnixMicro(), p.Index) }

func parsePlace(s string) (p place, err error) {
	at, index, _ := strings.Cut(s, ".")
	micro, err := strconv.ParseInt(at, 10, 64)
	if err != nil || micro < 0 || micro > 1e17 {
		return p, fmt.Errorf("%w: %q is no place among the items: leave it out to begin with the first", ErrRequest, usererror.Short(s, usererror.Quoted))
	}
	if p.Index, err = strconv.Atoi(index); err != nil || p.Index < -1 || p.Index >= maxPhotos {
		return p, fmt.Errorf("%w: %q is no place among the items: leave it out to begin with the first", ErrRequest, usererror.Short(s, usererror.Quoted))
	}
	p.At = time.UnixMicro(micro)
	return p, nil
}

// Items returns what has ended after the place since, in the order in which it
// ended, and the place behind it; "" is the beginning. At most 1,000 come at once.
// What ended within the last second comes again the next time, as something that
// ended earlier may still appear; so an item may come more than once, and none is
// left out. Of a batch that has ended no item comes twice, and no item is the end.
// A place that is none is ErrRequest.
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
	for _, s := range ended {
		items = append(items, s.Value.item())
	}
	if len(items) == 0 {
		return nil, since, nil
	}
	last := items[len(items)-1]
	behind := place{last.Ended, last.Index}
	if settled := d.read.Add(-overlap); !d.State.Over() && behind.At.After(settled) {
		behind = place{settled, -1}
	}
	return items, behind.String(), nil
}

// after is what of q lies behind p.
func (p place) after(q firestore.Query) firestore.Query {
	if p.Index < 0 {
		return q.StartAt(p.At, itemID(0))
	}
	return q.StartAfter(p.At, itemID(p.Index))
}

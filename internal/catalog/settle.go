package catalog

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/whatis/internal/fold"
)

// Rejected marks a tombstone: a record that no look-up finds, and under whose ID
// nothing is learnt or imported. What it was before stands in its Base.
const Rejected Status = "rejected"

// A Word is what people who have looked at photos say of one product, all of them
// together. Who confirms it outranks who rejects it.
type Word struct {
	Shop      string
	Confirmed *Product // as the newest of those has it who confirm it; nil if nobody does
	Photos    []string // the SHA-256 of the photos that show it
	Rejected  bool     // somebody says that it was wrongly found
	Create    bool     // whoever asks says one of these, so that a record may be made
	Seen      string   // names all that was said: two words with the same are equal
}

// ErrChanged is the refusal of what rests on a record that is not there any more.
var ErrChanged = errors.New("catalog: the record was changed meanwhile")

// settleTries is how often Settle begins again when somebody else was quicker.
const settleTries = 20

// Settle makes the record called id what people say of it now. What it was before
// stays in its Base, and it becomes that again when nobody says anything any more.
// A record that an import or its owner vouches for cannot be rejected.
//
// Whoever has changed what is said calls it, after that. Then the last of any number
// of callers has seen all that was said: a write holds only if the record is still as
// it was read, and what is said is read again after each.
func (c *Catalog) Settle(ctx context.Context, id string, word func(context.Context) (Word, error)) error {
	for range settleTries {
		snap, before, err := c.read(ctx, id)
		if err != nil {
			return err
		}
		w, err := word(ctx)
		if err != nil {
			return err
		}
		after, changes, err := w.settle(before)
		if err != nil || !changes {
			return err
		}
		switch err := c.replace(ctx, snap, before, after); status.Code(err) {
		case codes.OK:
		case codes.FailedPrecondition, codes.AlreadyExists, codes.NotFound, codes.Aborted:
			continue
		default:
			return fmt.Errorf("catalog: settle %s: %w", id, err)
		}
		if again, err := word(ctx); err != nil || again.Seen == w.Seen {
			return err
		}
	}
	return fmt.Errorf("catalog: settle %s: others came first %d times", id, settleTries)
}

// read returns a record with all its fields; nil if there is none.
func (c *Catalog) read(ctx context.Context, id string) (*firestore.DocumentSnapshot, *Product, error) {
	snap, err := c.db.Collection(collection).Doc(id).Get(ctx)
	if status.Code(err) == codes.NotFound && snap != nil {
		return snap, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("catalog: get %s: %w", id, err)
	}
	p, err := product(snap)
	return snap, &p, err
}

// settle is what w makes of a record; nil is none.
func (w Word) settle(before *Product) (after *Product, changes bool, err error) {
	base := before
	if before != nil && before.Reviewed {
		base = before.Base
	}
	switch {
	case w.Confirmed != nil:
		if before == nil && !w.Create {
			return nil, false, nil // whoever confirms it makes it
		}
		after, err = w.confirmed(base, before)
		return after, err == nil, err
	case w.Rejected && (base == nil || base.Status == Unconfirmed):
		if before == nil && !w.Create {
			return nil, false, nil
		}
		return &Product{Shop: w.Shop, Status: Rejected, Reviewed: true, Base: base}, true, nil
	case before == nil || !before.Reviewed:
		return before, false, nil
	}
	return base, true, nil
}

// confirmed is base as people confirm it. What they do not speak of, such as a price,
// stays as it is, and so does the vector of features that are as they were before.
func (w Word) confirmed(base, before *Product) (*Product, error) {
	c := *w.Confirmed
	p := c
	if base != nil {
		p = *base
		p.ProductName, p.Brand, p.Category, p.KeyFeatures = c.ProductName, c.Brand, c.Category, c.KeyFeatures
		if c.GTIN != "" {
			p.GTIN = c.GTIN
		}
		if p.Facets[brandFacet] != "" {
			p.Facets = maps.Clone(p.Facets)
			p.Facets[brandFacet] = fold.String(p.Brand)
		}
		said := slices.DeleteFunc(slices.Clone(c.Provenance), func(s string) bool { return slices.Contains(base.Provenance, s) })
		p.Provenance = slices.Concat(base.Provenance, said)
	}
	switch {
	case len(c.Embedding) > 0:
		p.Embedding = c.Embedding
	case before != nil && slices.Equal(before.KeyFeatures, c.KeyFeatures) && len(before.Embedding) > 0:
		p.Embedding = before.Embedding
	case base == nil || !slices.Equal(base.KeyFeatures, c.KeyFeatures):
		return nil, ErrChanged
	}
	p.Status, p.Probability, p.ConfirmedBy = Confirmed, 1, c.ConfirmedBy
	p.Reviewed, p.Base, p.Photos = true, base, map[string]bool{}
	for _, sha := range w.Photos {
		p.Photos[sha] = true
	}
	return &p, nil
}

// replace writes after over what was read; nil deletes it.
func (c *Catalog) replace(ctx context.Context, read *firestore.DocumentSnapshot, before, after *Product) (err error) {
	switch unchanged := firestore.LastUpdateTime(read.UpdateTime); {
	case before == nil:
		_, err = read.Ref.Create(ctx, after.keyed())
	case after == nil:
		_, err = read.Ref.Delete(ctx, unchanged)
	default:
		_, err = read.Ref.Update(ctx, after.keyed().everyField(), unchanged)
	}
	return err
}

// everyField sets each field of a record, and deletes those that p leaves empty.
func (p Product) everyField() []firestore.Update {
	var updates []firestore.Update
	v := reflect.ValueOf(p)
	for i := range v.NumField() {
		name, option, _ := strings.Cut(v.Type().Field(i).Tag.Get("firestore"), ",")
		value := v.Field(i).Interface()
		if k := v.Field(i).Kind(); option == "omitempty" && (v.Field(i).IsZero() || (k == reflect.Map || k == reflect.Slice) && v.Field(i).Len() == 0) {
			value = firestore.Delete
		}
		if name != "-" {
			updates = append(updates, firestore.Update{Path: name, Value: value})
		}
	}
	return updates
}

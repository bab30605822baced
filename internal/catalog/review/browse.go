package review

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/usererror"
)

// A Search selects records of the catalogue: those that match words or a GTIN, or, if Words
// is empty, all with a status, the newest first.
type Search struct {
	Shop   string // "" means that of the service
	Words  string
	Status catalog.Status // "" means any
	After  string         // the cursor of the page before
	Limit  int            // 1 to catalog.MaxPage
}

// mostFound is the largest number of records that a search by words returns over all pages.
const mostFound = 100

// ErrPlace is the error for an invalid cursor.
var ErrPlace = usererror.New("review", "after is not a valid cursor: use next of the page before")

// Browse returns a page of records and the cursor after it, "" after the last. A search by
// words returns first the records with that name, SKU or GTIN or with that beginning, then
// similar ones.
func (d *Service) Browse(ctx context.Context, q Search) (page []catalog.Product, next string, err error) {
	q.Shop = cmp.Or(q.Shop, d.Shop)
	if q.Words == "" {
		page, next, err = d.Catalog.Page(ctx, catalog.PageQuery{Shop: q.Shop, Status: q.Status, After: q.After, Limit: q.Limit})
		if errors.Is(err, catalog.ErrPlace) {
			err = ErrPlace
		}
		return page, next, err
	}
	from := 0
	if q.After != "" {
		if from, err = strconv.Atoi(q.After); err != nil || from < 0 || from > mostFound {
			return nil, "", ErrPlace
		}
	}
	found, err := d.find(ctx, q)
	if err != nil {
		return nil, "", err
	}
	found = found[min(from, len(found)):]
	if len(found) > q.Limit {
		found, next = found[:q.Limit], strconv.Itoa(from+q.Limit)
	}
	return found, next, nil
}

// find returns all records that the words of q match, without duplicates.
func (d *Service) find(ctx context.Context, q Search) ([]catalog.Product, error) {
	named, err := d.Catalog.Named(ctx, q.Shop, d.Space.ID(), q.Words)
	if err != nil {
		return nil, err
	}
	beginning, err := d.Catalog.Beginning(ctx, q.Shop, q.Words, mostFound)
	if err != nil {
		return nil, err
	}
	alike, err := d.alike(ctx, q)
	if err != nil {
		return nil, err
	}
	var found []catalog.Product
	seen := map[string]bool{}
	for _, list := range [][]catalog.Product{named, beginning, alike} {
		for _, p := range list {
			if fits := q.Status == "" || p.Status == q.Status; fits && !seen[p.ID] && p.Status != catalog.Rejected && len(found) < mostFound {
				seen[p.ID] = true
				found = append(found, p)
			}
		}
	}
	return found, nil
}

// alike returns the records with features similar to the words.
func (d *Service) alike(ctx context.Context, q Search) ([]catalog.Product, error) {
	v, err := d.Embed(ctx, []string{q.Words})
	if err != nil {
		return nil, err
	}
	near, err := d.Catalog.Nearest(ctx, catalog.Query{Shop: q.Shop, Space: d.Space, Vector: v, Limit: mostFound})
	if err != nil {
		return nil, err
	}
	products := make([]catalog.Product, len(near))
	for i, m := range near {
		products[i] = m.Product
	}
	return products, nil
}

// Record returns a record of the catalogue, of whichever shop, as Browse lists them; or ErrRecord.
func (d *Service) Record(ctx context.Context, id string) (catalog.Product, error) {
	p, err := d.Catalog.Record(ctx, "", id)
	return p, recordError(err)
}

// Confirm marks a record as confirmed by whoever signs.
func (d *Service) Confirm(ctx context.Context, id string, by Signature) (p catalog.Product, err error) {
	if by.By = strings.TrimSpace(by.By); by.By == "" || utf8.RuneCountInString(by.By) > maxBy {
		return p, refuse(`does not say who vouches for the record: send "by", at most %d characters`, maxBy)
	}
	err = d.onRecord(ctx, id, Confirm, by, func(shop string) (err error) {
		p, err = d.Catalog.Confirm(ctx, shop, id, by.By, by.Verified)
		return err
	})
	return p, err
}

// Delete removes a record, and reports whether a tombstone prevents it from being learnt
// again.
func (d *Service) Delete(ctx context.Context, id string, by Signature) (tombstone bool, err error) {
	err = d.onRecord(ctx, id, Delete, by, func(shop string) (err error) {
		tombstone, err = d.Catalog.Delete(ctx, shop, id)
		return err
	})
	return tombstone, err
}

// onRecord does an act on a record that must exist, in its shop, and keeps it.
func (d *Service) onRecord(ctx context.Context, id, act string, by Signature, do func(shop string) error) error {
	p, err := d.Record(ctx, id)
	if err != nil {
		return err
	}
	return recordError(d.acted(ctx, id, Act{Act: act, By: by.By, Verified: by.Verified, Key: uuid.NewString()}, func() error { return do(p.Shop) }))
}

// recordError returns err as an error of this package.
func recordError(err error) error {
	if errors.Is(err, catalog.ErrNotFound) {
		return ErrRecord
	}
	return err
}

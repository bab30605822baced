package review

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gs1"
	"example.com/whatis/internal/textfold"
	"example.com/whatis/internal/usererror"
)

// A Search selects records of the catalogue: those that match words or a GTIN, or, if Words
// is empty, all with a status, the newest first.
type Search struct {
	Shop   string // "" means that of the service
	Words  string
	Status catalog.Status // "" means any
	Brand  string         // of all records; "" means any
	NoGTIN bool           // only those without one
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
		page, next, err = d.Catalog.Page(ctx, catalog.PageQuery{Shop: q.Shop, Status: q.Status, Brand: q.Brand, NoGTIN: q.NoGTIN, After: q.After, Limit: q.Limit})
		if errors.Is(err, catalog.ErrPlace) {
			err = ErrPlace
		}
		return page, next, err
	}
	shown, err := base64.RawURLEncoding.DecodeString(q.After)
	if err != nil || len(shown)%shownBytes != 0 || len(shown) > mostFound*shownBytes {
		return nil, "", ErrPlace
	}
	found, err := d.find(ctx, q, shown)
	if err != nil {
		return nil, "", err
	}
	if len(found) > q.Limit {
		found = found[:q.Limit]
		for _, p := range found {
			shown = append(shown, shownAs(p)...)
		}
		next = base64.RawURLEncoding.EncodeToString(shown)
	}
	return found, next, nil
}

// The cursor of a search by words has the beginning of the ID of each record that was shown: records
// may be changed and removed between two pages, so that a place among them would skip others.
const shownBytes = 4

func shownAs(p catalog.Product) []byte {
	id, _ := hex.DecodeString(p.ID[:2*shownBytes]) // IDs are hexadecimal
	return id
}

// find returns the records that the words of q match, without duplicates and those that were shown.
func (d *Service) find(ctx context.Context, q Search, shown []byte) ([]catalog.Product, error) {
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
	for id := range slices.Chunk(shown, shownBytes) {
		seen[string(id)] = true
	}
	for _, list := range [][]catalog.Product{named, beginning, alike} {
		for _, p := range list {
			if fits := (q.Status == "" || p.Status == q.Status) && (!q.NoGTIN || p.GTIN == ""); fits && !seen[string(shownAs(p))] && p.Status != catalog.Rejected && len(seen) < mostFound {
				seen[string(shownAs(p))] = true
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

// Edit changes a record.
func (d *Service) Edit(ctx context.Context, id string, e catalog.Edit, by Signature) (p catalog.Product, err error) {
	if by.By = strings.TrimSpace(by.By); by.By == "" || utf8.RuneCountInString(by.By) > maxBy {
		return p, refuse(`does not say who edits the record: send "by", at most %d characters`, maxBy)
	}
	for _, text := range []*string{e.ProductName, e.Brand, e.Category} {
		if text != nil && utf8.RuneCountInString(*text) > catalog.MaxText {
			return p, refuse("has a text of more than %d characters", catalog.MaxText)
		}
	}
	if e.ProductName != nil && strings.TrimSpace(*e.ProductName) == "" {
		return p, refuse("has an empty product_name")
	}
	if e.GTIN != nil && *e.GTIN != "" {
		code, ok := gs1.GTIN(*e.GTIN)
		if !ok {
			return p, refuse("has a gtin that is none: its check digit or its length is wrong")
		}
		e.GTIN = &code
	}
	err = d.onRecord(ctx, id, Edit, by, func(shop string) (err error) {
		p, err = d.Catalog.Edit(ctx, shop, id, e, by.By, by.Verified)
		return err
	})
	return p, err
}

// mostRenamed is how many records RenameBrand changes at once.
const mostRenamed = 500

// RenameBrand gives the records of a brand, in any spelling that folds alike, another name. It reports whether
// there are more, which the same call changes.
func (d *Service) RenameBrand(ctx context.Context, shop, from, to string, by Signature) (changed int, more bool, err error) {
	if strings.TrimSpace(to) == "" || textfold.Name(from) == "" {
		return 0, false, refuse("names no brand: send from and to")
	}
	for after := ""; ; {
		var page []catalog.Product
		page, after, err = d.Browse(ctx, Search{Shop: shop, Brand: from, After: after, Limit: catalog.MaxPage})
		if err != nil {
			return changed, false, err
		}
		renamed := slices.DeleteFunc(page, func(p catalog.Product) bool { return p.Brand == to })
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(10)
		for _, p := range renamed {
			group.Go(func() error {
				_, err := d.Edit(ctx, p.ID, catalog.Edit{Brand: &to}, by)
				if errors.Is(err, ErrRecord) { // deleted meanwhile
					return nil
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return changed, true, err
		}
		if changed += len(renamed); after == "" || changed >= mostRenamed {
			return changed, after != "", nil
		}
	}
}

// Merge makes one record of two of a shop: the second gets the names of the first as aliases, and its code if
// it has none, and the first is deleted.
func (d *Service) Merge(ctx context.Context, id, into string, by Signature) (catalog.Product, error) {
	goes, err := d.Record(ctx, id)
	if err != nil {
		return goes, err
	}
	stays, err := d.Record(ctx, into)
	switch {
	case err != nil:
		return stays, err
	case id == into || goes.Shop != stays.Shop:
		return stays, refuse("merges a record with itself, or with one of another shop")
	case goes.GTIN != "" && stays.GTIN != "" && goes.GTIN != stays.GTIN:
		return stays, refuse("merges two products: their codes are %s and %s", goes.GTIN, stays.GTIN)
	}
	e := catalog.Edit{Aliases: append([]string{goes.ProductName}, goes.Aliases...), BrandAliases: goes.BrandAliases}
	if textfold.Name(goes.ProductName) == textfold.Name(stays.ProductName) {
		e.Aliases = goes.Aliases
	}
	if textfold.Name(goes.Brand) != textfold.Name(stays.Brand) {
		e.BrandAliases = append([]string{goes.Brand}, goes.BrandAliases...)
	}
	if stays.GTIN == "" && goes.GTIN != "" {
		e.GTIN = &goes.GTIN
	}
	if stays, err = d.Edit(ctx, into, e, by); err != nil {
		return stays, err
	}
	_, err = d.Delete(ctx, id, by)
	return stays, err
}

// Delete removes a record. What people said of photos still stands, and makes no record of it
// again until somebody says so once more.
func (d *Service) Delete(ctx context.Context, id string, by Signature) (done catalog.Deletion, err error) {
	err = d.onRecord(ctx, id, Delete, by, func(shop string) (err error) {
		done, err = d.Catalog.Delete(ctx, shop, id)
		return err
	})
	return done, err
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

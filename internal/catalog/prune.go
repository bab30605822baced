package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// CountImported returns how many records of a shop are of files. Firestore counts.
func (c *Catalog) CountImported(ctx context.Context, shop string) (int64, error) {
	return c.counted(ctx, c.products(shop).Where("status", "==", Imported))
}

// A Prune removes the records that an import made of a file, and that a newer version of the file
// no longer has:
//
//	file → its products → which records are theirs? → the others of that file → Remove
//
// What people have confirmed or reviewed is kept.
type Prune struct {
	Import          // of the newer version; nothing of it is imported
	Of     []string // names of the file, as in the provenance of records; patterns of path.Match

	// For Leftovers: Removes removes them, if rows of the file are left out only with Anyway, as nobody knows
	// whose records these are.
	Removes, Anyway bool
}

// A Pruned is what a Prune has found and removed.
type Pruned struct {
	Records []Leftover
	InFile  int // records that the file has
	LeftOut int // rows of the file, but for those that an earlier one is
	Goes    int // records that are to be removed
	Removed int
}

// Leftovers finds the leftovers, and removes them if p.Removes says so.
func (p Prune) Leftovers(ctx context.Context, r io.Reader) (found Pruned, err error) {
	tell := p.Fault
	p.Fault = func(f Fault) {
		if f.LeftOut && f.Reason != Duplicate {
			found.LeftOut++
		}
		if tell != nil {
			tell(f)
		}
	}
	left, counts, err := p.Find(ctx, r)
	found.Records, found.InFile = left, counts.Changed+counts.Known
	for _, one := range left {
		if one.Kept == "" {
			found.Goes++
		}
	}
	if err == nil && p.Removes && (found.LeftOut == 0 || p.Anyway) {
		found.Removed, err = p.Remove(ctx, left)
	}
	return found, err
}

// A Leftover is a record of an earlier version of the file that the newer one does not have.
type Leftover struct {
	Product
	Kept string // why it is not removed; "" if it is
}

// Find returns the leftovers, and what an import of the file would do. It writes nothing.
func (p Prune) Find(ctx context.Context, r io.Reader) (left []Leftover, done Imports, err error) {
	for _, pattern := range p.Of {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, done, fmt.Errorf("%w: the name %.100q of an earlier one: %w", ErrFile, pattern, err)
		}
	}
	has := map[uint64]bool{}
	p.Differ = func(d Difference) {
		for _, id := range d.Records {
			has[keyOf(id)] = true
		}
	}
	if done, err = p.Run(ctx, r); err != nil {
		return nil, done, err
	}
	if done.products() == 0 {
		return nil, done, fmt.Errorf("catalog: %w: it has no product, and would remove all", ErrFile)
	}
	for record, err := range p.Catalog.All(ctx, p.Shop, "") {
		if err != nil {
			return nil, done, err
		}
		if !has[keyOf(record.ID)] && p.made(record) {
			left = append(left, Leftover{record, record.whyKept()})
		}
	}
	return left, done, nil
}

// made reports whether the record is from an earlier version of the file.
func (p Prune) made(record Product) bool {
	return record.Source == "import" && slices.ContainsFunc(record.Provenance, func(name string) bool {
		return slices.ContainsFunc(p.Of, func(pattern string) bool {
			matches, _ := path.Match(pattern, name)
			return matches || pattern == name
		})
	})
}

// whyKept says why people want the record kept; "" if nobody does.
func (p Product) whyKept() string {
	switch {
	case p.Reviewed:
		return "people have reviewed it"
	case p.ConfirmedBy != "":
		return "confirmed by " + p.ConfirmedBy
	}
	return ""
}

// Remove deletes those of the leftovers that nobody wants kept, and returns how many. One that was
// imported again, confirmed or reviewed since Find stays.
func (p Prune) Remove(ctx context.Context, left []Leftover) (int, error) {
	var removed atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(importLookups)
	for _, one := range left {
		if one.Kept != "" {
			continue
		}
		group.Go(func() error {
			deletes := false
			err := p.Catalog.change(ctx, p.Shop, one.ID, func(now Product) (*Product, bool) {
				deletes = now.whyKept() == "" && now.ImportedAt.Equal(one.ImportedAt) && now.RecordDigest == one.RecordDigest
				return nil, deletes
			})
			if errors.Is(err, ErrNotFound) {
				return nil
			}
			if err == nil && deletes {
				removed.Add(1)
			}
			return err
		})
	}
	err := group.Wait()
	return int(removed.Load()), err
}

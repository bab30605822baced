package review

import (
	"context"
	"errors"
	"fmt"

	"example.com/whatis/internal/store"
)

// Forget removes the review of the photos of s. The catalogue's data stays, including records
// learnt when s was found, but not where they were seen: the ID of such a record is returned.
// What the catalogue rests on, which product was confirmed and which rejected, stays under
// the ID of the result, without the photo, the persons and what they said.
func (d *Service) Forget(ctx context.Context, s Subject, learnt bool) (record string, err error) {
	at, err := d.read(ctx, s.key())
	if err != nil {
		return "", err
	}
	if record = at.Value.Confirms; record == "" && learnt {
		n, err := d.naming(ctx, s)
		if err != nil {
			return "", err
		}
		if n.record != nil {
			record = n.ID
		}
	}
	if record != "" {
		sources := s.names()
		if p := at.Value.Product; p != nil { // as another result of the photos had it
			sources = append(sources, p.Provenance...)
		}
		if err := d.Catalog.Unlink(ctx, record, sources...); err != nil {
			return "", err
		}
	}
	if at.Value.Revision > 0 { // the last: without the review a repeated call finds no record
		err = d.forget(ctx, s, at)
	}
	return record, err
}

// names returns the names under which a record has the photos of s.
func (s Subject) names() []string {
	names := []string{s.Where, "result:" + s.ID}
	for _, photo := range s.Photos() {
		names = append(names, "sha256:"+photo)
	}
	return names
}

// forget replaces the review at by one that says only what the catalogue rests on.
func (d *Service) forget(ctx context.Context, s Subject, at stored) error {
	doc := at.Value
	left := document{Revision: 1, Settled: 1, Forgotten: true, Confirms: doc.Confirms, Rejecting: doc.Rejecting, Product: doc.Product, Touched: doc.Touched}
	if p := left.Product; p != nil {
		p.ConfirmedBy, p.ConfirmedVerified, p.Provenance = "", false, nil
	}
	if left.Confirms != "" || len(left.Rejecting) > 0 {
		_, err := documentsOf(d).Change(ctx, s.ID, func(old *stored) error {
			old.Exists, old.Value = true, left
			return nil
		})
		if err != nil {
			return fmt.Errorf("review: forget %s: %w", s.ID, err)
		}
	}
	if _, err := documentsOf(d).Change(ctx, at.ID, func(old *stored) error {
		if old.Exists && old.Value.Revision != doc.Revision {
			return ErrBusy // somebody has just said something more
		}
		old.Exists = false
		return nil
	}); err != nil {
		return err
	}
	for _, product := range doc.Touched {
		err := d.settleOne(ctx, left, product, d.embedder())
		if err != nil && !errors.Is(err, store.ErrBusy) {
			return err
		}
	}
	return nil
}

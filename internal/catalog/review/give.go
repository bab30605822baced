package review

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/store"
)

// Give stores r as the latest review of a result and applies it to the catalogue and the
// result cache. Giving the same review again only applies what is missing.
func (d *Service) Give(ctx context.Context, id string, r Request) (Review, error) {
	r, err := r.checked()
	if err != nil {
		return Review{}, err
	}
	s, err := d.Subject(ctx, id)
	if err != nil {
		return Review{}, err
	}
	settled := false
	at, err := d.documents().Change(ctx, id, func(at *stored) error {
		doc := at.Value
		switch {
		case r.Verdict == Undo && (doc.Revision == 0 || doc.Forgotten):
			return ErrNone
		case doc.said(r) && doc.Settled == doc.Revision:
			settled = true
			return nil
		}
		p, err := d.plan(ctx, s, r, doc)
		if err != nil {
			return err
		}
		settled, at.Exists, at.Value = false, true, doc.next(r, p, s.Photo)
		return nil
	})
	at.Value.id = id
	switch {
	case errors.Is(err, store.ErrBusy):
		return Review{}, ErrBusy
	case err != nil:
		return Review{}, err
	case settled:
		return d.told(ctx, at.Value)
	}
	return d.follow(ctx, s, at.Value)
}

// follow applies a review, and records that it was applied.
func (d *Service) follow(ctx context.Context, s Subject, doc document) (Review, error) {
	for _, product := range doc.Touched {
		act := Act{Act: doc.Verdict, By: doc.By, Verified: doc.Verified, Result: s.ID, Key: fmt.Sprintf("%s %d", s.ID, doc.Revision)}
		if err := d.acted(ctx, product, act, func() error { return d.settleOne(ctx, doc, product) }); err != nil {
			return Review{}, err
		}
	}
	if err := d.DropCached(ctx, s.Photo); err != nil {
		return Review{}, err
	}
	now, err := d.answer(ctx, s)
	if err != nil {
		return Review{}, err
	}
	if now.Value.Revision == doc.Revision {
		now.Value.Settled = doc.Revision
		if _, err := d.documents().Save(ctx, now); err != nil && !errors.Is(err, store.ErrChanged) {
			return Review{}, fmt.Errorf("review: %w", err)
		}
	}
	return d.told(ctx, now.Value)
}

// answer stores the latest verdict with the result. It checks the review again afterwards,
// because another review may have been given meanwhile.
func (d *Service) answer(ctx context.Context, s Subject) (stored, error) {
	for at, err := d.read(ctx, s.ID); ; {
		if err != nil {
			return at, err
		}
		verdict := at.Value.Verdict
		if verdict == Undo {
			verdict = ""
		}
		if err := d.Answered(ctx, s, verdict); err != nil {
			return at, err
		}
		noted := at.Value.Revision
		if at, err = d.read(ctx, s.ID); err == nil && at.Value.Revision == noted {
			return at, nil
		}
	}
}

// settle applies a review to the catalogue.
func (d *Service) settle(ctx context.Context, doc document) error {
	for _, product := range doc.Touched {
		if err := d.settleOne(ctx, doc, product); err != nil {
			return err
		}
	}
	return nil
}

// settleOne applies a review to one product that it touches.
func (d *Service) settleOne(ctx context.Context, doc document, product string) error {
	create := product == doc.Confirms || product == doc.Rejects
	err := d.Catalog.Settle(ctx, product, func(ctx context.Context) (catalog.Word, error) {
		w, err := d.word(ctx, product)
		w.Create = create
		return w, err
	})
	if errors.Is(err, catalog.ErrChanged) {
		return ErrBusy // the record was just deleted; sending the review again creates it
	}
	return err
}

// maxPhotos is the largest number of photos by which a product is recognised.
const maxPhotos = 50

// word collects what all reviews say about a product.
func (d *Service) word(ctx context.Context, product string) (catalog.Word, error) {
	w := catalog.Word{Shop: d.Shop}
	all := d.DB.Collection(collection)
	confirming, err := all.Where("confirms", "==", product).OrderBy("at", firestore.Desc).Select("photo").Limit(maxPhotos).Documents(ctx).GetAll()
	if err != nil {
		return w, fmt.Errorf("review: who confirms %s: %w", product, err)
	}
	rejecting, err := all.Where("rejects", "==", product).Select().Limit(1).Documents(ctx).GetAll()
	if err != nil {
		return w, fmt.Errorf("review: who rejects %s: %w", product, err)
	}
	w.Rejected = len(rejecting) > 0
	for _, snap := range slices.Concat(confirming, rejecting) {
		w.Seen += fmt.Sprint(snap.Ref.ID, snap.UpdateTime.UnixNano(), " ")
	}
	for _, snap := range confirming {
		if photo, _ := snap.DataAt("photo"); photo != nil && photo != "" {
			w.Photos = append(w.Photos, fmt.Sprint(photo))
		}
	}
	if len(confirming) == 0 {
		return w, nil
	}
	newest, err := d.read(ctx, confirming[0].Ref.ID)
	if err != nil || newest.Value.Product == nil {
		return w, err
	}
	w.Confirmed = newest.Value.Product
	w.Confirmed.ConfirmedBy, w.Confirmed.ConfirmedVerified = newest.Value.By, newest.Value.Verified
	return w, nil
}

// told returns a review with the current state of its catalogue records.
func (d *Service) told(ctx context.Context, doc document) (Review, error) {
	r := doc.review()
	about := withoutEmpty(doc.Confirms, doc.Rejects)
	if doc.Verdict == Undo {
		about = doc.Touched
	}
	for _, id := range about {
		state, err := d.Catalog.StatusOf(ctx, id)
		if err != nil {
			return r, err
		}
		r.Records = append(r.Records, Record{id, string(state)})
	}
	return r, nil
}

// Get returns the review of a result, or ErrNone.
func (d *Service) Get(ctx context.Context, id string) (Review, error) {
	at, err := d.read(ctx, id)
	switch {
	case err != nil:
		return Review{}, err
	case at.Value.Revision == 0 || at.Value.Forgotten:
		return Review{}, ErrNone
	}
	return d.told(ctx, at.Value)
}

// Forget removes from the review of s the person, the fields and the photo. The catalogue's
// data stays, including records learnt when s was found, but not where they were seen: the
// ID of such a record is returned. If there is no review, Forget only looks that ID up.
func (d *Service) Forget(ctx context.Context, s Subject, learnt bool) (record string, err error) {
	at, err := d.read(ctx, s.ID)
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
		if err := d.Catalog.Unlink(ctx, record, s.names()...); err != nil {
			return "", err
		}
	}
	if at.Value.Revision > 0 {
		err = d.forget(ctx, s, at)
	}
	return record, err
}

// names returns the names under which a record has the photos of s.
func (s Subject) names() []string {
	names := []string{s.Where, "sha256:" + s.Photo}
	for _, photo := range s.More {
		names = append(names, "sha256:"+photo)
	}
	return names
}

func (d *Service) forget(ctx context.Context, s Subject, at stored) error {
	at.Value.Forgotten, at.Value.Verified, at.Value.By, at.Value.Fields, at.Value.Photo, at.Value.History = true, false, "", "", "", nil
	if p := at.Value.Product; p != nil {
		p.Provenance = slices.DeleteFunc(p.Provenance, func(name string) bool { return slices.Contains(s.names(), name) })
	}
	after, err := d.documents().Save(ctx, at)
	switch {
	case errors.Is(err, store.ErrChanged):
		return ErrBusy
	case err != nil:
		return fmt.Errorf("review: forget %s: %w", at.ID, err)
	}
	return d.settle(ctx, after.Value)
}

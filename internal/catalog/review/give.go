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

// Give says r of a result, and has the catalogue and the cache follow. The same once
// more changes nothing, but does what is missing of it.
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

// follow does what follows from a review, and notes that it is done.
func (d *Service) follow(ctx context.Context, s Subject, doc document) (Review, error) {
	if err := d.settle(ctx, doc); err != nil {
		return Review{}, err
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

// answer notes the verdict by which a result is listed, that of whoever spoke last: it
// looks again when it has, for somebody else may have spoken and noted that meanwhile.
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

// settle has the catalogue follow a review.
func (d *Service) settle(ctx context.Context, doc document) error {
	for _, product := range doc.Touched {
		create := product == doc.Confirms || product == doc.Rejects
		err := d.Catalog.Settle(ctx, product, func(ctx context.Context) (catalog.Word, error) {
			w, err := d.word(ctx, product)
			w.Create = create
			return w, err
		})
		if errors.Is(err, catalog.ErrChanged) {
			return ErrBusy // it was deleted just now; whoever sends the review again makes it anew
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxPhotos is how many photos of a product are known again.
const maxPhotos = 50

// word is what all reviews say of a product.
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
	w.Confirmed.ConfirmedBy = newest.Value.By
	return w, nil
}

// told is a review with what became of the catalogue's records.
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

// Forget removes from the review of s who spoke, what was said and of which photo. What
// the catalogue knows by it stays, and so does what was learnt when s was found: the ID
// of such a record is returned. Without a review only that is looked up.
func (d *Service) Forget(ctx context.Context, s Subject, learnt bool) (record string, err error) {
	at, err := d.read(ctx, s.ID)
	if err != nil {
		return "", err
	}
	if at.Value.Revision > 0 {
		if err := d.forget(ctx, at); err != nil {
			return "", err
		}
	}
	if record = at.Value.Confirms; record == "" && learnt {
		n, err := d.naming(ctx, s)
		if err != nil || n.record == nil {
			return "", err
		}
		record = n.ID
	}
	return record, nil
}

func (d *Service) forget(ctx context.Context, at stored) error {
	at.Value.Forgotten, at.Value.By, at.Value.Fields, at.Value.Photo, at.Value.History = true, "", "", "", nil
	after, err := d.documents().Save(ctx, at)
	switch {
	case errors.Is(err, store.ErrChanged):
		return ErrBusy
	case err != nil:
		return fmt.Errorf("review: forget %s: %w", at.ID, err)
	}
	return d.settle(ctx, after.Value)
}

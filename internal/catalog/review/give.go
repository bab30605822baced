package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/store"
)

// Give stores r as the latest act on the photo of a result and applies it to the catalogue
// and to all results of that photo. Giving the same review again only applies what is
// missing. If r was written of another revision than the one that stands, or names none
// while somebody else has said something, the error is a *Superseded.
func (d *Service) Give(ctx context.Context, id string, r Request) (Review, error) {
	r, err := r.checked()
	if err != nil {
		return Review{}, err
	}
	s, err := d.Subject(ctx, id)
	if err != nil {
		return Review{}, err
	}
	again, by := false, d.embedder()
	at, err := documentsOf(d).Change(ctx, s.key(), func(at *stored) error {
		doc := at.Value
		if again = doc.said(r); again {
			overruled, err := d.overruled(ctx, doc)
			if again = !overruled; again || err != nil {
				return err
			}
		}
		if err := d.fits(ctx, r, s, doc); err != nil {
			return err
		}
		standing, product, err := d.plan(ctx, s, r, doc, by)
		if err != nil {
			return err
		}
		at.Exists, at.Value = true, doc.next(r, standing, product, s.onlyPhoto())
		return nil
	})
	switch {
	case errors.Is(err, store.ErrBusy):
		return Review{}, ErrBusy
	case err != nil:
		return Review{}, err
	}
	return d.follow(ctx, s, at.Value, again && at.Value.Settled == at.Value.Revision, by)
}

// overruled reports whether the owner of the catalogue has deleted since what the latest act confirms:
// saying the same once more confirms it again.
func (d *Service) overruled(ctx context.Context, doc document) (bool, error) {
	if doc.Verdict != Accept && doc.Verdict != Correct || doc.Confirms == "" || doc.Settled != doc.Revision {
		return false, nil
	}
	is, err := d.Catalog.StatusOf(ctx, doc.Confirms)
	return is == catalog.Gone || is == catalog.Rejected, err
}

// embedder returns an Embedder that makes each vector once.
func (d *Service) embedder() catalog.Embedder {
	made := map[string][]float32{}
	return catalog.Embedder{Space: d.Space, Embed: func(ctx context.Context, features []string) (v []float32, err error) {
		of := strings.Join(features, "\n")
		if made[of] == nil {
			made[of], err = d.Embed(ctx, features)
		}
		return made[of], err
	}}
}

// fits returns nil if r was written of what stands now. A request without a revision does
// if nobody else has said anything that stands.
func (d *Service) fits(ctx context.Context, r Request, s Subject, doc document) error {
	other := slices.ContainsFunc(doc.Standing, func(st statement) bool { return st.By != r.By || st.Verified != r.Verified })
	switch {
	case r.Revision != "" && r.Revision == Revision(doc.Revision, s.Finished), r.Revision == "" && !other:
	case doc.Revision == 0:
		return &Superseded{Revision: Revision(0, s.Finished)}
	default:
		now, err := d.told(ctx, s, doc)
		if err != nil {
			return err
		}
		return &Superseded{Revision: now.Revision, Now: &now}
	}
	if r.Verdict == Undo && len(doc.Standing) == 0 {
		return ErrNone
	}
	return nil
}

// follow applies a review, and records that it was applied. If it was settled before, it
// applies only what is missing: a result that was made meanwhile.
func (d *Service) follow(ctx context.Context, s Subject, doc document, settled bool, by catalog.Embedder) (Review, error) {
	for _, product := range doc.Touched {
		if settled {
			break
		}
		act := Act{Act: doc.Verdict, By: doc.By, Verified: doc.Verified, Result: s.ID, Key: fmt.Sprintf("%s %d", s.ID, doc.Revision)}
		if err := d.acted(ctx, product, act, func() error { return d.settleOne(ctx, doc, product, by) }); err != nil {
			return Review{}, err
		}
	}
	if err := d.Spread(ctx, s, *doc.verdict(), !settled); err != nil {
		return Review{}, err
	}
	if settled {
		return d.told(ctx, s, doc)
	}
	now, err := d.read(ctx, s.key())
	if err != nil {
		return Review{}, err
	}
	if now.Value.Revision == doc.Revision {
		now.Value.Settled = doc.Revision
		if _, err := documentsOf(d).Save(ctx, now); err != nil && !errors.Is(err, store.ErrChanged) {
			return Review{}, fmt.Errorf("review: %w", err)
		}
	}
	return d.told(ctx, s, now.Value)
}

// settleOne applies a review to one product that it touches.
func (d *Service) settleOne(ctx context.Context, doc document, product string, by catalog.Embedder) error {
	return d.Catalog.Settle(ctx, product, by, func(ctx context.Context) (catalog.Word, error) {
		w, err := d.word(ctx, product)
		w.Confirms, w.Rejects = product == doc.Confirms && !doc.Forgotten, slices.Contains(doc.Rejecting, product)
		return w, err
	})
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
	rejecting, err := all.Where("rejecting", "array-contains", product).Select().Limit(1).Documents(ctx).GetAll()
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
	return w, nil
}

// told returns a review with the current state of its catalogue records.
func (d *Service) told(ctx context.Context, s Subject, doc document) (Review, error) {
	r := doc.review(s)
	about := withoutEmpty(append([]string{doc.Confirms}, doc.Rejecting...)...)
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

// Get returns the review of a result's photo, or ErrNone.
func (d *Service) Get(ctx context.Context, id string) (Review, error) {
	s, err := d.Subject(ctx, id)
	if err != nil {
		return Review{}, err
	}
	at, err := d.read(ctx, s.key())
	switch {
	case err != nil:
		return Review{}, err
	case at.Value.Revision == 0:
		return Review{}, ErrNone
	}
	return d.told(ctx, s, at.Value)
}

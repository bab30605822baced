package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/store"
)

// Forgotten reports what Forget removed and what stays.
type Forgotten struct {
	ID      string    `json:"id"`
	Results []string  `json:"results,omitempty"` // IDs of the other results of the same photos, forgotten with it
	At      time.Time `json:"forgotten_at"`
	Removed []string  `json:"removed"` // what existed and was removed
	Stays   []Stay    `json:"stays"`   // what is left elsewhere
}

// A Stay is something that is left when a result is forgotten.
type Stay struct {
	What  string `json:"what"` // photo, record or events
	Where string `json:"where,omitempty"`
	Why   string `json:"why"`
}

// Elsewhere is what other packages keep of results and of photos. Each adds to f what it
// removed and what stays, and may be called again.
type Elsewhere interface {
	ForgetResult(ctx context.Context, l Listed, f *Forgotten) error
	ForgetPhotos(ctx context.Context, sha256s []string, f *Forgotten) error
}

// Forget removes a result and all other results of its photos: first from listings, cache
// and checkpoints, so that they are no longer returned or delivered, then their objects in
// the results bucket, the photos in buckets if photo is set, and what there is elsewhere;
// last the records' subjects. Their IDs and the time stay until the records expire, so that
// another delivery finds them done. A call that was interrupted can be repeated, and
// continues.
//
// The error is a *jobs.BusyError while one of them is worked on, or while the result of an
// upload may still be written into its bucket: what was removed would come back. Without a
// record it is jobs.ErrNotFound.
func (in *Intake) Forget(ctx context.Context, id string, photo bool, elsewhere Elsewhere) (f Forgotten, err error) {
	named, err := in.erase(ctx, id)
	if err != nil {
		return f, err
	}
	if err := in.markForgotten(ctx, named.Tags); err != nil { // before the others are looked for: what ends later knows of it
		return f, err
	}
	others, err := in.eraseOthers(ctx, named)
	if err != nil {
		return f, err
	}
	f = Forgotten{ID: id, Removed: []string{}, Stays: []Stay{}}
	for _, record := range append(others, named) {
		if record.Kind == "" {
			continue // it was forgotten before
		}
		if err := in.forgetRest(ctx, record, photo, elsewhere, &f); err != nil {
			return f, err
		}
	}
	if err := elsewhere.ForgetPhotos(ctx, named.Tags, &f); err != nil {
		return f, err
	}
	for _, record := range others {
		if _, err := in.Work.EndErase(ctx, record.ID); err != nil {
			return f, err
		}
		f.Results = append(f.Results, record.ID)
	}
	f.At, err = in.Work.EndErase(ctx, id) // the last: by its tags a repeated call finds the others
	f.Removed, f.Stays = distinct(f.Removed), distinct(f.Stays)
	return f, err
}

// erase begins to forget a record, and returns it as it was.
func (in *Intake) erase(ctx context.Context, id string) (jobs.Record, error) {
	record, err := in.Work.Get(ctx, id)
	if err != nil {
		return record, err
	}
	if age := record.Read.Sub(record.Finished); record.Kind == kindUpload && record.State == jobs.Done && age < resultWriteTime {
		return record, &jobs.BusyError{RetryAfter: resultWriteTime - age}
	}
	return in.Work.Erase(ctx, id)
}

// Asked reports whether the caller asked over HTTP for what has that ID.
func (in *Intake) Asked(ctx context.Context, id string) (bool, error) {
	record, err := in.Work.Get(ctx, id)
	if errors.Is(err, jobs.ErrNotFound) {
		return false, nil
	}
	return err == nil && in.asked(ctx, record), err
}

// ForgetAsked removes one result that was asked for over HTTP, as its asker wishes: what others
// asked of the same photo, and what was learnt from it, stays. Errors are those of Forget.
func (in *Intake) ForgetAsked(ctx context.Context, id string) (Forgotten, error) {
	f := Forgotten{ID: id, Removed: []string{}, Stays: []Stay{}}
	record, err := in.erase(ctx, id)
	if err == nil {
		err = in.markForgotten(ctx, []string{id})
	}
	if err != nil {
		return f, err
	}
	if record.Kind != "" {
		in.noteRemoved(record, &f)
	}
	f.At, err = in.Work.EndErase(ctx, id)
	return f, err
}

// forgotten is the Firestore collection of marks of photos, and of results by themselves, that were
// forgotten, for the requests and events that were under way then, of which no record said yet
// that they are about it. The ID is a hash of the photo's SHA-256 or of the result's ID.
const forgotten = "forgotten"

// markKept is how long a mark is kept: as long as an event may wait, for a quota for instance.
const markKept = 7 * 24 * time.Hour

func (in *Intake) forgottenDocs(of []string) (refs []*firestore.DocumentRef) {
	for _, one := range of {
		refs = append(refs, in.DB.Collection(forgotten).Doc(store.HashID(forgotten, one)))
	}
	return refs
}

func (in *Intake) markForgotten(ctx context.Context, of []string) error {
	for _, ref := range in.forgottenDocs(of) {
		if _, err := ref.Set(ctx, map[string]any{"at": firestore.ServerTimestamp, "expires_at": time.Now().Add(markKept)}); err != nil {
			return fmt.Errorf("intake: forget a photo: %w", err)
		}
	}
	return nil
}

// eraseOthers begins to forget the other records of the photos of a record.
func (in *Intake) eraseOthers(ctx context.Context, named jobs.Record) (others []jobs.Record, err error) {
	seen := map[string]bool{named.ID: true}
	for _, tag := range named.Tags {
		tagged, err := in.Work.Tagged(ctx, tag)
		if err != nil {
			return nil, err
		}
		for _, r := range tagged {
			if seen[r.ID] {
				continue
			}
			seen[r.ID] = true
			erased, err := in.erase(ctx, r.ID)
			if err != nil {
				return nil, err
			}
			others = append(others, erased)
		}
	}
	return others, nil
}

// distinct returns the values of s without repetitions, in order.
func distinct[T comparable](s []T) []T {
	seen := map[T]bool{}
	return slices.DeleteFunc(s, func(v T) bool {
		again := seen[v]
		seen[v] = true
		return again
	})
}

// resultWriteTime is how long after the end of the work its result may still be written
// into the results bucket (package jobs).
const resultWriteTime = 6 * time.Second

// noteRemoved adds to f what was erased with a record, and who keeps what they were told of it.
func (in *Intake) noteRemoved(record jobs.Record, f *Forgotten) {
	if len(record.Result) > 0 {
		f.Removed = append(f.Removed, "result", "cache", "index entry")
	}
	if len(record.Attachment) > 0 {
		f.Removed = append(f.Removed, "thumbnail")
	}
	if len(record.Kept) > 0 {
		f.Removed = append(f.Removed, "checkpoints")
	}
	if in.Events != nil && record.State == jobs.Done {
		f.Stays = append(f.Stays, Stay{What: "events", Why: "whoever was told of the result keeps what they were told"})
	}
}

// forgetRest removes what belongs to an erased record.
func (in *Intake) forgetRest(ctx context.Context, record jobs.Record, photo bool, elsewhere Elsewhere, f *Forgotten) error {
	one := listed(record) // what of it can be read says where the photos are
	in.noteRemoved(record, f)
	if record.Kind == kindUpload {
		if err := in.forgetObject(ctx, record, f); err != nil {
			return err
		}
	}
	for _, origin := range one.photos() {
		if err := in.forgetPhoto(ctx, origin, photo, f); err != nil {
			return err
		}
	}
	if record.Kind != kindHTTP {
		if err := in.forgetGroups(ctx, one.photos()); err != nil {
			return err
		}
	}
	return elsewhere.ForgetResult(ctx, one, f)
}

// forgetObject removes the object with the result of an upload.
func (in *Intake) forgetObject(ctx context.Context, record jobs.Record, f *Forgotten) error {
	origin := blob.ObjectRef{Bucket: record.Item.Index.Text(bucketField), Name: record.Subject, Generation: record.Item.Index.Number(generationField)}
	removed, err := in.Objects.DeleteResult(ctx, in.Results, resultName(record.Subject), origin)
	if removed {
		f.Removed = append(f.Removed, "gs://"+in.Results+"/"+resultName(record.Subject))
	}
	return err
}

// forgetPhoto removes the photo if wished, else reports where it is.
func (in *Intake) forgetPhoto(ctx context.Context, of blob.ObjectRef, wished bool, f *Forgotten) error {
	uri := of.URI()
	origin, err := in.readableObject(uri)
	origin.Generation = of.Generation
	switch {
	case err != nil:
		f.Stays = append(f.Stays, Stay{What: "photo", Where: uri, Why: "its bucket is none that photos are taken from any more"})
		return nil
	case !wished:
		f.Stays = append(f.Stays, Stay{What: "photo", Where: uri, Why: "photo=true removes it too"})
		return nil
	}
	err = in.Objects.Delete(ctx, origin)
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	if err == nil {
		f.Removed = append(f.Removed, "photo")
	}
	return err
}

// dropIfForgotten removes the result just written for d if it was forgotten
// meanwhile: Forget may have run before the object existed.
func (in *Intake) dropIfForgotten(ctx context.Context, d Delivery) error {
	record, err := in.Work.Get(ctx, d.id())
	if err != nil || record.Forgotten.IsZero() {
		return err
	}
	_, err = in.Objects.DeleteResult(ctx, in.Results, resultName(d.subject().Name), d.subject())
	return err
}

// BatchItem returns the batch of a photo, "" if none, and its index there.
func (l Listed) BatchItem() (batch string, item int) {
	if l.Kind != kindBatch {
		return "", 0
	}
	return l.Item.Index.Text(setField), int(l.Item.Index.Number(itemField))
}

// Learnt reports whether the product was found by a web search and so may have been
// saved to the catalogue.
func (l Listed) Learnt() bool {
	return l.Public.Identification != nil && l.Public.Source == analyze.FromGoogleSearch
}

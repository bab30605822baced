package intake

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/jobs"
)

// Correct brings the finished results of photos in line with what people say of them: their
// records, and so lists and the cache, and the objects of uploads in the results bucket. A
// result that names what was rejected, or was made by a review that is taken back, leaves the
// cache, so that the photo is looked at again. It returns the results that it has changed or,
// if again is set, all of them. Photos are those of the result called id, none if they were
// never read.
//
// The error is a *jobs.BusyError if one of them is being made, after the others are done: it
// may not know of v.
func (in *Intake) Correct(ctx context.Context, id string, photos []string, v review.Verdict, again bool) (done []Listed, err error) {
	records, err := in.resultsOf(ctx, id, photos)
	if err != nil {
		return nil, err
	}
	var busy error
	for _, record := range records {
		if record.State == jobs.Running && record.Forgotten.IsZero() {
			busy = &jobs.BusyError{RetryAfter: resultWriteTime}
			continue
		}
		one, changed, err := in.correct(ctx, record.ID, v)
		if err != nil {
			return done, err
		}
		if len(one.Result) == 0 || one.Unreadable || !changed && !again {
			continue
		}
		if err := in.rewriteObject(ctx, one); err != nil {
			return done, err
		}
		done = append(done, one)
	}
	return done, busy
}

// resultsOf returns the records of just these photos.
func (in *Intake) resultsOf(ctx context.Context, id string, photos []string) ([]jobs.Record, error) {
	if len(photos) == 0 {
		record, err := in.Work.Get(ctx, id)
		return []jobs.Record{record}, err
	}
	tagged, err := in.Work.Tagged(ctx, photos[0])
	return slices.DeleteFunc(tagged, func(r jobs.Record) bool { return review.Key(r.Tags...) != review.Key(photos...) }), err
}

// correct changes one result.
func (in *Intake) correct(ctx context.Context, id string, v review.Verdict) (Listed, bool, error) {
	one, changed, err := in.Run.Rewrite(ctx, id, func(r analyze.Result) (analyze.Result, bool, bool) {
		older := r.Reviewed == nil || r.Reviewed.Revision < v.Revision
		return r.As(&v), older, v.Product == nil && !v.Nothing
	})
	return Listed{one}, changed, err
}

// Follow brings the finished result called id, whose product is that of a near duplicate, in line
// with of, which is what the result of that one says now, and reports whether it has changed it.
func (in *Intake) Follow(ctx context.Context, id string, of analyze.Result) (Listed, bool, error) {
	record, err := in.Work.Get(ctx, id)
	if errors.Is(err, jobs.ErrNotFound) {
		return Listed{}, false, nil // it has expired
	}
	if err != nil {
		return Listed{}, false, err
	}
	own, err := in.Pipeline.Reviews.Verdict(ctx, record.Tags...)
	if err != nil {
		return Listed{}, false, err
	}
	one, changed, err := in.Run.Rewrite(ctx, id, func(r analyze.Result) (analyze.Result, bool, bool) {
		now := r
		if r.NearDuplicate != nil && r.NearDuplicate.ID == of.ID {
			now = r.Follow(of, own)
		}
		return now, !reflect.DeepEqual(now, r), true
	})
	return Listed{one}, changed, err
}

// notes are the documents that others may write while photos are worked on: whether these are
// forgotten, or a result that may be forgotten alone, and what people say of them.
func (in *Intake) notes(photos []string, alone ...string) []*firestore.DocumentRef {
	return append(in.forgottenDocs(slices.Concat(photos, alone)), in.Pipeline.Reviews.Documents(photos...)...)
}

// recheck forgets the result o if it, where it may be forgotten alone, or its photos were forgotten
// since the work began, of which no record said yet that it is about them. It corrects that of
// photos of which people have said more than it has.
func (in *Intake) recheck(ctx context.Context, id string, o jobs.Outcome, begun time.Time, alone ...string) (changed bool, err error) {
	if len(o.Tags) == 0 {
		return false, nil
	}
	notes, err := in.DB.GetAll(ctx, in.notes(o.Tags, alone...))
	if err != nil {
		return false, fmt.Errorf("intake: what was written about photos meanwhile: %w", err)
	}
	n := len(o.Tags) + len(alone)
	marks, said := notes[:n], notes[n:]
	ago := time.Since(begun)
	if slices.ContainsFunc(marks, func(m *firestore.DocumentSnapshot) bool {
		return m.Exists() && m.UpdateTime.After(m.ReadTime.Add(-ago))
	}) {
		if _, err = in.Work.Erase(ctx, id); err == nil {
			_, err = in.Work.EndErase(ctx, id)
		}
		return true, err
	}
	if len(said) == 0 {
		return false, nil
	}
	v, err := review.VerdictIn(said)
	if err != nil || v == nil {
		return false, err
	}
	_, changed, err = in.correct(ctx, id, *v)
	return changed, err
}

// rewriteObject writes the object of an upload's result anew, unless a newer upload's is there.
func (in *Intake) rewriteObject(ctx context.Context, l Listed) error {
	if l.Kind != kindUpload {
		return nil
	}
	origin := blob.ObjectRef{Bucket: l.bucket(), Name: l.Subject, Generation: l.Item.Index.Number(generationField)}
	_, err := in.putResult(ctx, origin, l.Result)
	return err
}

// The attributes of the message about a result that was corrected, beside those of its first
// one. It may be published more than once with the same revision.
const (
	correctedAttribute = "corrected" // accept, correct, reject or undo
	revisionAttribute  = "revision"
)

// TellCorrected publishes a result as it is after a review.
func (in *Intake) TellCorrected(ctx context.Context, l Listed, v review.Verdict) error {
	more := attributes(l.File(), l.Item.Index.Number(generationField))
	more[correctedAttribute], more[revisionAttribute] = v.Latest.Verdict, strconv.FormatInt(v.Revision, 10)
	return in.Run.Corrected(ctx, l.Listed, more)
}

package intake

import (
	"context"
	"slices"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/jobs"
)

// mostDoubtful is the highest rank in the queue.
const mostDoubtful = 2000

// queued returns the rank of r among the results that a person should look at: 1 to
// 1,000, higher if less sure and highest if the expiry date may be wrong, and 1,000 more if there is a picture to look at; 0 if none should,
// or somebody has. Failed photos are replayed instead.
func queued(r analyze.Result) int64 {
	if r.Identification == nil || r.Verdict() != "" || !r.Doubtful() {
		return 0
	}
	sure := min(r.ProductNameConfidence, 1)
	if SourceOf(r) == Unidentified || slices.Contains(r.Warnings, analyze.WarnDateDoubtful) {
		sure = 0
	}
	rank := int64(1 + 999*(1-sure))
	if r.HasPicture() {
		rank += 1000
	}
	return rank
}

// Queue returns the results that a person should look at and has not, the most
// doubtful first, and the value of after for the next page; "" after the last.
func (in *Intake) Queue(ctx context.Context, after string, limit int) (list []Listed, next string, err error) {
	found, next, err := in.Run.List(ctx, jobs.Filter{By: &jobs.Range{Field: queueField, From: 1, To: mostDoubtful, Descending: true}, After: after, Limit: limit})
	for _, one := range found {
		list = append(list, Listed{one}.shown())
	}
	return list, next, err
}

// listed returns a record with its public result, or what of it can be read.
func listed(record jobs.Record) Listed {
	r, err := jobs.Decode[analyze.Result](record.Result)
	return Listed{jobs.Listed[analyze.Result]{Record: record, Public: r.Public(), Unreadable: err != nil}}
}

// shown returns l with a result that says so in place of one that this version cannot read.
func (l Listed) shown() Listed {
	if l.Unreadable {
		l.Public = analyze.Result{ID: l.ID, Image: l.Public.Image, MoreImages: l.Public.MoreImages, InferenceTime: "0.00s"}.Failed(Unreadable, false)
	}
	return l
}

// Unreadable is said in place of a result that this version cannot read.
const Unreadable = "another version of this service has written the result, and this one cannot read it: go back to that version, or forget the result and have the photo analysed again"

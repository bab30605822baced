package intake

import (
	"context"
	"time"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/jobs"
)

// queued returns the rank of r among the results that a person should look at: 1 to
// 1,000, higher if less sure; 0 if none should. Failed photos are replayed instead.
func queued(r analyze.Result) int64 {
	if r.Identification == nil || !r.Doubtful() {
		return 0
	}
	sure := min(r.ProductNameConfidence, 1)
	if SourceOf(r) == Unidentified {
		sure = 0
	}
	return int64(1 + 999*(1-sure))
}

// Queue returns the results that a person should look at and has not, the most
// doubtful first, and the value of after for the next page; "" after the last.
func (in *Intake) Queue(ctx context.Context, after string, limit int) (list []Listed, next string, err error) {
	records, next, err := in.Work.Ranked(ctx, queueField, after, limit)
	for _, record := range records {
		one, err := listed(record)
		if err != nil {
			return nil, "", err
		}
		list = append(list, one)
	}
	return list, next, err
}

// Answered records a person's verdict on a result; "" withdraws it. If the result was
// replaced since finished, nothing is recorded.
func (in *Intake) Answered(ctx context.Context, id string, finished time.Time, verdict string) error {
	record, err := in.Work.Get(ctx, id)
	if err != nil {
		return err
	}
	one, err := listed(record)
	if err != nil {
		return err
	}
	set := jobs.Index{verdictField: verdict, queueField: int64(0)}
	if verdict == "" {
		set[queueField] = queued(one.Public)
	}
	_, err = in.Work.Annotate(ctx, id, finished, set)
	return err
}

// listed returns a record with its public result.
func listed(record jobs.Record) (Listed, error) {
	r, err := jobs.Decode[analyze.Result](record.Result)
	return Listed{jobs.Listed[analyze.Result]{Record: record, Public: r.Public()}}, err
}

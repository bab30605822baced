package intake

import (
	"context"
	"time"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/jobs"
)

// queued is the place of r among the results that a person should look at: 1 to 1,000,
// the less sure the greater; 0 is none. What failed is replayed, and no question.
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

// Queue returns the results that a person should look at and that nobody has, the most
// doubtful first, and the place behind them; "" behind the last.
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

// Answered notes what a person said of a result, "" if that is taken back. Of a result
// that was made anew meanwhile nothing is noted.
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

// listed is a record with its result as everybody may see it.
func listed(record jobs.Record) (Listed, error) {
	r, err := jobs.Decode[analyze.Result](record.Result)
	return Listed{jobs.Listed[analyze.Result]{Record: record, Public: r.Public()}}, err
}

package batch

import (
	"context"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/store"
)

// Get returns the status of a batch, or ErrNotFound.
func (b *Batches) Get(ctx context.Context, id string) (Status, error) {
	d, err := b.document(ctx, id)
	if err != nil {
		return Status{}, err
	}
	s, err := b.counted(ctx, d)
	if err != nil || s.Counts[ItemFailed] == 0 {
		return s, err
	}
	s.Failures, err = b.failures(ctx, id)
	return s, err
}

// List returns at most limit batches, 1 to jobs.MaxList, the newest first, without their
// failures, and the cursor of the next page for after, "" after the last. A bad cursor is
// jobs.ErrCursor. Batches that have ended cost one read each.
func (b *Batches) List(ctx context.Context, after string, limit int) (all []Status, next string, err error) {
	limit = min(max(limit, 1), jobs.MaxList)
	docs, next, err := store.Page[document](ctx, b.DB.Collection(collection).Query, "created_at", after, limit)
	if err != nil {
		return nil, "", fmt.Errorf("batch: %w", err)
	}
	all = make([]Status, len(docs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for i, d := range docs {
		group.Go(func() (err error) {
			all[i], err = b.counted(ctx, known(d))
			return err
		})
	}
	return all, next, group.Wait()
}

// Cancel keeps photos that have not begun from beginning. Cancelling a batch that
// has ended is not an error.
func (b *Batches) Cancel(ctx context.Context, id string) (Status, error) {
	err := b.change(ctx, id, func(d *document) {
		if slices.Contains([]jobs.State{jobs.Scanning, jobs.Expanding, jobs.Running}, d.State) {
			d.State = jobs.Cancelling
		}
	})
	if err != nil {
		return Status{}, err
	}
	return b.Get(ctx, id)
}

// status returns the status in d itself.
func (b *Batches) status(d document) Status {
	s := Status{
		ID: d.id, State: d.State, Reason: d.Reason, Prefix: d.uri(d.Prefix), Number: d.Number, Bytes: d.Bytes,
		Sample: d.Sample, Random: d.Random, Seed: d.Seed, Country: d.Country, Lang: d.Lang, Dedupe: d.Dedupe, Group: d.Group, Photos: d.Photos, Tier: string(d.Tier), Fresh: d.Fresh,
		Created: d.CreatedAt, Finished: d.FinishedAt, Counts: d.Counts, CostUSD: d.CostUSD, Estimate: Estimate{d.Low, d.High},
	}
	for _, n := range d.Counts {
		s.Ended += n
	}
	if d.id == "" {
		return s
	}
	place := "gs://" + b.Results + "/"
	s.ResultURI, s.CSVURI = place+d.summary(b.Results, false).Name, place+d.summary(b.Results, true).Name
	s.PartialURI = place + d.partial(b.Results).Name
	return s
}

// counted returns the status of d, with counts of its items while it runs.
func (b *Batches) counted(ctx context.Context, d document) (Status, error) {
	s := b.status(d)
	if d.State == jobs.Done || d.State == jobs.Cancelled {
		return s, nil
	}
	t, err := b.tally(ctx, d.id)
	if err != nil {
		return s, err
	}
	s.Counts, s.CostUSD, s.Ended = t.counts, t.usd, 0
	for _, n := range t.counts {
		s.Ended += n
	}
	if s.Ended > 0 && !d.State.Over() {
		took := d.read.Sub(d.CreatedAt).Seconds()
		left := int(max(0, took) / float64(s.Ended) * float64(d.Number-s.Ended))
		s.Left = &left
	}
	return s, nil
}

// A tally counts the photos that have ended.
type tally struct {
	counts map[string]int // by outcome, those above 0
	usd    float64
}

var outcomes = []string{FromImage, FromLocalDB, FromGoogleSearch, Unidentified, NoProduct, ItemFailed, ItemCancelled}

// tally counts the items of a batch, all outcomes concurrently.
func (b *Batches) tally(ctx context.Context, id string) (tally, error) {
	t := tally{counts: map[string]int{}}
	counts := make([]int, len(outcomes))
	group, ctx := errgroup.WithContext(ctx)
	for i, outcome := range outcomes {
		group.Go(func() (err error) {
			counts[i], err = store.Count(ctx, b.items(id).Where("outcome", "==", outcome))
			return err
		})
	}
	group.Go(func() (err error) {
		t.usd, err = store.Sum(ctx, b.items(id).Query, "cost_usd")
		return err
	})
	if err := group.Wait(); err != nil {
		return tally{}, fmt.Errorf("batch: items of %s: %w", id, err)
	}
	for i, n := range counts {
		if n > 0 {
			t.counts[outcomes[i]] = n
		}
	}
	return t, nil
}

// maxFailures is how many failures a status lists.
const maxFailures = 100

// failures returns the first failed photos in listing order.
func (b *Batches) failures(ctx context.Context, id string) ([]Failure, error) {
	failed, err := store.List[stored](ctx, b.items(id).Where("outcome", "==", ItemFailed).OrderBy(firestore.DocumentID, firestore.Asc).
		Select(listedFields...).Limit(maxFailures))
	if err != nil {
		return nil, fmt.Errorf("batch: failures of %s: %w", id, err)
	}
	all := make([]Failure, len(failed))
	for i, s := range failed {
		all[i] = Failure{File: s.Value.File, Reason: s.Value.Reason}
	}
	return all, nil
}

package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/spreadsheet"
	"example.com/whatis/internal/store"
)

// WriteResult writes the summary so far: a JSON list of {"file", "result"} in
// listing order, or CSV with a line for each photo. For a batch that has ended it
// copies the object in the bucket. After an error the caller must discard what was
// written.
func (b *Batches) WriteResult(ctx context.Context, id string, csv bool, w interface{ Write([]byte) (int, error) }) error {
	d, err := b.document(ctx, id)
	if err != nil {
		return err
	}
	if d.State == jobs.Done || d.State == jobs.Cancelled {
		at := d.summary(b.Results, csv)
		r, err := b.Objects.Open(ctx, blob.ObjectRef{Bucket: at.Bucket, Name: at.Name})
		if err == nil {
			defer r.Close()
			_, err = io.Copy(w, r)
			return err
		}
		if !errors.Is(err, blob.ErrNotFound) { // not found: the object was deleted
			return err
		}
	}
	return b.writeItems(ctx, id, csv, w)
}

// writeItems writes the existing items, with one page in memory at a time.
func (b *Batches) writeItems(ctx context.Context, id string, csv bool, w io.Writer) error {
	if csv {
		return b.writeCSV(ctx, id, w)
	}
	l := newList(w)
	err := b.each(ctx, id, func(s stored) error {
		if !json.Valid([]byte(s.Result)) {
			s.Result = unanalysed(analyze.AnalysisFailed, intake.Unreadable)
		}
		return l.add(struct {
			File   string          `json:"file"`
			Result json.RawMessage `json:"result"`
		}{s.File, json.RawMessage(s.Result)})
	})
	if err != nil {
		return err
	}
	return l.end()
}

// page is how many items are read at once. A result has a few kilobytes.
const page = 200

// each calls do with the items of a batch in listing order.
func (b *Batches) each(ctx context.Context, id string, do func(stored) error) error {
	all := b.items(id).OrderBy(firestore.DocumentID, firestore.Asc).Limit(page)
	for q := all; ; {
		snaps, err := q.Documents(ctx).GetAll()
		if err != nil {
			return fmt.Errorf("batch: items of %s: %w", id, err)
		}
		for _, snap := range snaps {
			var s stored
			store.Readable(snap, &s)
			if err := do(s); err != nil {
				return fmt.Errorf("batch: item %s of %s: %w", snap.Ref.ID, id, err)
			}
		}
		if len(snaps) < page {
			return nil
		}
		q = all.StartAfter(snaps[len(snaps)-1].Ref.ID)
	}
}

// columns lists the columns of the CSV.
var columns = []string{
	"file", "outcome", "source", "product_name", "brand", "category", "gtin", "expiration_date", "expires",
	"product_name_confidence", "brand_confidence", "cost_usd", "error",
}

func (b *Batches) writeCSV(ctx context.Context, id string, w io.Writer) error {
	lines := spreadsheet.NewWriter(w, columns...)
	err := b.each(ctx, id, func(s stored) error {
		return lines.Row(s.csvRow()...)
	})
	return errors.Join(err, lines.Flush())
}

// csvRow returns s as a row of the CSV.
func (s stored) csvRow() []string {
	r, err := jobs.Decode[analyze.Result](json.RawMessage(s.Result))
	if err != nil {
		r = analyze.Result{Message: intake.Unreadable}
	}
	source := intake.SourceOf(r)
	var name, brand string // confidences, empty without a product
	if r.Identification == nil {
		r.Identification = &analyze.Identification{}
	} else {
		name, brand = decimal(r.ProductNameConfidence), decimal(r.BrandConfidence)
	}
	return []string{
		s.File, s.Outcome, source, r.ProductName, r.Brand, r.Category, r.GTIN, r.ExpirationDate, r.Expires(),
		name, brand, decimal(s.CostUSD), strings.TrimSpace(r.Message + " " + r.Description),
	}
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

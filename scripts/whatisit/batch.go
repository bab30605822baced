package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// batchCommand starts, follows or cancels a batch.
type batchCommand struct {
	Prefix string `arg:"" optional:"" placeholder:"gs://bucket/folder/" help:"The photos: gs://bucket/ or gs://bucket/folder/."`
	elsewhere
	question
	sampling
	Dedupe bool   `help:"Offer the model the products of similar photos in the same batch."`
	Group  string `placeholder:"folder|barcode" help:"The photos of a folder, or those with the same barcode, show one product and have one result."`
	Tier   string `placeholder:"standard|flex" help:"The models' service tier: flex costs half and takes longer (the service's default)."`
	Fresh  bool   `help:"Ask the models even of photos that were analysed before, at the full price."`
	DryRun bool   `help:"Only print the number of photos and the estimated cost."`
	Detach bool   `help:"Start the batch and do not wait for its end."`
	Follow string `placeholder:"ID" help:"Follow a running batch, and fetch its result."`
	Cancel string `placeholder:"ID" help:"Cancel the photos of a batch that have not started."`
	keeping
}

// Help returns the help text of whatisit batch, without its flags.
func (batchCommand) Help() string {
	return `The service does the work and continues when this command ends. Each photo is a line on standard error, with a progress bar on a terminal; at the end the list of {"file", "result"} goes to standard output, if that is not a terminal or with --json, and to the files that --out and --html name. --dry-run, --detach and --cancel print the status of the batch instead.

    whatisit batch gs://uploads/2026/ --dry-run
    whatisit batch gs://uploads/2026/ --sample 100 --random --country US --lang en
    whatisit batch gs://uploads/2026/ --tier flex    at half the price, but slower
    whatisit batch gs://uploads/2026/ --dedupe    similar photos are candidates for each other
    whatisit batch gs://uploads/2026/ --group folder    each folder's photos are of one product
    whatisit batch gs://uploads/2026/ --group barcode    photos with the same barcode are of one product
    whatisit batch gs://uploads/2026/ --fresh    again, such as with a new model: whatisit compare says what changed
    whatisit batch --follow ID
    whatisit batch --cancel ID

Exit codes: 0 every photo has its result; 1 some photo failed or was cancelled, or the batch could not be started; 2 wrong usage; 130 after Ctrl-C: the batch goes on.`
}

// check refuses a command line without an action, or with two.
func (b *batchCommand) check() error {
	asked := 0
	for _, s := range []string{b.Prefix, b.Follow, b.Cancel} {
		if s != "" {
			asked++
		}
	}
	_, badPrefix := blob.ParseURI(b.Prefix)
	switch {
	case asked != 1:
		return usage("want one of gs://bucket/folder/, --follow ID and --cancel ID (see whatisit batch --help)")
	case b.Prefix != "" && badPrefix != nil:
		return usage("%s: want gs://bucket/ or gs://bucket/folder/; for files here there is whatisit analyze", b.Prefix)
	case b.DryRun && b.Prefix == "":
		return usage("--dry-run is of a batch that has not begun: name gs://bucket/folder/")
	case b.Dedupe && b.Prefix == "":
		return usage("--dedupe is of a batch that has not begun: name gs://bucket/folder/")
	case b.Group != "" && b.Prefix == "":
		return usage("--group is of a batch that has not begun: name gs://bucket/folder/")
	case b.Group != "" && b.Group != intake.ByFolder && b.Group != intake.ByBarcode:
		return usage("--group is %s: want %s or %s", b.Group, intake.ByFolder, intake.ByBarcode)
	case b.Tier != "" && b.Prefix == "":
		return usage("--tier is of a batch that has not begun: name gs://bucket/folder/")
	case b.Fresh && b.Prefix == "":
		return usage("--fresh is of a batch that has not begun: name gs://bucket/folder/")
	case gemini.Tier(b.Tier).Check() != nil:
		return usage("--tier is %v", gemini.Tier(b.Tier).Check())
	case b.DryRun && b.Detach:
		return usage("--dry-run begins nothing to detach from: leave one out")
	}
	if err := b.sampling.check(); err != nil {
		return err
	}
	return b.question.check()
}

// Run begins, follows or cancels.
func (b *batchCommand) Run(ctx context.Context, c *console) error {
	if err := b.check(); err != nil {
		return err
	}
	s, err := b.open(c)
	if err != nil {
		return err
	}
	if b.Cancel != "" {
		return b.cancel(ctx, c, s)
	}
	if b.DryRun || b.Detach { // no result will be written
		b.keeping = keeping{}
	}
	out, err := b.create(time.Now(), false, nil)
	if err != nil {
		return err
	}
	return errors.Join(b.run(ctx, c, s, out), out.discard())
}

// run begins a batch unless one is followed, and watches it.
func (b *batchCommand) run(ctx context.Context, c *console, s *service, out *output) error {
	var status batch.Status
	var err error
	if b.Follow != "" {
		err = s.answer(ctx, request{method: http.MethodGet, path: batchPath(b.Follow)}, &status)
	} else {
		err = b.begin(ctx, s, &status)
	}
	if err != nil {
		return because(ctx, err)
	}
	c.say("%s", offer(status))
	switch {
	case b.DryRun:
		return printJSON(c, status)
	case b.Detach:
		c.say("%s", advice(status.ID))
		return printJSON(c, status)
	}
	f := &following{service: s, console: c, status: status, seen: map[int]bool{}}
	if err := f.follow(ctx); err != nil {
		if ctx.Err() != nil {
			c.say("%s", advice(status.ID))
			return errInterrupted
		}
		return fmt.Errorf("%w; %s", err, advice(status.ID))
	}
	return f.fetch(ctx, out)
}

func (b *batchCommand) begin(ctx context.Context, s *service, status *batch.Status) error {
	body := encode(batch.Request{
		Prefix: b.Prefix, Sample: b.Sample, Random: b.Random, Seed: b.seed(), DryRun: b.DryRun,
		Country: b.Country, Lang: b.Lang, Policy: b.Policy, SecondLook: b.SecondLook, Dedupe: b.Dedupe, Tier: b.Tier, Group: b.Group, Fresh: b.Fresh,
	})
	return s.patiently(ctx, b.Prefix, func() error {
		return s.answer(ctx, request{method: http.MethodPost, path: "/batches", kind: "application/json", body: body}, status)
	})
}

// seed returns the seed as the service takes it, "" for none.
func (b *batchCommand) seed() batch.Seed {
	if b.Seed == nil {
		return ""
	}
	return batch.Seed(strconv.FormatUint(*b.Seed, 10))
}

func (b *batchCommand) cancel(ctx context.Context, c *console, s *service) error {
	var status batch.Status
	if err := s.answer(ctx, request{method: http.MethodDelete, path: batchPath(b.Cancel)}, &status); err != nil {
		return err
	}
	c.say("batch %s is %s: %d of %d photos have ended", status.ID, status.State, status.Ended, status.Number)
	return printJSON(c, status)
}

func batchPath(id string) string { return "/batches/" + url.PathEscape(id) }

// offer describes a batch and its estimated cost.
func offer(s batch.Status) string {
	named := "a batch"
	if s.ID != "" {
		named = "batch " + s.ID
	}
	line := fmt.Sprintf("%s of %d photos under %s, %.1f MB, about $%.2f to $%.2f", named, s.Number, s.Prefix, float64(s.Bytes)/1e6, s.Estimate.Low, s.Estimate.High)
	if s.Random {
		line += fmt.Sprintf("; --seed %s draws them again", s.Seed)
	}
	return line
}

// advice says how to follow or cancel a running batch.
func advice(id string) string {
	return fmt.Sprintf("the batch goes on: whatisit batch --follow %s looks again, --cancel %s ends it", id, id)
}

func printJSON(c *console, v any) error {
	_, err := c.out.Write(encode(v))
	return err
}

// fetch gets the result of an ended batch, for the file and standard output. A batch
// whose tasks could not be published has none.
func (f *following) fetch(ctx context.Context, out *output) error {
	if f.status.State == jobs.Failed {
		f.say("%s", f.closing(""))
		return errPrinted
	}
	var entries []entry
	path := batchPath(f.status.ID) + "/result"
	err := f.patiently(ctx, "result", func() error {
		return f.answer(ctx, request{method: http.MethodGet, path: path}, &entries)
	})
	if err != nil {
		return fmt.Errorf("the batch has ended, but its result cannot be fetched: %w", because(ctx, err))
	}
	for i, e := range entries {
		entries[i].at = i
		var r analyze.Result
		if json.Unmarshal(e.Result, &r) == nil && isEmulated(r) {
			f.emulated()
		}
	}
	out.entries = entries
	file, err := out.finish(f.results())
	f.say("%s", f.closing(file))
	if err = errors.Join(err, out.page.write(f.service.pictures(ctx), f.closing(""), entries)); err != nil {
		return err
	}
	if f.status.Counts[batch.ItemFailed]+f.status.Counts[batch.ItemCancelled] > 0 {
		return errPrinted
	}
	return nil
}

// closing returns the closing line with totals.
func (f *following) closing(file string) string {
	s := f.status
	line := fmt.Sprintf("batch %s is %s: %d of %d photos, %s, $%.4f", s.ID, s.State, s.Ended, s.Number, counted(s.Counts[batch.Unidentified], s.Counts[batch.ItemFailed]), s.CostUSD)
	if s.Reason != "" {
		line += ": " + s.Reason
	}
	for _, place := range []string{file, s.ResultURI} {
		if place != "" {
			line += "; " + place
		}
	}
	return line
}

// readStatus decodes the data of an event.
func readStatus(data string, s *batch.Status) error {
	var next batch.Status
	if err := json.Unmarshal([]byte(data), &next); err != nil {
		return fmt.Errorf("the service's events cannot be read: %w", err)
	}
	*s = next
	return nil
}

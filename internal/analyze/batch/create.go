package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/usererror"
)

// Create begins a batch of the photos under r.Prefix. With r.DryRun it only returns
// the status and writes nothing. It takes all objects whose names begin with the
// prefix, "folders" included, and end as photos do (jpg, jpeg, png, webp, gif, bmp,
// tif, tiff, heic, heif); 100,000 at most. A prefix without a final slash is the
// beginning of a name. Errors are ErrRequest, ErrNoPhotos, intake.ErrOption,
// intake.ErrForbidden or errors of the services used; after an error nothing runs.
func (b *Batches) Create(ctx context.Context, r Request) (Status, error) {
	d, err := b.plan(r)
	if err != nil {
		return Status{}, err
	}
	photos, err := b.choose(ctx, d)
	if err != nil {
		return Status{}, err
	}
	d.Number = len(photos)
	for _, p := range photos {
		d.Bytes += p.bytes()
		if d.Group != "" {
			d.Photos += 1 + len(p.More)
		}
	}
	d.estimate(b.Intake.Pipeline, cmp.Or(r.SecondLook, b.Intake.Defaults.SecondLook))
	if d.scanning() {
		d.State = jobs.Scanning
	}
	if r.DryRun {
		s := b.status(d)
		s.State = ""
		return s, nil
	}
	return b.startBatch(ctx, d, photos)
}

// plan checks r and returns its batch, still without photos.
func (b *Batches) plan(r Request) (document, error) {
	options := intake.Options{Country: r.Country, Lang: r.Lang, Policy: r.Policy, SecondLook: r.SecondLook}
	if err := b.Intake.CheckOptions(options); err != nil {
		return document{}, err
	}
	bucket, prefix, err := b.readablePrefix(r.Prefix)
	if err != nil {
		return document{}, err
	}
	if err := cmp.Or(r.checkSample(), r.checkGroup()); err != nil {
		return document{}, err
	}
	tier := cmp.Or(gemini.Tier(r.Tier), b.Intake.Tier, gemini.Standard)
	if err := b.Intake.Pipeline.CheckTier(tier); err != nil {
		return document{}, fmt.Errorf("%w: tier: %s", ErrRequest, usererror.Short(err.Error(), maxText))
	}
	d := document{
		State: jobs.Expanding, Bucket: bucket, Prefix: prefix, Random: r.Random,
		Country: r.Country, Lang: r.Lang, Policy: r.Policy, SecondLook: r.SecondLook, Dedupe: r.Dedupe, Tier: tier, Group: r.Group, Fresh: r.Fresh,
	}
	if r.Sample != nil {
		d.Sample = *r.Sample
	}
	if r.Random {
		d.setSeed(r.Seed)
	}
	return d, nil
}

// readablePrefix parses gs://bucket/prefix and checks that the bucket is readable.
func (b *Batches) readablePrefix(uri string) (bucket, prefix string, err error) {
	o, err := blob.ParseURI(uri)
	switch {
	case errors.Is(err, blob.ErrURI):
		return "", "", fmt.Errorf("%w: prefix %q: send gs://bucket/ or gs://bucket/folder/", ErrRequest, usererror.Short(uri, usererror.Quoted))
	case err != nil:
		return "", "", fmt.Errorf("%w: prefix %q: %s", ErrRequest, usererror.Short(uri, usererror.Quoted), usererror.Text(err))
	case !slices.Contains(b.Intake.Readable, o.Bucket):
		return "", "", fmt.Errorf("%w: %q: want one of %q", intake.ErrForbidden, o.Bucket, b.Intake.Readable)
	}
	return o.Bucket, o.Name, nil
}

func (r Request) checkGroup() error {
	switch r.Group {
	case "", intake.ByFolder, intake.ByBarcode:
		return nil
	}
	return fmt.Errorf("%w: group is %q: send folder or barcode, or leave it out", ErrRequest, usererror.Short(r.Group, usererror.Quoted))
}

func (r Request) checkSample() error {
	switch {
	case r.Sample != nil && *r.Sample < 1:
		return fmt.Errorf("%w: sample is %d: send 1 or more, or leave it out for all photos", ErrRequest, *r.Sample)
	case r.Sample != nil && *r.Sample > maxPhotos:
		return fmt.Errorf("%w: sample is %d: send %d at most", ErrRequest, *r.Sample, maxPhotos)
	case r.Random && r.Sample == nil:
		return fmt.Errorf("%w: random draws a sample: send sample too, or leave random out", ErrRequest)
	case r.Seed != "" && !r.Random:
		return fmt.Errorf("%w: seed is of a random draw: send random too, or leave seed out", ErrRequest)
	case r.Seed != "":
		_, err := r.Seed.number()
		return err
	}
	return nil
}

// estimate sets the estimated cost of d. The value of look was checked before.
func (d *document) estimate(p *analyze.Pipeline, look string) {
	second, _ := analyze.ParseSecondLook(look)
	low, high := p.Estimate(second, d.Tier)
	d.Low, d.High = low*float64(d.Number), high*float64(d.Number)
}

// setSeed sets the seed of the draw, a random one for "".
func (d *document) setSeed(seed Seed) {
	if d.Seed = seed; seed == "" {
		d.Seed = Seed(fmt.Sprint(rand.Uint64()))
	}
}

// startBatch writes the manifest, publishes the task that expands the batch, and
// creates the document last: without a document the task does nothing, so that a
// failure before leaves no batch that seems to run.
func (b *Batches) startBatch(ctx context.Context, d document, photos []photo) (Status, error) {
	now := time.Now().UTC()
	d.id = now.Format("20060102-150405-") + uuid.NewString()[:8]
	d.Result = now.Format("result_20060102_150405")
	d.ExpiresAt = now.Add(b.Retain)
	if _, err := b.Objects.Create(ctx, d.manifest(b.Results), writeManifest(photos)); err != nil {
		return Status{}, fmt.Errorf("batch: write the manifest: %w", err)
	}
	if err := b.Tasks.PublishLong(ctx, payload{Batch: d.id}.of(expandKind)); err != nil {
		return Status{}, fmt.Errorf("batch: publish its first task: %w", err)
	}
	created, err := documentsOf(b).Create(ctx, d.id, d)
	if err != nil {
		b.withdraw(ctx, d.id)
		return Status{}, fmt.Errorf("batch: %w", err)
	}
	return b.status(known(created)), nil
}

// withdraw deletes a batch that may have been created although its creation
// returned an error.
func (b *Batches) withdraw(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_, _ = b.batch(id).Delete(ctx) // a missing document needs no deletion
}

// manifest returns the place of the list of d's photos, or groups of them.
func (d document) manifest(bucket string) blob.Place {
	p := d.photosPlace(bucket)
	if d.Grouped {
		p.Name = blob.Batches + d.id + "/groups.json"
	}
	return p
}

// photosPlace returns the place of the list that Create writes.
func (d document) photosPlace(bucket string) blob.Place {
	return blob.Place{Bucket: bucket, Name: blob.Batches + d.id + "/manifest.json", ContentType: "application/json"}
}

func writeManifest(photos []photo) func(io.Writer) error {
	return func(w io.Writer) error {
		l := newList(w)
		for _, p := range photos {
			if err := l.add(p); err != nil {
				return err
			}
		}
		return l.end()
	}
}

// choose lists the photos of d, or its sample of them.
func (b *Batches) choose(ctx context.Context, d document) ([]photo, error) {
	listed := photosIn(b.Objects.List(ctx, d.Bucket, d.Prefix))
	if d.Group == intake.ByFolder {
		listed = d.byFolder(listed)
	}
	photos, err := d.sampleOf(listed)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return nil, fmt.Errorf("%w: there is no bucket %q", ErrNoPhotos, d.Bucket)
	case err != nil:
		return nil, err
	case len(photos) == 0:
		return nil, fmt.Errorf("%w under %s: put some there, or send another prefix", ErrNoPhotos, d.uri(d.Prefix))
	}
	return photos, nil
}

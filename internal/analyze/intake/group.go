package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strings"
	"time"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/store"
)

// The ways in which photos of a bucket are grouped to products, the values of an upload's
// metadata group and of a batch's group.
const (
	ByFolder  = "folder"  // the photos of a folder, without its subfolders, show one product
	ByBarcode = "barcode" // photos of a folder or a batch with the same GTIN show one product
)

// MaxGroup is how many photos are one product at most. The first analyze.MaxPhotos
// different ones are looked at.
const MaxGroup = maxSources

// groupQuiet is how long no photo has come into a group before it is complete.
const groupQuiet = time.Minute

// Grouped returns the delivery of an upload to be done: d itself, or with group in its
// metadata that of all photos of its group. It returns an error if the event must be
// delivered again, as it must while the group is not complete.
//
// A group is complete when no photo has come into it for Config.GroupQuiet. Which photos it
// has is read from the bucket (of barcodes, from the documents that each photo's delivery
// writes), so that nothing of it is lost with an instance. Its work and its result are
// those of its newest photo: every delivery of any of its photos finds that work, which is
// done once. A photo that comes later makes a new group of all of them, whose result takes
// the place of the former.
func (in *Intake) Grouped(ctx context.Context, d Delivery) (Delivery, error) {
	by := d.Metadata["group"]
	if by == "" || d.Batch != "" || in.skip(ctx, d.Object) {
		return d, nil
	}
	var members []member
	var err error
	switch {
	case by == ByFolder && strings.Contains(d.Name, "/"):
		members, err = in.folderOf(ctx, d)
	case by == ByBarcode:
		members, err = in.withSameCode(ctx, d)
	}
	if err != nil || len(members) == 0 {
		return d, err
	}
	newest := slices.MaxFunc(members, func(a, b member) int { return a.known.Compare(b.known) })
	if quiet := time.Since(newest.known); quiet < in.GroupQuiet && len(members) <= MaxGroup {
		return d, fmt.Errorf("intake: the group of %s: %w", d.URI(), &jobs.BusyError{RetryAfter: in.GroupQuiet - quiet})
	}
	g := d
	g.Object, g.More, g.As = members[0].Object, nil, blob.ObjectRef{Bucket: d.Bucket, Name: members[0].Name}
	for _, m := range members[1:] {
		g.More = append(g.More, m.Object)
	}
	for _, m := range members {
		g.As.Generation = max(g.As.Generation, m.Generation)
	}
	if by == ByFolder {
		g.As.Name = path.Dir(d.Name)
	}
	return g, nil
}

// A member is a photo of a group.
type member struct {
	Object
	created time.Time // by the server
	known   time.Time // when others could find it, by the server
}

// folderOf returns the photos in the folder of d that are to be grouped so, by name, or
// none if d is not there any more. Of a folder with too many it returns one too many.
func (in *Intake) folderOf(ctx context.Context, d Delivery) (members []member, err error) {
	found := false
	for o, err := range in.Objects.ListFolder(ctx, d.Bucket, path.Dir(d.Name)+"/") {
		if err != nil {
			return nil, err
		}
		if o.Metadata["group"] != ByFolder || blob.IsResult(o.Metadata) {
			continue
		}
		found = found || o.ObjectRef == d.ObjectRef
		if members = append(members, member{Object{o.ObjectRef, o.Size, o.Metadata}, o.Created, o.Created}); len(members) > MaxGroup {
			return members, nil
		}
	}
	if !found {
		return nil, nil
	}
	return members, nil
}

// codes is the Firestore collection of the GTINs of photos to be grouped by them.
const codes = "codes"

// A codeDoc is the GTIN of a photo in a bucket. Its ID is that of the photo's delivery.
type codeDoc struct {
	Key        string    `firestore:"key"` // of bucket, folder and GTIN
	Bucket     string    `firestore:"bucket"`
	Name       string    `firestore:"name"`
	Generation int64     `firestore:"generation"`
	Size       int64     `firestore:"size"`
	Country    string    `firestore:"country,omitempty"`
	Lang       string    `firestore:"lang,omitempty"`
	Created    time.Time `firestore:"created_at"` // of the object
	Read       time.Time `firestore:"read_at,serverTimestamp"`
	ExpiresAt  time.Time `firestore:"expires_at"`
}

// codesKept is how long GTINs of photos are kept: events come for days at most.
const codesKept = 30 * 24 * time.Hour

// withSameCode returns the photos of d's folder that have its GTIN and came with it, the
// first first: none came GroupQuiet or more after the one before. It returns none if d has
// not one GTIN.
func (in *Intake) withSameCode(ctx context.Context, d Delivery) ([]member, error) {
	own, err := in.code(ctx, d)
	if err != nil || own.Key == "" {
		return nil, err
	}
	docs, err := store.List[codeDoc](ctx, in.DB.Collection(codes).Where("key", "==", own.Key))
	if err != nil {
		return nil, fmt.Errorf("intake: photos with the same code: %w", err)
	}
	var all []member
	for _, c := range docs {
		c := c.Value
		o := Object{blob.ObjectRef{Bucket: c.Bucket, Name: c.Name, Generation: c.Generation}, c.Size, map[string]string{"country": c.Country, "lang": c.Lang}}
		all = append(all, member{o, c.Created, c.Read})
	}
	slices.SortFunc(all, func(a, b member) int {
		return cmp.Or(a.created.Compare(b.created), strings.Compare(a.Name, b.Name))
	})
	return around(all, own.Created, in.GroupQuiet), nil
}

// around returns the part of sorted members around that time in which none came more than
// quiet after the one before, and not more than MaxGroup of them from its first on.
func around(all []member, at time.Time, quiet time.Duration) []member {
	first := 0
	for i := range all {
		if i > 0 && (all[i].created.Sub(all[i-1].created) >= quiet || i-first == MaxGroup) {
			if all[i].created.After(at) {
				return all[first:i]
			}
			first = i
		}
	}
	return all[first:]
}

// code returns the GTIN of d's photo, which it reads unless it was read before. A photo
// without one, or with several, has no key, and no document.
func (in *Intake) code(ctx context.Context, d Delivery) (c codeDoc, err error) {
	docs := store.In[codeDoc](in.DB.Collection(codes))
	was, err := docs.Get(ctx, d.id())
	if err == nil {
		return was.Value, nil
	}
	if !store.Gone(err) {
		return c, fmt.Errorf("intake: the code of %s: %w", d.URI(), err)
	}
	gtin, err := in.GTIN(ctx, d.Object)
	if err != nil || gtin == "" {
		return c, err
	}
	created, err := in.Objects.Created(ctx, d.ObjectRef)
	if err != nil {
		return c, err
	}
	c = codeDoc{
		Key: store.HashID(d.Bucket, path.Dir(d.Name), gtin), Bucket: d.Bucket, Name: d.Name, Generation: d.Generation, Size: d.Size,
		Country: d.Metadata["country"], Lang: d.Metadata["lang"], Created: created, ExpiresAt: created.Add(codesKept),
	}
	if _, err := docs.Create(ctx, d.id(), c); err != nil && !store.Exists(err) {
		return c, fmt.Errorf("intake: the code of %s: %w", d.URI(), err)
	}
	return c, nil
}

// GTIN returns the GTIN-14 of the barcodes in a photo, without asking a model: "" if it has
// none, or several, or cannot be read, which its own analysis then reports.
func (in *Intake) GTIN(ctx context.Context, o Object) (string, error) {
	leave, err := in.Memory.Acquire(ctx, MemoryFor(in.size(o)))
	if err != nil {
		return "", err
	}
	defer leave()
	data, _, err := in.Objects.Read(ctx, o.ObjectRef, in.Limits.MaxBytes)
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrTooLarge) || errors.Is(err, blob.ErrEncoding) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	p, release, err := in.prepare(ctx, photo.NewUpload(data), true, in.Limits)
	var bad *photo.Error
	if errors.As(err, &bad) {
		slog.InfoContext(ctx, "no code read", "object", o.URI(), "reason", err)
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer release()
	gtins, err := in.Pipeline.GTINs(ctx, p)
	if err != nil || len(gtins) != 1 {
		return "", err
	}
	return gtins[0], nil
}

// forgetCodes removes the GTINs that were read of the photos of a result.
func (in *Intake) forgetCodes(ctx context.Context, photos []blob.ObjectRef) error {
	for _, o := range photos {
		if _, err := in.DB.Collection(codes).Doc((Delivery{Object: Object{ObjectRef: o}}).id()).Delete(ctx); err != nil && !store.Gone(err) {
			return fmt.Errorf("intake: the code of %s: %w", o.URI(), err)
		}
	}
	return nil
}

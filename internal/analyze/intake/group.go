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
// A group has the photos of its bucket that are live: which they are is read there (the codes
// of those grouped by barcode from documents that each photo's delivery writes), so that nothing
// of it is lost with an instance. It is complete when no photo has come into it for
// Config.GroupQuiet. Its name is that of the folder, with the GTIN if it is grouped by that,
// from its first photo on, and its version is counted in Firestore: other photos than those of
// the last version make the next one, which is one piece of work, whichever photo's event
// does it, and whose result takes the place of the former.
func (in *Intake) Grouped(ctx context.Context, d Delivery) (Delivery, error) {
	by := d.Metadata["group"]
	if by != ByBarcode && (by != ByFolder || !strings.Contains(d.Name, "/")) || d.Batch != "" || in.skip(ctx, d.Object) {
		return d, nil
	}
	own, err := in.photoDoc(ctx, d, by)
	if d.Forgotten = own.Forgotten; err != nil || own.Group == "" {
		return d, err
	}
	// Before the photos are read: whoever reads them later counts later, or again.
	versions := store.In[groupDoc](in.DB.Collection(groups))
	last, err := versions.Get(ctx, store.HashID(d.Bucket, own.Group))
	if err != nil && !store.Gone(err) {
		return d, fmt.Errorf("intake: the group of %s: %w", d.URI(), err)
	}
	var members []member
	if by == ByFolder {
		members, err = in.folderOf(ctx, d)
	} else {
		members, err = in.withCode(ctx, own)
	}
	if err != nil || len(members) <= MaxGroup && !slices.ContainsFunc(members, func(m member) bool { return m.ObjectRef == d.ObjectRef }) {
		return d, err // it is not there any more, which its own work finds out
	}
	newest := slices.MaxFunc(members, func(a, b member) int { return a.known.Compare(b.known) })
	if quiet := time.Since(newest.known); quiet < in.GroupQuiet && len(members) <= MaxGroup {
		return d, fmt.Errorf("intake: the group of %s: %w", d.URI(), &jobs.BusyError{RetryAfter: in.GroupQuiet - quiet})
	}
	g := d
	g.Object, g.More, g.As = members[0].Object, nil, blob.ObjectRef{Bucket: d.Bucket, Name: own.Group}
	for _, m := range members[1:] {
		g.More = append(g.More, m.Object)
	}
	g.As.Generation, err = versionOf(ctx, versions, last, members)
	return g, err
}

// A member is a photo of a group.
type member struct {
	Object
	created time.Time // by the server
	known   time.Time // when others could find it, by the server
}

// groups is the Firestore collection of the versions of groups.
const groups = "groups"

// A groupDoc is the last version of a group. Its ID is a hash of bucket and name.
type groupDoc struct {
	Photos    string    `firestore:"photos"` // a hash of those that it has
	Version   int64     `firestore:"version"`
	ExpiresAt time.Time `firestore:"expires_at"`
}

// versionOf returns the version of a group with these photos, the next if last has others. The
// first is the time, in microseconds: a group whose document has expired goes on counting.
func versionOf(ctx context.Context, versions store.Collection[groupDoc], last store.Doc[groupDoc], members []member) (int64, error) {
	var parts []string
	for _, m := range members {
		parts = append(parts, m.Name, fmt.Sprint(m.Generation))
	}
	photos := store.HashID(parts...)
	if last.Exists && last.Value.Photos == photos {
		return last.Value.Version, nil
	}
	last.Exists, last.Value = true, groupDoc{photos, max(last.Value.Version+1, last.Read.UnixMicro()), last.Read.Add(photosKept)}
	now, err := versions.Save(ctx, last)
	switch {
	case err == nil || errors.Is(err, store.ErrChanged) && now.Value.Photos == photos:
		return now.Value.Version, nil
	case errors.Is(err, store.ErrChanged):
		err = &jobs.BusyError{RetryAfter: time.Second} // the photos were read while others came
	}
	return 0, fmt.Errorf("intake: the version of a group: %w", err)
}

// folderOf returns the photos in the folder of d that are to be grouped so, by name. Of a
// folder with too many it returns one too many.
func (in *Intake) folderOf(ctx context.Context, d Delivery) (members []member, err error) {
	for o, err := range in.Objects.ListFolder(ctx, d.Bucket, path.Dir(d.Name)+"/") {
		if err != nil {
			return nil, err
		}
		if o.Metadata["group"] != ByFolder || blob.IsResult(o.Metadata) {
			continue
		}
		if members = append(members, member{Object{o.ObjectRef, o.Size, o.Metadata}, o.Created, o.Created}); len(members) > MaxGroup {
			break
		}
	}
	return members, nil
}

// codes is the Firestore collection of what is known of photos to be grouped.
const codes = "codes"

// A photoDoc is what is known of a photo to be grouped. Its ID is that of the photo's delivery;
// one that was forgotten has nothing else, so that a late event of it is known.
type photoDoc struct {
	Key        string    `firestore:"key,omitempty"`   // a hash of bucket and group, of a photo that is grouped by its GTIN
	Group      string    `firestore:"group,omitempty"` // the name of its group
	Bucket     string    `firestore:"bucket,omitempty"`
	Name       string    `firestore:"name,omitempty"`
	Generation int64     `firestore:"generation,omitempty"`
	Forgotten  bool      `firestore:"forgotten,omitempty"`
	Read       time.Time `firestore:"read_at,serverTimestamp"`
	ExpiresAt  time.Time `firestore:"expires_at"`
}

// photosKept is how long what is known of a photo to be grouped is kept: events come for days
// at most.
const photosKept = 30 * 24 * time.Hour

// groupName returns the name of a group, which no photo has (checkName) and no group of the
// other kind.
func groupName(name, by string) string { return name + "." + by }

// photoDoc returns what is known of d's photo. It reads the GTIN of one that is grouped by
// that, unless it was read before. A photo without one, or with several, has no group and no document.
func (in *Intake) photoDoc(ctx context.Context, d Delivery, by string) (c photoDoc, err error) {
	docs := store.In[photoDoc](in.DB.Collection(codes))
	was, err := docs.Get(ctx, d.id())
	switch {
	case err == nil:
		return was.Value, nil
	case !store.Gone(err):
		return c, fmt.Errorf("intake: the group of %s: %w", d.URI(), err)
	case by == ByFolder:
		c.Group = groupName(path.Dir(d.Name), by)
		return c, nil
	}
	gtin, err := in.GTIN(ctx, d.Object)
	if err != nil || gtin == "" {
		return c, err
	}
	c = photoDoc{Group: groupName(path.Join(path.Dir(d.Name), gtin), by), Bucket: d.Bucket, Name: d.Name, Generation: d.Generation, ExpiresAt: was.Read.Add(photosKept)}
	c.Key = store.HashID(c.Bucket, c.Group)
	if was, err = docs.Create(ctx, d.id(), c); err != nil && !store.Exists(err) {
		return c, fmt.Errorf("intake: the code of %s: %w", d.URI(), err)
	}
	return was.Value, nil
}

// withCode returns the live photos with own's GTIN, the first first. Of too many it returns one
// too many.
func (in *Intake) withCode(ctx context.Context, own photoDoc) (members []member, err error) {
	docs, err := store.List[photoDoc](ctx, in.DB.Collection(codes).Where("key", "==", own.Key))
	if err != nil {
		return nil, fmt.Errorf("intake: photos with the same code: %w", err)
	}
	for _, c := range docs {
		c := c.Value
		o, err := in.Objects.Live(ctx, c.Bucket, c.Name)
		if errors.Is(err, blob.ErrNotFound) || err == nil && (o.Generation != c.Generation || o.Metadata["group"] != ByBarcode) {
			continue // deleted or replaced
		}
		if err != nil {
			return nil, err
		}
		if members = append(members, member{Object{o.ObjectRef, o.Size, o.Metadata}, o.Created, c.Read}); len(members) > MaxGroup {
			break
		}
	}
	slices.SortFunc(members, func(a, b member) int {
		return cmp.Or(a.created.Compare(b.created), strings.Compare(a.Name, b.Name))
	})
	return members, nil
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

// forgetGroups removes what is known of the groups of photos that are forgotten.
func (in *Intake) forgetGroups(ctx context.Context, photos []blob.ObjectRef) error {
	for _, o := range photos {
		_, err := store.In[photoDoc](in.DB.Collection(codes)).Change(ctx, (Delivery{Object: Object{ObjectRef: o}}).id(), func(d *store.Doc[photoDoc]) error {
			d.Exists, d.Value = true, photoDoc{Forgotten: true, Read: d.Value.Read, ExpiresAt: d.Read.Add(photosKept)}
			return nil
		})
		if err != nil {
			return fmt.Errorf("intake: the group of %s: %w", o.URI(), err)
		}
	}
	return nil
}

package storage_test

import (
	"context"
	"testing"

	gcs "cloud.google.com/go/storage"

	"example.com/whatis/emulators/storage"
)

func TestConditions(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o storage.Options) {
		_, photos := start(t, o)
		for _, tt := range []struct {
			name string
			call call
			when when
			want int
		}{
			{"write", overwrite, absent, 412},
			{"write", overwrite, other, 412},
			{"write", overwrite, live, 200},
			{"read", readAll, other, 412},
			{"read", readAll, live, 200},
			{"attrs", attrs, other, 412},
			{"attrs", attrs, changed, 304},
			{"attrs", attrs, live, 200},
			{"update", update, other, 412},
			{"update", update, live, 200},
			{"update", update, metageneration2, 412},
			{"update", update, metageneration1, 200},
			{"copy", copyOver, absent, 412},
			{"copy", copyOver, live, 200},
			{"compose", compose, absent, 412},
			{"compose", compose, live, 200},
			{"delete", remove, other, 412},
			{"delete", remove, live, 200},
		} {
			name := photos.Object(hardName)
			a, err := write(t.Context(), name, []byte("old"), nil)
			if err != nil {
				t.Fatalf("write = %v", err)
			}
			c := tt.when(a.Generation)
			if err := tt.call(t.Context(), photos, name.If(c)); status(err) != tt.want {
				t.Errorf("%s if %+v of generation %d = %v, want status %d", tt.name, c, a.Generation, err, tt.want)
			}
		}
	})
}

func TestConditionsOfMissingObject(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o storage.Options) {
		_, photos := start(t, o)
		for _, tt := range []struct {
			name string
			call call
			when when
			want int
		}{
			{"read", readAll, live, 404},
			{"delete", remove, live, 404},
			{"update", update, metageneration1, 404},
			{"write", overwrite, live, 412},
			{"copy", copyOver, live, 412},
			{"copy", copyOver, absent, 200},
		} {
			o := photos.Object(tt.name)
			if err := tt.call(t.Context(), photos, o.If(tt.when(7))); status(err) != tt.want {
				t.Errorf("%s if %+v of no object = %v, want status %d", tt.name, tt.when(7), err, tt.want)
			}
		}
	})
}

// when makes a condition of the live generation.
type when func(generation int64) gcs.Conditions

func live(g int64) gcs.Conditions          { return gcs.Conditions{GenerationMatch: g} }
func other(g int64) gcs.Conditions         { return gcs.Conditions{GenerationMatch: g - 1} }
func changed(g int64) gcs.Conditions       { return gcs.Conditions{GenerationNotMatch: g} }
func absent(int64) gcs.Conditions          { return gcs.Conditions{DoesNotExist: true} }
func metageneration1(int64) gcs.Conditions { return gcs.Conditions{MetagenerationMatch: 1} }
func metageneration2(int64) gcs.Conditions { return gcs.Conditions{MetagenerationMatch: 2} }

// call does something with an object of the bucket.
type call func(context.Context, *gcs.BucketHandle, *gcs.ObjectHandle) error

func overwrite(ctx context.Context, _ *gcs.BucketHandle, o *gcs.ObjectHandle) error {
	_, err := write(ctx, o, []byte("new"), nil)
	return err
}

func readAll(ctx context.Context, _ *gcs.BucketHandle, o *gcs.ObjectHandle) error {
	_, err := read(ctx, o)
	return err
}

func attrs(ctx context.Context, _ *gcs.BucketHandle, o *gcs.ObjectHandle) error {
	_, err := o.Attrs(ctx)
	return err
}

func update(ctx context.Context, _ *gcs.BucketHandle, o *gcs.ObjectHandle) error {
	_, err := o.Update(ctx, gcs.ObjectAttrsToUpdate{ContentType: "image/png"})
	return err
}

func copyOver(ctx context.Context, b *gcs.BucketHandle, o *gcs.ObjectHandle) error {
	if _, err := write(ctx, b.Object("source"), []byte("source"), nil); err != nil {
		return err
	}
	_, err := o.CopierFrom(b.Object("source")).Run(ctx)
	return err
}

func compose(ctx context.Context, b *gcs.BucketHandle, o *gcs.ObjectHandle) error {
	if _, err := write(ctx, b.Object("source"), []byte("source"), nil); err != nil {
		return err
	}
	_, err := o.ComposerFrom(b.Object("source")).Run(ctx)
	return err
}

func remove(ctx context.Context, _ *gcs.BucketHandle, o *gcs.ObjectHandle) error {
	return o.Delete(ctx)
}

// Package archive keeps pages of the web in a bucket, as they came and as they were read,
// so that none is asked for twice and what was quoted can be looked up.
//
//	address → kept already, or fetched and read → {object} and {object}.json → Page
package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/webdoc"
)

// An Archive is a bucket, and how pages that are not there are asked for.
type Archive struct {
	Fetch   *fetch.Fetcher
	Objects *blob.Store
	Bucket  string
}

// A Page is one as it was read. It lies beside the page as it came.
type Page struct {
	URL         string          `json:"url"` // that has answered
	ContentType string          `json:"content_type"`
	Document    webdoc.Document `json:"document"`
}

// A StorageError is an error of the bucket: no fault of the page.
type StorageError struct{ error }

func (e *StorageError) Unwrap() error { return e.error }

// ObjectOf names the object of a page as it was read.
func ObjectOf(object string) string { return object + ".json" }

// MaxKept bounds a page as it was read, in bytes.
const MaxKept = 32 << 20

// Get is a page as it was kept under a name, or as it is on the web; that is kept.
func (a Archive) Get(ctx context.Context, object, address string) (*Page, error) {
	kept, err := a.Kept(ctx, object)
	if !errors.Is(err, blob.ErrNotFound) {
		return kept, err
	}
	got, err := a.Fetch.Get(ctx, address)
	if err != nil {
		return nil, err
	}
	doc, err := webdoc.Read(got)
	if err != nil {
		return nil, err
	}
	kept = &Page{got.URL, got.ContentType, doc}
	data, err := json.Marshal(kept)
	if err != nil {
		return nil, &StorageError{err}
	}
	if err := a.Put(ctx, object, got.ContentType, got.Body); err != nil {
		return nil, err
	}
	return kept, a.Put(ctx, ObjectOf(object), "application/json", data)
}

// Kept is a page as it was kept under a name; blob.ErrNotFound if there is none.
func (a Archive) Kept(ctx context.Context, object string) (*Page, error) {
	data, _, err := a.Objects.Read(ctx, blob.ObjectRef{Bucket: a.Bucket, Name: ObjectOf(object)}, MaxKept)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return nil, err
	case err != nil:
		return nil, &StorageError{err}
	}
	kept := new(Page)
	if err := json.Unmarshal(data, kept); err != nil {
		return nil, &StorageError{fmt.Errorf("archive: %s: %w", object, err)}
	}
	return kept, nil
}

// Put writes an object over what is there.
func (a Archive) Put(ctx context.Context, name, kind string, body []byte) error {
	_, err := a.Objects.Replace(ctx, blob.Place{Bucket: a.Bucket, Name: name, ContentType: kind}, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(body))
		return err
	})
	if err != nil {
		return &StorageError{err}
	}
	return nil
}

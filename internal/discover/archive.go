package discover

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/discover/webdoc"
	"example.com/whatis/internal/fetch"
)

// An archive keeps web pages in a bucket, as fetched and as parsed, so that none is
// fetched twice and a quote can be verified later.
//
//	address → archived already, or fetched and read → {object} and {object}.json → archivedPage
type archive struct {
	Fetch   *fetch.Fetcher
	Reader  *webdoc.Reader
	Objects *blob.Store
	Bucket  string
}

// An archivedPage is a parsed page. It is stored beside the fetched bytes.
type archivedPage struct {
	URL         string          `json:"url"` // after redirects
	ContentType string          `json:"content_type"`
	Document    webdoc.Document `json:"document"`
}

// An outageError is an error of the bucket or of this instance, not of the page.
type outageError struct{ error }

func (e *outageError) Unwrap() error { return e.error }

// archiveObject returns the name of a parsed page's object.
func archiveObject(object string) string { return object + ".json" }

// maxArchived bounds a parsed page, in bytes.
const maxArchived = 32 << 20

// Get returns the page archived under a name, or fetches and archives it, if its address and
// those that it redirects to are admitted.
func (a archive) Get(ctx context.Context, object, address string, admits func(address string) bool) (*archivedPage, error) {
	kept, err := a.Kept(ctx, object)
	if !errors.Is(err, blob.ErrNotFound) {
		return kept, err
	}
	got, err := a.Fetch.GetAdmitted(ctx, address, admits)
	if err != nil {
		return nil, err
	}
	doc, err := a.Reader.Read(ctx, got)
	switch {
	case errors.Is(err, webdoc.ErrUnreadable), errors.Is(err, webdoc.ErrTooCostly):
		return nil, err
	case err != nil:
		return nil, &outageError{err}
	}
	kept = &archivedPage{got.URL, got.ContentType, doc}
	data, err := json.Marshal(kept)
	if err != nil {
		return nil, &outageError{err}
	}
	kind := got.ContentType
	if got.Charset != "" {
		kind = cmp.Or(mime.FormatMediaType(kind, map[string]string{"charset": got.Charset}), kind)
	}
	if err := a.Put(ctx, object, kind, got.Body); err != nil {
		return nil, err
	}
	return kept, a.Put(ctx, archiveObject(object), "application/json", data)
}

// Kept returns the page archived under a name, or blob.ErrNotFound.
func (a archive) Kept(ctx context.Context, object string) (*archivedPage, error) {
	data, _, err := a.Objects.Read(ctx, blob.ObjectRef{Bucket: a.Bucket, Name: archiveObject(object)}, maxArchived)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return nil, err
	case err != nil:
		return nil, &outageError{err}
	}
	kept := new(archivedPage)
	if err := json.Unmarshal(data, kept); err != nil {
		return nil, &outageError{fmt.Errorf("discover: archived page %s: %w", object, err)}
	}
	return kept, nil
}

// Put writes an object, replacing an existing one.
func (a archive) Put(ctx context.Context, name, kind string, body []byte) error {
	_, err := a.Objects.Replace(ctx, blob.Place{Bucket: a.Bucket, Name: name, ContentType: kind}, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(body))
		return err
	})
	if err != nil {
		return &outageError{err}
	}
	return nil
}

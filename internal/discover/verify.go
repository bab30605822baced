package discover

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"example.com/whatis/internal/blob"
)

// A Broken record is one whose quote is not on its page.
type Broken struct {
	URL    string `json:"url"`
	Quote  string `json:"quote"`
	Reason string `json:"reason"`
}

// Verify checks each quote of a result's records and absences against the archived page,
// without access to the web. read reads an object of the pages' bucket, and returns
// fs.ErrNotExist or blob.ErrNotFound for a missing one.
func Verify(ctx context.Context, r Result, read func(ctx context.Context, name string) ([]byte, error)) (broken []Broken, err error) {
	proofs := make([]Broken, 0, len(r.Items)+len(r.Absent))
	for _, i := range r.Items {
		proofs = append(proofs, Broken{URL: i.URL, Quote: i.Quote})
	}
	for _, a := range r.Absent {
		proofs = append(proofs, Broken{URL: a.URL, Quote: a.Quote})
	}
	for _, b := range proofs {
		i := slices.IndexFunc(r.Sources, func(s *Page) bool { return s.URL == b.URL })
		if i < 0 || r.Sources[i].Object == "" {
			b.Reason = "it is none of the pages that were fetched"
		} else if b.Reason, err = missing(ctx, archiveObject(r.Sources[i].Object), b.Quote, read); err != nil {
			return broken, fmt.Errorf("discover: verify %s: %w", b.URL, err)
		}
		if b.Reason != "" {
			broken = append(broken, b)
		}
	}
	return broken, nil
}

// withoutQuote is why a quote is not on a page that can be read.
const withoutQuote = "its page does not hold the quote"

// missing returns why a quote is not on an archived page, "" if it is.
func missing(ctx context.Context, name, text string, read func(context.Context, string) ([]byte, error)) (string, error) {
	data, err := read(ctx, name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, blob.ErrNotFound) {
		return "its page is not among those that were kept", nil
	}
	if err != nil {
		return "", err
	}
	var kept archivedPage
	switch err := json.Unmarshal(data, &kept); {
	case err != nil:
		return "its page, as it was kept, cannot be read", nil
	case !quotable(kept.Document.Markdown).Holds(text):
		return withoutQuote, nil
	}
	return "", nil
}

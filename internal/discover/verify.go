package discover

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/textfold"
)

// A Broken record is one whose quote or years are not on its page.
type Broken struct {
	URL    string `json:"url"`
	Quote  string `json:"quote"`
	Reason string `json:"reason"`
}

// Verify checks each quote of a result's records and absences, and the years of records, against the archived page,
// without access to the web. read reads an object of the pages' bucket, and returns
// fs.ErrNotExist or blob.ErrNotFound for a missing one.
func Verify(ctx context.Context, r Result, read func(ctx context.Context, name string) ([]byte, error)) (broken []Broken, err error) {
	proofs := slices.Clone(r.Items)
	for _, a := range r.Absent {
		proofs = append(proofs, StructuredDataItem{URL: a.URL, Quote: a.Quote})
	}
	for _, proof := range proofs {
		b := Broken{URL: proof.URL, Quote: proof.Quote}
		i := slices.IndexFunc(r.Sources, func(s *Page) bool { return s.URL == b.URL })
		if i < 0 || r.Sources[i].Object == "" {
			b.Reason = "it is none of the pages that were fetched"
		} else if b.Reason, err = missing(ctx, archiveObject(r.Sources[i].Object), b.Quote, read, proof.FirstYear, proof.LastYear); err != nil {
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

// missing returns why a quote, or a year that is not 0, is not on an archived page, "" if all are.
func missing(ctx context.Context, name, text string, read func(context.Context, string) ([]byte, error), years ...int) (string, error) {
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
	digits := strings.Map(textfold.Digit, kept.Document.Markdown)
	for _, year := range years {
		if year > 0 && !strings.Contains(digits, strconv.Itoa(year)) {
			return fmt.Sprintf("its page does not print the year %d", year), nil
		}
	}
	return "", nil
}

package discover

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"example.com/whatis/internal/blob"
)

// A Broken record is one that its page does not prove.
type Broken struct {
	URL    string `json:"url"`
	Quote  string `json:"quote"`
	Reason string `json:"reason"`
}

// Verify checks each quote of a result's records and absences against the archived page, and of records
// the names, years and other words that pages print, without access to the web. read reads an object
// of the pages' bucket, and returns fs.ErrNotExist or blob.ErrNotFound for a missing one.
func Verify(ctx context.Context, r Result, read func(ctx context.Context, name string) ([]byte, error)) (broken []Broken, err error) {
	records := slices.Clone(r.Items)
	for _, a := range r.Absent {
		records = append(records, StructuredDataItem{URL: a.URL, Quote: a.Quote})
	}
	for _, one := range records {
		var pages []proof
		var reason string
		for i, at := range one.identities() {
			text, why, err := keptProof(ctx, r.Sources, at, read)
			if err != nil {
				return broken, fmt.Errorf("discover: verify %s: %w", at.URL, err)
			}
			if pages = append(pages, text); i == 0 {
				reason = why
			}
		}
		if reason = cmp.Or(reason, one.unprinted(pages)); reason != "" {
			broken = append(broken, Broken{one.URL, one.Quote, reason})
		}
	}
	return broken, nil
}

// unprinted says what a record says that none of the pages prints from which it comes, "" if there is nothing.
func (r StructuredDataItem) unprinted(pages []proof) string {
	for _, said := range [][2]string{
		{"name", r.Name}, {"publisher", r.Publisher}, {"place", r.Place}, {"gas", r.Gas}, {"unit", r.Unit}, {"scope", r.Scope}, {"terms", r.Licence}, {"first year", yearOrNone(r.FirstYear)}, {"last year", yearOrNone(r.LastYear)},
	} {
		if said[1] != "" && !slices.ContainsFunc(pages, func(p proof) bool { return p.prints(said[1]) || strings.Contains(p.digits, said[1]) }) {
			return fmt.Sprintf("its page does not print its %s: %s", said[0], said[1])
		}
	}
	return ""
}

// withoutQuote is why a quote is not on a page that can be read.
const withoutQuote = "its page does not hold the quote"

// keptProof returns the archived page of a quote, to check words against, and why it does not hold the
// quote, "" if it does.
func keptProof(ctx context.Context, of []*Page, quote Identity, read func(context.Context, string) ([]byte, error)) (text proof, why string, err error) {
	i := slices.IndexFunc(of, func(p *Page) bool { return p.URL == quote.URL && p.Object != "" })
	if i < 0 {
		return text, "it is none of the pages that were fetched", nil
	}
	data, err := read(ctx, archiveObject(of[i].Object))
	var kept archivedPage
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, blob.ErrNotFound):
		return text, "its page is not among those that were kept", nil
	case err != nil:
		return text, "", err
	case json.Unmarshal(data, &kept) != nil:
		return text, "its page, as it was kept, cannot be read", nil
	}
	if text = proofOf(of[i], kept.Document); !text.Holds(quote.Quote) {
		why = withoutQuote
	}
	return text, why, nil
}

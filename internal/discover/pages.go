package discover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/discover/webdoc"
	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/usererror"
)

// How many pages a slice reads, and how many at a time.
const (
	pagesPerSlice = 8
	pagesAtOnce   = 4
	maxFurther    = 12 // links of a page that are offered to a deep dive
)

// fetchPages fetches the next pages, and offers what they link.
func (p *Pipeline) fetchPages(ctx context.Context, s *AgentState) error {
	next := s.promising(pending)
	next = next[:min(len(next), pagesPerSlice)]
	docs := make([]*archivedPage, len(next))
	errs := make([]error, len(next))
	read, err := sideBySide(ctx, next, pagesAtOnce, func(ctx context.Context, i int, page *Page) error {
		docs[i], errs[i] = p.getPage(ctx, s, page)
		return ctx.Err()
	})
	if !read {
		return err
	}
	for i, page := range next {
		if err := s.took(page, docs[i], errs[i]); err != nil {
			return err
		}
	}
	s.settle()
	return nil
}

// sideBySide calls do for each of all, with its index, for at most n at once. It reports
// whether it was done for all: not after an error, nor when the run is cancelled, which the
// next slice ends.
func sideBySide[T any](ctx context.Context, all []T, n int, do func(context.Context, int, T) error) (done bool, err error) {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(n)
	for i, one := range all {
		group.Go(func() error { return do(groupCtx, i, one) })
	}
	err = group.Wait()
	if isCancelled(ctx) {
		return false, nil
	}
	return err == nil, err
}

// took stores the outcome of fetching a page.
func (s *AgentState) took(page *Page, doc *archivedPage, err error) error {
	var outage *outageError
	switch {
	case errors.As(err, &outage):
		return err
	case err != nil:
		var answer *fetch.StatusError
		page.Missing = errors.As(err, &answer) && (answer.Status == http.StatusNotFound || answer.Status == http.StatusGone)
		slog.Info("page left out", "url", page.URL, "error", err)
		page.skip(usererror.Cause(err, "it cannot be fetched; the log says why"))
		s.drop(page.URL, "", gateFetch, "%s", page.Reason)
		return nil
	}
	if other := s.known(doc.URL); other != nil && other != page {
		page.skip("the same page as " + doc.URL)
		return nil
	}
	if page.Fetch == "" {
		page.URL = doc.URL
	}
	page.ContentType, page.Status, page.Members = doc.ContentType, fetched, doc.Document.Unread
	if page.Title == "" {
		page.Title = usererror.Short(oneLine(doc.Document.Title), 300)
	}
	if doc.ContentType == fetch.PDF && !slices.ContainsFunc(doc.Document.Parts, func(p webdoc.Part) bool { return p.Text != "" }) {
		page.skip(noText)
		s.drop(page.URL, "", gateFetch, "%s", page.Reason)
		return nil
	}
	if page.Source == sitemap {
		page.skip("it only lists addresses")
		s.offerLinks(page, doc.Document.Links)
		return nil
	}
	s.keepFurther(page, doc.Document.Links)
	s.offerFiles(page, doc.Document.Links)
	s.offerRecords(page, doc.Document)
	return nil
}

// noText is why a scan is not read: there is nothing that a quote could prove.
const noText = "no_text: its pages are pictures without text"

// sitemap is the source of a portal's sitemap.
const sitemap = "sitemap"

func (p *Page) skip(reason string) { p.Status, p.Reason = skipped, reason }

// getPage returns a page from the archive, or from the web.
func (p *Pipeline) getPage(ctx context.Context, s *AgentState, page *Page) (*archivedPage, error) {
	if !webdoc.Readable(webdoc.FormatOf(page.URL)) {
		return nil, fetch.ErrContentType
	}
	if page.Fetch != "" {
		page.Object = s.objectOf(page.Fetch)
		kept, err := p.archive().Get(ctx, page.Object, page.Fetch, s.admits)
		if _, refused := usererror.Message(err); err == nil || !refused {
			return kept, err
		} // the page of the dataset may be open where the interface is not
		page.Fetch = ""
	}
	page.Object = s.objectOf(page.URL)
	return p.archive().Get(ctx, page.Object, page.URL, s.admits)
}

// archive returns the archive of pages and results.
func (p *Pipeline) archive() archive {
	return archive{Fetch: p.Fetch, Reader: p.Reader, Objects: p.Objects, Bucket: p.Bucket}
}

// objectOf returns the name of a page's object, by country, sector, run and address.
func (s *AgentState) objectOf(address string) string {
	return fmt.Sprintf(blob.WebPages+"%s/%s/%s/%s", s.CountryLocode, cmp.Or(s.Sector, "all"), s.ID, store.HashID(address))
}

// keepFurther stores the most promising links of a page to pages of its site, for deep dives.
func (s *AgentState) keepFurther(page *Page, links []webdoc.Link) {
	links = slices.DeleteFunc(slices.Clone(links), func(l webdoc.Link) bool {
		return !sameSite(l.URL, page.URL) || s.known(l.URL) != nil || l.Format != ""
	})
	slices.SortStableFunc(links, func(a, b webdoc.Link) int {
		return relevance(b.Text, s.Sectors) - relevance(a.Text, s.Sectors)
	})
	for _, l := range links[:min(len(links), maxFurther)] {
		page.Further = append(page.Further, webdoc.Link{URL: l.URL, Text: usererror.Short(oneLine(l.Text), 150)})
	}
}

func sameSite(a, b string) bool {
	one, err := fetch.Site(a)
	other, bad := fetch.Site(b)
	return err == nil && bad == nil && one == other
}

package webdoc_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/emulators/site"
	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/textfold"
)

// All pages of a small web are requested, four at a time. Each dataset's quotation is in
// its page and its files can be opened, text for machines is not read from datasets' pages,
// pages that robots.txt forbids are not requested, and every trap ends.
func TestSmallWeb(t *testing.T) {
	for _, o := range []site.Options{{Seed: 0, Languages: []string{"en", "ko"}}, {Seed: 1}, {Seed: 4}} {
		t.Run(fmt.Sprint(o.Seed), func(t *testing.T) {
			t.Parallel()
			readWeb(t, o)
		})
	}
}

func readWeb(t *testing.T, o site.Options) {
	o.Slow = time.Millisecond // TestTimeout covers slow pages
	s, err := site.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	f, err := fetch.New(fetch.Config{Agent: "whatis/test (+https://example.com)", Allow: s.Allow(), Delay: time.Millisecond, MaxDelay: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	pages, failed := getAll(t, f, s.Pages())
	for _, d := range s.Truth() {
		doc, err := reader.Read(t.Context(), pages[d.URL])
		if err != nil || !strings.Contains(textfold.String(doc.Markdown), textfold.String(d.Quote)) {
			t.Errorf("seed %d: %s (%v, %v) is read without %q:\n%s", o.Seed, d.URL, failed[d.URL], err, d.Quote, doc.Markdown)
		}
		if strings.Contains(doc.Markdown, site.Injected) {
			t.Errorf("seed %d: %s is read with what is hidden in it:\n%s", o.Seed, d.URL, doc.Markdown)
		}
		for _, file := range d.Files {
			doc, err := reader.Read(t.Context(), pages[file])
			if err != nil || len(doc.Parts) == 0 && doc.URL != "" && !strings.Contains(file, "/dashboard/") {
				t.Errorf("seed %d: %s has no parts: %v, %v", o.Seed, file, failed[file], err)
			}
		}
	}
	for _, r := range s.Requests() {
		if strings.Contains(r.Path, "draft") {
			t.Errorf("seed %d: %s%s was asked for, which robots.txt forbids", o.Seed, r.Host, r.Path)
		}
	}
	count := map[error]int{}
	for _, err := range failed {
		for _, known := range []error{fetch.ErrForbiddenAddress, fetch.ErrRobots, fetch.ErrRedirects, fetch.ErrTimeout, fetch.ErrUnreachable} {
			if errors.Is(err, known) {
				count[known]++
			}
		}
	}
	if count[fetch.ErrForbiddenAddress] < 8 || count[fetch.ErrRobots] < 6 || count[fetch.ErrRedirects] != 2 || count[fetch.ErrTimeout]+count[fetch.ErrUnreachable] > 0 {
		t.Errorf("seed %d: the traps ended with %v", o.Seed, count)
	}
}

// getAll fetches addresses as the agent does.
func getAll(t *testing.T, f *fetch.Fetcher, addresses []string) (pages map[string]fetch.Page, failed map[string]error) {
	t.Helper()
	pages, failed = map[string]fetch.Page{}, map[string]error{}
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(4)
	for _, address := range addresses {
		group.Go(func() error {
			page, err := f.Get(t.Context(), address)
			mu.Lock()
			defer mu.Unlock()
			if pages[address] = page; err != nil {
				failed[address] = err
			}
			return nil
		})
	}
	_ = group.Wait() // errors are recorded
	return pages, failed
}

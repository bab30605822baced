package discover

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"time"

	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/usererror"
)

// A WebSearch is a search engine whose results programs may open: [Brave] or [SearXNG]. It
// returns at most that many results, with canonical addresses, each once. Language is an
// ISO 639-1 code, or "".
type WebSearch interface {
	Find(ctx context.Context, query, language string, most int) ([]webHit, error)
}

// A webHit is a search result.
type webHit struct {
	URL     string `json:"url"` // canonical
	Title   string `json:"title"`
	Snippet string `json:"snippet"`
}

// errQuota is the error of a search that was refused because the paid quota is used up.
var errQuota = usererror.New("discover", "the search API's quota is used up: wait for the next month, or raise it")

// searchHTTP follows no redirect: a search engine has none, and the query could name its target.
var searchHTTP = &http.Client{
	Timeout:       30 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// leftOut excludes files from a search: the pages that link them say what they hold, and are
// found in their place.
const leftOut = " -filetype:xls -filetype:doc -filetype:ppt -filetype:zip"

// searchTries is how often a search is tried.
const searchTries = 3

// patiently calls ask until it succeeds, fails for good, where wait is 0, or was called
// searchTries times. It waits in between as long as ask says.
func patiently(ctx context.Context, ask func() (hits []webHit, wait time.Duration, err error)) ([]webHit, error) {
	for try := 1; ; try++ {
		hits, wait, err := ask()
		if err == nil || wait == 0 || try == searchTries {
			return hits, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// getJSON sends a request and decodes its answer into v. Of an answer that is none it returns
// the status and what was answered.
func getJSON(request *http.Request, v any) (refusal *http.Response, body []byte, err error) {
	request.Header.Set("Accept", "application/json")
	response, err := searchHTTP.Do(request)
	if err != nil {
		return nil, nil, fmt.Errorf("discover: %w", err)
	}
	defer response.Body.Close()
	if body, err = io.ReadAll(io.LimitReader(response.Body, 4<<20)); err != nil {
		return nil, nil, fmt.Errorf("discover: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return response, body, nil
	}
	if err := json.Unmarshal(body, v); err != nil {
		return nil, nil, fmt.Errorf("discover: the answer of the search engine: %w", err)
	}
	return nil, nil, nil
}

var markup = regexp.MustCompile(`<[^>]*>`)

// addHit adds a result, unless there are enough or its address is there or none that can be fetched.
func addHit(hits []webHit, most int, address, title, snippet string) []webHit {
	address, err := fetch.Canonical(address)
	if err != nil || len(hits) >= most || slices.ContainsFunc(hits, func(h webHit) bool { return h.URL == address }) {
		return hits
	}
	return append(hits, webHit{address, usererror.Short(title, 300), usererror.Short(markup.ReplaceAllString(snippet, ""), 500)})
}

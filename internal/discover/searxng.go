package discover

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// SearXNG calls an instance of SearXNG, whose settings must list json among search.formats.
// It is safe for concurrent use.
// https://docs.searxng.org/dev/search_api.html
type SearXNG struct {
	BaseURL string // of the instance
}

// Find implements [WebSearch]. After a temporary refusal it tries again.
func (c *SearXNG) Find(ctx context.Context, query, language string, most int) ([]webHit, error) {
	return patiently(ctx, func() ([]webHit, time.Duration, error) { return c.ask(ctx, query, language, most) })
}

// searxngSyntax matches what SearXNG reads in a word of a query: engines, languages, time-outs
// and redirects to other sites.
var searxngSyntax = regexp.MustCompile(`(^|\s)[!:?<]+`)

// searxngLanguage is the form of a language that SearXNG takes. It refuses a query with another.
var searxngLanguage = regexp.MustCompile(`^[a-z]{2,3}(-[a-zA-Z]{2})?$`)

// errEngines is the error of a search whose engines have all failed.
var errEngines = errors.New("discover: none of the engines of SearXNG answers")

// ask searches once. After a temporary error, wait is when to try again.
func (c *SearXNG) ask(ctx context.Context, query, language string, most int) (hits []webHit, wait time.Duration, err error) {
	values := url.Values{"q": {strings.TrimSpace(searxngSyntax.ReplaceAllString(query, "$1")) + leftOut}, "format": {"json"}}
	if searxngLanguage.MatchString(language) {
		values.Set("language", language)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(c.BaseURL, "/")+"/search?"+values.Encode(), nil)
	if err != nil {
		return nil, 0, fmt.Errorf("discover: %w", err)
	}
	var answer struct {
		Results      []struct{ URL, Title, Content string }
		Unresponsive [][]string `json:"unresponsive_engines"`
	}
	refusal, _, err := getJSON(request, &answer)
	switch {
	case err != nil:
		return nil, time.Second, err
	case refusal != nil && refusal.StatusCode == http.StatusForbidden:
		return nil, 0, errors.New("discover: SearXNG refuses with status 403: search.formats of its settings must list json")
	case refusal != nil && (refusal.StatusCode == http.StatusTooManyRequests || refusal.StatusCode >= 500):
		return nil, 5 * time.Second, fmt.Errorf("discover: SearXNG answers with status %d", refusal.StatusCode)
	case refusal != nil:
		return nil, 0, fmt.Errorf("discover: SearXNG answers with status %d", refusal.StatusCode)
	case len(answer.Results) == 0 && len(answer.Unresponsive) > 0:
		return nil, 5 * time.Second, errEngines
	}
	for _, r := range answer.Results {
		hits = addHit(hits, most, r.URL, r.Title, r.Content)
	}
	return hits, 0, nil
}

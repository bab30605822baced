package discover

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.com/whatis/internal/discover/fetch"
	"example.com/whatis/internal/usererror"
)

// BraveURL is the address of Brave Search. Its terms allow programs to open the results.
// https://api-dashboard.search.brave.com/app/documentation/web-search/get-started
const BraveURL = "https://api.search.brave.com"

// A Search calls Brave Search. It is safe for concurrent use.
type Search struct {
	BaseURL string // BraveURL, or the address of an emulator
	Token   string
	HTTP    *http.Client // nil means one with a time-out
}

// A webHit is a search result.
type webHit struct {
	URL     string `json:"url"` // canonical
	Title   string `json:"title"`
	Snippet string `json:"snippet"`
}

// maxHits is how many results of a query are used.
const maxHits = 10

// errQuota is the error of a search that was refused because the paid quota is used up.
var errQuota = usererror.New("discover", "the search API's quota is used up: wait for the next month, or raise it")

var searchHTTP = &http.Client{Timeout: 30 * time.Second}

// Find searches the web. After a temporary refusal it retries, with at most three tries.
// Language is an ISO 639-1 code, or "".
func (c *Search) Find(ctx context.Context, query, language string) ([]webHit, error) {
	for try := 1; ; try++ {
		hits, wait, err := c.ask(ctx, query, language)
		if err == nil || wait == 0 || try == 3 {
			return hits, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// ask searches once. After a temporary error, wait is when to try again.
func (c *Search) ask(ctx context.Context, query, language string) (hits []webHit, wait time.Duration, err error) {
	values := url.Values{"q": {query}, "count": {strconv.Itoa(maxHits)}, "country": {"ALL"}, "spellcheck": {"false"}}
	if len(language) == 2 {
		values.Set("search_lang", language)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.BaseURL+"/res/v1/web/search?"+values.Encode(), nil)
	if err != nil {
		return nil, 0, fmt.Errorf("discover: %w", err)
	}
	request.Header.Set("X-Subscription-Token", c.Token)
	request.Header.Set("Accept", "application/json")
	response, err := cmp.Or(c.HTTP, searchHTTP).Do(request)
	if err != nil {
		return nil, time.Second, fmt.Errorf("discover: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 4<<20))
	if err != nil {
		return nil, time.Second, fmt.Errorf("discover: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, retryIn(response), searchError(response.StatusCode, body)
	}
	hits, err = readHits(body)
	return hits, 0, err
}

// retryIn returns when a refused search may be retried, 0 if never.
func retryIn(r *http.Response) time.Duration {
	if r.StatusCode != http.StatusTooManyRequests && r.StatusCode < 500 {
		return 0
	}
	second, _, _ := strings.Cut(r.Header.Get("X-RateLimit-Reset"), ",")
	n, _ := strconv.Atoi(strings.TrimSpace(second))
	return time.Duration(min(max(n, 1), 10)) * time.Second
}

func searchError(status int, body []byte) error {
	var e struct {
		Error struct{ Code, Detail string }
	}
	_ = json.Unmarshal(body, &e) // an unreadable body has no code
	if e.Error.Code == "QUOTA_LIMITED" {
		return errQuota
	}
	return fmt.Errorf("discover: status %d: %s %s", status, e.Error.Code, usererror.Short(e.Error.Detail, 200))
}

var markup = regexp.MustCompile(`<[^>]*>`)

// readHits decodes a response, whose field web is missing if there are no results.
// Duplicate addresses are dropped.
func readHits(body []byte) (hits []webHit, err error) {
	var answer struct {
		Web struct {
			Results []struct{ URL, Title, Description string }
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("discover: the answer: %w", err)
	}
	seen := map[string]bool{}
	for _, r := range answer.Web.Results[:min(len(answer.Web.Results), maxHits)] {
		address, err := fetch.Canonical(r.URL)
		if err != nil || seen[address] {
			continue
		}
		seen[address] = true
		hits = append(hits, webHit{address, usererror.Short(r.Title, 300), usererror.Short(markup.ReplaceAllString(r.Description, ""), 500)})
	}
	return hits, nil
}

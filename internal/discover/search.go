package discover

import (
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

	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/public"
)

// BraveURL is where Brave Search answers. Its terms let programs open what it finds.
// https://api-dashboard.search.brave.com/app/documentation/web-search/get-started
const BraveURL = "https://api.search.brave.com"

// A Search asks Brave Search.
type Search struct {
	BaseURL string // BraveURL, or an emulator's
	Token   string
	Client  *http.Client // nil is one with a time-out
}

// A Hit is a result of a search.
type Hit struct {
	URL     string `json:"url"` // canonical
	Title   string `json:"title"`
	Snippet string `json:"snippet"`
}

// resultsPerQuery is how many results of a query are looked at.
const resultsPerQuery = 10

// errQuota is the error of a search that was refused because all that was paid for is
// used up.
var errQuota = public.New("discover", "the search API's quota is used up: wait for the next month, or raise it")

var searchClient = &http.Client{Timeout: 30 * time.Second}

// Find searches the web.
func (s *Search) Find(ctx context.Context, q SearchQuery, country string) ([]Hit, error) {
	for try := 1; ; try++ {
		hits, wait, err := s.ask(ctx, q, country)
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

// ask searches once. After an error that may pass, wait is when to try again.
func (s *Search) ask(ctx context.Context, q SearchQuery, country string) (hits []Hit, wait time.Duration, err error) {
	values := url.Values{"q": {q.Query}, "count": {strconv.Itoa(resultsPerQuery)}, "country": {"ALL"}, "spellcheck": {"false"}}
	if len(q.Language) == 2 {
		values.Set("search_lang", q.Language)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.BaseURL+"/res/v1/web/search?"+values.Encode(), nil)
	if err != nil {
		return nil, 0, fmt.Errorf("discover: search: %w", err)
	}
	request.Header.Set("X-Subscription-Token", s.Token)
	request.Header.Set("Accept", "application/json")
	client := s.Client
	if client == nil {
		client = searchClient
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, time.Second, fmt.Errorf("discover: search: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 4<<20))
	if err != nil {
		return nil, time.Second, fmt.Errorf("discover: search: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, retryIn(response), searchError(response.StatusCode, body)
	}
	hits, err = readHits(body)
	return hits, 0, err
}

// retryIn is when a search that was refused may be tried again, 0 if never.
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
	_ = json.Unmarshal(body, &e) // what cannot be read has no code
	if e.Error.Code == "QUOTA_LIMITED" {
		return errQuota
	}
	return fmt.Errorf("discover: search: status %d: %s %s", status, e.Error.Code, public.Short(e.Error.Detail, 200))
}

var markup = regexp.MustCompile(`<[^>]*>`)

// readHits reads an answer, which has no web without results. An address comes once.
func readHits(body []byte) (hits []Hit, err error) {
	var answer struct {
		Web struct {
			Results []struct{ URL, Title, Description string }
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("discover: search: the answer: %w", err)
	}
	seen := map[string]bool{}
	for _, r := range answer.Web.Results[:min(len(answer.Web.Results), resultsPerQuery)] {
		address, err := fetch.Canonical(r.URL)
		if err != nil || seen[address] {
			continue
		}
		seen[address] = true
		hits = append(hits, Hit{address, public.Short(r.Title, 300), public.Short(markup.ReplaceAllString(r.Description, ""), 500)})
	}
	return hits, nil
}

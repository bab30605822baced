package discover

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/whatis/internal/usererror"
)

// BraveURL is the address of Brave Search. Its terms allow programs to open the results.
// https://api-dashboard.search.brave.com/app/documentation/web-search/get-started
const BraveURL = "https://api.search.brave.com"

// Brave calls Brave Search. It is safe for concurrent use.
type Brave struct {
	BaseURL string // BraveURL, or the address of an emulator
	Token   string
}

// Find implements [WebSearch]. After a temporary refusal it tries again.
func (c *Brave) Find(ctx context.Context, query, language string, most int) ([]webHit, error) {
	return patiently(ctx, func() ([]webHit, time.Duration, error) { return c.ask(ctx, query, language, most) })
}

// braveLanguages are the values of search_lang; a query with another is refused. Brave lists them
// at https://api-dashboard.search.brave.com/api-reference/web/search/get and in its own client,
// src/tools/web/params.ts of https://github.com/brave/brave-search-mcp-server.
var braveLanguages = strings.Fields(`ar eu bn bg ca zh-hans zh-hant hr cs da nl en en-gb et fi fr gl de gu he hi hu is it jp kn ko lv lt
	ms ml mr nb pl pt-br pt-pt pa ro ru sr sk sl es sv ta te th tr uk vi`)

// braveLanguage returns the search_lang of an ISO 639-1 code, "" if Brave has none.
func braveLanguage(code string) string {
	code = strings.ToLower(code)
	code = cmp.Or(map[string]string{"ja": "jp", "no": "nb", "pt": "pt-br", "zh": "zh-hans"}[code], code)
	if !slices.Contains(braveLanguages, code) {
		return ""
	}
	return code
}

// ask searches once. After a temporary error, wait is when to try again.
func (c *Brave) ask(ctx context.Context, query, language string, most int) (hits []webHit, wait time.Duration, err error) {
	values := url.Values{"q": {query + leftOut}, "count": {strconv.Itoa(most)}, "country": {"ALL"}, "spellcheck": {"false"}}
	if code := braveLanguage(language); code != "" {
		values.Set("search_lang", code)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.BaseURL+"/res/v1/web/search?"+values.Encode(), nil)
	if err != nil {
		return nil, 0, fmt.Errorf("discover: %w", err)
	}
	request.Header.Set("X-Subscription-Token", c.Token)
	var answer struct {
		Web struct { // missing if there are no results
			Results []struct{ URL, Title, Description string }
		}
	}
	refusal, body, err := getJSON(request, &answer)
	switch {
	case err != nil:
		return nil, time.Second, err
	case refusal != nil:
		wait, err = braveWait(refusal), braveError(refusal.StatusCode, body)
		if errors.Is(err, errQuota) {
			wait = 0 // until next month
		}
		return nil, wait, err
	}
	for _, r := range answer.Web.Results {
		hits = addHit(hits, most, r.URL, r.Title, r.Description)
	}
	return hits, 0, nil
}

// braveWait returns when a refused search may be tried again, 0 if never.
func braveWait(r *http.Response) time.Duration {
	if r.StatusCode != http.StatusTooManyRequests && r.StatusCode < 500 {
		return 0
	}
	second, _, _ := strings.Cut(r.Header.Get("X-RateLimit-Reset"), ",")
	n, _ := strconv.Atoi(strings.TrimSpace(second))
	return time.Duration(min(max(n, 1), 10)) * time.Second
}

func braveError(status int, body []byte) error {
	var e struct {
		Error struct{ Code, Detail string }
	}
	_ = json.Unmarshal(body, &e) // an unreadable body has no code
	if e.Error.Code == "QUOTA_LIMITED" {
		return errQuota
	}
	return fmt.Errorf("discover: status %d: %s %s", status, e.Error.Code, usererror.Short(e.Error.Detail, 200))
}

package site

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// searchPath and the bounds are those of Brave Search's web search.
// https://api-dashboard.search.brave.com/app/documentation/web-search/query
const (
	searchPath = "/res/v1/web/search"
	maxQuery   = 400 // characters
	maxWords   = 50
	maxCount   = 20
	maxOffset  = 9
	month      = 30 * 24 * time.Hour
)

// languages are the values of search_lang, as Brave's own client lists them. Brave answers 422 to
// others, such as zh: https://github.com/mf-yang/openclaw-cn/issues/64
// https://github.com/brave/brave-search-mcp-server/blob/main/src/tools/web/params.ts
var languages = strings.Fields(`ar eu bn bg ca zh-hans zh-hant hr cs da nl en en-gb et fi fr gl de gu he hi hu is it jp kn ko lv lt
	ms ml mr nb pl pt-br pt-pt pa ro ru sr sk sl es sv ta te th tr uk vi`)

// An engine ranks pages by the words of a query, which may be beginnings of theirs: a
// word in a title weighs four times one in the text, a rare word more than a common one.
type engine struct {
	o     Options
	pages []*page
	terms []map[string]float64 // of a page, with their weight
	all   []string             // terms of all pages, sorted
	in    map[string]int       // how many pages have a term

	mu       sync.Mutex
	second   time.Time // that is being counted
	searches int       // in it
	used     int       // in the month, successful ones
}

func newEngine(w *web, o Options) *engine {
	e := &engine{o: o, in: map[string]int{}}
	for _, p := range w.order {
		if !p.indexed {
			continue
		}
		terms := map[string]float64{}
		for _, t := range tokens(p.title) {
			terms[t] += 4
		}
		for _, t := range tokens(p.content.text.String() + " " + p.by.name) {
			terms[t] += 1
		}
		for t := range terms {
			e.in[t]++
		}
		e.pages, e.terms = append(e.pages, p), append(e.terms, terms)
	}
	for t := range e.in {
		e.all = append(e.all, t)
	}
	slices.Sort(e.all)
	return e
}

// tokens returns the words of a text, in lower case and without accents.
func tokens(text string) []string {
	bare := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(text))
	return strings.FieldsFunc(norm.NFC.String(bare), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// A hit is a page that a query found.
type hit struct {
	page  *page
	score float64
}

// find ranks the pages that hold a third of the query's words at least.
func (e *engine) find(query, language string) (hits []hit) {
	var words []string
	host := ""
	var without []string // extensions
	for _, field := range strings.Fields(query) {
		if site, ok := strings.CutPrefix(field, "site:"); ok {
			host = site
		} else if kind, ok := strings.CutPrefix(field, "-filetype:"); ok {
			without = append(without, "."+kind)
		} else if !strings.HasPrefix(field, "-") {
			words = append(words, tokens(field)...)
		}
	}
	slices.Sort(words)
	words = slices.Compact(words)
	for i, p := range e.pages {
		if host != "" && p.by.host != host && !strings.HasSuffix(p.by.host, "."+host) {
			continue
		}
		if slices.Contains(without, path.Ext(p.path)) {
			continue
		}
		score, found := 0.0, 0
		for _, word := range words {
			if s := e.weight(i, word); s > 0 {
				score, found = score+s, found+1
			}
		}
		if language == p.words.code {
			score *= 1.3
		}
		if found > 0 && found*3 >= len(words) || len(words) == 0 && host != "" {
			hits = append(hits, hit{p, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.page.url(), b.page.url()))
	})
	return hits
}

// weight returns the weight of a query's word for a page.
func (e *engine) weight(page int, word string) (most float64) {
	from, _ := slices.BinarySearch(e.all, word)
	for _, term := range e.all[from:] {
		if !strings.HasPrefix(term, word) || term != word && len(word) < 4 {
			break
		}
		if n := e.terms[page][term]; n > 0 {
			most = max(most, n/(n+2)*math.Log(1+float64(len(e.pages))/float64(e.in[term])))
		}
	}
	return most
}

// serve answers a search as Brave Search does.
func (e *engine) serve(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	count, offset, err := bounds(q)
	switch token := r.Header.Get("X-Subscription-Token"); {
	case r.Method != http.MethodGet:
		fail(w, http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "Use GET.", nil)
		return
	case token == "":
		fail(w, http.StatusUnauthorized, "SUBSCRIPTION_TOKEN_MISSING", "The subscription token is missing.", map[string]any{"component": "authentication"})
		return
	case token != e.o.Token:
		fail(w, http.StatusUnprocessableEntity, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.", map[string]any{"component": "authentication"})
		return
	case err != nil:
		fail(w, http.StatusUnprocessableEntity, "VALIDATION", "Unable to validate request parameter(s)", map[string]any{"errors": []map[string]any{{"msg": err.Error()}}})
		return
	}
	if code := e.admit(w.Header()); code != "" {
		fail(w, http.StatusTooManyRequests, code, "Request rate limit exceeded for plan.", map[string]any{"component": "rate_limiter"})
		return
	}
	hits := e.find(q.Get("q"), q.Get("search_lang"))
	from := min(offset*count, len(hits))
	to := min(from+count, len(hits))
	answer := map[string]any{
		"type":  "search",
		"query": map[string]any{"original": q.Get("q"), "show_strict_warning": false, "is_navigational": false, "spellcheck_off": true, "country": cmp.Or(strings.ToLower(q.Get("country")), "us"), "bad_results": false, "more_results_available": to < len(hits)},
	}
	if to > from { // without results there is no web
		answer["web"] = map[string]any{"type": "search", "results": results(hits[from:to], q.Get("q")), "family_friendly": true}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// bounds reads and checks the parameters of a query.
func bounds(q url.Values) (count, offset int, err error) {
	query := q.Get("q")
	count, countErr := strconv.Atoi(cmp.Or(q.Get("count"), strconv.Itoa(maxCount)))
	offset, offsetErr := strconv.Atoi(cmp.Or(q.Get("offset"), "0"))
	switch {
	case strings.TrimSpace(query) == "" || len([]rune(query)) > maxQuery || len(strings.Fields(query)) > maxWords:
		err = fmt.Errorf("q must have 1 to %d characters and at most %d words", maxQuery, maxWords)
	case countErr != nil || count < 1 || count > maxCount:
		err = fmt.Errorf("count must be 1 to %d", maxCount)
	case offsetErr != nil || offset < 0 || offset > maxOffset:
		err = fmt.Errorf("offset must be 0 to %d", maxOffset)
	case q.Get("search_lang") != "" && !slices.Contains(languages, q.Get("search_lang")):
		err = fmt.Errorf("search_lang must be one of %s", strings.Join(languages, ", "))
	case len(q.Get("country")) == 1 || len(q.Get("country")) > 3:
		err = fmt.Errorf("country must be a code of two letters, or ALL")
	}
	return count, offset, err
}

// admit counts a search, and writes the remaining quota to the headers. code is the reason
// of a refusal; a refused search is not counted.
func (e *engine) admit(header http.Header) (code string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if now := time.Now().Truncate(time.Second); !now.Equal(e.second) {
		e.second, e.searches = now, 0
	}
	switch {
	case e.used >= e.o.PerMonth:
		code = "QUOTA_LIMITED"
	case e.searches >= e.o.PerSecond:
		code = "RATE_LIMITED"
	default:
		e.used, e.searches = e.used+1, e.searches+1
	}
	header.Set("X-RateLimit-Limit", fmt.Sprintf("%d, %d", e.o.PerSecond, e.o.PerMonth))
	header.Set("X-RateLimit-Policy", fmt.Sprintf("%d;w=1, %d;w=%d", e.o.PerSecond, e.o.PerMonth, int(month.Seconds())))
	header.Set("X-RateLimit-Remaining", fmt.Sprintf("%d, %d", e.o.PerSecond-e.searches, e.o.PerMonth-e.used))
	header.Set("X-RateLimit-Reset", fmt.Sprintf("1, %d", int(month.Seconds())))
	return code
}

// fail answers an error in Brave's form.
func fail(w http.ResponseWriter, status int, code, detail string, meta map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"type":  "ErrorResponse",
		"error": map[string]any{"id": fmt.Sprintf("%08x-0000-4000-8000-000000000000", status), "status": status, "code": code, "detail": detail, "meta": meta},
		"time":  time.Now().Unix(),
	})
}

// results are pages as the API lists them, with the words of the query marked.
func results(hits []hit, query string) (all []map[string]any) {
	now := time.Now().UTC()
	for _, h := range hits {
		p := h.page
		aged := now.AddDate(0, 0, -p.age)
		all = append(all, map[string]any{
			"type": "search_result", "subtype": "generic", "title": p.title, "url": p.url(), "description": snippet(p, query), "language": p.words.code,
			"is_source_local": false, "is_source_both": false, "family_friendly": true, "page_age": aged.Format("2006-01-02T15:04:05"), "age": aged.Format("January 2, 2006"),
			"profile":  map[string]any{"name": p.by.name, "url": p.url(), "long_name": p.by.host, "img": ""},
			"meta_url": map[string]any{"scheme": "http", "netloc": p.by.host, "hostname": p.by.host, "favicon": "", "path": strings.ReplaceAll(p.path, "/", " › ")},
		})
	}
	return all
}

// operators match the words of a query that are not sought.
var operators = regexp.MustCompile(`(^|\s)(-|site:)\S+`)

// snippet returns the line of a page that has most of the query's words, which it marks.
func snippet(p *page, query string) string {
	best, most := "", -1
	wanted := tokens(operators.ReplaceAllString(query, ""))
	for line := range strings.Lines(p.content.text.String()) {
		n := 0
		for _, t := range tokens(line) {
			if slices.Contains(wanted, t) {
				n++
			}
		}
		if n > most {
			best, most = strings.TrimSpace(line), n
		}
	}
	fields := strings.Fields(best)
	for i, f := range fields[:min(len(fields), 40)] {
		if t := tokens(f); len(t) > 0 && slices.Contains(wanted, t[0]) {
			fields[i] = "<strong>" + f + "</strong>"
		}
	}
	return strings.Join(fields[:min(len(fields), 40)], " ")
}

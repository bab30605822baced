package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/public"
	"example.com/whatis/internal/work"
)

// A listed result is a finished one as everybody may see it.
type listed struct {
	ID         string         `json:"id"`
	Kind       string         `json:"kind"` // upload, http or batch
	File       string         `json:"file"` // gs://bucket/object, or empty
	FinishedAt time.Time      `json:"finished_at"`
	Doubt      bool           `json:"doubt"` // a person should look at it
	HasPhoto   bool           `json:"has_photo"`
	Result     analyze.Result `json:"result"`
}

func listedOf(l intake.Listed) listed {
	return listed{l.ID, l.Kind, l.File(), l.Finished, l.Doubt(), l.File() != "", l.Public}
}

// A listing is a page of results.
type listing struct {
	Results []listed `json:"results"`
	Next    string   `json:"next,omitempty"` // for after
}

// pageSize is how many results a page has that says nothing itself.
const pageSize = 20

// results lists finished results, the newest first.
func (a *API) results(w http.ResponseWriter, r *http.Request) error {
	f, err := filterOf(r.URL.Query())
	if err != nil {
		return err
	}
	in, err := a.Intake(r.Context())
	if err != nil {
		return err
	}
	list, next, err := in.List(r.Context(), f)
	if err != nil {
		return err
	}
	p := listing{Results: []listed{}, Next: next}
	for _, l := range list {
		p.Results = append(p.Results, listedOf(l))
	}
	writeJSON(w, http.StatusOK, p)
	return nil
}

// filterOf reads what a listing is asked for.
func filterOf(v url.Values) (f intake.Filter, err error) {
	f.After = v.Get("after")
	if len(f.After) > longestID {
		return f, fmt.Errorf("%w: after is no cursor: use next of the page before", intake.ErrOption)
	}
	switch s := analyze.Source(v.Get("source")); s {
	case "", analyze.FromImage, analyze.FromLocalDB, analyze.FromGoogleSearch, intake.Unidentified:
		f.Source = string(s)
	default:
		return f, fmt.Errorf("%w: source %q: want image, local_db, google_search or unidentified", intake.ErrOption, short(string(s)))
	}
	switch d := v.Get("doubt"); d {
	case "":
	case "true", "false":
		doubt := d == "true"
		f.Doubt = &doubt
	default:
		return f, fmt.Errorf("%w: doubt %q: want true or false", intake.ErrOption, short(d))
	}
	switch code := v.Get("error"); {
	case code == "":
	case code != analyze.AnalysisFailed:
		return f, fmt.Errorf("%w: error %q: want %s", intake.ErrOption, short(code), analyze.AnalysisFailed)
	case f.Source != "" || f.Doubt != nil:
		return f, fmt.Errorf("%w: error goes with neither source nor doubt: what failed has no source, and is in doubt", intake.ErrOption)
	default:
		f.Error = code
	}
	if s := v.Get("since"); s != "" {
		if f.Since, err = time.Parse(time.RFC3339, s); err != nil {
			return f, fmt.Errorf("%w: since %q: want a time as 2026-01-31T09:00:00Z", intake.ErrOption, short(s))
		}
	}
	f.Limit, err = number(v, "limit", pageSize, 1, work.MaxList)
	return f, err
}

// number reads a number of a query within bounds.
func number(v url.Values, name string, otherwise, least, most int) (int, error) {
	s := v.Get(name)
	if s == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%w: %s %q: want %d to %d", intake.ErrOption, name, short(s), least, most)
	}
	return n, nil
}

// resultID is what IDs of results look like.
var resultID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// idOf is the ID in the path of a request, which is asked for only if it may be one.
func idOf(r *http.Request, like *regexp.Regexp, otherwise error) (string, error) {
	id := r.PathValue("id")
	if !like.MatchString(id) {
		return "", fmt.Errorf("%w: %q", otherwise, short(id))
	}
	return id, nil
}

// oneResult answers with one finished result.
func (a *API) oneResult(w http.ResponseWriter, r *http.Request) error {
	id, err := idOf(r, resultID, work.ErrNotFound)
	if err != nil {
		return err
	}
	in, err := a.Intake(r.Context())
	if err != nil {
		return err
	}
	l, err := in.Result(r.Context(), id)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, listedOf(l))
	return nil
}

// Widths of photos in pixels.
const (
	defaultWidth = 320
	leastWidth   = 16
	mostWidth    = 1600
)

// errNotKept marks a result whose photo is not kept.
var errNotKept = public.New("api", "the photo of this result is not kept")

// photo answers with the photo of a result, small. It never changes, as the ID is of
// its bytes, but ends with its result: whoever has it asks again before it is shown.
func (a *API) photo(w http.ResponseWriter, r *http.Request) error {
	id, err := idOf(r, resultID, work.ErrNotFound)
	if err != nil {
		return err
	}
	width, err := number(r.URL.Query(), "width", defaultWidth, leastWidth, mostWidth)
	if err != nil {
		return err
	}
	in, err := a.Intake(r.Context())
	if err != nil {
		return err
	}
	tag := fmt.Sprintf(`"%s-%d"`, id, width)
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		if _, err := in.Result(r.Context(), id); err != nil {
			return err
		}
		revalidated(w, tag)
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	data, err := in.Thumbnail(r.Context(), id, width)
	if errors.Is(err, blob.ErrNotFound) {
		return errNotKept
	}
	if err != nil {
		return err
	}
	revalidated(w, tag)
	w.Header().Set("Content-Type", "image/jpeg")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	_, _ = w.Write(data) // a client that has left
	return nil
}

// revalidated lets a browser keep an answer, and ask each time whether it still is.
func revalidated(w http.ResponseWriter, tag string) {
	w.Header().Set("Cache-Control", "private, no-cache")
	w.Header().Set("ETag", tag)
}

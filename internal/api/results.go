package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
	"example.com/whatis/internal/web/caller"
)

// results is the part of the site with stored results.
func (a *API) results() web.Part {
	path := web.InPath(resultID.String(), "0e18b819e9e0428e616901ceac9c580b")
	width := web.Schema{Type: "integer", Minimum: web.Ptr(float64(leastWidth)), Maximum: web.Ptr(float64(mostWidth))}
	onResult := append([]web.Code{resultNotFound}, storeProblems...)
	return web.Part{
		Name: "results", About: "What was found in photos before",
		Routes: []web.Route{
			{
				ID: "listResults", Method: http.MethodGet, Path: "/results", Do: a.listResults, Role: caller.Reader, Summary: "Finished results, newest first",
				More:       "Of photos from the bucket, from requests and from batches. Of gtin, brand, name, q, verdict and error one can be sent, and beside it source or doubt; since and until go with each. Pairs that no index serves are refused, with what goes together. While next is there, send it as after to get the next page.",
				Parameters: resultParameters,
				Answers:    []web.Reply{{Status: http.StatusOK, What: "A page of them", Media: web.InJSON(web.Ref("Listing"))}},
				Problems:   append([]web.Code{web.BadCursor, web.BadOption}, storeProblems...),
			},
			{
				ID: "getResult", Method: http.MethodGet, Path: "/results/{id}", Do: a.oneResult, Summary: "A finished result",
				More:       "With its file, when it was finished, whether a person should look at it, and what a person said of it. Callers below the role reader see only what they asked for.",
				Parameters: []web.Parameter{path},
				Answers:    []web.Reply{{Status: http.StatusOK, What: "The result", Media: web.InJSON(web.Ref("Listed"))}},
				Problems:   onResult,
			},
			{
				ID: "getResultPhoto", Method: http.MethodGet, Path: "/results/{id}/photo", Do: a.resultPhoto, Summary: "The photo of a result, small and upright",
				More:       "As a JPEG, turned as its EXIF data says and without them. A photo that came in a request is not kept, but for the thumbnail that it was sent with, which is answered as it is.",
				Parameters: []web.Parameter{path, web.InQuery("width", "At most so many pixels wide", width)},
				Answers: []web.Reply{
					{Status: http.StatusOK, What: "The photo", Media: map[string]web.Schema{"image/jpeg": web.Binary()}},
					{Status: http.StatusNotModified, What: "It is as it was"},
				},
				Problems: slices.Concat([]web.Code{web.BadOption, photoNotKept}, photoProblems, onResult),
			},
		},
		Explain: web.ExplainKnown(usererror.Text,
			web.Known{Err: jobs.ErrCursor, Code: web.BadCursor},
			web.Known{Err: jobs.ErrNotFound, Code: resultNotFound},
			web.Known{Err: errNotKept, Code: photoNotKept},
		),
		Schemas: func() (map[string]*web.Schema, error) {
			return schemas(writtenPhotos, map[string]reflect.Type{"Listed": reflect.TypeFor[listed](), "Listing": reflect.TypeFor[listing]()})
		},
	}
}

// The codes of problems with stored results.
var (
	resultNotFound = web.Code{Name: "result_not_found", Status: http.StatusNotFound, Cause: "There is no result with this ID, or it was forgotten."}
	photoNotKept   = web.Code{Name: "photo_not_kept", Status: http.StatusNotFound, Cause: "The photo of this result is not in a bucket, and no thumbnail of it was kept."}
)

var resultParameters = append([]web.Parameter{
	web.InQuery("source", "What identified the product", web.Enum("image", "local_db", "google_search", intake.Unidentified)),
	web.InQuery("doubt", "Whether a person should look at it", web.Schema{Type: "boolean"}),
	web.InQuery("error", "Only what failed for good", web.Enum(analyze.AnalysisFailed)),
	web.InQuery("blurred", "Only photos of which a third of the lines, or more, could not be read clearly", web.Enum("true")),
	web.InQuery("verdict", "What a person has said of it, and stands", web.Enum(review.Accept, review.Correct, review.Reject)),
	web.InQuery("gtin", "The code on the pack", web.Schema{Type: "string", Examples: []any{"8801234567893"}}),
	web.InQuery("brand", "The brand, in any spelling", web.Schema{Type: "string"}),
	web.InQuery("name", "The whole name of the product, in any spelling", web.Schema{Type: "string"}),
	web.InQuery("q", "A word of the name or the brand", web.Schema{Type: "string"}),
	web.InQuery("set", "The batch that it is of, by its ID, or the name that it was sent with as set; goes with since and until alone", web.Schema{Type: "string"}),
	web.InQuery("expires", "Only what has an expiration date in these days, the soonest first; goes with one of the others, and not with since, until and set", web.Schema{Type: "string", Examples: []any{"2026-11-28..2026-12-28", ".."}}),
	web.InQuery("order", "doubt lists what a person should look at and nobody has, the most doubtful first; goes with no filter", web.Enum("newest", "doubt")),
	web.InQuery("since", "Only what was finished later: a time, or a day in UTC from its midnight on", moment),
	web.InQuery("until", "Only what was finished earlier: a time, or a day in UTC to its end", moment),
}, inPage(jobs.MaxList)...)

var moment = web.Schema{Type: "string", Examples: []any{"2026-01-31T09:00:00Z", "2026-01-31"}}

// inPage returns the parameters of a list's page, of at most that many entries.
func inPage(most int) []web.Parameter {
	return []web.Parameter{
		inAfter,
		web.InQuery("limit", "How many; 20 unless it is said", web.Schema{Type: "integer", Minimum: web.Ptr(1.0), Maximum: web.Ptr(float64(most))}),
	}
}

// pageOf returns which page of a list a request asks for: the cursor that it comes behind, ""
// for the first, and its size, 1 to most.
func pageOf(v url.Values, most int) (after string, limit int, err error) {
	if after = v.Get("after"); len(after) > web.MaxEventID {
		return "", 0, fmt.Errorf("%w: use next of the page before", jobs.ErrCursor)
	}
	limit, err = web.Number(v, "limit", pageSize, 1, most)
	return after, limit, err
}

// A listed is a stored result without private fields.
type listed struct {
	ID         string         `json:"id"`
	Kind       string         `json:"kind"` // upload, http or batch
	File       string         `json:"file"` // gs://bucket/object, or the name that it was sent with, if any
	FinishedAt time.Time      `json:"finished_at"`
	Doubt      bool           `json:"doubt"`             // a person should check it
	Unclear    float64        `json:"unclear,omitempty"` // the share of the lines that could not be read clearly
	HasPhoto   bool           `json:"has_photo"`         // it can be shown
	Verdict    string         `json:"verdict,omitempty"` // that stands: accept, correct or reject
	Revision   string         `json:"revision"`          // to be sent with a review: it counts only if nothing was said since
	Result     analyze.Result `json:"result"`
}

func listedOf(l intake.Listed, hasPhoto bool) listed {
	file := l.File()
	if file == "" && l.Public.Image != nil {
		file = l.Public.Image.File
	}
	return listed{l.ID, l.Kind, file, l.Finished, l.Doubt(), l.Public.Unclear(), hasPhoto, l.Verdict(), l.Revision(), l.Public}
}

// A listing is a page of results.
type listing struct {
	Results []listed `json:"results"`
	Next    string   `json:"next,omitempty"` // the cursor of the next page, for after
	Note    string   `json:"note,omitempty"` // what to do, of a list without entries
}

// pageSize is the number of results in a page if the request does not say.
const pageSize = 20

// listResults lists results, the newest first.
func (a *API) listResults(w http.ResponseWriter, r *http.Request) error {
	f, err := filterOf(r.URL.Query())
	if err != nil {
		return err
	}
	byDoubt, err := orderOf(r.URL.Query().Get("order"), f)
	if err != nil {
		return err
	}
	in, err := a.Intake(r.Context())
	if err != nil {
		return err
	}
	var list []intake.Listed
	var next string
	if byDoubt {
		list, next, err = in.Queue(r.Context(), f.After, f.Limit)
	} else {
		list, next, err = in.List(r.Context(), f)
	}
	if err != nil {
		return err
	}
	p := listing{Results: []listed{}, Next: next, Note: noteOf(len(list), f.After, whyNone(f, byDoubt))}
	photos := in.HavePhotos(r.Context(), list)
	for i, l := range list {
		p.Results = append(p.Results, listedOf(l, photos[i]))
	}
	web.WriteJSON(w, http.StatusOK, p)
	return nil
}

// whyNone says what to do where a list has no results.
func whyNone(f intake.Filter, byDoubt bool) string {
	switch {
	case byDoubt:
		return "no result waits for a person: GET /results lists those that there are"
	case f.Narrows():
		return "no result is as asked: leave out one of the filters"
	}
	return "no photo was analysed yet: POST one to /analyze, put one into the upload bucket, or POST to /batches"
}

// noteOf returns what to do, for the first page of a list of n entries that has none.
func noteOf(n int, after, empty string) string {
	if n > 0 || after != "" {
		return ""
	}
	return empty
}

// orderOf reports whether a list should be ordered by doubt.
func orderOf(order string, f intake.Filter) (byDoubt bool, err error) {
	switch {
	case order == "" || order == "newest":
		return false, nil
	case order != "doubt":
		return false, fmt.Errorf("%w: order %q: want newest or doubt", web.ErrOption, usererror.Short(order, usererror.Quoted))
	case f.Narrows():
		return false, fmt.Errorf("%w: order=doubt goes with no filter: leave them out", web.ErrOption)
	}
	return true, nil
}

// filterOf decodes the filter of a list.
func filterOf(v url.Values) (f intake.Filter, err error) {
	if f.After, f.Limit, err = pageOf(v, jobs.MaxList); err != nil {
		return f, err
	}
	switch s := analyze.Source(v.Get("source")); s {
	case "", analyze.FromImage, analyze.FromLocalDB, analyze.FromGoogleSearch, intake.Unidentified:
		f.Source = string(s)
	default:
		return f, fmt.Errorf("%w: source %q: want image, local_db, google_search or unidentified", web.ErrOption, usererror.Short(string(s), usererror.Quoted))
	}
	switch d := v.Get("doubt"); d {
	case "":
	case "true", "false":
		doubt := d == "true"
		f.Doubt = &doubt
	default:
		return f, fmt.Errorf("%w: doubt %q: want true or false", web.ErrOption, usererror.Short(d, usererror.Quoted))
	}
	for name, into := range map[string]*string{"gtin": &f.GTIN, "brand": &f.Brand, "name": &f.Name, "q": &f.Word, "verdict": &f.Verdict, "error": &f.Error, "set": &f.Set} {
		if *into = strings.TrimSpace(v.Get(name)); utf8.RuneCountInString(*into) > maxFilter {
			return f, fmt.Errorf("%w: %s has more than %d characters", web.ErrOption, name, maxFilter)
		}
	}
	if b := v.Get("blurred"); b != "" && b != "true" {
		return f, fmt.Errorf("%w: blurred %q: want true", web.ErrOption, usererror.Short(b, usererror.Quoted))
	} else if b != "" {
		f.Blurred = true
	}
	if f.Error != "" && f.Error != analyze.AnalysisFailed {
		return f, fmt.Errorf("%w: error %q: want %s", web.ErrOption, usererror.Short(f.Error, usererror.Quoted), analyze.AnalysisFailed)
	}
	if !slices.Contains([]string{"", review.Accept, review.Correct, review.Reject}, f.Verdict) {
		return f, fmt.Errorf("%w: verdict %q: want accept, correct or reject", web.ErrOption, usererror.Short(f.Verdict, usererror.Quoted))
	}
	if f.Expires, err = daysOf(v.Get("expires")); err != nil {
		return f, err
	}
	if f.Since, err = momentOf(v, "since", 0); err == nil {
		f.Until, err = momentOf(v, "until", 1)
	}
	if refused := f.Refused(); err == nil && refused != "" {
		err = fmt.Errorf("%w: %s", web.ErrOption, refused)
	}
	return f, err
}

// maxFilter is the most characters in a text filter.
const maxFilter = 300

// daysOf returns the days in a range, as 2026-11-28..2026-12-28, of which either may be missing; nil if
// there is none.
func daysOf(s string) (*intake.Days, error) {
	if s == "" {
		return nil, nil
	}
	from, to, is := strings.Cut(s, "..")
	for _, day := range []string{from, to} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil || !is {
			return nil, fmt.Errorf("%w: expires %q: want days as 2026-11-28..2026-12-28, of which either may be missing", web.ErrOption, usererror.Short(s, usererror.Quoted))
		}
	}
	return &intake.Days{From: from, To: to}, nil
}

// momentOf returns the time in a parameter, or the zero time. A day alone is so many days behind
// its midnight.
func momentOf(v url.Values, name string, days int) (time.Time, error) {
	s := v.Get(name)
	if s == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		return day.AddDate(0, 0, days), nil
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return at, fmt.Errorf("%w: %s %q: want a time as 2026-01-31T09:00:00Z, or a day as 2026-01-31", web.ErrOption, name, usererror.Short(s, usererror.Quoted))
	}
	return at, nil
}

// resultID matches the IDs of results.
var resultID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// oneResult answers with one result.
func (a *API) oneResult(w http.ResponseWriter, r *http.Request) error {
	id, err := web.PathID(r, resultID, jobs.ErrNotFound)
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
	setRevision(w, l.Revision())
	web.WriteJSON(w, http.StatusOK, listedOf(l, in.HavePhotos(r.Context(), []intake.Listed{l})[0]))
	return nil
}

// Widths of photos in pixels.
const (
	defaultWidth = 320
	leastWidth   = 16
	mostWidth    = 1600
)

// errNotKept is the error for a result whose photo is not stored.
var errNotKept = usererror.New("api", "the photo of this result is not kept")

// resultPhoto answers with a small version of a result's photo. The photo never changes,
// because the ID is a hash of its bytes, nor does what a thumbnail of it shows, but it is
// deleted with its result: browsers must revalidate before they show it.
func (a *API) resultPhoto(w http.ResponseWriter, r *http.Request) error {
	id, err := web.PathID(r, resultID, jobs.ErrNotFound)
	if err != nil {
		return err
	}
	width, err := web.Number(r.URL.Query(), "width", defaultWidth, leastWidth, mostWidth)
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
	_, _ = w.Write(data) // fails only if the client has left
	return nil
}

// revalidated lets browsers store an answer and revalidate it at each use.
func revalidated(w http.ResponseWriter, tag string) {
	w.Header().Set("Cache-Control", "private, no-cache")
	w.Header().Set("ETag", tag)
}

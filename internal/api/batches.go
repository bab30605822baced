package api

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"time"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
	"example.com/whatis/internal/web/caller"
)

// batches is the part of the site that analyses many photos in the background.
func (a *API) batches() web.Part {
	return web.Part{
		Name: "batches", About: "Work on all photos under a prefix of a bucket",
		Routes: append(a.batchRoutes(), a.startedBatchRoutes()...),
		Explain: web.ExplainKnown(usererror.Text,
			web.Known{Err: batch.ErrRequest, Code: web.BadOption},
			web.Known{Err: batch.ErrPlace, Code: web.BadCursor},
			web.Known{Err: batch.ErrNoPhotos, Code: noPhotos},
			web.Known{Err: batch.ErrNotFound, Code: batchNotFound},
			web.Known{Err: errNoBatches, Code: batchesOff},
		),
		Schemas: batchSchemas,
	}
}

// The codes of problems with batches.
var (
	batchNotFound = web.Code{Name: "batch_not_found", Status: http.StatusNotFound, Cause: "There is no batch with this ID."}
	noPhotos      = web.Code{Name: "no_photos", Status: http.StatusUnprocessableEntity, Cause: "There are no photos under this prefix."}
	batchesOff    = web.Code{Name: "batches_off", Status: http.StatusNotImplemented, Cause: "Batches are not set up here: TASKS_TOPIC is not set."}
)

func (a *API) batchRoutes() []web.Route {
	status := web.InJSON(web.Ref("Batch"))
	return []web.Route{
		{
			ID: "createBatch", Method: http.MethodPost, Path: "/batches", Do: a.createBatch, Role: caller.Reader, Summary: "Begin a batch of the photos under a prefix, or say what it would be",
			More: "The photos are listed and analysed in the background. With dry_run nothing begins: the answer says how many photos there are and what they would cost.",
			Body: web.InJSON(web.Ref("BatchRequest")),
			Answers: []web.Reply{
				{Status: http.StatusAccepted, What: "It has begun", Media: status},
				{Status: http.StatusOK, What: "A dry run: nothing has begun", Media: status},
			},
			Problems: slices.Concat([]web.Code{batchesOff, web.BadBody, web.BadOption, bucketNotAllowed, noPhotos, web.TooManyBytes}, storeProblems),
		},
		{
			ID: "listBatches", Method: http.MethodGet, Path: "/batches", Do: a.listBatches, Role: caller.Reader, Summary: "The batches, newest first",
			More:       "Without their failures: getBatch has them. While next is there, send it as after to get the next page.",
			Parameters: inPage(jobs.MaxList),
			Answers:    []web.Reply{{Status: http.StatusOK, What: "A page of them", Media: web.InJSON(web.Ref("BatchList"))}},
			Problems:   append([]web.Code{web.BadCursor, web.BadOption, batchesOff}, storeProblems...),
		},
	}
}

// startedBatchRoutes are the routes of one batch.
func (a *API) startedBatchRoutes() []web.Route {
	batch := web.Ref("Batch")
	status := web.InJSON(batch)
	list := web.Schema{Type: "array", Items: web.Ptr(web.Ref("Answer"))}
	path := web.InPath(batchID.String(), "20261125-180729-ae4dcb02")
	onBatch := append([]web.Code{batchesOff, batchNotFound}, storeProblems...)
	return []web.Route{
		{
			ID: "getBatch", Method: http.MethodGet, Path: "/batches/{id}", Do: a.oneBatch, Role: caller.Reader, Summary: "How far a batch is",
			More:       "Its state, the photos that have ended by outcome, what they cost, how long the rest may take, and the first 100 that failed with their reasons.",
			Parameters: []web.Parameter{path},
			Answers:    []web.Reply{{Status: http.StatusOK, What: "Its status", Media: status}}, Problems: onBatch,
		},
		{
			ID: "cancelBatch", Method: http.MethodDelete, Path: "/batches/{id}", Do: a.cancelBatch, Role: caller.Reader, Summary: "Cancel what has not begun of a batch",
			More:       "Photos that have begun are finished and paid for. A batch that has ended stays as it is.",
			Parameters: []web.Parameter{path},
			Answers:    []web.Reply{{Status: http.StatusAccepted, What: "Its status", Media: status}}, Problems: onBatch,
		},
		{
			ID: "getBatchResult", Method: http.MethodGet, Path: "/batches/{id}/result", Do: a.batchResult, Role: caller.Reader, Summary: "The results of a batch so far, in listing order",
			More:       "All of them, whatever their number; a CSV has a line for each photo. The files that the batch names under result_uri and csv_uri have the same.",
			Parameters: []web.Parameter{path, web.InQuery("format", "How they are written", web.Enum("json", "csv"))},
			Answers:    []web.Reply{{Status: http.StatusOK, What: "All that have ended", Media: map[string]web.Schema{web.JSONMedia: list, "text/csv": {Type: "string"}}}},
			Problems:   append([]web.Code{web.BadOption}, onBatch...),
		},
		{
			ID: "followBatch", Method: http.MethodGet, Path: "/batches/{id}/events", Do: a.batchEvents, Role: caller.Reader, Summary: "A stream of what becomes of a batch",
			More:       "For programs that wait: it ends with the batch, and begins again behind Last-Event-ID.",
			Parameters: []web.Parameter{path, web.AfterEvent},
			Answers:    []web.Reply{{Status: http.StatusOK, What: "The events item (Item), progress (Batch) and end (Batch), the last", Media: map[string]web.Schema{web.EventMedia: web.Events(web.EventOf{Name: "item", Data: web.Ref("Item")}, web.EventOf{Name: "progress", Data: batch}, web.EventOf{Name: "end", Data: batch})}}},
			Problems:   append([]web.Code{web.BadCursor}, onBatch...),
		},
	}
}

// batchSchemas returns the schemas of answers about batches, by name.
func batchSchemas() (map[string]*web.Schema, error) {
	all, err := schemas(map[reflect.Type]*web.Schema{
		reflect.TypeFor[batch.Status]():   web.Ptr(web.Ref("Batch")),
		reflect.TypeFor[analyze.Result](): web.Ptr(web.Ref("Result")),
	}, map[string]reflect.Type{
		"BatchList": reflect.TypeFor[batchList](), "BatchRequest": reflect.TypeFor[batch.Request](), "Item": reflect.TypeFor[batch.Item](),
	})
	if err == nil {
		all["Batch"] = batch.StatusSchema()
	}
	return all, err
}

// batchID matches the IDs of batches.
var batchID = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)

// errNoBatches is the error if batches are not configured.
var errNoBatches = usererror.New("api", "batches are not configured here: set TASKS_TOPIC")

// allBatches opens the batches.
func (a *API) allBatches(ctx context.Context) (*batch.Batches, error) {
	if a.Batches == nil {
		return nil, errNoBatches
	}
	return a.Batches(ctx)
}

// batch returns the batches, and the ID in the request's path.
func (a *API) batch(r *http.Request) (*batch.Batches, string, error) {
	b, err := a.allBatches(r.Context())
	if err != nil {
		return nil, "", err
	}
	id, err := web.PathID(r, batchID, batch.ErrNotFound)
	return b, id, err
}

// A batchList is a page of batches.
type batchList struct {
	Batches []batch.Status `json:"batches"`
	Next    string         `json:"next,omitempty"` // the cursor of the next page, for after
	Note    string         `json:"note,omitempty"` // what to do, of a list without entries
}

func (a *API) listBatches(w http.ResponseWriter, r *http.Request) error {
	after, limit, err := pageOf(r.URL.Query(), jobs.MaxList)
	if err != nil {
		return err
	}
	b, err := a.allBatches(r.Context())
	if err != nil {
		return err
	}
	list, next, err := b.List(r.Context(), after, limit)
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, batchList{list, next, noteOf(len(list), after, `no batch was begun yet: POST {"prefix":"gs://bucket/folder/"} to /batches`)})
	return nil
}

// maxBatchBody is the largest body of a request that creates a batch.
const maxBatchBody = 64 << 10

// createBatch starts a batch, or with dry_run describes it.
func (a *API) createBatch(w http.ResponseWriter, r *http.Request) error {
	b, err := a.allBatches(r.Context())
	if err != nil {
		return err
	}
	var asked batch.Request
	if err := web.ReadJSON(w, r, maxBatchBody, &asked, "request for a batch", `{"prefix":"gs://bucket/folder/"}`); err != nil {
		return err
	}
	s, err := b.Create(r.Context(), asked)
	if err != nil {
		return err
	}
	if asked.DryRun {
		web.WriteJSON(w, http.StatusOK, s)
		return nil
	}
	a.noteAsked(r.Context(), s.ID)
	w.Header().Set("Location", "/batches/"+s.ID)
	web.WriteJSON(w, http.StatusAccepted, s)
	return nil
}

func (a *API) oneBatch(w http.ResponseWriter, r *http.Request) error {
	b, id, err := a.batch(r)
	if err != nil {
		return err
	}
	s, err := b.Get(r.Context(), id)
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, s)
	return nil
}

func (a *API) cancelBatch(w http.ResponseWriter, r *http.Request) error {
	b, id, err := a.batch(r)
	if err != nil {
		return err
	}
	find := func() error {
		_, err := b.Get(r.Context(), id)
		return err
	}
	if err := a.mayCancel(r.Context(), id, batch.ErrNotFound, find); err != nil {
		return err
	}
	s, err := b.Cancel(r.Context(), id)
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusAccepted, s)
	return nil
}

// batchResult answers with the results so far.
func (a *API) batchResult(w http.ResponseWriter, r *http.Request) error {
	kind, csv, err := formatOf(r)
	if err != nil {
		return err
	}
	b, id, err := a.batch(r)
	if err != nil {
		return err
	}
	if _, err := b.Get(r.Context(), id); err != nil || r.Method == http.MethodHead {
		w.Header().Set("Content-Type", kind)
		return err
	}
	out := &download{ResponseWriter: w, kind: kind}
	err = b.WriteResult(r.Context(), id, csv, out)
	if err != nil && out.begun {
		return cut(w)
	}
	return err
}

// cut cuts the connection: the client must not take a part of the answer for all.
func cut(w http.ResponseWriter) error {
	return http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0))
}

// formatOf returns the Content-Type that r asks for.
func formatOf(r *http.Request) (kind string, csv bool, err error) {
	switch f := r.URL.Query().Get("format"); f {
	case "", "json":
		return "application/json; charset=utf-8", false, nil
	case "csv":
		return "text/csv; charset=utf-8", true, nil
	default:
		return "", false, fmt.Errorf("%w: format %q: want json or csv", web.ErrOption, usererror.Short(f, usererror.Quoted))
	}
}

// A download is a response that begins with its first byte: an error before it can still be
// answered as a problem.
type download struct {
	http.ResponseWriter
	kind  string
	begun bool
}

func (d *download) Write(p []byte) (int, error) {
	if !d.begun {
		d.begun = true
		d.Header().Set("Content-Type", d.kind)
	}
	return d.ResponseWriter.Write(p)
}

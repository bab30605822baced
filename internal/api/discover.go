package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"time"

	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
	"example.com/whatis/internal/web/caller"
)

// The codes of problems with discoveries.
var (
	badDiscovery        = web.Code{Name: "bad_discovery", Status: http.StatusBadRequest, Cause: "The request has a field that is not allowed."}
	discoveryNotFound   = web.Code{Name: "discovery_not_found", Status: http.StatusNotFound, Cause: "There is no discovery with this ID, or it has expired."}
	discoveryUnfinished = web.Code{Name: "discovery_unfinished", Status: http.StatusConflict, Cause: "The discovery is still running."}
	recordNotFound      = web.Code{Name: "record_not_found", Status: http.StatusNotFound, Cause: "There is no record with this ID."}
	ambiguousRegion     = web.Code{Name: "ambiguous_region", Status: http.StatusConflict, Cause: "The name fits several regions; choices lists them."}
)

// discoveryID matches the IDs of runs.
var discoveryID = regexp.MustCompile(`^[0-9a-f-]{1,64}$`)

// discoveries is the part of the site that searches for published emissions data.
func (a *API) discoveries() web.Part {
	if a.Discover == nil {
		return web.Part{}
	}
	status, path := web.InJSON(web.Ref("Discovery")), web.InPath(discoveryID.String(), "20261125-180733-2b6eae4c")
	onRun := append([]web.Code{discoveryNotFound}, storeProblems...)
	return web.Part{
		Name: "discover", About: "Which data on emissions a place publishes",
		Routes: []web.Route{
			{
				ID: "startDiscovery", Method: http.MethodPost, Path: "/discover", Do: a.startDiscovery, Summary: "Begin to seek which data on emissions a place publishes",
				More:     "It plans, searches, reads pages and checks each record against the text it quotes, for some minutes, within the limits of the request. 409 ambiguous_region lists the regions of that name.",
				Body:     web.InJSON(web.Ref("DiscoveryRequest")),
				Answers:  []web.Reply{{Status: http.StatusAccepted, What: "It has begun", Media: status}},
				Problems: append([]web.Code{web.BadBody, web.TooManyBytes, badDiscovery, ambiguousRegion}, storeProblems...),
			},
			{
				ID: "listDiscoveries", Method: http.MethodGet, Path: "/discover", Do: a.listDiscoveries, Role: caller.Reader, Summary: "The discoveries, newest first",
				More:       "While next is there, send it as after to get the next page.",
				Parameters: inPage(jobs.MaxList),
				Answers:    []web.Reply{{Status: http.StatusOK, What: "A page of them", Media: web.InJSON(web.Ref("DiscoveryList"))}},
				Problems:   append([]web.Code{web.BadCursor, web.BadOption}, storeProblems...),
			},
			{
				ID: "getDiscovery", Method: http.MethodGet, Path: "/discover/{id}", Do: a.oneDiscovery, Summary: "How far a discovery is, with its last five decisions",
				More:       "With Accept: text/event-stream it follows the discovery to its end.",
				Parameters: []web.Parameter{path},
				Answers: []web.Reply{{Status: http.StatusOK, What: "Its status. A stream has the events progress, when that changes, and end", Media: map[string]web.Schema{
					web.JSONMedia: web.Ref("Discovery"), web.EventMedia: web.Events(web.EventOf{Name: "progress", Data: web.Ref("Discovery")}, web.EventOf{Name: "end", Data: web.Ref("Discovery")}),
				}}}, Problems: onRun,
			},
			{
				ID: "getDiscoveryResult", Method: http.MethodGet, Path: "/discover/{id}/result", Do: a.discoveryResult, Summary: "What a discovery came to, whatever its end",
				More:       "Also of a discovery that was cancelled or failed: it has what was found until then.",
				Parameters: []web.Parameter{path, web.InQuery("format", "How it is written", web.Enum("json", "csv"))},
				Answers:    []web.Reply{{Status: http.StatusOK, What: "Records, each with a quote", Media: map[string]web.Schema{web.JSONMedia: web.Ref("DiscoveryResult"), "text/csv": {Type: "string"}}}},
				Problems:   append([]web.Code{web.BadOption, discoveryUnfinished}, onRun...),
			},
			{
				ID: "markDiscovery", Method: http.MethodPost, Path: "/discover/{id}/marks", Do: a.markDiscovery, Role: caller.Reviewer, Summary: "Mark a record right or wrong: the next discovery of its place knows it",
				More:       "duplicate_key names the record.",
				Parameters: []web.Parameter{path},
				Body:       web.InJSON(web.Ref("DiscoveryMarkRequest")),
				Answers:    []web.Reply{{Status: http.StatusOK, What: "The mark, with those that were there before", Media: web.InJSON(web.Ref("DiscoveryMark"))}},
				Problems:   append([]web.Code{web.BadBody, web.TooManyBytes, badDiscovery, recordNotFound, discoveryUnfinished}, onRun...),
			},
			{
				ID: "cancelDiscovery", Method: http.MethodDelete, Path: "/discover/{id}", Do: a.cancelDiscovery, Summary: "End a discovery with what it has found",
				More:       "What it has found so far is its result. One that has ended stays as it is.",
				Parameters: []web.Parameter{path},
				Answers:    []web.Reply{{Status: http.StatusAccepted, What: "Its status", Media: status}}, Problems: append([]web.Code{web.RoleNeeded}, onRun...),
			},
		},
		Explain: explainDiscovery,
		Codes:   []web.Code{badDiscovery, discoveryNotFound, discoveryUnfinished, recordNotFound, ambiguousRegion},
		Schemas: func() (map[string]*web.Schema, error) {
			return schemas(map[reflect.Type]*web.Schema{}, map[string]reflect.Type{
				"Discovery": reflect.TypeFor[discover.Status](), "DiscoveryRequest": reflect.TypeFor[discover.Request](),
				"DiscoveryList": reflect.TypeFor[discoveryList](), "DiscoveryResult": reflect.TypeFor[discover.Result](),
				"DiscoveryMark": reflect.TypeFor[discover.Mark](), "DiscoveryMarkRequest": reflect.TypeFor[discover.MarkRequest](),
			})
		},
	}
}

// explainDiscovery returns the problem for an error of a discovery.
func explainDiscovery(err error) (web.Problem, bool) {
	var several *discover.Ambiguous
	if errors.As(err, &several) {
		p := ambiguousRegion.Problem("%s", several.Public())
		p.Choices = several.Candidates
		return p, true
	}
	return web.ExplainKnown(usererror.Text,
		web.Known{Err: discover.ErrRequest, Code: badDiscovery},
		web.Known{Err: discover.ErrNotFound, Code: discoveryNotFound},
		web.Known{Err: discover.ErrUnfinished, Code: discoveryUnfinished},
		web.Known{Err: discover.ErrNoRecord, Code: recordNotFound},
	)(err)
}

// A discoveryList is a page of runs.
type discoveryList struct {
	Discoveries []discover.Status `json:"discoveries"`
	Next        string            `json:"next,omitempty"` // the cursor of the next page, for after
	Note        string            `json:"note,omitempty"` // what to do, of a list without entries
}

func (a *API) startDiscovery(w http.ResponseWriter, r *http.Request) error {
	var asked discover.Request
	if err := web.ReadJSON(w, r, maxMessage, &asked, "request for a discovery", `{"country":"Uruguay","sector":"waste"}`); err != nil {
		return err
	}
	p, err := a.Discover(r.Context())
	if err != nil {
		return err
	}
	s, err := p.Start(r.Context(), asked)
	if err != nil {
		return err
	}
	a.noteAsked(r.Context(), s.ID)
	w.Header().Set("Location", "/discover/"+s.ID)
	web.WriteJSON(w, http.StatusAccepted, s)
	return nil
}

func (a *API) listDiscoveries(w http.ResponseWriter, r *http.Request) error {
	after, limit, err := pageOf(r.URL.Query(), jobs.MaxList)
	if err != nil {
		return err
	}
	p, err := a.Discover(r.Context())
	if err != nil {
		return err
	}
	all, next, err := p.List(r.Context(), after, limit)
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, discoveryList{all, next, noteOf(len(all), after, `no discovery was begun yet: POST {"country":"Kenya","sector":"waste"} to /discover`)})
	return nil
}

// discovery returns the pipeline, and the run ID in the request's path.
func (a *API) discovery(r *http.Request) (*discover.Pipeline, string, error) {
	id, err := web.PathID(r, discoveryID, discover.ErrNotFound)
	if err != nil {
		return nil, "", err
	}
	p, err := a.Discover(r.Context())
	return p, id, err
}

func (a *API) oneDiscovery(w http.ResponseWriter, r *http.Request) error {
	p, id, err := a.discovery(r)
	if err != nil {
		return err
	}
	if err := a.maySee(r.Context(), id, discover.ErrNotFound); err != nil {
		return err
	}
	s, err := p.Get(r.Context(), id)
	switch {
	case err != nil:
		return err
	case web.WantsEvents(r):
		return a.followDiscovery(r.Context(), web.NewStream(w, a.Times), p, s)
	}
	web.WriteJSON(w, http.StatusOK, s)
	return nil
}

// followDiscovery sends the status of a run each time it changes, until the run has ended
// or the client has left.
func (a *API) followDiscovery(ctx context.Context, stream *web.Stream, p *discover.Pipeline, s discover.Status) (err error) {
	defer stream.KeepAlive()()
	for told := -1; !stream.Broken(); {
		if s.Slice != told {
			told = s.Slice
			stream.Send("progress", strconv.Itoa(told), s)
		}
		if s.Action != "" {
			stream.Send("end", strconv.Itoa(told), s)
			return nil
		}
		select {
		case <-ctx.Done():
			return nil // a stream that stopped before its end: the client reconnects
		case <-time.After(a.Times.Poll):
		}
		if s, err = p.Get(ctx, s.ID); err != nil {
			return nil
		}
	}
	return nil
}

func (a *API) markDiscovery(w http.ResponseWriter, r *http.Request) error {
	var asked discover.MarkRequest
	if err := web.ReadJSON(w, r, maxMessage, &asked, "mark", `{"duplicate_key":"…","verdict":"wrong","by":"Ana"}`); err != nil {
		return err
	}
	p, id, err := a.discovery(r)
	if err != nil {
		return err
	}
	by := signed(r, asked.By)
	asked.By, asked.Verified = by.By, by.Verified
	mark, err := p.Mark(r.Context(), id, asked)
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, mark)
	return nil
}

func (a *API) cancelDiscovery(w http.ResponseWriter, r *http.Request) error {
	p, id, err := a.discovery(r)
	if err != nil {
		return err
	}
	find := func() error {
		_, err := p.Get(r.Context(), id)
		return err
	}
	if err := a.mayCancel(r.Context(), id, discover.ErrNotFound, find); err != nil {
		return err
	}
	s, err := p.Cancel(r.Context(), id)
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusAccepted, s)
	return nil
}

func (a *API) discoveryResult(w http.ResponseWriter, r *http.Request) error {
	kind, csv, err := formatOf(r)
	if err != nil {
		return err
	}
	p, id, err := a.discovery(r)
	if err != nil {
		return err
	}
	if err := a.maySee(r.Context(), id, discover.ErrNotFound); err != nil {
		return err
	}
	data, err := p.File(r.Context(), id, map[bool]string{true: "result.csv", false: "result.json"}[csv])
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(data) // fails only if the client has left
	return nil
}

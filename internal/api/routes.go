package api

import (
	"net/http"
	"slices"

	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/photo"
)

// A route is one thing that can be asked, and what its caller may rely on.
type route struct {
	method, path string
	do           handler
	summary      string
	parameters   []parameter
	body         map[string]schema // by media type
	answers      []reply
	problems     []string // codes, besides those of every route
}

// A reply is how a route may answer.
type reply struct {
	status int
	what   string
	media  map[string]schema
}

// pattern is the path as http.ServeMux wants it.
func (r route) pattern() string {
	if r.path == "/" {
		return "/{$}"
	}
	return r.path
}

// codes are all problems that r may answer with.
func (r route) codes() []string {
	var all []string
	if r.method != http.MethodGet {
		all = append(all, crossOrigin)
	}
	return append(all, r.problems...)
}

// What the services behind a route may add to its problems.
var (
	stored   = []string{internal, timeout}
	onPhotos = []string{
		photo.Empty, photo.NotAnImage, photo.UnsupportedFormat, photo.Truncated, photo.Corrupt, photo.LyingHeader,
		photo.TooManyBytes, photo.TooManyPixels, busyNow,
	}
	onModels = []string{
		model(gemini.Blocked), model(gemini.Truncated), model(gemini.BadImage), model(gemini.Quota), model(gemini.Budget),
		model(gemini.Malformed), model(gemini.Gone), model(gemini.Invalid), model(gemini.Emulated), model(gemini.Unavailable),
		model(gemini.Unauthorized),
	}
	onResult = append([]string{resultNotFound}, stored...)
	onBatch  = append([]string{batchesOff, batchNotFound}, stored...)
)

// routes are all that can be asked, save the page's own.
func (a *API) routes() []route {
	return slices.Concat(a.photoRoutes(), a.resultRoutes(), a.batchRoutes(), []route{
		{
			method: http.MethodGet, path: "/openapi.json", do: a.openAPI, summary: "This document",
			answers: []reply{{http.StatusOK, "OpenAPI 3.1", inJSON(schema{Type: "object"})}},
		},
		{
			method: http.MethodGet, path: "/healthz", do: a.health, summary: "Whether the service is up; nothing behind it is asked",
			answers: []reply{{http.StatusOK, "It is", map[string]schema{"text/plain": {Type: "string"}}}},
		},
		{
			method: http.MethodGet, path: "/", do: a.home, summary: "The page for browsers, else what this is",
			answers: []reply{{http.StatusOK, "By the header Accept", map[string]schema{jsonMedia: ref("Greeting"), "text/html": {Type: "string"}}}},
		},
	})
}

func (a *API) photoRoutes() []route {
	return []route{{
		method: http.MethodPost, path: "/analyze", do: a.analyze,
		summary:    "Name the product in each photo, or in several photos of it",
		parameters: append(slices.Clone(optionParameters), lastEventID),
		body: map[string]schema{
			"image/*": {}, "application/octet-stream": {},
			"multipart/form-data": formSchema(),
			jsonMedia:             {AnyOf: []*schema{ptr(ref("Photo")), {Type: "array", Items: ptr(ref("Photo")), MinItems: ptr(1), MaxItems: ptr(maxPhotos)}}},
		},
		answers: []reply{{
			http.StatusOK, "The result; of several photos a list of them. A stream has the events agent (Event), result (Result or Answer), problem (Problem) and end, the last",
			map[string]schema{
				jsonMedia:  {AnyOf: []*schema{ptr(ref("Result")), {Type: "array", Items: ptr(ref("Answer"))}}},
				eventMedia: {Type: "string"},
			},
		}},
		problems: slices.Concat([]string{badBody, badOption, bucketNotAllowed, objectNotFound, tooManyPhotos}, onPhotos, onModels, stored),
	}}
}

func (a *API) resultRoutes() []route {
	return []route{
		{
			method: http.MethodGet, path: "/results", do: a.results, summary: "Finished results, newest first", parameters: resultParameters,
			answers:  []reply{{http.StatusOK, "A page of them", inJSON(ref("Listing"))}},
			problems: append([]string{badOption}, stored...),
		},
		{
			method: http.MethodGet, path: "/results/{id}", do: a.oneResult, summary: "A finished result", parameters: []parameter{resultPath},
			answers:  []reply{{http.StatusOK, "The result", inJSON(ref("Listed"))}},
			problems: onResult,
		},
		{
			method: http.MethodGet, path: "/results/{id}/photo", do: a.photo, summary: "The photo of a result, small and upright",
			parameters: []parameter{resultPath, inQuery("width", "At most so many pixels wide", schema{Type: "integer", Minimum: ptr(float64(leastWidth)), Maximum: ptr(float64(mostWidth))})},
			answers: []reply{
				{http.StatusOK, "The photo", map[string]schema{"image/jpeg": {}}},
				{http.StatusNotModified, "It is as it was", nil},
			},
			problems: slices.Concat([]string{badOption, photoNotKept}, onPhotos, onResult),
		},
	}
}

func (a *API) batchRoutes() []route {
	status := inJSON(ref("Batch"))
	list := schema{Type: "array", Items: ptr(ref("Answer"))}
	return []route{
		{
			method: http.MethodPost, path: "/batches", do: a.createBatch, summary: "Begin a batch of the photos under a prefix, or say what it would be",
			body:     inJSON(ref("BatchRequest")),
			answers:  []reply{{http.StatusAccepted, "It has begun", status}, {http.StatusOK, "A dry run: nothing has begun", status}},
			problems: slices.Concat([]string{batchesOff, badBody, badOption, bucketNotAllowed, noPhotos, photo.TooManyBytes}, stored),
		},
		{
			method: http.MethodGet, path: "/batches", do: a.listBatches, summary: "The latest batches, newest first",
			answers:  []reply{{http.StatusOK, "At most 20", inJSON(ref("BatchList"))}},
			problems: append([]string{batchesOff}, stored...),
		},
		{
			method: http.MethodGet, path: "/batches/{id}", do: a.oneBatch, summary: "How far a batch is", parameters: []parameter{batchPath},
			answers: []reply{{http.StatusOK, "Its status", status}}, problems: onBatch,
		},
		{
			method: http.MethodDelete, path: "/batches/{id}", do: a.cancelBatch, summary: "Cancel what has not begun of a batch", parameters: []parameter{batchPath},
			answers: []reply{{http.StatusAccepted, "Its status", status}}, problems: onBatch,
		},
		{
			method: http.MethodGet, path: "/batches/{id}/result", do: a.batchResult, summary: "The results of a batch so far, in listing order",
			parameters: []parameter{batchPath, inQuery("format", "How they are written", enum("json", "csv"))},
			answers:    []reply{{http.StatusOK, "All that have ended", map[string]schema{jsonMedia: list, "text/csv": {Type: "string"}}}},
			problems:   append([]string{badOption}, onBatch...),
		},
		{
			method: http.MethodGet, path: "/batches/{id}/events", do: a.batchEvents, summary: "A stream of what becomes of a batch",
			parameters: []parameter{batchPath, lastEventID},
			answers:    []reply{{http.StatusOK, "The events item (Item), progress (Batch) and end (Batch), the last", map[string]schema{eventMedia: {Type: "string"}}}},
			problems:   append([]string{badOption}, onBatch...),
		},
	}
}

package api

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
)

// photos is the part of the site that analyses the photos of a request.
func (a *API) photos() web.Part {
	return web.Part{
		Name: "analyze", About: "Which product a photo shows",
		Routes:  []web.Route{a.photoRoute(), a.photosRoute()},
		Explain: explainPhoto,
		Schemas: photoSchemas,
	}
}

// analysisProblems are the problems of every route that analyses photos.
var analysisProblems = slices.Concat([]web.Code{web.BadBody, web.BadOption, web.RoleNeeded, bucketNotAllowed, objectNotFound, tooManyPhotos}, photoProblems, modelProblems, storeProblems)

func (a *API) photoRoute() web.Route {
	return web.Route{
		ID: "analyzePhoto", Method: http.MethodPost, Path: "/analyze", Do: a.analyze(false),
		Summary: "Name the product in a photo",
		More: "The content decides what an image is. Several photos may be sent here too, as to /analyze/photos, and the answer is a list then; " +
			"with as=one it is the result of all.",
		Parameters: append(slices.Clone(optionParameters), web.AfterEvent),
		Body: map[string]web.Schema{
			"image/*": web.Binary(), "application/octet-stream": web.Binary(), "multipart/form-data": formSchema(web.Binary(), optionParameters), web.JSONMedia: web.Ref("Photo"),
		},
		Answers: []web.Reply{{
			Status: http.StatusOK, What: "The result; its outcome says which of three shapes it has. Of several photos a list. Or a stream of what the agents do",
			Media: map[string]web.Schema{
				web.JSONMedia:  {OneOf: []*web.Schema{web.Ptr(web.Ref("Result")), {Type: "array", Items: web.Ptr(web.Ref("Answer"))}}},
				web.EventMedia: runEvents(web.Schema{OneOf: []*web.Schema{web.Ptr(web.Ref("Result")), web.Ptr(web.Ref("Answer"))}}),
			},
		}},
		Problems: analysisProblems,
	}
}

// photosRoute accepts several photos. Its answer is always a list, even for one photo.
func (a *API) photosRoute() web.Route {
	several := func(s web.Schema) web.Schema {
		return web.Schema{Type: "array", Items: &s, MinItems: web.Ptr(1), MaxItems: web.Ptr(maxPhotos)}
	}
	return web.Route{
		ID: "analyzePhotos", Method: http.MethodPost, Path: "/analyze/photos", Do: a.analyze(true),
		Summary:    "Name the product in each of several photos, or in several photos of one product",
		More:       "Send them as a form, or as JSON that names objects of the upload bucket or holds their bytes. A photo that fails has its reason in its own result, and the others go on.",
		Parameters: append(slices.Clone(optionParameters), web.AfterEvent),
		Body: map[string]web.Schema{
			"multipart/form-data": formSchema(several(web.Binary()), optionParameters), web.JSONMedia: several(web.Ref("Photo")),
		},
		Answers: []web.Reply{{
			Status: http.StatusOK, What: "What came of each photo, in their order. Or a stream of what the agents do",
			Media: map[string]web.Schema{web.JSONMedia: {Type: "array", Items: web.Ptr(web.Ref("Answer"))}, web.EventMedia: runEvents(web.Ref("Answer"))},
		}},
		Problems: analysisProblems,
	}
}

// runEvents returns the schema of the event stream of a run with that result.
func runEvents(result web.Schema, more ...web.EventOf) web.Schema {
	all := append([]web.EventOf{{Name: "agent", Data: web.Ref("Event")}}, more...)
	all = append(all, web.EventOf{Name: "result", Data: result})
	return web.Events(append(all, web.Ending...)...)
}

// The codes of problems with a photo's URI or with the number of photos.
var (
	bucketNotAllowed = web.Code{Name: "bucket_not_allowed", Status: http.StatusForbidden, Cause: "The service reads photos from UPLOAD_BUCKET only."}
	objectNotFound   = web.Code{Name: "object_not_found", Status: http.StatusNotFound, Cause: "There is no such object."}
	tooManyPhotos    = web.Code{Name: "too_many_photos", Status: http.StatusRequestEntityTooLarge, Cause: "The request has more photos than the limit."}
)

// photoCodes are the problem codes of errors in a photo.
var photoCodes = map[string]web.Code{
	photo.Empty:             {Name: photo.Empty, Status: http.StatusBadRequest, Cause: "The file has no bytes."},
	photo.TooManyBytes:      {Name: photo.TooManyBytes, Status: http.StatusRequestEntityTooLarge, Cause: web.TooManyBytes.Cause},
	photo.TooManyPixels:     {Name: photo.TooManyPixels, Status: http.StatusRequestEntityTooLarge, Cause: "The photo has more pixels than the limit."},
	photo.NotAnImage:        {Name: photo.NotAnImage, Status: http.StatusUnsupportedMediaType, Cause: "The bytes are no picture."},
	photo.UnsupportedFormat: {Name: photo.UnsupportedFormat, Status: http.StatusUnsupportedMediaType, Cause: "The picture has a format that is not read here, or HEIC would have to be scaled or rotated."},
	photo.Truncated:         {Name: photo.Truncated, Status: http.StatusUnprocessableEntity, Cause: "The file ends before the picture does."},
	photo.Corrupt:           {Name: photo.Corrupt, Status: http.StatusUnprocessableEntity, Cause: "The picture cannot be decoded."},
	photo.LyingHeader:       {Name: photo.LyingHeader, Status: http.StatusUnprocessableEntity, Cause: "The file's header declares a size that its data does not have."},
}

// photoProblems are the problems of every route that reads a photo.
var photoProblems = slices.AppendSeq([]web.Code{web.Busy, web.UnsupportedEncoding}, maps.Values(photoCodes))

// explainPhoto returns the problem for a photo that is invalid or cannot be read.
func explainPhoto(err error) (web.Problem, bool) {
	var wrong *photo.Error
	if errors.As(err, &wrong) {
		return photoCodes[wrong.Code].Problem("%s", usererror.Text(err)), true
	}
	return web.ExplainKnown(usererror.Text,
		web.Known{Err: intake.ErrOption, Code: web.BadOption},
		web.Known{Err: intake.ErrForbidden, Code: bucketNotAllowed},
		web.Known{Err: analyze.ErrTooMany, Code: tooManyPhotos},
		web.Known{Err: blob.ErrNotFound, Code: objectNotFound},
		web.Known{Err: blob.ErrTooLarge, Code: web.TooManyBytes},
		web.Known{Err: blob.ErrEncoding, Code: web.UnsupportedEncoding},
	)(err)
}

// The schemas of types whose JSON form cannot be derived from Go.
var writtenPhotos = map[reflect.Type]*web.Schema{
	reflect.TypeFor[image]():          {Type: "string", ContentEncoding: "base64", Description: "The bytes of the photo, or a data: URL of them"},
	reflect.TypeFor[flag]():           {Type: "boolean"},
	reflect.TypeFor[analyze.Result](): web.Ptr(web.Ref("Result")),
}

// photoSchemas returns the schemas of answers about photos, by name.
func photoSchemas() (map[string]*web.Schema, error) {
	all, err := schemas(writtenPhotos, map[string]reflect.Type{
		"Answer": reflect.TypeFor[answer](), "Event": reflect.TypeFor[streamEvent](), "Photo": reflect.TypeFor[object](),
		"TokenUsage": reflect.TypeFor[analyze.TokenUsage](), "ModelCalls": reflect.TypeFor[analyze.ModelCalls](), "ModelUsage": reflect.TypeFor[agent.Usage](),
		"Decision": reflect.TypeFor[analyze.Decision](), "Evidence": reflect.TypeFor[analyze.Evidence](), "TextLine": reflect.TypeFor[analyze.Line](),
		"CatalogRecord": reflect.TypeFor[analyze.Record](), "RAGConfidence": reflect.TypeFor[analyze.RAGConfidence](),
	})
	if err == nil {
		all["Result"] = intake.ResultSchema()
	}
	return all, err
}

// optionParameters are the query parameters for the options of a photo.
var optionParameters = []web.Parameter{
	web.InQuery("country", "ISO 3166-1 alpha-2", web.Schema{Type: "string", Examples: []any{"KR"}}),
	web.InQuery("lang", "BCP 47, of the texts in the result", web.Schema{Type: "string", Examples: []any{"ko"}}),
	web.InQuery("policy", "How much it takes to believe a photo", web.Enum("seed", "strict")),
	web.InQuery("second_look", "When the stronger model looks again", web.Enum("doubt", "always", "never")),
	web.InQuery("fresh", "true asks the models even if the same photo was analysed before", web.Schema{Type: "boolean"}),
	web.InQuery("set", "The name of the photos that are sent together, up to 100 characters: GET /results?set= lists them", web.Schema{Type: "string", Examples: []any{"Tuesday shelf"}}),
	web.InQuery("as", "one: all photos are of one product, and have one result", web.Enum("one")),
}

// formSchema returns the schema of a multipart form with photos and options.
func formSchema(file web.Schema, options []web.Parameter) web.Schema {
	properties := map[string]*web.Schema{"file": &file, thumbnailField: web.Ptr(web.Binary())}
	for _, p := range options {
		s := p.Schema
		s.Description = p.Description
		properties[p.Name] = &s
	}
	return web.Schema{Type: "object", Required: []string{"file"}, Properties: properties, Description: "Files, in fields of any name, each of which its thumbnail may follow, and options"}
}

// An answer is the result or problem of one photo among several.
type answer struct {
	File   string         `json:"file"`
	Result analyze.Result `json:"result"`
}

// analyze returns a handler that answers with the result of the photo in the request, or
// with a list if there are several photos or list is set.
func (a *API) analyze(list bool) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		v, err := a.analyzed(w, r, list)
		if err == nil && v != nil {
			web.WriteJSON(w, http.StatusOK, v)
		}
		return err
	}
}

// analyzed reserves memory from before the photos are read until their results exist, but
// not while the results are sent, because the client may be slow. A nil answer means that
// the response was already sent.
func (a *API) analyzed(w http.ResponseWriter, r *http.Request, list bool) (any, error) {
	leave, err := a.Memory.Acquire(r.Context(), intake.MemoryFor(web.BodySize(r, maxBody)))
	if err != nil {
		return nil, err
	}
	defer leave()
	var q analyzeRequest
	err = web.Receive(w, r, a.Memory, func() (err error) {
		q, err = readRequest(w, r)
		q.list = list || len(q.photos) > 1
		return err
	})
	if err != nil {
		return nil, err
	}
	in, err := a.Intake(r.Context())
	if err != nil {
		return nil, err
	}
	for i, p := range q.photos {
		if err := in.CheckOptions(p.Options); err != nil {
			return nil, inPhoto(i, len(q.photos), err)
		}
	}
	if web.WantsEvents(r) {
		return nil, a.streamed(w, r, in, q)
	}
	if !q.list {
		return in.Photo(r.Context(), q.photos[0], nil)
	}
	return a.all(r.Context(), in, q), nil
}

// all analyses every photo of q.
func (a *API) all(ctx context.Context, in *intake.Intake, q analyzeRequest) []answer {
	answers := make([]answer, len(q.photos))
	a.each(ctx, in, q, nil, func(i int, r analyze.Result) { answers[i] = answer{q.files[i], r} })
	return answers
}

// parallelism is how many photos of a request are analysed at the same time.
const parallelism = 4

// each analyses every photo of q and passes events to watch and results to done, with the
// photo's number. Watch may be nil. Both functions are called from several goroutines.
func (a *API) each(ctx context.Context, in *intake.Intake, q analyzeRequest, watch func(int, *agent.Event), done func(int, analyze.Result)) {
	var group errgroup.Group
	group.SetLimit(parallelism)
	for i, p := range q.photos {
		group.Go(func() error {
			var own func(*agent.Event)
			if watch != nil {
				own = func(e *agent.Event) { watch(i, e) }
			}
			done(i, a.withRetry(ctx, in, p, own))
			return nil
		})
	}
	_ = group.Wait() // a photo's error is part of its result
}

// maxTries is how often one photo of several asks for memory: the other photos of the
// request may hold it.
const maxTries = 3

// withRetry returns the result of p, or a failed result if the analysis returned none.
func (a *API) withRetry(ctx context.Context, in *intake.Intake, p intake.Photo, watch func(*agent.Event)) analyze.Result {
	for try := 1; ; try++ {
		r, err := in.Photo(ctx, p, watch)
		var busy *admission.Busy
		switch {
		case err == nil:
			return r
		case !errors.As(err, &busy) || try == maxTries:
			return a.failed(r, p, err)
		}
		select {
		case <-time.After(busy.RetryAfter):
		case <-ctx.Done():
		}
	}
}

// failed returns the result for a photo that could not be analysed because of err.
func (a *API) failed(r analyze.Result, p intake.Photo, err error) analyze.Result {
	why := a.Problem(err)
	r = r.Failed(why.Detail, why.Passing())
	r.InferenceTime = cmp.Or(r.InferenceTime, "0.00s")
	if r.Image == nil && p.URI != "" {
		r.Image = &analyze.Image{URI: p.URI}
	}
	return r
}

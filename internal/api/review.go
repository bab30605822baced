package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
	"example.com/whatis/internal/web/caller"
)

// The codes of problems with reviews and with removing results.
var (
	badReview    = web.Code{Name: "bad_review", Status: http.StatusUnprocessableEntity, Cause: "The review has a field that is not allowed."}
	notReviewed  = web.Code{Name: "not_reviewed", Status: http.StatusNotFound, Cause: "There is no review to take back or to restore."}
	reviewBusy   = web.Code{Name: "review_busy", Status: http.StatusConflict, Cause: "Somebody else reviews the same product at this moment."}
	superseded   = web.Code{Name: "review_superseded", Status: http.StatusConflict, Cause: "Somebody else has reviewed the photo since; now says what stands."}
	resultBusy   = web.Code{Name: "result_busy", Status: http.StatusConflict, Cause: "The photo is still being analysed."}
	recordAbsent = web.Code{Name: "record_not_found", Status: http.StatusNotFound, Cause: "There is no record with this ID."}
	reviewsOff   = web.Code{Name: "reviews_off", Status: http.StatusNotImplemented, Cause: "Reviews are not set up here: the service has no catalogue."}
)

// maxReview is the largest review, in bytes.
const maxReview = 32 << 10

// reviews is the part of the site for reviews and for removing results.
func (a *API) reviews() web.Part {
	match := web.Parameter{Name: "If-Match", In: "header", Description: "The ETag of the result that the writer saw; revision says the same", Schema: web.Schema{Type: "string"}}
	revision := web.InQuery("revision", "The revision of the result that the writer saw", web.Schema{Type: "string"})
	path, said := web.InPath(resultID.String(), "0e18b819e9e0428e616901ceac9c580b"), web.InJSON(web.Ref("Review"))
	by := web.InQuery("by", "Who does it, where the service does not know", web.Schema{Type: "string"})
	onReview := append([]web.Code{resultNotFound, badReview, reviewBusy, superseded, reviewsOff}, storeProblems...)
	return web.Part{
		Routes: []web.Route{
			{
				ID: "reviewResult", Method: http.MethodPost, Path: "/results/{id}/review", Do: a.giveReview, Role: caller.Reviewer, Summary: "Accept, correct or reject a result; the catalogue and all results of the photo follow",
				More:       "With If-Match or revision it counts only if nobody has said anything since the result was read; review_superseded answers with what stands.",
				Parameters: []web.Parameter{path, match},
				Body:       web.InJSON(web.Ref("ReviewRequest")),
				Answers:    []web.Reply{{Status: http.StatusOK, What: "What is said of it now, and was before", Media: said}},
				Problems:   slices.Concat([]web.Code{web.BadBody, web.TooManyBytes, notReviewed}, onReview, modelProblems),
			},
			{
				ID: "getReview", Method: http.MethodGet, Path: "/results/{id}/review", Do: a.oneReview, Role: caller.Reader, Summary: "What was said of a result",
				More:       "The verdict that stands, with its corrections and who gave it, and the earlier ones.",
				Parameters: []web.Parameter{path},
				Answers:    []web.Reply{{Status: http.StatusOK, What: "What is said of it now, and was before", Media: said}},
				Problems:   append([]web.Code{resultNotFound, notReviewed, reviewsOff}, storeProblems...),
			},
			{
				ID: "undoReview", Method: http.MethodDelete, Path: "/results/{id}/review", Do: a.undoReview, Role: caller.Reviewer, Summary: "Take back what was said last of a result; the catalogue and all results of the photo follow",
				More:       "Records that it had made are gone, and those that it had changed are as they were before it.",
				Parameters: []web.Parameter{path, by, revision, match},
				Answers:    []web.Reply{{Status: http.StatusOK, What: "That nothing is said of it now, and what was before", Media: said}},
				Problems:   append([]web.Code{notReviewed}, onReview...),
			},
			{
				ID: "getResultActs", Method: http.MethodGet, Path: "/results/{id}/acts", Do: a.resultActs, Role: caller.Reader, Summary: "Who forgot a result, and when; it stays when the result is gone",
				More:       "All that is kept, the newest 50. What the result said is not among it.",
				Parameters: []web.Parameter{path},
				Answers:    []web.Reply{{Status: http.StatusOK, What: "What was done, oldest first", Media: web.InJSON(web.Ref("Acts"))}},
				Problems:   append([]web.Code{resultNotFound, reviewsOff}, storeProblems...),
			},
			{
				ID: "forgetResult", Method: http.MethodDelete, Path: "/results/{id}", Do: a.forgetResult, Summary: "Forget a result; the answer lists what stays",
				More:       "An owner forgets a photo: all results of it, their checkpoints and their files are deleted. What others learnt from it stays, and is listed with the way to remove it. Other callers forget what they asked for over HTTP; what others asked for stays.",
				Parameters: []web.Parameter{path, web.InQuery("photo", "Whether the photo itself is deleted too", web.Enum("true", "false")), by},
				Answers:    []web.Reply{{Status: http.StatusOK, What: "What was removed, and what stays", Media: web.InJSON(web.Ref("Forgotten"))}},
				Problems:   append([]web.Code{resultNotFound, resultBusy, reviewsOff, web.BadOption}, storeProblems...),
			},
		},
		Explain: explainReview(web.ExplainKnown(usererror.Text,
			web.Known{Err: review.ErrRequest, Code: badReview},
			web.Known{Err: review.ErrNotFound, Code: resultNotFound},
			web.Known{Err: review.ErrNone, Code: notReviewed},
			web.Known{Err: review.ErrBusy, Code: reviewBusy},
			web.Known{Err: errInProgress, Code: resultBusy},
			web.Known{Err: batch.ErrSummarised, Code: resultBusy},
			web.Known{Err: errNoReviews, Code: reviewsOff},
		)),
		Schemas: func() (map[string]*web.Schema, error) {
			return schemas(map[reflect.Type]*web.Schema{}, map[string]reflect.Type{
				"Review": reflect.TypeFor[review.Review](), "ReviewRequest": reflect.TypeFor[review.Request](), "Forgotten": reflect.TypeFor[intake.Forgotten](), "Acts": reflect.TypeFor[actList](),
			})
		},
	}
}

// explainReview explains that a review was superseded, with what stands now, and all other
// errors as others does.
func explainReview(others web.Explain) web.Explain {
	return func(err error) (web.Problem, bool) {
		var late *review.Superseded
		if !errors.As(err, &late) {
			return others(err)
		}
		p := superseded.Problem("%s", late.Public())
		if late.Now != nil {
			p.Now = late.Now
		}
		return p, true
	}
}

// errInProgress refuses to remove a result while it is being written: the writer would
// store it again.
var errInProgress = usererror.New("api", "this photo is being analysed, or its result is being written: try again in a few seconds")

// errNoReviews is the error if reviews are not configured.
var errNoReviews = usererror.New("api", "there are no reviews here: this service only answers")

// reviewService opens the review service.
func (a *API) reviewService(ctx context.Context) (*review.Service, error) {
	if a.Reviews == nil {
		return nil, errNoReviews
	}
	return a.Reviews(ctx)
}

// signed returns how the caller of r signs: with their identity and nothing else. Where the
// service knows none, it takes their word for it.
func signed(r *http.Request, by string) review.Signature {
	if c := caller.From(r.Context()); c.Named() {
		return review.Signature{By: c.Name(), Verified: true}
	}
	return review.Signature{By: by}
}

// reviewed returns the review service, and the result ID in the request's path.
func (a *API) reviewed(r *http.Request) (*review.Service, string, error) {
	id, err := web.PathID(r, resultID, review.ErrNotFound)
	if err != nil {
		return nil, "", err
	}
	reviews, err := a.reviewService(r.Context())
	return reviews, id, err
}

func (a *API) giveReview(w http.ResponseWriter, r *http.Request) error {
	var said review.Request
	if err := web.ReadJSON(w, r, maxReview, &said, "review", `{"verdict":"correct","fields":{"product_name":"…"},"by":"kim"}`); err != nil {
		return err
	}
	return a.sayReview(w, r, said)
}

func (a *API) undoReview(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	return a.sayReview(w, r, review.Request{Verdict: review.Undo, By: q.Get("by"), Revision: q.Get("revision")})
}

func (a *API) sayReview(w http.ResponseWriter, r *http.Request, said review.Request) error {
	reviews, id, err := a.reviewed(r)
	if err != nil {
		return err
	}
	by := signed(r, said.By)
	said.By, said.Verified = by.By, by.Verified
	said.Revision = cmp.Or(said.Revision, matched(r))
	now, err := reviews.Give(r.Context(), id, said)
	if err != nil {
		return err
	}
	setRevision(w, now.Revision)
	web.WriteJSON(w, http.StatusOK, now)
	return nil
}

// matched returns the revision in If-Match, "" if there is none, or any will do.
func matched(r *http.Request) string {
	return strings.Trim(strings.TrimPrefix(r.Header.Get("If-Match"), "W/"), `"* `)
}

// setRevision sets the revision of a result as its ETag.
func setRevision(w http.ResponseWriter, revision string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("ETag", `"`+revision+`"`)
}

func (a *API) oneReview(w http.ResponseWriter, r *http.Request) error {
	reviews, id, err := a.reviewed(r)
	if err != nil {
		return err
	}
	now, err := reviews.Get(r.Context(), id)
	if err != nil {
		return err
	}
	setRevision(w, now.Revision)
	web.WriteJSON(w, http.StatusOK, now)
	return nil
}

// An actList holds what was done to a record or a result.
type actList struct {
	Acts []review.Act `json:"acts"`
}

// resultActs answers with what was done to a result, which may be gone.
func (a *API) resultActs(w http.ResponseWriter, r *http.Request) error {
	reviews, id, err := a.reviewed(r)
	if err != nil {
		return err
	}
	return writeActs(w, r, reviews, id)
}

func writeActs(w http.ResponseWriter, r *http.Request, reviews *review.Service, id string) error {
	acts, err := reviews.Acts(r.Context(), id)
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, actList{append([]review.Act{}, acts...)})
	return nil
}

// forgetAsked removes what a caller asked for who may not forget for others, which denied says.
func (a *API) forgetAsked(w http.ResponseWriter, r *http.Request, id string, photo bool, denied error) error {
	in, err := a.Intake(r.Context())
	if err != nil {
		return err
	}
	own, err := in.Asked(r.Context(), id)
	if err != nil {
		return err
	}
	if !own || photo {
		return denied
	}
	f, err := in.ForgetAsked(r.Context(), id)
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, f)
	return nil
}

// forgetResult removes a result.
func (a *API) forgetResult(w http.ResponseWriter, r *http.Request) error {
	id, err := web.PathID(r, resultID, jobs.ErrNotFound)
	if err != nil {
		return err
	}
	photo := r.URL.Query().Get("photo")
	if photo != "" && photo != "true" && photo != "false" {
		return fmt.Errorf("%w: photo %q: want true or false", web.ErrOption, usererror.Short(photo, usererror.Quoted))
	}
	if denied := caller.Need(r.Context(), caller.Owner); denied != nil {
		return a.forgetAsked(w, r, id, photo == "true", denied)
	}
	if a.Forget == nil {
		return errNoReviews
	}
	reviews, err := a.reviewService(r.Context())
	if err != nil {
		return err
	}
	var f intake.Forgotten
	err = reviews.Forgetting(r.Context(), id, signed(r, r.URL.Query().Get("by")), func() (err error) {
		f, err = a.Forget(r.Context(), id, photo == "true")
		return err
	})
	if errors.Is(err, jobs.ErrBusy) {
		return errInProgress
	}
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, f)
	return nil
}

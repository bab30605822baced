package app

import (
	"context"
	"errors"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/api/a2a"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// Reviews returns the service that stores users' corrections and maintains the catalogue.
func (a *App) Reviews(ctx context.Context) (*review.Service, error) {
	agent, err := a.analyze.Get(ctx)
	return agent.reviews, err
}

// NewReviews returns the service that stores corrections of the results of in and batches,
// for a shop's catalogue in db with vectors of space; batches may be nil.
func NewReviews(db *firestore.Client, in *intake.Intake, batches *batch.Batches, model *gemini.Client, space catalog.VectorSpace, shop string) (*review.Service, error) {
	return review.New(review.Config{
		DB: db, Catalog: catalog.New(db), Shop: shop, Space: space,
		Embed: func(ctx context.Context, texts []string) ([]float32, error) {
			ctx = gemini.WithAccount(ctx, &gemini.Account{Attempts: gemini.CallerAttempts})
			v, err := model.Embed(ctx, gemini.EmbedRequest{Model: space.Model, Prefix: space.Prefix, Texts: []string{strings.Join(texts, " ")}})
			if err != nil {
				return nil, err
			}
			return v[0], nil
		},
		Subject: func(ctx context.Context, id string) (review.Subject, error) { return subjectOf(ctx, in, id) },
		Spread: func(ctx context.Context, s review.Subject, v review.Verdict, again bool) error {
			err := spread(ctx, in, batches, s, v, again)
			if errors.Is(err, jobs.ErrBusy) || errors.Is(err, batch.ErrSummarised) || errors.Is(err, batch.ErrNoItem) {
				return review.ErrBusy
			}
			return err
		},
	})
}

// spread brings the results of a photo, and what stands in batches of them, in line with
// what people say of it, and publishes each as it is then.
func spread(ctx context.Context, in *intake.Intake, batches *batch.Batches, s review.Subject, v review.Verdict, again bool) error {
	done, busy := in.Correct(ctx, s.ID, s.Photos(), v, again)
	if busy != nil && !errors.Is(busy, jobs.ErrBusy) {
		return busy
	}
	if batches != nil {
		derived, err := batches.Correct(ctx, done)
		if err != nil {
			return err
		}
		done = append(done, derived...)
	}
	for _, l := range done {
		if err := in.TellCorrected(ctx, l, v); err != nil {
			return err
		}
	}
	return busy
}

// subjectOf returns a finished result as the subject of a review.
func subjectOf(ctx context.Context, in *intake.Intake, id string) (review.Subject, error) {
	l, err := in.Result(ctx, id)
	if errors.Is(err, jobs.ErrNotFound) {
		return review.Subject{}, review.ErrNotFound
	}
	if err != nil {
		return review.Subject{}, err
	}
	return subject(l), nil
}

func subject(l intake.Listed) review.Subject {
	r := l.Public
	s := review.Subject{ID: l.ID, Finished: l.Finished, Failed: r.Error == analyze.AnalysisFailed, Nothing: r.Error == analyze.NotAProduct, Where: l.File()}
	s.Product.Country, s.Product.Lang = r.Country, r.Lang
	if r.Image != nil {
		s.Photo = r.Image.SHA256
	}
	for _, image := range r.MoreImages {
		s.More = append(s.More, image.SHA256)
	}
	if r.Record != nil {
		s.Record = r.Record.ID
	}
	if r.Identification != nil {
		s.Product.ProductName, s.Product.Brand, s.Product.Category, s.Product.KeyFeatures = r.ProductName, r.Brand, r.Category, r.KeyFeatures
		if !slices.Contains(r.Warnings, analyze.WarnGTINConflict) {
			s.Product.GTIN = r.GTIN
		}
	}
	return s
}

// Forget removes a result and the others of its photos with all that belongs to them, and
// the photos themselves if photo is set, and returns what was removed and what stays.
func (a *App) Forget(ctx context.Context, id string, photo bool) (intake.Forgotten, error) {
	agent, err := a.analyze.Get(ctx)
	if err != nil {
		return intake.Forgotten{}, err
	}
	return Forget(ctx, agent.intake, agent.reviews, agent.batches, a.agentTasks(), id, photo)
}

// Forget does App.Forget with open services; batches may be nil.
func Forget(ctx context.Context, in *intake.Intake, reviews *review.Service, batches *batch.Batches, tasks *a2a.Store, id string, photo bool) (intake.Forgotten, error) {
	return in.Forget(ctx, id, photo, elsewhere{reviews, batches, tasks})
}

// elsewhere are the packages that keep something of results and photos, beside package
// intake. It implements intake.Elsewhere.
type elsewhere struct {
	reviews *review.Service
	batches *batch.Batches // nil if there are none
	tasks   *a2a.Store
}

// ForgetResult removes what is kept of a result.
func (e elsewhere) ForgetResult(ctx context.Context, l intake.Listed, f *intake.Forgotten) error {
	if e.batches != nil {
		in, item := l.BatchItem()
		some, err := e.batches.Forget(ctx, l.ID, in, item)
		if err != nil {
			return err
		}
		if some {
			f.Removed = append(f.Removed, "batch item")
		}
	}
	learnt, err := e.reviews.Forget(ctx, subject(l), l.Learnt())
	if learnt != "" {
		f.Stays = append(f.Stays, intake.Stay{What: "record", Where: "/catalog/" + learnt, Why: "the catalogue has it: DELETE removes it"})
	}
	return err
}

// ForgetPhotos removes what other agents were told of photos.
func (e elsewhere) ForgetPhotos(ctx context.Context, sha256s []string, f *intake.Forgotten) error {
	n, err := e.tasks.Forget(ctx, sha256s)
	if n > 0 {
		f.Removed = append(f.Removed, "tasks of agents")
	}
	return err
}

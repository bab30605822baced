package app

import (
	"context"
	"errors"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	protocol "github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/api/a2a"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/spend"
	"example.com/whatis/internal/web/caller"
)

// Queries makes every query of the service that could need an index of Firestore, in every form,
// and returns their errors. Emulators ask for no index; production refuses a query without one.
// Nothing that is stored has the keys that are looked for here.
func Queries(ctx context.Context, db *firestore.Client) error {
	var failed []error
	check := func(err error) {
		if err != nil {
			failed = append(failed, err)
		}
	}
	yes := true
	records, err := jobs.NewStore(db, jobs.Options{}).For(intake.Schema)
	check(err)
	for _, index := range []jobs.Index{nil, {"terms": "brand:a"}, {"terms": "brand:a", "source": "image"}, {"terms": "brand:a", "doubt": yes}, {"batch": "a"}} {
		for _, since := range []time.Time{{}, time.Unix(1, 0)} {
			_, err := records.List(ctx, jobs.Filter{Index: index, Since: since})
			check(err)
		}
	}
	for _, index := range []jobs.Index{nil, {"terms": "brand:a"}} {
		_, err := records.List(ctx, jobs.Filter{Index: index, By: &jobs.Range{Field: "expires", To: 1}})
		check(err)
	}
	_, _, _, err = records.Cached(ctx, "key")
	check(err)
	_, err = records.Tagged(ctx, "tag")
	check(err)
	_, err = records.List(ctx, jobs.Filter{By: &jobs.Range{Field: "queue", To: 1, Descending: true}})
	check(err)
	_, err = catalog.New(db).Known(ctx, catalog.Keys{Shop: "a", GTIN: "08801234567893", Brands: []string{"b"}, Names: []string{"c"}, Photo: strings.Repeat("0", 64)})
	check(err)
	vector := make([]float32, catalog.Dimensions)
	vector[0] = 1
	for _, model := range []string{"gemini-embedding-2", "gemini-embedding-001"} {
		space, err := catalog.VectorSpaceOf(model)
		check(err)
		_, err = catalog.New(db).Search(ctx, catalog.Query{
			Shop: "a", Lang: "ko", Brand: "b", Space: space, Vector: vector, GTINs: []string{"08801234567893"}, Names: []string{"a"}, Limit: 3,
		})
		check(err)
		for _, field := range []string{catalog.SearchVector, catalog.ImageVector} {
			_, err = catalog.New(db).NearestBy(ctx, catalog.VectorQuery{Shop: "a", Space: space.ID(), Field: field, Vector: vector, Limit: catalog.MaxNearest})
			check(err)
		}
		_, err = catalog.New(db).Named(ctx, "a", space.ID(), "8801234567893")
		check(err)
		for _, err = range catalog.New(db).All(ctx, "a", space.ID()) {
			check(err)
		}
	}
	for _, err = range catalog.New(db).All(ctx, "a", "") {
		check(err)
	}
	check(catalog.New(db).Changes(ctx, "a", "", time.Unix(1, 0), func([]catalog.Product, []string) error { return nil }))
	_, err = catalog.New(db).Stats(ctx, "a")
	check(err)
	for _, q := range []catalog.PageQuery{{Shop: "a", Limit: 1}, {Shop: "a", Brand: "tea", Limit: 1}, {Shop: "a", NoGTIN: true, Limit: 1}} {
		_, _, err = catalog.New(db).Page(ctx, q)
		check(err)
	}
	_, err = catalog.New(db).Beginning(ctx, "a", "tea", 1)
	check(err)
	// The catalogue's update after a review.
	reviews := db.Collection("reviews")
	for _, q := range []firestore.Query{reviews.Where("confirms", "==", "a").OrderBy("at", firestore.Desc), reviews.Where("rejecting", "array-contains", "a").Limit(1)} {
		_, err = q.Documents(ctx).GetAll()
		check(err)
	}
	_, err = spend.NewMeter(func(context.Context) (*firestore.Client, error) { return db, nil }, spend.Options{}).Add(ctx, 0)
	check(err)
	batches := &batch.Batches{Config: batch.Config{DB: db}}
	_, _, err = batches.List(ctx, "", 10)
	check(err)
	// What a result that is forgotten is found by elsewhere.
	_, err = batches.Forget(ctx, "result", "", 0)
	check(err)
	tasks := a2a.NewStore(func(context.Context) (*firestore.Client, error) { return db, nil }, jobs.Options{})
	_, err = tasks.Forget(ctx, []string{"hash"})
	check(err)
	_, _, err = (&jobs.LongRuns{LongConfig: jobs.LongConfig{DB: db, Collection: "discoveries"}}).List(ctx, "", 10)
	check(err)
	// The photos of a group by barcode.
	_, err = db.Collection("codes").Where("key", "==", "a").Documents(ctx).GetAll()
	check(err)
	// The progress of a running batch.
	items := db.Collection("batches").Doc("a").Collection("items")
	for _, q := range []firestore.Query{items.Where("near", "==", "result"), items.Where("outcome", "==", "failed").OrderBy(firestore.DocumentID, firestore.Asc), items.OrderBy("ended_at", firestore.Asc).OrderBy(firestore.DocumentID, firestore.Asc)} {
		_, err = q.Documents(ctx).GetAll()
		check(err)
	}
	_, err = items.NewAggregationQuery().WithSum("cost_usd", "sum").Get(ctx)
	check(err)
	// The search for near duplicates within a batch.
	alike := db.Collection("batches").Doc("a").Collection("items").
		FindNearest("phash", make(firestore.Vector32, 64), 1, firestore.DistanceMeasureEuclidean, nil)
	_, err = alike.Documents(ctx).GetAll()
	check(err)
	for _, ctx := range []context.Context{ctx, caller.With(ctx, caller.Caller{Subject: "accounts.google.com:1"})} {
		for _, r := range []protocol.ListTasksRequest{{}, {ContextID: "a"}, {Status: protocol.TaskStateWorking}, {ContextID: "a", Status: protocol.TaskStateWorking}} {
			_, err = tasks.List(ctx, &r)
			check(err)
		}
	}
	return errors.Join(failed...)
}

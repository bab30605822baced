package whatis

import (
	"context"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gcp "cloud.google.com/go/firestore"
	protocol "github.com/a2aproject/a2a-go/v2/a2a"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/api/a2a"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/spend"
	"example.com/whatis/internal/web/caller"
)

// Terraform sets every variable that the configuration reads, and no other.
func TestTerraformSetsEveryVariable(t *testing.T) {
	text, err := os.ReadFile("terraform/services.tf")
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\s+([A-Z][A-Z0-9_]+)\s+= `).FindAllStringSubmatch(string(text), -1) {
		set[m[1]] = true
	}
	// Not of Config: the SDK's of the model, and the framework's.
	for _, other := range []string{"FUNCTION_TARGET", "GOOGLE_CLOUD_LOCATION", "GOOGLE_GENAI_USE_VERTEXAI"} {
		if !set[other] {
			t.Errorf("terraform/services.tf does not set %s", other)
		}
		delete(set, other)
	}
	for name, field := range variables(reflect.TypeFor[app.Config]()) {
		if name != "K_SERVICE" && !set[name] {
			t.Errorf("terraform/services.tf does not set %s, which Config's %s reads", name, field)
		}
		delete(set, name)
	}
	for _, provisioner := range []string{"SERVICE", "REGION", "PROJECT"} {
		delete(set, provisioner)
	}
	if len(set) > 0 {
		t.Errorf("terraform/services.tf sets %q, which nothing reads", slices.Sorted(maps.Keys(set)))
	}
}

// Terraform makes the indexes that the code's queries need, and no others. Every test with
// the Firestore emulator checks its own queries against them as well.
func TestTerraformMakesEveryIndex(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore)
	ask(t, w)
	declared, err := emulate.Declared()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range w.Firestore.Indexes() {
		if !slices.ContainsFunc(declared, func(d firestore.Index) bool { return emulate.Serves(d, n) }) {
			t.Errorf("terraform/firestore.tf makes no index %s", n)
		}
	}
	for _, d := range declared {
		if !slices.ContainsFunc(w.Firestore.Indexes(), func(n firestore.Index) bool { return emulate.Serves(d, n) }) {
			t.Errorf("terraform/firestore.tf makes the index %s, which no query needs", d)
		}
	}
}

// Terraform indexes the single fields that the code's queries ask for, and no
// other.
func TestTerraformIndexesEveryField(t *testing.T) {
	w := emulate.Start(t, emulate.Firestore)
	ask(t, w)
	declared, collections, err := emulate.Indexed()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range w.Firestore.Fields() {
		if collection, _, _ := strings.Cut(f, "."); !slices.Contains(collections, collection) {
			t.Errorf("terraform/firestore.tf has no entry for the collection %s in indexed", collection)
		}
	}
	slices.Sort(declared)
	var asked []string
	for _, f := range w.Firestore.Fields() { // a field of a map is indexed as the map is
		parts := strings.SplitN(f, ".", 3)
		asked = append(asked, strings.Join(parts[:2], "."))
	}
	slices.Sort(asked)
	if asked = slices.Compact(asked); !slices.Equal(asked, declared) {
		t.Errorf("queries ask for %q, and terraform/firestore.tf indexes %q", asked, declared)
	}
}

// ask makes the queries that could need an index, in every form.
func ask(t *testing.T, w *emulate.World) {
	t.Helper()
	db := w.FirestoreClient(t)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	yes := true
	records, err := jobs.NewStore(db, jobs.Options{}).For(intake.Schema)
	check(err)
	for _, source := range []string{"", "image"} {
		for _, doubt := range []*bool{nil, &yes} {
			for _, since := range []time.Time{{}, time.Unix(1, 0)} {
				index := jobs.Index{}
				if source != "" {
					index["source"] = source
				}
				if doubt != nil {
					index["doubt"] = *doubt
				}
				_, err := records.List(t.Context(), jobs.Filter{Index: index, Since: since})
				check(err)
			}
		}
	}
	_, _, _, err = records.Cached(t.Context(), "key")
	check(err)
	_, err = records.Tagged(t.Context(), "tag")
	check(err)
	_, _, err = records.Ranked(t.Context(), "queue", "", 1)
	check(err)
	_, err = records.List(t.Context(), jobs.Filter{Error: "analysis_failed"})
	check(err)
	_, err = catalog.New(db).Known(t.Context(), catalog.Keys{Shop: "a", GTIN: "08801234567893", Brands: []string{"b"}, Names: []string{"c"}, Photo: strings.Repeat("0", 64)})
	check(err)
	vector := make([]float32, catalog.Dimensions)
	vector[0] = 1
	for _, model := range []string{"gemini-embedding-2", "gemini-embedding-001"} {
		space, err := catalog.VectorSpaceOf(model)
		check(err)
		_, err = catalog.New(db).Search(t.Context(), catalog.Query{
			Shop: "a", Lang: "ko", Brand: "b", Space: space, Vector: vector, GTINs: []string{"08801234567893"}, Names: []string{"a"}, Limit: 3,
		})
		check(err)
		for _, field := range []string{catalog.SearchVector, catalog.ImageVector} {
			for _, category := range []string{"", "frames"} {
				_, err = catalog.New(db).NearestBy(t.Context(), catalog.VectorQuery{
					Shop: "a", Space: space.ID(), Field: field, Vector: vector, Category: category, Limit: catalog.MaxNearest,
				})
				check(err)
			}
		}
		for _, order := range []catalog.Order{catalog.Cheapest, catalog.Dearest, catalog.Newest} {
			_, err = catalog.New(db).Ordered(t.Context(), catalog.OrderedQuery{Shop: "a", Space: space.ID(), Offers: []catalog.Offer{{}}, Order: order, Limit: 1})
			check(err)
		}
		_, err = catalog.New(db).CountPriced(t.Context(), "a", space.ID(), "VND")
		check(err)
		_, err = catalog.New(db).Named(t.Context(), "a", space.ID(), "8801234567893")
		check(err)
		for _, err = range catalog.New(db).All(t.Context(), "a", space.ID()) {
			check(err)
		}
		_, err = catalog.New(db).Count(t.Context(), "a", space.ID(), map[string]string{"color": "black", "category": "frames"})
		check(err)
	}
	for _, err = range catalog.New(db).All(t.Context(), "a", "") {
		check(err)
	}
	_, err = catalog.New(db).Stats(t.Context(), "a")
	check(err)
	_, _, err = catalog.New(db).Page(t.Context(), catalog.PageQuery{Shop: "a", Limit: 1})
	check(err)
	_, err = catalog.New(db).Beginning(t.Context(), "a", "tea", 1)
	check(err)
	// The catalogue's update after a review.
	reviews := db.Collection("reviews")
	for _, q := range []gcp.Query{reviews.Where("confirms", "==", "a").OrderBy("at", gcp.Desc), reviews.Where("rejecting", "array-contains", "a").Limit(1)} {
		_, err = q.Documents(t.Context()).GetAll()
		check(err)
	}
	_, err = spend.NewMeter(func(context.Context) (*gcp.Client, error) { return db, nil }, spend.Options{}).Add(t.Context(), 0)
	check(err)
	batches := &batch.Batches{Config: batch.Config{DB: db}}
	_, _, err = batches.List(t.Context(), "", 10)
	check(err)
	// What a result that is forgotten is found by elsewhere.
	_, err = batches.Forget(t.Context(), "result", "", 0)
	check(err)
	_, err = a2a.NewStore(db, time.Hour).Forget(t.Context(), []string{"hash"})
	check(err)
	_, _, err = (&jobs.LongRuns{LongConfig: jobs.LongConfig{DB: db, Collection: "discoveries"}}).List(t.Context(), "", 10)
	check(err)
	// The photos of a group by barcode.
	_, err = db.Collection("codes").Where("key", "==", "a").Documents(t.Context()).GetAll()
	check(err)
	// The progress of a running batch.
	items := db.Collection("batches").Doc("a").Collection("items")
	for _, q := range []gcp.Query{items.Where("near", "==", "result"), items.Where("outcome", "==", "failed").OrderBy(gcp.DocumentID, gcp.Asc), items.OrderBy("ended_at", gcp.Asc).OrderBy(gcp.DocumentID, gcp.Asc)} {
		_, err = q.Documents(t.Context()).GetAll()
		check(err)
	}
	_, err = items.NewAggregationQuery().WithSum("cost_usd", "sum").Get(t.Context())
	check(err)
	// The search for near duplicates within a batch.
	alike := db.Collection("batches").Doc("a").Collection("items").
		FindNearest("phash", make(gcp.Vector32, 64), 1, gcp.DistanceMeasureEuclidean, nil)
	_, err = alike.Documents(t.Context()).GetAll()
	check(err)
	tasks := a2a.NewStore(db, time.Hour)
	for _, ctx := range []context.Context{t.Context(), caller.With(t.Context(), caller.Caller{Subject: "accounts.google.com:1"})} {
		for _, r := range []protocol.ListTasksRequest{{}, {ContextID: "a"}, {Status: protocol.TaskStateWorking}, {ContextID: "a", Status: protocol.TaskStateWorking}} {
			_, err = tasks.List(ctx, &r)
			check(err)
		}
	}
}

// variables returns the fields of a configuration, by the variable that each reads.
func variables(config reflect.Type) map[string]string {
	all := map[string]string{}
	for i := range config.NumField() {
		f := config.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("env"), ",")
		if name != "" {
			all[name] = config.Name() + "." + f.Name
			continue
		}
		maps.Copy(all, variables(f.Type))
	}
	return all
}

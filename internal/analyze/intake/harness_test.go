package intake_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/jpeg"
	"maps"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	gcs "cloud.google.com/go/storage"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
	"example.com/whatis/internal/photo"
)

func TestMain(m *testing.M) { emulate.Run(m) }

// harness is an intake over emulators.
type harness struct {
	*emulate.World
	*intake.Intake
	t       *testing.T
	objects *gcs.Client
	db      *firestore.Client
	model   *gemini.Client
	space   catalog.VectorSpace
}

// setup holds the settings of a harness that tests may change.
type setup struct {
	gemini gemini.Config
	intake intake.Config
	lease  time.Duration
	image  string // the model that reads photos
}

const maxBytes = 100_000

func newHarness(t *testing.T, change ...func(*setup)) *harness {
	t.Helper()
	w := emulate.Start(t, emulate.Firestore, emulate.Gemini, emulate.Storage)
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	d := &harness{World: w, t: t, objects: emulate.StorageClient(t, w), db: w.FirestoreClient(t)}
	s := setup{
		gemini: gemini.Config{BaseURL: w.Gemini.URL(), AllowEmulated: true, Backoff: time.Millisecond},
		intake: intake.Config{
			Objects: blob.New(d.objects), Memory: admission.New(admission.Config{Requests: 100 << 20, Work: 100 << 20, Queue: 100, Patience: time.Minute}),
			Results: "results", Readable: []string{"uploads"},
			Defaults: intake.Options{Country: "KR", Lang: "ko"}, Limits: photo.Limits{MaxBytes: maxBytes},
		},
		lease: 30 * time.Second,
		image: "emulated-image",
	}
	for _, f := range change {
		f(&s)
	}
	s.intake.DB = d.db
	s.intake.Work = jobs.NewStore(d.db, jobs.Options{Lease: s.lease})
	s.intake.Pipeline = d.pipeline(s.gemini, s.image)
	var err error
	if d.Intake, err = intake.New(s.intake); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *harness) pipeline(c gemini.Config, image string) *analyze.Pipeline {
	d.t.Helper()
	var err error
	if d.model, err = gemini.Open(d.t.Context(), c); err != nil {
		d.t.Fatal(err)
	}
	if d.space, err = catalog.VectorSpaceOf("emulated-embedding"); err != nil {
		d.t.Fatal(err)
	}
	p, err := analyze.New(analyze.Config{
		Gemini: d.model, Catalog: catalog.New(d.db), Reviews: review.NewPhotos(d.db), Space: d.space, Shop: "test",
		Models: analyze.Models{Image: image, Judge: "emulated-judge"},
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return p
}

// picture returns an arbitrary photo, always the same.
func picture(t *testing.T) []byte { return shade(t, 0) }

// shade returns such a photo in the given grey.
func shade(t *testing.T, grey uint8) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 40, 30))
	for i := range m.Pix {
		m.Pix[i] = grey
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// upload puts an object into the upload bucket and returns it as in an event.
func (d *harness) upload(name string, data []byte, metadata map[string]string) intake.Delivery {
	d.t.Helper()
	w := d.objects.Bucket("uploads").Object(name).NewWriter(d.t.Context())
	w.Metadata = metadata
	if _, err := w.Write(data); err != nil {
		d.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		d.t.Fatal(err)
	}
	o := delivery("uploads", name, w.Attrs().Generation, metadata)
	o.Size = int64(len(data))
	return o
}

func delivery(bucket, name string, generation int64, metadata map[string]string) intake.Delivery {
	return intake.Delivery{Object: intake.Object{ObjectRef: blob.ObjectRef{Bucket: bucket, Name: name, Generation: generation}, Metadata: metadata}}
}

// Object delivers o.
func (d *harness) Object(ctx context.Context, o intake.Delivery) error {
	_, err := d.Item(ctx, o)
	return err
}

// Item delivers o, and returns the outcome.
func (d *harness) Item(ctx context.Context, o intake.Delivery) (jobs.Outcome, error) {
	return d.Run.Deliver(ctx, d.Job(ctx, o))
}

// deliver delivers o, which must be acknowledged.
func (d *harness) deliver(o intake.Delivery) {
	d.t.Helper()
	if err := d.Object(d.t.Context(), o); err != nil {
		d.t.Fatalf("Object(%s) = %v, want it acknowledged", o.Name, err)
	}
}

// refused delivers o, which must fail for now, and returns the error.
func (d *harness) refused(o intake.Delivery) error {
	d.t.Helper()
	err := d.Object(d.t.Context(), o)
	if err == nil {
		d.t.Fatalf("Object(%s) = nil, want an error that has it delivered again", o.Name)
	}
	return err
}

// result returns the result of an object from the bucket.
func (d *harness) result(name string) (analyze.Result, bool) {
	d.t.Helper()
	r, err := d.objects.Bucket("results").Object(name + ".json").NewReader(d.t.Context())
	if errors.Is(err, gcs.ErrObjectNotExist) {
		return analyze.Result{}, false
	}
	if err != nil {
		d.t.Fatal(err)
	}
	defer r.Close()
	var result analyze.Result
	if err := json.NewDecoder(r).Decode(&result); err != nil {
		d.t.Fatal(err)
	}
	return result, true
}

// records returns all work records by the name of their object.
func (d *harness) records() map[string]jobs.Record {
	d.t.Helper()
	docs, err := d.db.Collection("work").Documents(d.t.Context()).GetAll()
	if err != nil {
		d.t.Fatal(err)
	}
	records := map[string]jobs.Record{}
	for _, doc := range docs {
		r, err := d.Work.Get(d.t.Context(), doc.Ref.ID)
		if err != nil {
			d.t.Fatal(err)
		}
		records[r.Subject] = r
	}
	return records
}

// wantWork checks state and attempts of an object's record.
func (d *harness) wantWork(name string, state jobs.State, attempts int) {
	d.t.Helper()
	if r := d.records()[name]; r.State != state || r.Attempts != attempts {
		d.t.Errorf("the work of %s is %q after %d attempts, want %q after %d", name, r.State, r.Attempts, state, attempts)
	}
}

// calls counts all model calls, good or not.
func (d *harness) calls() int { return len(d.Gemini.Calls()) }

// paid counts the model calls that were answered, by kind.
func (d *harness) paid() map[emulated.Kind]int {
	kinds := map[emulated.Kind]int{}
	for _, c := range d.Gemini.Calls() {
		if c.Status == 200 && c.Fault == "" {
			kinds[c.Kind]++
		}
	}
	return kinds
}

// wantCalls checks how many model calls of any kind there were so far.
func (d *harness) wantCalls(want int) {
	d.t.Helper()
	if n := d.calls(); n != want {
		d.t.Errorf("%d model calls so far, want %d", n, want)
	}
}

func (d *harness) wantPaid(want map[emulated.Kind]int) {
	d.t.Helper()
	if got := d.paid(); !maps.Equal(got, want) {
		d.t.Errorf("paid calls by kind = %v, want %v", got, want)
	}
}

// await waits until ok, for a minute at most.
func (d *harness) await(what string, ok func() bool) {
	d.t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			d.t.Fatalf("waited in vain: %s", what)
		}
	}
}

// stock puts a product into the catalogue that matches features but is not picked by
// the judge.
func (d *harness) stock() {
	d.t.Helper()
	v, err := d.model.Embed(d.t.Context(), gemini.EmbedRequest{Model: d.space.Model, Prefix: d.space.Prefix, Texts: []string{strings.Join(features, " ")}})
	if err != nil {
		d.t.Fatal(err)
	}
	_, err = catalog.New(d.db).Create(d.t.Context(), catalog.Product{
		Shop: "test", ProductName: "옥수수차", Brand: "다른곳", Category: "Beverage", KeyFeatures: features,
		Country: "KR", Lang: "ko", Status: catalog.Unconfirmed, Source: "import", Vectors: catalog.Vectors{Embedder: d.space.ID(), Embedding: v[0]},
	})
	if err != nil {
		d.t.Fatal(err)
	}
	d.Gemini.ResetCalls()
}

var features = []string{"보리차", "볶은 곡물", "500 ml", "초록 라벨", "페트병", "무가당", "카페인 없음", "국산 보리"}

// The answers for a photo that is hard to read: the catalogue has a similar product,
// the judge rejects it, the web search finds the right one.
func unclear() []emulated.Answer {
	const found = "It is 햇살마루 보리차."
	return []emulated.Answer{
		{Kind: answers.KindImage, JSON: analyze.Analysis{
			VisibleText:   []analyze.Line{{Text: "햇살마루", Clear: true}, {Text: "보리차", Clear: true}, {Text: "볶은 곡물", Clear: true}},
			NameAsPrinted: "보리차", BrandAsPrinted: "햇살마루", SubBrands: []string{}, Dates: []analyze.Date{}, Category: "Beverage",
			KeyFeatures: features, ProductName: "보리차", Brand: "햇살마루",
			ProductNameConfidence: 0.5, BrandConfidence: 0.5, KnownProduct: analyze.Yes, ProductsSeen: 1, Side: analyze.SideFront,
		}},
		{Kind: answers.KindJudge, JSON: analyze.Judgement{}},
		{Kind: answers.KindSearch, Text: found, Grounding: &emulated.Grounding{
			Queries:  []string{"햇살마루 보리차"},
			Chunks:   []emulated.GroundingChunk{{Web: emulated.WebSource{URI: "https://shop.example/tea", Title: "shop.example"}}},
			Supports: []emulated.GroundingSupport{{Segment: emulated.Segment{End: len(found), Text: found}, Chunks: []int{0}}},
			Entry:    &emulated.SearchEntryPoint{HTML: "<b>chips</b>"},
		}},
		{Kind: answers.KindStructure, JSON: analyze.Finding{Found: true, ProductName: "햇살마루 보리차", Brand: "햇살마루",
			Category: "Beverage", Supported: []string{"보리차"}, Probability: 0.8, Evidence: "이름이 같다"}},
	}
}

// everyStep counts the calls for such a photo.
var everyStep = map[emulated.Kind]int{
	answers.KindImage: 1, emulated.KindEmbed: 1, answers.KindJudge: 1, answers.KindSearch: 1, answers.KindStructure: 1,
}

// ask analyses p, which must succeed.
func (d *harness) ask(p intake.Photo) analyze.Result {
	d.t.Helper()
	r, err := d.Photo(d.t.Context(), p, nil)
	if err != nil {
		d.t.Fatalf("Photo(%+v) = %v", p.Options, err)
	}
	return r
}

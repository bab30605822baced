package intake_test

import (
	"fmt"
	"slices"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/gemini"
)

// A case of the decision table, and its budget of Firestore calls.
type budgetCase struct {
	name    string
	source  string
	answers []emulated.Answer
	stock   bool // the catalogue has the product
	gtin    string
	http    int // calls for a photo over HTTP
	event   int // calls for an upload, with its claim, checkpoints and end
}

// record returns 1 for a case that a record of the catalogue answers.
func (c budgetCase) record() int {
	if c.source == "local_db" {
		return 1
	}
	return 0
}

// read returns image_analyzer's answer: the tea, with a confidence, and the printed
// GTIN, if any.
func read(sure float64, gtin string) emulated.Answer {
	a := unclear()[0].JSON.(analyze.Analysis)
	a.ProductNameConfidence, a.BrandConfidence = sure, sure
	if gtin != "" {
		a.VisibleText = append(slices.Clone(a.VisibleText), analyze.Line{Text: gtin, Clear: true})
		a.Codes = []analyze.Code{{}}
	}
	return emulated.Answer{Kind: answers.KindImage, JSON: a}
}

func budgetCases() []budgetCase {
	const gtin = "8801234567893"
	picked := emulated.Answer{Kind: answers.KindJudge, JSON: analyze.Judgement{Pick: 1}}
	web := unclear()[2:]
	return []budgetCase{
		{name: "image", source: "image", answers: []emulated.Answer{read(0.95, "")}, http: 3, event: 5},
		{name: "image with a GTIN that nobody knows", source: "image", answers: []emulated.Answer{read(0.95, gtin)}, http: 3, event: 5},
		{name: "local_db by GTIN", source: "local_db", answers: []emulated.Answer{read(0.95, gtin)}, stock: true, gtin: "0" + gtin, http: 3, event: 5},
		{name: "local_db", source: "local_db", answers: []emulated.Answer{read(0.5, ""), picked}, stock: true, http: 5, event: 10},
		{name: "local_db with a GTIN", source: "local_db", answers: []emulated.Answer{read(0.5, gtin), picked}, stock: true, http: 5, event: 10},
		{name: "google_search", source: "google_search", answers: append([]emulated.Answer{read(0.5, ""), {Kind: answers.KindJudge, JSON: analyze.Judgement{}}}, web...),
			stock: true, http: 5, event: 12},
		{name: "google_search in an empty catalogue", source: "google_search", answers: append([]emulated.Answer{read(0.5, "")}, web...), http: 6, event: 12},
	}
}

// Each row of the decision table keeps within its budget of Firestore's calls, and
// the same bytes again cost the look for whose turn it is, the cache query, and the record of the
// catalogue that answered. Whether people have said something of the photo is known from the first
// call; only then is it read.
func TestFirestoreBudget(t *testing.T) {
	t.Parallel()
	for _, test := range budgetCases() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newHarness(t)
			d.tea(test)
			d.Gemini.Script(test.answers...)
			d.Firestore.ResetCalls()
			r := d.ask(intake.Photo{Data: picture(t)})
			d.wantFirestore("over HTTP", r, test.source, test.http)
			d.Firestore.ResetCalls()
			again := d.ask(intake.Photo{Data: picture(t)})
			d.wantFirestore("the same bytes again", again, test.source, 2+test.record())
		})
	}
}

// An upload also costs its claim, a checkpoint for each saved step but the last, its end, and a look
// for what people say of the photo by then; the same bytes again cost the claim, the look for whose
// turn it is, the cache query, the record that answered, what people say of the photo, the end, and
// what people say by then.
func TestFirestoreBudgetOfUploads(t *testing.T) {
	t.Parallel()
	for _, test := range budgetCases() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newHarness(t)
			d.tea(test)
			d.Gemini.Script(test.answers...)
			for _, o := range []struct {
				name string
				most int
			}{{"first.jpg", test.event}, {"the-same-bytes.jpg", 6 + test.record()}} {
				delivery := d.upload(o.name, picture(t), nil)
				d.Firestore.ResetCalls()
				d.deliver(delivery)
				r, _ := d.result(o.name)
				d.wantFirestore(o.name, r, test.source, o.most)
			}
		})
	}
}

// A photo that waits for a quota, or for the next day's budget, costs six writes and three reads
// at each delivery: scripts/bill_test.go reckons with them.
func TestFirestoreBudgetOfWaiting(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	delivery := d.upload("a.jpg", picture(t), nil)
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.DailyQuota})
	for i := range 3 {
		d.Firestore.ResetCalls()
		if _, err := d.Run.Deliver(t.Context(), d.Job(t.Context(), delivery)); err == nil {
			t.Fatal("a photo without a quota is done")
		}
		calls := d.Firestore.Calls()
		writes, all := calls["Commit"]+calls["BatchWrite"], 0
		for _, n := range calls {
			all += n
		}
		if writes > 6 || all-writes > 3 {
			t.Errorf("delivery %d took the calls %v, want at most 6 writes and 3 reads", i+1, calls)
		}
	}
}

// tea puts the product of a case into the catalogue.
func (d *harness) tea(c budgetCase) {
	d.t.Helper()
	if !c.stock {
		return
	}
	v, err := d.model.Embed(d.t.Context(), gemini.EmbedRequest{Model: d.space.Model, Prefix: d.space.Prefix, Texts: []string{fmt.Sprint(features[0], " ", features[1])}})
	if err != nil {
		d.t.Fatal(err)
	}
	_, err = catalog.New(d.db).Create(d.t.Context(), catalog.Product{
		Shop: "test", ProductName: "보리차", Brand: "햇살마루", Category: "Beverage", KeyFeatures: features, GTIN: c.gtin,
		Country: "KR", Lang: "ko", Status: catalog.Imported, Source: "import", Vectors: catalog.Vectors{Embedder: d.space.ID(), Embedding: v[0]},
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// wantFirestore checks a result and how many calls it took.
func (d *harness) wantFirestore(what string, r analyze.Result, source string, most int) {
	d.t.Helper()
	calls, all := d.Firestore.Calls(), 0
	for _, n := range calls {
		all += n
	}
	if r.Identification == nil || string(r.Source) != source || all > most {
		d.t.Errorf("%s: %+v took %d calls of Firestore, %v; want %s with at most %d", what, r.Identification, all, calls, source, most)
	}
}

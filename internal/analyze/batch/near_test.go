package batch_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"slices"
	"strings"
	"testing"

	cloud "cloud.google.com/go/firestore"
	"golang.org/x/image/draw"
	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/emulators/firestore"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/jobs"
)

// jpegOf returns m as a JPEG.
func jpegOf(t *testing.T, m image.Image, quality int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: quality}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// third returns m at a third of its size.
func third(m image.Image) image.Image {
	out := image.NewRGBA(image.Rect(0, 0, m.Bounds().Dx()/3, m.Bounds().Dy()/3))
	draw.BiLinear.Scale(out, out.Rect, m, m.Bounds(), draw.Src, nil)
	return out
}

// even returns a picture of one grey.
func even(grey uint8) image.Image {
	m := image.NewGray(image.Rect(0, 0, 90, 60))
	draw.Draw(m, m.Rect, image.NewUniform(color.Gray{grey}), image.Point{}, draw.Src)
	return m
}

// dated returns the reading of a photo that decides alone, with its date.
func dated() analyze.Analysis {
	a := readable()
	a.VisibleText = append(a.VisibleText, analyze.Line{Text: "소비기한 2027.03.15", Clear: true})
	a.Dates = []analyze.Date{{Text: "2027.03.15", Label: "소비기한", Kind: "use_by"}}
	return a
}

// dim returns the reading of a photo that does not decide alone.
func dim() analyze.Analysis {
	a := readable()
	a.ProductName, a.NameAsPrinted = "리차", "리차"
	a.ProductNameConfidence, a.BrandConfidence = 0.5, 0.5
	return a
}

// script makes the model read photos in this order, pick the first candidate that it
// is offered, and find nothing on the web.
func (d *harness) script(read ...analyze.Analysis) {
	for _, a := range read {
		d.Gemini.Script(emulated.Answer{Kind: answers.KindImage, JSON: a})
		for range 2 {
			d.Gemini.Script(emulated.Answer{Kind: answers.KindSearch, Text: "Nothing.", Grounding: &emulated.Grounding{Queries: []string{"보리차"}}})
		}
		d.Gemini.Script(emulated.Answer{Kind: answers.KindJudge, JSON: analyze.Judgement{Pick: 1, Reason: "같은 라벨"}})
	}
}

// looked does all photos of a batch in order, and returns their results.
func (d *harness) looked(dedupe bool, number int) (id string, results []analyze.Result) {
	d.t.Helper()
	s := d.create(batch.Request{Prefix: "gs://uploads/", Dedupe: dedupe})
	if s.Dedupe != dedupe {
		d.t.Errorf("the status says dedupe %v, want %v", s.Dedupe, dedupe)
	}
	for range 2 { // expand, hand
		d.do(d.take()...)
	}
	d.Firestore.ResetCalls()
	d.do(d.take()...)
	lines := d.written(s.ID)
	if len(lines) != number {
		d.t.Fatalf("%d photos have ended, want %d", len(lines), number)
	}
	for _, l := range lines {
		results = append(results, l.Result)
	}
	return s.ID, results
}

func told(r analyze.Result) string {
	if r.Identification == nil {
		return r.Error
	}
	s := fmt.Sprintf("row %d %s %q", r.Decision.Row, r.ProductName, r.ExpirationDate)
	if r.Source == analyze.FromLocalDB {
		s += " " + r.RAGConfidence.Evidence
	}
	return s
}

// offered returns the texts with candidates that the judge got.
func (d *harness) offered() (texts []string) {
	for _, c := range d.Gemini.Calls() {
		if text := strings.Join(c.Texts, "\n"); c.Kind == answers.KindJudge && strings.Contains(text, `"number":1`) {
			texts = append(texts, text)
		}
	}
	return texts
}

// A photo and its copy of a third of the size and of quality 60: with dedupe the
// judge is offered the first one's product, without its date. Without dedupe it is
// offered nothing.
func TestNearDuplicates(t *testing.T) {
	t.Parallel()
	pack, other := samples.All()[0].Image(), samples.All()[2].Image()
	const twin = `row 4 보리차 "" near duplicate of 햇살마루 보리차: 같은 라벨`
	const alone, unknown = `row 3 보리차 "2027.03.15"`, `row 6 리차 ""`
	noProduct := func() analyze.Analysis {
		return analyze.Analysis{NotProduct: true, KnownProduct: analyze.Unsure, Side: analyze.SideDocument}
	}
	tests := []struct {
		name    string
		dedupe  bool
		first   func() analyze.Analysis // what is read on the first photo; the others are dim
		photos  []image.Image
		want    []string
		vectors int // how many items can be found
	}{
		{"copies", true, dated, []image.Image{pack, third(pack), third(third(pack))}, []string{alone, twin, twin}, 3},
		{"another photo", true, dated, []image.Image{pack, other}, []string{alone, unknown}, 1},
		{"a copy of what nobody knows", true, dim, []image.Image{pack, third(pack)}, []string{unknown, unknown}, 0},
		{"a copy of no product", true, noProduct, []image.Image{pack, third(pack)}, []string{analyze.NotAProduct, unknown}, 0},
		{"photos of one colour", true, dated, []image.Image{even(40), even(60)}, []string{alone, unknown}, 0},
		{"without dedupe", false, dated, []image.Image{pack, third(pack)}, []string{alone, unknown}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newHarness(t)
			d.manual()
			d.script(test.first())
			for i, m := range test.photos {
				d.upload("uploads", fmt.Sprintf("%d.jpg", i), jpegOf(t, m, max(60, 95-35*i)))
				d.script(dim())
			}
			id, results := d.looked(test.dedupe, len(test.photos))
			for i, want := range test.want {
				if got := told(results[i]); got != want {
					t.Errorf("photo %d is %s, want %s", i, got, want)
				}
			}
			twins := strings.Count(strings.Join(test.want, "\n"), twin)
			if offered := d.offered(); len(offered) != twins || strings.Contains(strings.Join(offered, ""), "2027") {
				t.Errorf("the judge was offered candidates %d times, %q; want %d without a date", len(offered), offered, twins)
			}
			if got := d.vectors(id); got != test.vectors {
				t.Errorf("%d items have a vector, want %d", got, test.vectors)
			}
		})
	}
}

// vectors returns how many items of a batch have a vector.
func (d *harness) vectors(id string) (n int) {
	for _, doc := range d.stored(id) {
		if _, ok := doc.Data()["phash"]; ok {
			n++
		}
	}
	return n
}

// A search for near duplicates is one query a photo, and without dedupe none. If it
// fails, the photo only lacks candidates.
func TestNearDuplicatesCost(t *testing.T) {
	t.Parallel()
	queries := map[bool]int{}
	for _, dedupe := range []bool{false, true} {
		d := newHarness(t)
		d.manual()
		d.photos(4) // the first is of one colour: it has no hash to search by
		d.looked(dedupe, 4)
		queries[dedupe] = d.Firestore.Calls()["RunQuery"]
	}
	if queries[true] != queries[false]+3 {
		t.Errorf("four photos take %d queries, and %d with dedupe; want three more", queries[false], queries[true])
	}
	d := newHarness(t)
	d.manual()
	d.upload("uploads", "a.jpg", jpegOf(t, samples.All()[0].Image(), 90))
	d.script(dated())
	d.Firestore.Fail(firestore.Fault{Method: "RunQuery", Code: codes.FailedPrecondition}) // as where there is no index
	if _, results := d.looked(true, 1); told(results[0]) != `row 3 보리차 "2027.03.15"` {
		t.Errorf("without an index the photo is %s, want it analysed", told(results[0]))
	}
}

// A cached result of the same bytes can be a candidate like a new one.
func TestNearDuplicatesOfWhatWasRecalled(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.manual()
	pack := samples.All()[0].Image()
	d.upload("uploads", "0.jpg", jpegOf(t, pack, 90))
	d.script(dated())
	d.looked(false, 1)
	d.upload("uploads", "1.jpg", jpegOf(t, third(pack), 60))
	d.Gemini.ResetScript()
	d.script(dim())
	_, results := d.looked(true, 2)
	if !results[0].Cached || results[1].Cached || !strings.Contains(told(results[1]), "near duplicate of 햇살마루 보리차") {
		t.Errorf("the photos are %s and %s, want the first recalled and the second its near duplicate", told(results[0]), told(results[1]))
	}
}

// commented returns a JPEG with a comment that no decoder shows.
func commented(photo []byte, comment string) []byte {
	segment := append([]byte{0xff, 0xfe, 0, byte(2 + len(comment))}, comment...)
	return slices.Concat(photo[:2], segment, photo[2:])
}

// Copies that differ only in their metadata are paid once with dedupe, all tasks at once,
// and each keeps its own file, hash and number. Another picture of the same size is paid,
// and without dedupe each is.
func TestCopiesArePaidOnce(t *testing.T) {
	t.Parallel()
	const copies = 12
	for dedupe, want := range map[bool]int{true: 2, false: copies + 1} {
		d := newHarness(t)
		pack := samples.All()[0].Image()
		for i := range copies {
			d.upload("uploads", fmt.Sprintf("%02d.jpg", i), commented(jpegOf(t, pack, 90), fmt.Sprint("taken at ", i)))
		}
		d.upload("uploads", "other.jpg", jpegOf(t, samples.All()[2].Image(), 90))
		for range copies + 1 {
			d.Gemini.Script(emulated.Answer{Kind: answers.KindImage, JSON: dated()})
		}
		d.pushed(eventarc.Route{Duplicates: 1})
		s := d.create(batch.Request{Prefix: "gs://uploads/", Dedupe: dedupe})
		d.quiet()
		s = d.wantState(s.ID, jobs.Done, map[string]int{batch.FromImage: copies + 1})
		lines, _, _ := d.summary(s.ResultURI)
		seen := map[string]bool{}
		for _, l := range lines {
			i := l.Result.Image
			seen[i.SHA256] = true
			if i.URI != l.File || i.Width == 0 || l.Result.ProductName == "" || l.Result.ExpirationDate != "2027.03.15" {
				t.Errorf("the result of %s is %+v of %+v, want that of its own file", l.File, told(l.Result), i)
			}
		}
		if len(seen) != copies+1 {
			t.Errorf("%d hashes, want one for each file", len(seen))
		}
		if n := d.imageCalls(); n != want {
			t.Errorf("with dedupe %v: %d readings, want %d", dedupe, n, want)
		}
	}
}

// A photo that the cache answers is one whose copies are paid for already.
func TestCopiesOfWhatWasRecalled(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.manual()
	pack := jpegOf(t, samples.All()[0].Image(), 90)
	d.upload("uploads", "0.jpg", pack)
	d.script(dated())
	d.looked(false, 1)
	for i := range 3 {
		d.upload("uploads", fmt.Sprint(i+1, ".jpg"), commented(pack, fmt.Sprint("taken at ", i)))
	}
	_, results := d.looked(true, 4)
	if n := d.imageCalls(); n != 1 || !results[0].Cached || !results[3].Cached {
		t.Errorf("%d readings, want that of the first batch alone", n)
	}
}

// imageCalls returns how many photos were read by the model.
func (d *harness) imageCalls() (n int) {
	for _, c := range d.Gemini.Calls() {
		if c.Kind == answers.KindImage {
			n++
		}
	}
	return n
}

// What a person says of a photo counts for those like it that come after it: no product, and a name
// that is rejected, are no candidates any more, a corrected name is one, and so is the first after
// an undo.
func TestNearDuplicatesOfWhatWasCorrected(t *testing.T) {
	t.Parallel()
	named := catalog.Product{ProductName: "옥수수차", Brand: "햇살마루", Category: "Beverage", Lang: "ko"}
	for _, tt := range []struct {
		says []review.Verdict
		want string
	}{
		{[]review.Verdict{{Revision: 1, Nothing: true}}, `row 6 리차 ""`},
		{[]review.Verdict{{Revision: 1, Rejected: []review.Name{{ProductName: "보리차", Brand: "햇살마루"}}}}, `row 6 리차 ""`},
		{[]review.Verdict{{Revision: 1, Product: &named}}, `row 4 옥수수차 "" near duplicate of 햇살마루 옥수수차: 같은 라벨`},
		{[]review.Verdict{{Revision: 1, Nothing: true}, {Revision: 2}}, `row 4 보리차 "" near duplicate of 햇살마루 보리차: 같은 라벨`},
	} {
		d := newHarness(t)
		d.manual()
		pack := samples.All()[0].Image()
		d.upload("uploads", "0.jpg", jpegOf(t, pack, 90))
		d.upload("uploads", "1.jpg", jpegOf(t, third(pack), 60))
		d.script(dated(), dim())
		id, tasks := d.handedOutAs(batch.Request{Dedupe: true}, 2)
		d.do(tasks[0])
		for _, v := range tt.says {
			d.review(d.written(id)[0].Result, v)
		}
		d.do(tasks[1])
		if got := told(d.written(id)[1].Result); got != tt.want {
			t.Errorf("after %+v a near duplicate is %s, want %s", tt.says, got, tt.want)
		}
	}
}

// review has a result corrected as v says, wherever it is.
func (d *harness) review(r analyze.Result, v review.Verdict) {
	d.t.Helper()
	done, err := d.Intake.Correct(d.t.Context(), r.ID, []string{r.Image.SHA256}, v, true)
	if err == nil {
		_, err = d.Correct(d.t.Context(), done)
	}
	if err != nil {
		d.t.Fatalf("the review of %s as %+v: %v", r.ID, v, err)
	}
}

// What was answered by a near duplicate is derived anew when that one is corrected, while the batch
// runs and after it, and over several; what people say of the photo itself comes first.
func TestNearDuplicatesFollow(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.manual()
	pack := samples.All()[0].Image()
	for i, m := range []image.Image{pack, third(pack), third(third(pack)), samples.All()[2].Image()} {
		d.upload("uploads", fmt.Sprintf("%d.jpg", i), jpegOf(t, m, max(60, 95-35*i)))
	}
	d.script(dated(), dim(), dim(), readable())
	id, tasks := d.handedOutAs(batch.Request{Dedupe: true}, 4)
	d.do(tasks[:3]...)
	of := func(i int) analyze.Result { return d.written(id)[i].Result }
	if of(1).NearDuplicate == nil || of(1).NearDuplicate.ID != of(0).ID {
		t.Fatalf("the second is a near duplicate of %+v, want %s", of(1).NearDuplicate, of(0).ID)
	}
	const first, nameless = `row 4 보리차 "" near duplicate of 햇살마루 보리차: 같은 라벨`, `row 6  ""`
	const corrected = `row 4 옥수수차 "" near duplicate of 햇살마루 옥수수차, as that was corrected`
	holds := func(when string, want ...string) {
		t.Helper()
		for i, want := range want {
			kept, err := d.Intake.Result(t.Context(), of(i+1).ID)
			if told(of(i+1)) != want || err != nil || told(kept.Public) != want {
				t.Errorf("%s photo %d is %s in the file and %s in the record, %v; want %s", when, i+1, told(of(i+1)), told(kept.Public), err, want)
			}
		}
	}
	named := catalog.Product{ProductName: "옥수수차", Brand: "햇살마루", Category: "Beverage", Lang: "ko"}
	d.review(of(0), review.Verdict{Revision: 1, Nothing: true})
	holds("after no product", nameless, nameless)
	d.review(of(0), review.Verdict{Revision: 2})
	holds("after it was taken back", first, first)
	d.review(of(0), review.Verdict{Revision: 3, Product: &named})
	holds("after another product", corrected, corrected)
	d.do(tasks[3])
	own := catalog.Product{ProductName: "현미차", Brand: "햇살마루", Category: "Beverage", Lang: "ko"}
	d.review(of(1), review.Verdict{Revision: 1, Product: &own})
	holds("after a review of its own", `row 1 현미차 "" a person said what this photo shows`, corrected)
	d.review(of(0), review.Verdict{Revision: 4, Rejected: []review.Name{{ProductName: "보리차", Brand: "햇살마루"}}})
	holds("after the first is rejected, too", `row 1 현미차 "" a person said what this photo shows`, nameless)
}

// An item that another version has written, so that this one cannot read its result, or only in part,
// is no candidate.
func TestNearDuplicateOfAnotherVersion(t *testing.T) {
	t.Parallel()
	for _, result := range []string{`{"image": "another shape"}`, `{"product_name": "보리차"}`} {
		d := newHarness(t)
		d.manual()
		pack := samples.All()[0].Image()
		d.upload("uploads", "0.jpg", jpegOf(t, pack, 90))
		d.upload("uploads", "1.jpg", jpegOf(t, third(pack), 60))
		d.upload("uploads", "2.jpg", jpegOf(t, samples.All()[2].Image(), 90)) // so that the batch goes on
		d.script(dated(), dim())
		id, tasks := d.handedOutAs(batch.Request{Dedupe: true}, 3)
		d.do(tasks[0])
		item := d.db.Doc("batches/" + id + "/items/000000")
		before, err := item.Get(t.Context())
		if err == nil {
			_, err = item.Update(t.Context(), []cloud.Update{{Path: "result", Value: result}})
		}
		if err != nil {
			t.Fatal(err)
		}
		d.do(tasks[1])
		if _, err := item.Update(t.Context(), []cloud.Update{{Path: "result", Value: before.Data()["result"]}}); err != nil {
			t.Fatal(err)
		}
		if got := told(d.written(id)[1].Result); got != `row 6 리차 ""` {
			t.Errorf("behind %s the second is %s, want it read by itself", result, got)
		}
	}
}

// A result that is corrected before its photo has an item waits for it; one that is derived from what
// is corrected meanwhile is derived anew when it has one.
func TestReviewedBeforeTheItem(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.manual()
	pack := samples.All()[0].Image()
	for i, m := range []image.Image{pack, third(pack), samples.All()[2].Image()} {
		d.upload("uploads", fmt.Sprintf("%d.jpg", i), jpegOf(t, m, max(60, 95-35*i)))
	}
	d.script(dated(), dim(), readable())
	id, tasks := d.handedOutAs(batch.Request{Dedupe: true}, 3)
	d.do(tasks[:2]...)
	lines := d.written(id)
	for i := range 2 { // as if the instance had died before it created them
		if _, err := d.db.Doc("batches/" + id + "/items/" + fmt.Sprintf("%06d", i)).Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	named := catalog.Product{ProductName: "옥수수차", Brand: "햇살마루", Category: "Beverage", Lang: "ko"}
	r, v := lines[0].Result, review.Verdict{Revision: 1, Product: &named}
	done, err := d.Intake.Correct(t.Context(), r.ID, []string{r.Image.SHA256}, v, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Correct(t.Context(), done); !errors.Is(err, batch.ErrNoItem) {
		t.Errorf("without its item the correction is %v, want %v", err, batch.ErrNoItem)
	}
	d.do(tasks[0])
	d.review(r, v)
	d.do(tasks[1])
	for i, want := range []string{`row 1 옥수수차 "2027.03.15" a person said what this photo shows`, `row 4 옥수수차 "" near duplicate of 햇살마루 옥수수차, as that was corrected`} {
		if got := told(d.written(id)[i].Result); got != want {
			t.Errorf("photo %d is %s, want %s", i, got, want)
		}
	}
}

// An answer for which near duplicates were candidates is that of its batch alone; copies of the
// photo there have it.
func TestNearDuplicatesAreOfTheirBatch(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.manual()
	pack := samples.All()[0].Image()
	copied := jpegOf(t, third(pack), 60)
	d.upload("uploads", "0.jpg", jpegOf(t, pack, 90))
	d.upload("uploads", "1.jpg", copied)
	d.upload("uploads", "2.jpg", copied)
	d.upload("uploads", "3.jpg", commented(copied, "another camera"))
	d.script(dated(), dim())
	const twin = `row 4 보리차 "" near duplicate of 햇살마루 보리차: 같은 라벨`
	_, results := d.looked(true, 4)
	for i, r := range results[1:] {
		if told(r) != twin || r.Cached != (i > 0) {
			t.Errorf("photo %d is %s, cached %v; want it read once as a near duplicate", i+1, told(r), r.Cached)
		}
	}
	d.Gemini.ResetScript()
	d.script(dim(), dim())
	r, err := d.Intake.Photo(t.Context(), intake.Photo{Data: copied}, nil)
	if err != nil || r.Cached || told(r) != `row 6 리차 ""` {
		t.Errorf("asked elsewhere the photo is %s, cached %v, %v; want it read by itself", told(r), r.Cached, err)
	}
	if err := d.objects.Bucket("uploads").Object("0.jpg").Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, results = d.looked(true, 3); told(results[0]) != `row 6 리차 ""` || !results[0].Cached {
		t.Errorf("in another batch, without the first photo, it is %s, cached %v", told(results[0]), results[0].Cached)
	}
}

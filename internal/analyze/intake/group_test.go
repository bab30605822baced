package intake_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/jobs"
)

// quiet is how long a group waits for further photos in these tests.
const quiet = 1500 * time.Millisecond

func newGroups(t *testing.T) *harness {
	t.Helper()
	return newHarness(t, func(s *setup) { s.intake.GroupQuiet = quiet })
}

// arrive delivers o once, as function Upload does.
func (d *harness) arrive(o intake.Delivery) error {
	g, err := d.Grouped(d.t.Context(), o)
	if err != nil {
		return err
	}
	return d.Object(d.t.Context(), g)
}

// deliverGroups delivers each of all until each is acknowledged, as Pub/Sub does.
func (d *harness) deliverGroups(all ...intake.Delivery) {
	d.t.Helper()
	for end := time.Now().Add(time.Minute); len(all) > 0; {
		var again []intake.Delivery
		for _, o := range all {
			err := d.arrive(o)
			if errors.Is(err, jobs.ErrBusy) {
				again = append(again, o)
			} else if err != nil {
				d.t.Fatalf("Deliver(%s) = %v", o.Name, err)
			}
		}
		if all = again; len(all) > 0 && time.Now().After(end) {
			d.t.Fatalf("%d deliveries are never acknowledged", len(all))
		}
		time.Sleep(quiet / 30)
	}
}

var byFolder = map[string]string{"group": "folder"}

// Photos of a folder are one question and one result, however often and in which order
// their events come. A broken photo and one that was deleted are left out, with the
// reasons; a photo of a subfolder and one without group are not of it.
func TestGroupByFolder(t *testing.T) {
	t.Parallel()
	d := newGroups(t)
	var all []intake.Delivery
	for i := range 3 {
		all = append(all, d.upload(fmt.Sprintf("tea/%d.jpg", i), shade(t, uint8(20*i)), byFolder))
	}
	all = append(all, d.upload("tea/broken.jpg", []byte("no photo"), byFolder))
	alone := d.upload("tea/alone.jpg", shade(t, 200), nil)
	below := d.upload("tea/box/0.jpg", shade(t, 210), byFolder)
	if err := d.arrive(all[0]); !errors.Is(err, jobs.ErrBusy) || d.calls() != 0 {
		t.Fatalf("Deliver while photos come = %v after %d calls, want it delivered again", err, d.calls())
	}
	slices.Reverse(all)
	d.deliverGroups(append(append(all, all...), alone, below)...)
	r, ok := d.result("tea.folder")
	if !ok || r.Image.URI != "gs://uploads/tea/0.jpg" || len(r.MoreImages) != 3 || !slices.Contains(r.Warnings, "photos_left_out") {
		t.Fatalf("tea.folder.json = %v, %+v; want all four photos, one left out", ok, r)
	}
	if last := r.MoreImages[2]; last.URI != "gs://uploads/tea/broken.jpg" || !strings.Contains(last.Error, "send a photo") {
		t.Errorf("the last photo is %+v, want the broken one with the reason", last)
	}
	if n := d.paid()[answers.KindImage]; n != 3 {
		t.Errorf("%d readings, want one of the folder, one of the photo alone and one of the subfolder", n)
	}
	for name, want := range map[string]bool{"tea/0.jpg": false, "tea/alone.jpg": true, "tea/box.folder": true, "tea": false, "tea/broken.jpg": false} {
		if _, ok := d.result(name); ok != want {
			t.Errorf("%s.json: %v, want %v", name, ok, want)
		}
	}
	d.lateComes(all)
}

// lateComes uploads one more photo into the folder: the answer of all takes the place of
// the first. Late duplicates of the first events change nothing.
func (d *harness) lateComes(all []intake.Delivery) {
	d.t.Helper()
	before := d.paid()[answers.KindImage]
	late := d.upload("tea/9.jpg", shade(d.t, 100), byFolder)
	d.deliverGroups(append(slices.Clone(all), late)...)
	d.deliverGroups(all...)
	r, _ := d.result("tea.folder")
	if n := d.paid()[answers.KindImage] - before; n != 1 || len(r.MoreImages) != 4 {
		d.t.Errorf("after a late photo: %d more readings, %d further photos; want 1 and 4", n, len(r.MoreImages))
	}
}

// An instance that dies leaves nothing behind that the next delivery needs; the steps that
// it paid for are not paid again.
func TestGroupAfterKill(t *testing.T) {
	t.Parallel()
	d := newGroups(t)
	d.Gemini.Script(unclear()...)
	var all []intake.Delivery
	for i := range 2 {
		all = append(all, d.upload(fmt.Sprintf("tea/%d.jpg", i), shade(t, uint8(20*i)), byFolder))
	}
	time.Sleep(quiet + 50*time.Millisecond)
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.DailyQuota, Kind: answers.KindSearch})
	if err := d.arrive(all[1]); err == nil {
		t.Fatal("Deliver without a quota for the web = nil, want an error")
	}
	d.Gemini.SetFaults()
	d.deliverGroups(all...)
	if n := d.paid()[answers.KindImage]; n != 1 {
		t.Errorf("%d readings, want the first one's used", n)
	}
	if _, ok := d.result("tea.folder"); !ok {
		t.Error("there is no tea.folder.json")
	}
}

// The result of a group that the cache answers is that of the analysis: a photo that was left out
// comes last, with the reason, though it is the group's first.
func TestGroupFromCache(t *testing.T) {
	t.Parallel()
	d := newHarness(t, func(s *setup) { s.intake.GroupQuiet = time.Nanosecond })
	group := func(folder string) analyze.Result {
		d.upload(folder+"/0-broken.jpg", []byte("no photo"), byFolder)
		d.upload(folder+"/1.jpg", picture(t), byFolder)
		last := d.upload(folder+"/2.jpg", shade(t, 20), byFolder)
		if err := d.arrive(last); err != nil {
			t.Fatal(err)
		}
		r, _ := d.result(folder + ".folder")
		return r
	}
	for _, folder := range []string{"tea", "again"} {
		r := group(folder)
		if r.Cached != (folder == "again") || r.Image == nil || r.Image.URI != "gs://uploads/"+folder+"/1.jpg" || r.Image.Error != "" || r.Image.Width == 0 {
			t.Fatalf("%s.folder.json: cached %t, image %+v; want the first photo that was looked at", folder, r.Cached, r.Image)
		}
		if n := len(r.MoreImages); n != 2 || r.MoreImages[0].Error != "" || r.MoreImages[1].URI != "gs://uploads/"+folder+"/0-broken.jpg" || r.MoreImages[1].Error == "" {
			t.Errorf("%s.folder.json: further photos %+v, want the broken one last, with the reason", folder, r.MoreImages)
		}
		if !slices.Contains(r.Warnings, "photos_left_out") {
			t.Errorf("%s.folder.json: warnings %q, want photos_left_out", folder, r.Warnings)
		}
	}
	if n := d.paid()[answers.KindImage]; n != 1 {
		t.Errorf("%d readings, want the second group answered from the cache", n)
	}
}

// A folder of too many photos is refused once, before anything is paid; copies count once.
func TestGroupTooLarge(t *testing.T) {
	t.Parallel()
	d := newGroups(t)
	var all []intake.Delivery
	for i := range intake.MaxGroup + 2 {
		all = append(all, d.upload(fmt.Sprintf("all/%02d.jpg", i), shade(t, uint8(10*i)), byFolder))
	}
	d.deliverGroups(all...)
	r, ok := d.result("all.folder")
	if !ok || r.Error != analyze.AnalysisFailed || !strings.Contains(r.Message, "a folder of its own") || d.calls() != 0 {
		t.Errorf("all.folder.json = %v, %q after %d calls; want it refused", ok, r.Message, d.calls())
	}
	all = nil
	for i := range 12 {
		all = append(all, d.upload(fmt.Sprintf("ten/%02d.jpg", i), shade(t, uint8(10*min(i, 9))), byFolder))
	}
	d.deliverGroups(all...)
	r, _ = d.result("ten.folder")
	if n := len(d.Gemini.Calls()[0].Inline); n != analyze.MaxPhotos || len(r.MoreImages) != 11 || !strings.Contains(r.MoreImages[10].Error, "it is one more") {
		t.Errorf("%d photos were looked at, %+v; want %d, and all twelve named", n, r.MoreImages, analyze.MaxPhotos)
	}
}

const tea, rice = "8801234567893", "4006381333931"

var byBarcode = map[string]string{"group": "barcode"}

// Photos of a folder with the same barcode are one question, under its name, whichever of their
// events comes first, and if another does only when they are answered. Others, and those without a
// barcode, are answered by themselves.
func TestGroupByBarcode(t *testing.T) {
	t.Parallel()
	d := newGroups(t)
	all := []intake.Delivery{
		d.upload("in/a.png", samples.Barcode(tea, 0), byBarcode), d.upload("in/b.png", samples.Barcode(rice, 0), byBarcode),
		d.upload("in/c.png", samples.Barcode(tea, 20), byBarcode), d.upload("in/d.jpg", shade(t, 30), byBarcode), d.upload("other/e.png", samples.Barcode(tea, 40), byBarcode),
	}
	slices.Reverse(all)
	late, all := all[len(all)-1], all[:len(all)-1] // the first one's event
	d.deliverGroups(append(all, all...)...)
	if r, ok := d.result("in/08801234567893.barcode"); !ok || r.Image.URI != "gs://uploads/in/c.png" || len(r.MoreImages) != 0 {
		t.Errorf("while the event of one photo is missing: %v, %+v; want a result of the other", ok, r.Image)
	}
	d.deliverGroups(append(all, late, late)...)
	for name, want := range map[string]int{
		"in/08801234567893.barcode": 1, "in/04006381333931.barcode": 0, "other/08801234567893.barcode": 0, "in/d.jpg": 0, "in/a.png": -1, "in/b.png": -1, "in/c.png": -1,
	} {
		r, ok := d.result(name)
		if ok != (want >= 0) || ok && len(r.MoreImages) != want {
			t.Errorf("%s.json: %v with %d further photos, want %d", name, ok, len(r.MoreImages), want)
		}
	}
	if n := d.paid()[answers.KindImage]; n != 5 {
		t.Errorf("%d readings, want 5", n)
	}
}

// A group has the photos that are live when it is asked about: neither one that was replaced by a
// photo of another product, in whichever order the events come, nor one that was deleted.
func TestGroupIsWhatIsLive(t *testing.T) {
	t.Parallel()
	wantOf := func(d *harness, name string, photos ...intake.Delivery) {
		d.t.Helper()
		r, ok := d.result(name)
		if !ok || r.Image == nil {
			d.t.Fatalf("%s.json: %v, %+v; want the result of %d photos", name, ok, r, len(photos))
		}
		var got, want []string
		for _, i := range append([]analyze.Image{*r.Image}, r.MoreImages...) {
			got = append(got, fmt.Sprint(i.URI, i.Generation, i.Error))
		}
		for _, p := range photos {
			want = append(want, fmt.Sprint(p.URI(), p.Generation))
		}
		if !slices.Equal(got, want) {
			d.t.Errorf("%s.json is of %q, want %q", name, got, want)
		}
	}
	for _, replacedFirst := range []bool{true, false} {
		t.Run(fmt.Sprint("replaced first ", replacedFirst), func(t *testing.T) {
			t.Parallel()
			d := newGroups(t)
			a := d.upload("in/a.png", samples.Barcode(tea, 0), byBarcode)
			if err := d.arrive(a); !errors.Is(err, jobs.ErrBusy) {
				t.Fatalf("Deliver while photos come = %v, want it delivered again", err)
			}
			var b, other intake.Delivery
			if replacedFirst {
				other = d.upload("in/a.png", samples.Barcode(rice, 0), byBarcode)
			}
			b = d.upload("in/b.png", samples.Barcode(tea, 20), byBarcode)
			if !replacedFirst {
				other = d.upload("in/a.png", samples.Barcode(rice, 0), byBarcode)
			}
			d.deliverGroups(a, other, b, a)
			wantOf(d, "in/08801234567893.barcode", b)
			wantOf(d, "in/04006381333931.barcode", other)
			if n := d.paid()[answers.KindImage]; n != 2 {
				t.Errorf("%d readings, want one of each product", n)
			}
		})
	}
	t.Run("deleted", func(t *testing.T) {
		t.Parallel()
		d := newHarness(t, func(s *setup) { s.intake.GroupQuiet = time.Nanosecond })
		for by, name := range map[string]string{"folder": "in.folder", "barcode": "in/08801234567893.barcode"} {
			of := map[string]string{"group": by}
			right, wrong := d.upload("in/0"+by, samples.Barcode(tea, 0), of), d.upload("in/1"+by, samples.Barcode(tea, 20), of)
			d.deliverGroups(right, wrong)
			wantOf(d, name, right, wrong)
			if err := d.objects.Bucket("uploads").Object(wrong.Name).Delete(t.Context()); err != nil {
				t.Fatal(err)
			}
			right.Replay, right.Published = true, time.Now()
			d.deliverGroups(right, wrong, right)
			wantOf(d, name, right)
		}
	})
}

// A group whose version has expired goes on counting: its next result takes the place of the former.
func TestVersionOfAGroupExpires(t *testing.T) {
	t.Parallel()
	d := newHarness(t, func(s *setup) { s.intake.GroupQuiet = time.Nanosecond })
	d.deliverGroups(d.upload("tea/0.jpg", picture(t), byFolder))
	docs, err := d.db.Collection("groups").Documents(t.Context()).GetAll()
	if err != nil || len(docs) != 1 {
		t.Fatal(len(docs), err)
	}
	if _, err := docs[0].Ref.Update(t.Context(), []firestore.Update{{Path: "expires_at", Value: time.Now().Add(-time.Hour)}}); err != nil {
		t.Fatal(err)
	}
	d.deliverGroups(d.upload("tea/1.jpg", shade(t, 20), byFolder))
	if r, _ := d.result("tea.folder"); len(r.MoreImages) != 1 {
		t.Errorf("the result is of %d photos, want both", 1+len(r.MoreImages))
	}
}

// A photo, the folder of that name and the photos with a barcode that is called so have results
// of their own; a photo with the name of a group is refused.
func TestNamesOfGroups(t *testing.T) {
	t.Parallel()
	d := newHarness(t, func(s *setup) { s.intake.GroupQuiet = time.Nanosecond })
	d.deliverGroups(
		d.upload("in/08801234567893", shade(t, 10), nil), d.upload("in/08801234567893/1.jpg", shade(t, 30), byFolder), d.upload("in/1.png", samples.Barcode(tea, 0), byBarcode),
		d.upload("in.folder", shade(t, 50), nil),
	)
	for name, want := range map[string]string{"in/08801234567893": "in/08801234567893", "in/08801234567893.folder": "in/08801234567893/1.jpg", "in/08801234567893.barcode": "in/1.png"} {
		if r, ok := d.result(name); !ok || r.Image.URI != "gs://uploads/"+want {
			t.Errorf("%s.json: %v, of %+v; want it of %s", name, ok, r.Image, want)
		}
	}
	if r := d.records()["in.folder"]; r.Error != analyze.AnalysisFailed {
		t.Errorf("the photo in.folder is %+v, want it refused", r.Outcome)
	}
}

// A late event of a photo that was forgotten brings nothing back that is known of it.
func TestForgottenInAGroup(t *testing.T) {
	t.Parallel()
	d := newHarness(t, func(s *setup) { s.intake.GroupQuiet = time.Nanosecond })
	photos := map[string]intake.Delivery{}
	for _, by := range []string{"folder", "barcode"} {
		photos[by] = d.upload(by+"/anna-home.png", samples.Barcode(tea, 0), map[string]string{"group": by})
		d.deliverGroups(photos[by])
	}
	list, _, err := d.List(t.Context(), intake.Filter{})
	if err != nil || len(list) != 2 {
		t.Fatalf("%d results (%v), want 2", len(list), err)
	}
	d.await("the results may be forgotten", func() bool {
		_, err = d.Forget(t.Context(), list[0].ID, false, nothingElsewhere{})
		return !errors.Is(err, jobs.ErrBusy)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range photos {
		d.deliverGroups(o)
	}
	for _, collection := range []string{"codes", "groups", "work"} {
		docs, err := d.db.Collection(collection).Documents(t.Context()).GetAll()
		if err != nil || len(docs) == 0 {
			t.Errorf("%d documents in %s (%v), want some", len(docs), collection, err)
		}
		for _, doc := range docs {
			if text := fmt.Sprint(doc.Data()); strings.Contains(text, "anna") || strings.Contains(text, tea) {
				t.Errorf("%s/%s: %s", collection, doc.Ref.ID, text)
			}
		}
	}
}

type nothingElsewhere struct{}

func (nothingElsewhere) ForgetResult(context.Context, intake.Listed, *intake.Forgotten) error {
	return nil
}
func (nothingElsewhere) ForgetPhotos(context.Context, []string, *intake.Forgotten) error { return nil }

// A group that was given up is told of by its first photo, whose event, sent again as a replay,
// has the whole group analysed.
func TestGroupIsReplayed(t *testing.T) {
	t.Parallel()
	failures, messages := subscribe(t, "failures")
	d := newHarness(t, func(s *setup) { s.intake.GroupQuiet, s.intake.Failures = time.Nanosecond, failures })
	var all []intake.Delivery
	for i := range 2 {
		all = append(all, d.upload(fmt.Sprintf("tea/%d.jpg", i), shade(t, uint8(20*i)), byFolder))
	}
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.Gone})
	for range 5 {
		_ = d.arrive(all[1])
	}
	d.Gemini.SetFaults()
	if r, ok := d.result("tea.folder"); !ok || r.Error != analyze.AnalysisFailed {
		t.Fatalf("tea.folder.json = %v, %+v; want the group given up", ok, r)
	}
	told := messages.take()
	if len(told) != 1 || told[0].Attributes["object"] != all[0].URI() || told[0].Attributes["generation"] != fmt.Sprint(all[0].Generation) {
		t.Fatalf("told of %+v, want the first photo of the group", told)
	}
	replay := all[0]
	replay.Replay, replay.Published = true, time.Now()
	if err := d.arrive(replay); err != nil {
		t.Fatal(err)
	}
	if r, _ := d.result("tea.folder"); r.Error != "" || len(r.MoreImages) != 1 {
		t.Errorf("after the replay tea.folder.json = %+v, want the product of both photos", r)
	}
}

// What people say of a group is of all its photos, also of one that is no usable photo: the
// next analysis of the same photos knows it.
func TestReviewOfAGroup(t *testing.T) {
	t.Parallel()
	d := newHarness(t, func(s *setup) { s.intake.GroupQuiet = time.Nanosecond })
	group := func(folder, lang string) analyze.Result {
		d.Gemini.Script(unclear()...)
		of := map[string]string{"group": "folder", "lang": lang}
		photo := d.upload(folder+"/0.jpg", picture(t), of)
		d.upload(folder+"/broken.jpg", []byte("no photo"), of)
		if err := d.arrive(photo); err != nil {
			t.Fatal(err)
		}
		r, _ := d.result(folder + ".folder")
		return r
	}
	first := group("tea", "ko")
	if first.Identification == nil || first.ProductName == "" || len(first.MoreImages) != 1 || first.MoreImages[0].Error == "" {
		t.Fatalf("tea.folder.json = %+v, want a product and a photo that was left out", first)
	}
	said := map[string]any{"verdict": review.Reject, "by": "kim", "named": map[string]any{"product_name": first.ProductName, "brand": first.Brand}}
	_, err := d.db.Doc("reviews/"+review.Key(first.Image.SHA256, first.MoreImages[0].SHA256)).Create(t.Context(),
		map[string]any{"verdict": review.Reject, "by": "kim", "revision": 1, "standing": []any{said}})
	if err != nil {
		t.Fatal(err)
	}
	if r := group("other", "en"); r.Cached || r.Reviewed == nil || r.ProductName == first.ProductName || len(r.MoreImages) != 1 {
		t.Errorf("the same photos again: %q, cached %t, reviewed %+v; want a new analysis without the name that was rejected", r.ProductName, r.Cached, r.Reviewed)
	}
}

// A group whose photos no model will look at says once which of them were left out, and once that
// its language is unknown.
func TestRefusedGroup(t *testing.T) {
	t.Parallel()
	d := newHarness(t, func(s *setup) { s.intake.GroupQuiet = time.Nanosecond })
	of := map[string]string{"group": "folder", "lang": "xx-nonsense-language"}
	photo := d.upload("tea/0.jpg", picture(t), of)
	d.upload("tea/1.jpg", shade(t, 20), of)
	d.upload("tea/broken.jpg", []byte("no photo"), of)
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.BlockedPrompt, Kind: answers.KindImage})
	if err := d.arrive(photo); err != nil {
		t.Fatal(err)
	}
	r, _ := d.result("tea.folder")
	var left []string
	for _, i := range r.MoreImages {
		if i.Error != "" {
			left = append(left, i.URI)
		}
	}
	if r.Error != analyze.AnalysisFailed || !slices.Equal(left, []string{"gs://uploads/tea/broken.jpg"}) || len(r.MoreImages) != 2 {
		t.Errorf("tea.folder.json: %q, photos %+v; want it refused, and one of two further photos left out", r.Error, r.MoreImages)
	}
	if got := strings.Join(r.Warnings, " "); strings.Count(got, "unknown_lang") != 1 || strings.Count(got, "photos_left_out") != 1 {
		t.Errorf("warnings %q, want each once", got)
	}
}

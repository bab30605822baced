package intake_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/catalog/review"
	"example.com/whatis/internal/gemini"
	"example.com/whatis/internal/jobs"
)

// paused returns d's intake over a client that calls meanwhile before the first write that follows a
// query, as the cache is read by one.
func (d *harness) paused(meanwhile func()) *intake.Intake {
	d.t.Helper()
	var read atomic.Bool
	once := sync.OnceFunc(meanwhile)
	stream := func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		if strings.HasSuffix(method, "/RunQuery") {
			read.Store(true)
		}
		return streamer(ctx, desc, cc, method, opts...)
	}
	unary := func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoker grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if strings.HasSuffix(method, "/Commit") && read.Load() {
			once()
		}
		return invoker(ctx, method, req, reply, cc, opts...)
	}
	conn, err := grpc.NewClient(d.Firestore.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithStreamInterceptor(stream), grpc.WithUnaryInterceptor(unary))
	if err != nil {
		d.t.Fatal(err)
	}
	db, err := firestore.NewClient(d.t.Context(), d.Project, option.WithGRPCConn(conn))
	if err != nil {
		d.t.Fatal(err)
	}
	c := d.Config
	c.DB, c.Work = db, jobs.NewStore(db, jobs.Options{})
	in, err := intake.New(c)
	if err != nil {
		d.t.Fatal(err)
	}
	return in
}

// reject rejects the answer r for a photo.
func (d *harness) reject(r analyze.Result) error {
	said := map[string]any{"verdict": review.Reject, "by": "kim", "named": map[string]any{"product_name": r.ProductName, "brand": r.Brand}}
	if _, err := d.db.Doc("reviews/"+r.Image.SHA256).Create(d.t.Context(), map[string]any{"verdict": review.Reject, "by": "kim", "revision": 1, "standing": []any{said}}); err != nil {
		return err
	}
	v, err := review.NewPhotos(d.db).Verdict(d.t.Context(), r.Image.SHA256)
	if err == nil {
		_, err = d.Correct(d.t.Context(), r.ID, []string{r.Image.SHA256}, *v, false)
	}
	return err
}

// Somebody rejects the answer while a copy of the photo gets it from the cache, between the reading of
// what was said and the writing of the copy's record: the copy does not keep the rejected name.
func TestRejectedWhileCached(t *testing.T) {
	for _, way := range []string{"http", "upload"} {
		d := newHarness(t)
		d.Gemini.Script(unclear()...)
		d.deliver(d.upload("first.jpg", picture(t), nil))
		r, _ := d.result("first.jpg")
		in := d.paused(func() {
			if err := d.reject(r); err != nil {
				t.Error(err)
			}
		})
		if way == "http" {
			if _, err := in.Photo(t.Context(), intake.Photo{Data: picture(t)}, nil); err != nil {
				t.Fatal(err)
			}
		} else {
			if _, err := in.Run.Deliver(t.Context(), in.Job(t.Context(), d.upload("copy.jpg", picture(t), nil))); err != nil {
				t.Fatal(err)
			}
			if got, ok := d.result("copy.jpg"); !ok || got.ProductName != "" || got.Verdict() != review.Reject {
				t.Errorf("%s: the object of the copy says %q by %q; want the name rejected", way, got.ProductName, got.Verdict())
			}
		}
		list, _, err := d.List(t.Context(), intake.Filter{})
		if err != nil || len(list) != 2 {
			t.Errorf("%s: List = %d, %v; want both", way, len(list), err)
		}
		for _, l := range list {
			if l.Public.ProductName != "" || l.Verdict() != review.Reject {
				t.Errorf("%s: listed is %s %q by %q; want the name rejected", way, l.Kind, l.Public.ProductName, l.Verdict())
			}
		}
	}
}

// What a record of the catalogue answered is not answered from the cache once the record is gone, or
// names another product.
func TestAnswerOfAChangedRecord(t *testing.T) {
	d := newHarness(t)
	c := catalog.New(d.db)
	im := catalog.Import{Catalog: c, Shop: "test", Space: d.space, Country: "KR", Lang: "ko", Embed: func(ctx context.Context, texts []string) ([][]float32, error) {
		return d.model.Embed(ctx, gemini.EmbedRequest{Model: d.space.Model, Prefix: d.space.Prefix, Texts: texts})
	}}
	feed := func(name string) {
		if _, err := im.Run(t.Context(), strings.NewReader(`{"products":[{"product_name":"`+name+`","category":"Beverage","key_features":["`+strings.Join(features, `","`)+`"],"gtin":"8801234567893"}]}`)); err != nil {
			t.Fatal(err)
		}
	}
	feed("Wrong name")
	reading := analyze.Analysis{
		VisibleText: []analyze.Line{{Text: "8 801234 567893", Clear: true}, {Text: "보리차", Clear: true}}, NameAsPrinted: "보리차", SubBrands: []string{}, Dates: []analyze.Date{}, Category: "Beverage",
		KeyFeatures: features, ProductName: "보리차", ProductNameConfidence: 0.5, KnownProduct: analyze.Yes, ProductsSeen: 1, Side: analyze.SideFront,
	}
	for range 3 {
		d.Gemini.Script(emulated.Answer{Kind: answers.KindImage, JSON: reading}, emulated.Answer{Kind: answers.KindJudge, JSON: analyze.Judgement{Pick: 1, Reason: "same label"}})
	}
	record := ""
	ask := func(when, want string, cached bool) {
		t.Helper()
		r := d.ask(intake.Photo{Data: picture(t)})
		if r.ProductName != want || r.Cached != cached {
			t.Errorf("%s: %q, cached %v; want %q, %v", when, r.ProductName, r.Cached, want, cached)
		}
		if r.Record != nil {
			record = r.Record.ID
		}
	}
	ask("first", "Wrong name", false)
	ask("again", "Wrong name", true)
	feed("Right name")
	ask("after the file was mended", "Right name", false)
	ask("again", "Right name", true)
	if _, err := c.Delete(t.Context(), "test", record); err != nil {
		t.Fatal(err)
	}
	r := d.ask(intake.Photo{Data: picture(t)})
	if r.Cached || r.Record != nil && r.Record.ID == record {
		t.Errorf("after the record was deleted: cached %v, by record %v; want it looked at again", r.Cached, r.Record)
	}
}

// Accepting the answer of one language leaves the words of a stored answer in another.
func TestAcceptedInAnotherLanguage(t *testing.T) {
	d := newHarness(t)
	reading := func(name string) emulated.Answer {
		return emulated.Answer{Kind: answers.KindImage, JSON: analyze.Analysis{
			VisibleText: []analyze.Line{{Text: "햇살마루", Clear: true}, {Text: "유자 보리차", Clear: true}, {Text: "500 ml", Clear: true}}, NameAsPrinted: "유자 보리차", BrandAsPrinted: "햇살마루", SubBrands: []string{}, Dates: []analyze.Date{}, Category: "Beverage",
			KeyFeatures: features, ProductName: name, Brand: "햇살마루", ProductNameConfidence: 0.97, BrandConfidence: 0.97, KnownProduct: analyze.Yes, ProductsSeen: 1, Side: analyze.SideFront,
		}}
	}
	d.Gemini.Script(reading("유자 보리차"), reading("유자 보리차"))
	ko := d.ask(intake.Photo{Data: picture(t), Options: intake.Options{Lang: "ko"}})
	en := d.ask(intake.Photo{Data: picture(t), Options: intake.Options{Lang: "en"}})
	if _, _, err := d.Run.Rewrite(t.Context(), en.ID, func(r analyze.Result) (analyze.Result, bool, bool) { // as the models' English has it
		i := *r.Identification
		i.ProductName = "Yuja barley tea"
		r.Identification = &i
		return r, true, false
	}); err != nil {
		t.Fatal(err)
	}
	v := review.Verdict{
		Revision: 1, Latest: review.Entry{Verdict: review.Accept, By: "kim", At: time.Now()}, Stands: &review.Entry{Verdict: review.Accept, By: "kim"},
		Product: &catalog.Product{ID: "0123456789abcdef0123456789abcdef", ProductName: ko.ProductName, Brand: ko.Brand, Category: ko.Category, Status: catalog.Confirmed, Lang: "ko"},
	}
	if _, err := d.Correct(t.Context(), ko.ID, []string{ko.Image.SHA256}, v, false); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{ko.ID: "유자 보리차", en.ID: "Yuja barley tea"} {
		l, err := d.Result(t.Context(), id)
		if err != nil || l.Public.ProductName != want || l.Verdict() != review.Accept {
			t.Errorf("lang=%s: %q by %q, %v; want %q, accepted", l.Public.Lang, l.Public.ProductName, l.Verdict(), err, want)
		}
	}
	day := "2027.01.31"
	v.Revision, v.Fields = 2, &review.Fields{ExpirationDate: &day}
	if _, err := d.Correct(t.Context(), ko.ID, []string{ko.Image.SHA256}, v, false); err != nil {
		t.Fatal(err)
	}
	if l, err := d.Result(t.Context(), en.ID); err != nil || l.Public.ProductName != "Yuja barley tea" || l.Public.ExpirationDate != day {
		t.Errorf("with a date: %q of %s, %v; want the date in it", l.Public.ProductName, l.Public.ExpirationDate, err)
	}
}

package intake_test

import (
	"slices"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/catalog/review"
)

// The same bytes at another place cost nothing. Google's citations are not passed on
// to other requests.
func TestSameBytesCostNothing(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.stock()
	d.Gemini.Script(unclear()...)
	first := d.upload("a.jpg", picture(t), nil)
	d.deliver(first)
	mine, _ := d.result(first.Name)
	if mine.Cached || len(mine.Citations) != 1 || mine.SearchSuggestions == "" {
		t.Fatalf("the first result = %+v, want one with a citation and suggestions", mine)
	}
	second := d.upload("b.jpg", picture(t), nil)
	d.deliver(second)
	uploaded, _ := d.result(second.Name)
	asked := d.ask(intake.Photo{Data: picture(t)})
	d.wantPaid(everyStep)
	for place, r := range map[string]analyze.Result{"another name": uploaded, "a request": asked} {
		if !r.Cached || r.Citations != nil || r.SearchSuggestions != "" || r.ModelCalls.Generate != 0 || r.TokenUsage.Total != 0 {
			t.Errorf("at %s: result = %+v, want one that is cached, free and without citations", place, r)
		}
		if r.Identification == nil || r.ProductName != mine.ProductName || r.ID == "" || r.ID == mine.ID {
			t.Errorf("at %s: result = %+v, want the same product under an id of its own", place, r)
		}
	}
	if uploaded.Image.URI != second.URI() || uploaded.Image.Generation != second.Generation || asked.Image.URI != "" {
		t.Errorf("images = %+v and %+v, want each where it lies", uploaded.Image, asked.Image)
	}
	if n := len(d.records()); n != 3 {
		t.Errorf("there are %d records, want one for each upload and for the request", n)
	}
	if l, err := d.Result(t.Context(), asked.ID); err != nil || l.Public.ProductName != mine.ProductName {
		t.Errorf("Result(%s) = %+v, %v; want what the request was answered with", asked.ID, l, err)
	}
	d.await("a cached result tells its age", func() bool { return d.ask(intake.Photo{Data: picture(t)}).AgeSeconds > 0 })
}

// Everything that affects the result is part of the cache key.
func TestOtherRequests(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	_ = d.ask(intake.Photo{Data: picture(t)})
	c := d.Config
	models := d.Pipeline.Config
	models.Models.Image = "emulated-judge"
	var err error
	if c.Pipeline, err = analyze.New(models); err != nil {
		t.Fatal(err)
	}
	other, err := intake.New(c)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		in     *intake.Intake
		p      intake.Photo
		cached bool
	}{
		{"the same", d.Intake, intake.Photo{Data: picture(t)}, true},
		{"the defaults, said", d.Intake, intake.Photo{Data: picture(t), Options: intake.Options{Country: "kr", Lang: "ko", Policy: "seed", SecondLook: "doubt"}}, true},
		{"country", d.Intake, intake.Photo{Data: picture(t), Options: intake.Options{Country: "US"}}, false},
		{"lang", d.Intake, intake.Photo{Data: picture(t), Options: intake.Options{Lang: "en"}}, false},
		{"policy", d.Intake, intake.Photo{Data: picture(t), Options: intake.Options{Policy: "strict"}}, false},
		{"second look", d.Intake, intake.Photo{Data: picture(t), Options: intake.Options{SecondLook: "never"}}, false},
		{"models", other, intake.Photo{Data: picture(t)}, false},
		{"bytes", d.Intake, intake.Photo{Data: shade(t, 90)}, false},
		{"fresh", d.Intake, intake.Photo{Data: picture(t), Fresh: true}, false},
	}
	for _, test := range tests {
		before := d.calls()
		r, err := test.in.Photo(t.Context(), test.p, nil)
		if err != nil || r.Cached != test.cached || d.calls() > before == test.cached {
			t.Errorf("%s: Photo = cached %v, %v, with %d calls; want cached %v", test.name, r.Cached, err, d.calls()-before, test.cached)
		}
	}
}

// A failed photo is analysed again, a photo of no product is not.
func TestWhatIsCached(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.BlockedPrompt})
	d.deliver(d.upload("a.jpg", picture(t), nil))
	d.Gemini.SetFaults()
	if r := d.ask(intake.Photo{Data: picture(t)}); r.Cached || r.Error != "" {
		t.Errorf("after a failure: Photo = %+v, want a new analysis", r)
	}
	d.Gemini.Script(emulated.Answer{Kind: answers.KindImage, JSON: analyze.Analysis{NotProduct: true, Description: "풍경", KnownProduct: analyze.Unsure, Side: analyze.SideDocument}})
	p := intake.Photo{Data: shade(t, 90)}
	first, second := d.ask(p), d.ask(p)
	if first.Error != analyze.NotAProduct || second.Error != analyze.NotAProduct || !second.Cached {
		t.Errorf("no product: Photo = %+v, then %+v; want it cached", first, second)
	}
}

// A result after an unusable answer of the stronger model is not kept: the same photo
// is analysed again.
func TestNotCachedAfterAnUnusableLook(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	const bad = `{"seen":"","name_as_printed":"","brand_as_printed":"","sub_brands":[],"category":"","product_name":"","brand":"","product_name_confidence":0,"brand_confidence":0,"confirmed":"in part","pick":0,"reason":""}`
	doubtful := unclear()[0]
	a := doubtful.JSON.(analyze.Analysis)
	a.ProductNameConfidence, a.BrandConfidence = 0.8, 0.8
	a.VisibleText = append(slices.Clone(a.VisibleText), analyze.Line{Text: "볶은 곡물 500 ml", Clear: true})
	doubtful.JSON = a
	p := intake.Photo{Data: shade(t, 91)}
	d.Gemini.Script(append([]emulated.Answer{doubtful}, slices.Repeat([]emulated.Answer{{Kind: answers.KindJudge, Text: bad}}, 6)...)...) // three tries, each repaired
	if r := d.ask(p); r.Source != analyze.FromImage || !slices.Contains(r.Warnings, "second_look_failed") {
		t.Errorf("Photo = %+v, want the reading with second_look_failed", r)
	}
	d.Gemini.Script(doubtful, emulated.Answer{Kind: answers.KindJudge, JSON: analyze.Judgement{Confirmed: true}})
	if r := d.ask(p); r.Cached || slices.Contains(r.Warnings, "second_look_failed") {
		t.Errorf("the same photo again: Photo = %+v, want a new analysis", r)
	}
	if r := d.ask(p); !r.Cached {
		t.Errorf("a third time: Photo = %+v, want it cached", r)
	}
}

// A photo whose answer was rejected is analysed again, with any options.
func TestForgotten(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	photos := []intake.Photo{{Data: picture(t)}, {Data: picture(t), Options: intake.Options{Country: "US"}}}
	var sha256 string
	for _, p := range photos {
		sha256 = d.ask(p).Image.SHA256
	}
	rejected := review.Verdict{Revision: 1, Latest: review.Entry{Verdict: review.Reject}}
	if done, err := d.Correct(t.Context(), "", []string{sha256}, rejected, false); err != nil || len(done) != 2 {
		t.Fatalf("Correct = %d results, %v; want both", len(done), err)
	}
	for _, p := range photos {
		if r := d.ask(p); r.Cached {
			t.Errorf("Photo in %q = %+v, want a new analysis", p.Options.Country, r)
		}
	}
}

// A warning about the metadata of one upload is not given to the next.
func TestWarningsOfADeliveryStayWithIt(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.deliver(d.upload("a.jpg", picture(t), map[string]string{"country": "Korea", "lang": "?"}))
	if r := d.ask(intake.Photo{Data: picture(t)}); !r.Cached || slices.Contains(r.Warnings, "unknown_country") || slices.Contains(r.Warnings, "unknown_lang") {
		t.Errorf("Photo = cached %v with warnings %q, want it cached without those of the upload", r.Cached, r.Warnings)
	}
}

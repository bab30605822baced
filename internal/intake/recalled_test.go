package intake_test

import (
	"bytes"
	"testing"

	"example.com/whatis/emulators/emulate"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/intake"
	"example.com/whatis/internal/recall"
)

// The same bytes at another place cost nothing. What Google found for one is not
// handed on to another.
func TestSameBytesCostNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.stock()
	d.Gemini.Script(unclear()...)
	first := d.upload("a.jpg", picture(t), nil)
	d.deliver(first)
	mine, _ := d.result(first.Name)
	if mine.Cached || len(mine.Citations) != 1 || mine.SearchSuggestions == "" {
		t.Fatalf("the first result = %+v, want one with a citation and suggestions", mine)
	}
	docs, err := d.db.Collection("recall").Documents(t.Context()).GetAll()
	if err != nil || len(docs) != 1 {
		t.Fatalf("the store holds %d results, %v; want 1", len(docs), err)
	}
	if kept, _ := docs[0].Data()["result"].([]byte); len(kept) == 0 || bytes.Contains(kept, []byte("shop.example")) || bytes.Contains(kept, []byte("chips")) {
		t.Errorf("the store holds %s, want a result without what Google found", kept)
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
	d.await("a recalled result tells its age", func() bool { return d.ask(intake.Photo{Data: picture(t)}).AgeSeconds > 0 })
}

// Whatever decides a result makes another request of it.
func TestOtherRequests(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
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

// A fresh result takes the place of the one before.
func TestFreshReplaces(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := intake.Photo{Data: picture(t)}
	before := d.ask(p)
	d.Gemini.Script(unclear()...)
	p.Fresh = true
	again := d.ask(p)
	p.Fresh = false
	after := d.ask(p)
	if again.Cached || !after.Cached || again.ProductName == before.ProductName || after.ProductName != again.ProductName || after.ID != before.ID {
		t.Errorf("before %q, afresh %q (cached %v), after %q (cached %v); want the second from then on",
			before.ProductName, again.ProductName, again.Cached, after.ProductName, after.Cached)
	}
}

// What failed is asked again, and what shows no product is not.
func TestWhatIsRecalled(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.BlockedPrompt})
	d.deliver(d.upload("a.jpg", picture(t), nil))
	d.Gemini.SetFaults()
	if r := d.ask(intake.Photo{Data: picture(t)}); r.Cached || r.Error != "" {
		t.Errorf("after a failure: Photo = %+v, want a new analysis", r)
	}
	d.Gemini.Script(emulated.Answer{Kind: emulated.KindImage, JSON: analyze.Analysis{NotProduct: true, Description: "풍경", KnownProduct: analyze.Unsure}})
	p := intake.Photo{Data: shade(t, 90)}
	first, second := d.ask(p), d.ask(p)
	if first.Error != analyze.NotAProduct || second.Error != analyze.NotAProduct || !second.Cached {
		t.Errorf("no product: Photo = %+v, then %+v; want it recalled", first, second)
	}
}

// What was corrected is asked again, however it was looked at.
func TestForgotten(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	photos := []intake.Photo{{Data: picture(t)}, {Data: picture(t), Options: intake.Options{Country: "US"}}}
	var sha256 string
	for _, p := range photos {
		sha256 = d.ask(p).Image.SHA256
	}
	if err := d.Recall.Forget(t.Context(), sha256); err != nil {
		t.Fatal(err)
	}
	for _, p := range photos {
		if r := d.ask(p); r.Cached {
			t.Errorf("Photo in %q = %+v, want a new analysis", p.Options.Country, r)
		}
	}
}

// Without the store of results, or with a result in it that nobody can read, a
// photo is analysed.
func TestNothingRecalled(t *testing.T) {
	t.Parallel()
	t.Run("down", func(t *testing.T) {
		t.Parallel()
		gone := emulate.Start(t, emulate.Firestore)
		db := gone.FirestoreClient(t)
		d := newDesk(t, func(s *setup) { s.intake.Recall = recall.New(db) })
		if err := gone.Firestore.Close(); err != nil {
			t.Fatal(err)
		}
		o := d.upload("a.jpg", picture(t), nil)
		d.deliver(o)
		if got, ok := d.result(o.Name); !ok || got.Error != "" {
			t.Errorf("result = %+v, want one", got)
		}
	})
	t.Run("unreadable", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		first := d.ask(intake.Photo{Data: picture(t)})
		if err := d.Recall.Put(t.Context(), first.ID, first.Image.SHA256, []byte(`[]`)); err != nil {
			t.Fatal(err)
		}
		if again := d.ask(intake.Photo{Data: picture(t)}); again.Cached {
			t.Errorf("Photo = %+v, want a new analysis", again)
		}
	})
}

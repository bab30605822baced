package intake_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/gemini"
)

func TestPhoto(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	o := d.upload("a.jpg", picture(t), nil)
	tests := []struct {
		name string
		p    intake.Photo
		want error
	}{
		{"bytes", intake.Photo{Data: picture(t)}, nil},
		{"uri", intake.Photo{URI: o.URI()}, nil},
		{"options", intake.Photo{Data: picture(t), Options: intake.Options{Country: "us", Lang: "EN", Policy: "strict", SecondLook: "never"}}, nil},
		{"country", intake.Photo{Data: picture(t), Options: intake.Options{Country: "Korea"}}, intake.ErrOption},
		{"country of none", intake.Photo{Data: picture(t), Options: intake.Options{Country: "001"}}, intake.ErrOption},
		{"lang", intake.Photo{Data: picture(t), Options: intake.Options{Lang: "korean!"}}, intake.ErrOption},
		{"policy", intake.Photo{Data: picture(t), Options: intake.Options{Policy: "lax"}}, intake.ErrOption},
		{"second look", intake.Photo{Data: picture(t), Options: intake.Options{SecondLook: "maybe"}}, intake.ErrOption},
		{"no gs uri", intake.Photo{URI: "https://example.com/a.jpg"}, intake.ErrOption},
		{"folder uri", intake.Photo{URI: "gs://uploads/a/"}, intake.ErrOption},
		{"another bucket", intake.Photo{URI: "gs://results/a.jpg.json"}, intake.ErrForbidden},
		{"missing", intake.Photo{URI: "gs://uploads/b.jpg"}, blob.ErrNotFound},
	}
	for _, test := range tests {
		r, err := d.Photo(t.Context(), test.p, nil)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: Photo = %v, want %v", test.name, err, test.want)
		}
		if err == nil && (r.ID == "" || r.Image.SHA256 == "" || r.Image.URI != test.p.URI) {
			t.Errorf("%s: Photo = %+v, want an id and the image", test.name, r)
		}
	}
}

// An object that is stored packed is the photo that it unpacks to: asked for by its address, in
// an event and in a group, and the same as when it is sent. One that cannot be unpacked fails
// for good.
func TestPackedObjects(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	store := func(name, encoding string, data []byte) intake.Delivery {
		w := d.objects.Bucket("uploads").Object(name).NewWriter(t.Context())
		w.ContentEncoding = encoding
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		resource, err := json.Marshal(map[string]any{"bucket": "uploads", "name": name, "generation": fmt.Sprint(w.Attrs().Generation), "size": fmt.Sprint(w.Attrs().Size), "contentEncoding": encoding})
		if err != nil {
			t.Fatal(err)
		}
		o, err := intake.FromResource(resource)
		if err != nil || o.Size < int64(len(picture(t))) {
			t.Errorf("FromResource(%s) = %+v, %v; want the most that reading gives", resource, o, err)
		}
		return intake.Delivery{Object: o}
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(picture(t)) // a buffer never fails
	_ = z.Close()
	o := store("a.jpg", "gzip", packed.Bytes())
	want := d.ask(intake.Photo{Data: picture(t)}).Image.SHA256
	if r := d.ask(intake.Photo{URI: o.URI()}); r.Image.SHA256 != want || !r.Cached {
		t.Errorf("Photo of the packed object = %s, cached %v; want %s from the cache", r.Image.SHA256, r.Cached, want)
	}
	d.deliver(o)
	if r, _ := d.result("a.jpg"); r.Image == nil || r.Image.SHA256 != want || r.Error != "" {
		t.Errorf("the packed object's result = %+v, want that of the photo %s", r, want)
	}
	group := o
	group.As = blob.ObjectRef{Bucket: "uploads", Name: "group", Generation: 1}
	group.More = []intake.Object{d.upload("b.jpg", shade(t, 200), nil).Object, store("c.jpg", "br", picture(t)).Object}
	d.deliver(group)
	if r, _ := d.result("group"); r.Image == nil || r.Image.SHA256 != want || len(r.MoreImages) != 2 || !strings.Contains(r.MoreImages[1].Error, `"br"`) {
		t.Errorf("the group's result = %+v, want one of the first two photos, and why the third is left out", r)
	}
	for name, encoding := range map[string]string{"plain.jpg": "gzip", "br.jpg": "br"} {
		d.deliver(store(name, encoding, picture(t)))
		if r, _ := d.result(name); r.Error != analyze.AnalysisFailed || !strings.Contains(r.Message, "Content-Encoding") {
			t.Errorf("%s with the Content-Encoding %s: result = %+v, want that it cannot be unpacked", name, encoding, r)
		}
	}
}

// The caller waits, so a temporary error is retried at once.
func TestPhotoIsTriedThreeTimes(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.Unavailable, Kind: answers.KindImage, Times: 2})
	_ = d.ask(intake.Photo{Data: picture(t)})
	d.Gemini.SetFaults(emulated.Fault{Type: emulated.Unavailable, Kind: answers.KindImage, Times: 3})
	var e *gemini.Error
	if _, err := d.Photo(t.Context(), intake.Photo{Data: picture(t), Fresh: true}, nil); !errors.As(err, &e) || e.Kind != gemini.Unavailable {
		t.Errorf("Photo after three faults = %v, want unavailable", err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	if _, err := intake.New(intake.Config{}); err == nil {
		t.Error("New of nothing = nil error, want one")
	}
	d := newHarness(t)
	c := d.Config
	c.Defaults.Lang = "?"
	if _, err := intake.New(c); !errors.Is(err, intake.ErrOption) {
		t.Errorf("New with lang ? = %v, want %v", err, intake.ErrOption)
	}
}

// Uploads and photos of requests are listed alike, the newest first.
func TestListing(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.stock()
	d.Gemini.Script(unclear()...)
	o := d.upload("tea.jpg", picture(t), nil)
	d.deliver(o)
	asked := d.ask(intake.Photo{Data: shade(t, 90)})
	d.Gemini.Script(emulated.Answer{Kind: answers.KindImage, JSON: analyze.Analysis{NotProduct: true, Description: "풍경", KnownProduct: analyze.Unsure, Side: analyze.SideDocument}})
	nothing := d.ask(intake.Photo{Data: shade(t, 180)})
	uploaded, _ := d.result(o.Name)

	yes, no := true, false
	tests := []struct {
		name   string
		filter intake.Filter
		want   []string
	}{
		{"all", intake.Filter{}, []string{nothing.ID, asked.ID, uploaded.ID}},
		{"of google_search", intake.Filter{Source: string(analyze.FromGoogleSearch)}, []string{uploaded.ID}},
		{"unidentified", intake.Filter{Source: intake.Unidentified}, []string{asked.ID}},
		{"of the photo alone", intake.Filter{Source: string(analyze.FromImage)}, nil},
		{"doubtful", intake.Filter{Doubt: &yes}, []string{asked.ID}},
		{"beyond doubt", intake.Filter{Doubt: &no}, []string{nothing.ID, uploaded.ID}},
	}
	for _, test := range tests {
		got, _, err := d.List(t.Context(), test.filter)
		if err != nil || len(got) != len(test.want) {
			t.Fatalf("List of %s = %d records, %v; want %d", test.name, len(got), err, len(test.want))
		}
		for i, r := range got {
			if r.ID != test.want[i] {
				t.Errorf("List of %s = %s %s at %d, want %s", test.name, r.Kind, r.ID, i, test.want[i])
			}
		}
	}
	records, _, err := d.List(t.Context(), intake.Filter{})
	if err != nil || records[1].Kind != "http" || records[2].Kind != "upload" || records[2].Item.Index.Text("bucket") != "uploads" {
		t.Errorf("List = %+v, %v; want kinds http, http, upload", records, err)
	}
}

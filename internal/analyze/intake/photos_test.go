package intake_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	emulated "example.com/whatis/emulators/gemini"
	"example.com/whatis/internal/admission"
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

// withExif returns a JPEG with EXIF that turns it, as phones make them.
func withExif(t *testing.T) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 803, 601))
	for i := range m.Pix {
		m.Pix[i] = uint8(i * 7)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 30}); err != nil {
		t.Fatal(err)
	}
	exif := []byte("Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00")
	exif = append(exif, bytes.Repeat([]byte("taken in Anna's kitchen "), 20)...)
	segment := append(binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2)), exif...)
	return slices.Concat(b.Bytes()[:2], segment, b.Bytes()[2:])
}

// A photo that is refused for now, and sent again as the same bytes, is that photo: its metadata are
// not cut out of what was sent.
func TestTriedAgain(t *testing.T) {
	t.Parallel()
	var memory *admission.Limiter
	d := newHarness(t, func(s *setup) {
		memory = admission.New(admission.Config{Requests: 100 << 20, Work: 100 << 20, Queue: 10, Patience: 50 * time.Millisecond})
		s.intake.Limits.MaxBytes, s.intake.Memory = 10<<20, memory
	})
	file := withExif(t)
	sent := bytes.Clone(file)
	free, err := memory.AcquireWork(t.Context(), 100<<20)
	if err != nil {
		t.Fatal(err)
	}
	var busy *admission.Busy
	if _, err := d.Photo(t.Context(), intake.Photo{Data: sent}, nil); !errors.As(err, &busy) {
		t.Fatalf("without memory: %v, want it refused for now", err)
	}
	free()
	r := d.ask(intake.Photo{Data: sent})
	if want := fmt.Sprintf("%x", sha256.Sum256(file)); !bytes.Equal(sent, file) || r.Image.SHA256 != want {
		t.Errorf("the second try was of the photo %.12s, want %.12s", r.Image.SHA256, want)
	}
	if again := d.ask(intake.Photo{Data: file}); !again.Cached {
		t.Error("the same photo is paid again")
	}
}

// A photo that is forgotten while a request for it runs is neither listed nor in the cache, nor told
// of, afterwards; one that is sent later is.
func TestForgottenMeanwhile(t *testing.T) {
	t.Parallel()
	d, told := publishingHarness(t)
	first := d.ask(intake.Photo{Data: picture(t)})
	for _, more := range [][]intake.Source{nil, {{Data: shade(t, 20)}}} {
		english := intake.Photo{Data: picture(t), More: more, Options: intake.Options{Lang: "en"}}
		told.take()
		d.whileRead(func() error {
			_, err := d.Forget(t.Context(), first.ID, true, nothingElsewhere{})
			return err
		})
		d.ask(english)
		if list, _, err := d.List(t.Context(), intake.Filter{}); err != nil || len(list) != 0 {
			t.Errorf("%d results are listed of a photo that was forgotten, %v", len(list), err)
		}
		if told := told.take(); len(told) != 0 {
			t.Errorf("%s is published of a photo that was forgotten", told[0].Data)
		}
		if r := d.ask(english); r.Cached {
			t.Error("the answer of a photo that was forgotten is in the cache")
		}
		if list, _, err := d.List(t.Context(), intake.Filter{}); err != nil || len(list) != 1 || !d.ask(english).Cached {
			t.Errorf("%d results of the photo sent later are listed, %v; want it listed and cached", len(list), err)
		}
		first = d.ask(english)
	}
}

// Of two who send the same photos at the same time each is told of the names of their own files.
func TestNamesOfOthers(t *testing.T) {
	t.Parallel()
	for _, several := range []bool{false, true} {
		d := newHarness(t, func(s *setup) { s.intake.KeepThumbnails = true })
		d.Gemini.SetFaults(emulated.Fault{Type: emulated.Latency, Kind: answers.KindImage, Delay: time.Second})
		ask := func(who string) (files []string) {
			p := intake.Photo{File: who + "-front.jpg", Data: picture(t)}
			if several {
				p.More = []intake.Source{{File: who + "-back.jpg", Data: shade(t, 20)}}
			}
			r, err := d.Photo(t.Context(), p, nil)
			if err != nil {
				t.Error(err)
				return nil
			}
			for _, i := range append([]analyze.Image{*r.Image}, r.MoreImages...) {
				files = append(files, fmt.Sprint(i.File, i.Width > 0))
			}
			return files
		}
		first := make(chan []string)
		go func() { first <- ask("anna") }()
		d.await("the first is under way", func() bool { return d.calls() > 0 })
		for who, got := range map[string][]string{"bela": ask("bela"), "anna": <-first} {
			want := []string{who + "-front.jpgtrue", who + "-back.jpgtrue"}
			if !several {
				want = want[:1]
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s is told of %q, want %q", who, got, want)
			}
		}
		if n := d.paid()[answers.KindImage]; n != 1 {
			t.Errorf("%d readings, want one for both", n)
		}
	}
	d := newHarness(t)
	free, err := d.Memory.AcquireWork(t.Context(), 100<<20)
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error, 2)
	for i, who := range []string{"anna", "bela"} {
		go func() {
			_, err := d.Photo(t.Context(), intake.Photo{File: who + "-front.jpg", Data: withExif(t), More: []intake.Source{{File: who + "-back.jpg", Data: []byte("no photo")}}}, nil)
			if err == nil || !strings.Contains(err.Error(), who+"-back.jpg") {
				err = fmt.Errorf("%s is told %w, want their own file named", who, cmp.Or(err, errors.New("nothing")))
			} else {
				err = nil
			}
			errs <- err
		}()
		time.Sleep(time.Duration(1-i) * 100 * time.Millisecond) // anna first
	}
	time.Sleep(200 * time.Millisecond)
	free()
	if err := errors.Join(<-errs, <-errs); err != nil {
		t.Error(err)
	}
}

package intake_test

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/usererror"
)

// Several photos of a product are one question, cached for the same order.
func TestSeveralPhotos(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	back := d.upload("back.jpg", shade(t, 2), nil)
	p := intake.Photo{Data: picture(t), More: []intake.Source{{URI: back.URI()}}}
	first := d.ask(p)
	if n := d.paid()[answers.KindImage]; n != 1 || len(first.MoreImages) != 1 {
		t.Errorf("%d readings, %+v; want both photos in one", n, first.MoreImages)
	}
	if again := d.ask(p); !again.Cached || again.ID != first.ID {
		t.Errorf("asked again: %+v, want the same result", again)
	}
	if turned := d.ask(intake.Photo{URI: back.URI(), More: []intake.Source{{Data: picture(t)}}}); turned.ID == first.ID {
		t.Error("the photos the other way round have the same result")
	}
}

// different returns n photos that differ from picture and from each other.
func different(t *testing.T, n int) (all []intake.Source) {
	t.Helper()
	for i := range n {
		all = append(all, intake.Source{Data: shade(t, uint8(10*i+10))})
	}
	return all
}

// Copies of a photo count once: fifteen files of eight photos are one question.
func TestCopiesCountOnce(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	more := different(t, analyze.MaxPhotos-1)
	r := d.ask(intake.Photo{Data: picture(t), More: append(more, more...)})
	if sent := len(d.Gemini.Calls()[0].Inline); sent != analyze.MaxPhotos || len(r.MoreImages) != len(more)*2 {
		t.Errorf("%d photos were sent and %d more are in the result, want %d and %d", sent, len(r.MoreImages), analyze.MaxPhotos, len(more)*2)
	}
}

// A refusal of several photos names the one.
func TestRefusalNamesThePhoto(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	broken := d.upload("broken.jpg", []byte("text"), nil)
	good := intake.Source{Data: shade(t, 9)}
	tests := []struct {
		more []intake.Source
		want string
	}{
		{[]intake.Source{good, {File: "back.jpg", Data: []byte("%PDF-1.7")}}, "photo 3 of 3, back.jpg: "},
		{[]intake.Source{{Data: picture(t)[:200]}}, "photo 2 of 2: "},
		{[]intake.Source{{URI: broken.URI()}}, "photo 2 of 2, gs://uploads/broken.jpg: "},
		{[]intake.Source{good, {URI: "gs://uploads/none.jpg"}}, "photo 3 of 3, gs://uploads/none.jpg: "},
		{[]intake.Source{{URI: "gs://elsewhere/a.jpg"}}, "photo 2 of 2, gs://elsewhere/a.jpg: "},
	}
	for _, test := range tests {
		_, err := d.Photo(t.Context(), intake.Photo{Data: picture(t), More: test.more}, nil)
		if text := usererror.Text(err); !strings.HasPrefix(text, test.want) {
			t.Errorf("Photo = %q, want it to begin with %q", text, test.want)
		}
	}
	if _, err := d.Photo(t.Context(), intake.Photo{Data: []byte("text")}, nil); strings.Contains(usererror.Text(err), "photo 1") {
		t.Errorf("of a single photo: %v, want it without a number", err)
	}
}

// Several photos of too many bytes for one question are made smaller, the larger ones only.
func TestTooManyBytesAreScaled(t *testing.T) {
	t.Parallel()
	if os.Getenv("WHATIS_LARGE") == "" {
		t.Skip("WHATIS_LARGE is not set: it encodes photos of 6 MB, half a minute")
	}
	d := newHarness(t, func(s *setup) { s.intake.Limits.MaxBytes = 30 << 20 })
	small := picture(t)
	var more []intake.Source
	var all int
	for i := range 3 {
		data := noise(t, int64(i))
		all += len(data)
		more = append(more, intake.Source{Data: data})
	}
	if all < analyze.MaxSent {
		t.Fatalf("the photos have %d bytes, want more than %d", all, analyze.MaxSent)
	}
	d.ask(intake.Photo{Data: small, More: more})
	sent, in := 0, d.Gemini.Calls()[0].Inline
	for _, one := range in {
		sent += one.Bytes
	}
	if len(in) != 4 || sent > analyze.MaxSent || sent < analyze.MaxSent/3 || in[0].Bytes > len(small) {
		t.Errorf("%d photos of %d bytes were sent, the first of %d; want 4 of at most %d", len(in), sent, in[0].Bytes, analyze.MaxSent)
	}
}

// noise returns a photo of about 6 MB.
func noise(t *testing.T, seed int64) []byte {
	t.Helper()
	m, random := image.NewGray(image.Rect(0, 0, 2600, 2600)), rand.New(rand.NewPCG(uint64(seed), 1))
	for i := range m.Pix {
		m.Pix[i] = uint8(random.Uint32())
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 92}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSeveralPhotosRefused(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	good := intake.Source{Data: picture(t)}
	tests := []struct {
		name string
		more []intake.Source
		want error
	}{
		{"too many", different(t, analyze.MaxPhotos), analyze.ErrTooMany},
		{"too many copies", slices.Repeat([]intake.Source{good}, 20), analyze.ErrTooMany},
		{"one is missing", []intake.Source{good, {URI: "gs://uploads/a.jpg"}}, blob.ErrNotFound},
		{"one is elsewhere", []intake.Source{{URI: "gs://private/a.jpg"}}, intake.ErrForbidden},
		{"one leads elsewhere", []intake.Source{{URI: "gs://uploads/a/../../private/a.jpg"}}, intake.ErrOption},
	}
	for _, test := range tests {
		if _, err := d.Photo(t.Context(), intake.Photo{Data: picture(t), More: test.more}, nil); !errors.Is(err, test.want) {
			t.Errorf("%s: Photo = %v, want %v", test.name, err, test.want)
		}
	}
	var bad *photo.Error
	if _, err := d.Photo(t.Context(), intake.Photo{Data: picture(t), More: []intake.Source{{}}}, nil); !errors.As(err, &bad) || bad.Code != photo.Empty {
		t.Errorf("one is empty: Photo = %v, want a photo.Error", err)
	}
	d.wantCalls(0)
}

// Fetched objects reserve the memory they need, and release it.
func TestFetchedPhotoTakesMemory(t *testing.T) {
	t.Parallel()
	data := picture(t)
	need := intake.MemoryFor(int64(len(data)))
	gate := admission.New(admission.Config{Requests: need, Work: 100 << 20, Queue: 1, Patience: time.Millisecond})
	d := newHarness(t, func(s *setup) { s.intake.Memory = gate })
	o := d.upload("a.jpg", data, nil)
	leave, err := gate.Acquire(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var busy *admission.Busy
	if _, err := d.Photo(t.Context(), intake.Photo{URI: o.URI()}, nil); !errors.As(err, &busy) {
		t.Errorf("Photo without memory = %v, want busy", err)
	}
	leave()
	_ = d.ask(intake.Photo{URI: o.URI()})
	if leave, err = gate.Acquire(t.Context(), need); err != nil {
		t.Fatalf("the memory was not released: %v", err)
	}
	leave()
}

package intake_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"slices"
	"testing"

	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/jobs"
)

// Pages hold the records with a result, whatever is between them.
func TestList(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	var want []string
	for i := range 5 {
		o := d.upload(fmt.Sprintf("%d.jpg", i), shade(t, uint8(i)), nil)
		if i == 2 || i == 3 {
			o.Generation++ // replaced before it was read
		} else {
			want = append([]string{o.URI()}, want...)
		}
		d.deliver(o)
	}
	over := d.ask(intake.Photo{Data: shade(t, 9)})
	want = append([]string{""}, want...)
	for _, limit := range []int{1, 2, 3, 4, 0} {
		var got []string
		f := intake.Filter{Limit: limit}
		for page := 0; ; page++ {
			list, next, err := d.List(t.Context(), f)
			if err != nil || page > 6 {
				t.Fatalf("List by %d = %v after %d pages", limit, err, page)
			}
			for _, l := range list {
				got = append(got, l.File())
			}
			if f.After = next; next == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("by %d: %q, want %q", limit, got, want)
		}
	}
	if l, err := d.Result(t.Context(), over.ID); err != nil || l.Public.ID != over.ID || l.Kind != "http" {
		t.Errorf("Result(%s) = %+v, %v", over.ID, l, err)
	}
	gone := d.records()["2.jpg"].ID
	if _, err := d.Result(t.Context(), gone); !errors.Is(err, jobs.ErrNotFound) {
		t.Errorf("Result of a photo that nobody saw = %v, want %v", err, jobs.ErrNotFound)
	}
}

// Listings have no citations or search suggestions of Google.
func TestListedWithoutCitations(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.stock()
	d.Gemini.Script(unclear()...)
	own := d.ask(intake.Photo{Data: picture(t)})
	l, err := d.Result(t.Context(), own.ID)
	if err != nil || len(own.Citations) == 0 || own.SearchSuggestions == "" {
		t.Fatalf("the one who asked got %+v, %v; want citations", own, err)
	}
	if len(l.Public.Citations) > 0 || l.Public.SearchSuggestions != "" || l.Public.ProductName != own.ProductName {
		t.Errorf("listed: %+v, want the product without citations", l.Public)
	}
}

func TestThumbnail(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	o := d.upload("a b.jpg", picture(t), nil)
	d.deliver(o)
	uploaded := d.records()["a b.jpg"].ID
	byURI := d.ask(intake.Photo{URI: o.URI(), Options: intake.Options{Lang: "en"}}).ID
	overHTTP := d.ask(intake.Photo{Data: shade(t, 1)}).ID
	d.upload("a b.jpg", shade(t, 2), nil) // replaces the generation that was analysed
	tests := []struct {
		what, id string
		want     error
	}{
		{"uploaded, and replaced", uploaded, blob.ErrNotFound},
		{"by URI, and replaced", byURI, blob.ErrNotFound},
		{"over HTTP", overHTTP, blob.ErrNotFound},
		{"unknown", "0123", jobs.ErrNotFound},
	}
	for _, test := range tests {
		if _, err := d.Thumbnail(t.Context(), test.id, 20); !errors.Is(err, test.want) {
			t.Errorf("%s: Thumbnail = %v, want %v", test.what, err, test.want)
		}
	}
	d.deliver(d.upload("c.jpg", shade(t, 3), nil))
	id := d.records()["c.jpg"].ID
	data, err := d.Thumbnail(t.Context(), id, 20)
	if err != nil {
		t.Fatal(err)
	}
	if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err != nil || c.Width != 20 || c.Height != 15 {
		t.Errorf("Thumbnail is %d × %d, %v; want 20 × 15", c.Width, c.Height, err)
	}
}

// A thumbnail and the name of the file are kept with the result where that is wanted, and gone
// with it. The same bytes again change neither. Of a doubtful result the picture is made here.
func TestKeptThumbnail(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{true, false} {
		d := newHarness(t, func(s *setup) { s.intake.KeepThumbnails = keep })
		small := shade(t, 9)
		doubtful := d.ask(intake.Photo{Data: shade(t, 4), Thumbnail: small})
		if made, err := d.Thumbnail(t.Context(), doubtful.ID, 20); doubtful.Image.Preview != keep || keep && (err != nil || bytes.Equal(made, small)) {
			t.Errorf("keep %t: of a doubtful result there are %d bytes, %v, %+v", keep, len(made), err, doubtful.Image)
		}
		d.Gemini.Script(read(0.95, ""))
		own := d.ask(intake.Photo{Data: picture(t), File: "tea.jpg", Thumbnail: small})
		again := d.ask(intake.Photo{Data: picture(t), File: "copy.jpg"})
		if own.HasPicture() || own.Image.Thumbnail != keep || !again.Cached || again.Image.Thumbnail != keep || (own.Image.File != "") != keep {
			t.Errorf("keep %t: the result has %+v, again %+v", keep, own.Image, again.Image)
		}
		l, err := d.Result(t.Context(), own.ID)
		if err != nil || (l.Public.Image.File == "tea.jpg") != keep || d.HavePhotos(t.Context(), []intake.Listed{l})[0] != keep {
			t.Errorf("keep %t: listed %+v, %v", keep, l.Public.Image, err)
		}
		data, err := d.Thumbnail(t.Context(), own.ID, 20)
		if keep && (err != nil || !bytes.Equal(data, small)) || !keep && !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("keep %t: Thumbnail = %d bytes, %v; want the %d that were sent, if any", keep, len(data), err, len(small))
		}
	}
}

// What has a picture is looked at first, however sure the others are.
func TestQueueShowsPicturesFirst(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	unseen := d.ask(intake.Photo{Data: shade(t, 1)})
	seen := d.ask(intake.Photo{URI: d.upload("a.jpg", shade(t, 2), nil).URI()})
	list, _, err := d.Queue(t.Context(), "", 10)
	if err != nil || len(list) != 2 || list[0].ID != seen.ID || list[1].ID != unseen.ID {
		t.Errorf("Queue = %d results, %v; want %s, then %s", len(list), err, seen.ID, unseen.ID)
	}
}

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

package batch_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/whatis/emulators/eventarc"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/jobs"
)

// With group=folder each folder has one item and one question, with repeated tasks too. A
// photo that cannot be used does not keep the others of its folder from their answer.
func TestGroupByFolder(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.pushed(eventarc.Route{Duplicates: 1})
	d.photos(5) // at the top, p000.jpg and so on
	photo := func(name string, data []byte) { d.upload("uploads", name, data) }
	photo("a/1.jpg", jpegOf(t, even(40), 90))
	photo("a/b/1.jpg", jpegOf(t, even(60), 90))
	photo("a/c.jpg", []byte("no photo"))
	photo("bad/1.jpg", []byte("no photo"))
	s := d.create(batch.Request{Prefix: "gs://uploads/", Group: "folder"})
	if s.Number != 4 || s.Photos != 9 || s.Group != "folder" {
		t.Errorf("Create = %d groups of %d photos (%q), want 4 of 9", s.Number, s.Photos, s.Group)
	}
	d.quiet()
	s = d.status(s.ID)
	if s.State != jobs.Done || s.Ended != 4 || s.Counts[batch.ItemFailed] != 1 || len(s.Failures) != 1 || s.Failures[0].File != "gs://uploads/bad/1.jpg" {
		t.Errorf("the batch is %s with %v, %+v; want it done with one failure", s.State, s.Counts, s.Failures)
	}
	lines, _, _ := d.summary(s.ResultURI)
	got := map[string]int{}
	for _, l := range lines {
		got[l.File] = len(l.Result.MoreImages)
	}
	if want := map[string]int{"gs://uploads/a/1.jpg": 1, "gs://uploads/a/b/1.jpg": 0, "gs://uploads/bad/1.jpg": 0, "gs://uploads/p000.jpg": 4}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("further photos by file = %v, want %v", got, want)
	}
	if more := lines[0].Result.MoreImages; len(more) != 1 || more[0].URI != "gs://uploads/a/c.jpg" || !strings.Contains(more[0].Error, "send a photo") {
		t.Errorf("of a folder with a broken photo: %+v, want it left out with the reason", more)
	}
}

func TestGroupRefused(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	d.manual()
	for i := range intake.MaxGroup + 1 {
		d.upload("uploads", fmt.Sprintf("all/%d.jpg", i), []byte("x"))
	}
	for group, want := range map[string]string{"folder": "gs://uploads/all/ has more than 20 photos", "colour": "send folder"} {
		if _, err := d.Create(t.Context(), batch.Request{Prefix: "gs://uploads/", Group: group}); !errors.Is(err, batch.ErrRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("Create(group %s) = %v, want %q", group, err, want)
		}
	}
}

package blob_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/whatis/internal/blob"
)

// saying returns a function that writes text.
func saying(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

// content returns the object at a place, "" if there is none.
func content(t *testing.T, s *blob.Store, p blob.Place) string {
	t.Helper()
	r, err := s.Open(t.Context(), blob.ObjectRef{Bucket: p.Bucket, Name: p.Name})
	if errors.Is(err, blob.ErrNotFound) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var summary = blob.Place{Bucket: "results", Name: "batches/b/result.json", ContentType: "application/json"}

func TestCreate(t *testing.T) {
	s, c := open(t)
	if wrote, err := s.Create(t.Context(), summary, saying("first")); err != nil || !wrote {
		t.Errorf("Create = %v, %v; want it written", wrote, err)
	}
	if wrote, err := s.Create(t.Context(), summary, saying("second")); err != nil || wrote {
		t.Errorf("Create of what is there = %v, %v; want it left", wrote, err)
	}
	if got := content(t, s, summary); got != "first" {
		t.Errorf("there stands %q, want first", got)
	}
	attrs, err := c.Bucket(summary.Bucket).Object(summary.Name).Attrs(t.Context())
	if err != nil || attrs.ContentType != "application/json" {
		t.Errorf("its type is %q, %v; want application/json", attrs.ContentType, err)
	}
}

// Of concurrent writers to an empty place, one writes.
func TestCreateRace(t *testing.T) {
	s, _ := open(t)
	const writers = 6
	var ready, all sync.WaitGroup
	ready.Add(writers)
	var mu sync.Mutex
	var wrote []string
	for i := range writers {
		all.Go(func() {
			text := strings.Repeat(fmt.Sprint(i), 100_000)
			ok, err := s.Create(t.Context(), summary, func(w io.Writer) error {
				ready.Done()
				ready.Wait()
				return saying(text)(w)
			})
			if err != nil {
				t.Errorf("Create = %v, want nil", err)
			}
			mu.Lock()
			defer mu.Unlock()
			if ok {
				wrote = append(wrote, text)
			}
		})
	}
	all.Wait()
	if len(wrote) != 1 || content(t, s, summary) != wrote[0] {
		t.Errorf("%d of %d wrote, want one, whose text stands", len(wrote), writers)
	}
}

// A failed write leaves nothing, whether or not part of it was sent.
func TestCreateBrokenOff(t *testing.T) {
	s, _ := open(t)
	broken := errors.New("the source broke off")
	for _, before := range []string{"", "some", strings.Repeat("much", 1<<20)} {
		wrote, err := s.Create(t.Context(), summary, func(w io.Writer) error {
			_, _ = io.WriteString(w, before)
			return broken
		})
		if wrote || !errors.Is(err, broken) {
			t.Errorf("Create after %d bytes = %v, %v; want the error of the source", len(before), wrote, err)
		}
		if got := content(t, s, summary); got != "" {
			t.Errorf("%d bytes stand there, want nothing", len(got))
		}
	}
}

// Replace does not overwrite what another writer wrote since it began.
func TestReplace(t *testing.T) {
	s, _ := open(t)
	for _, text := range []string{"one", "two"} {
		if wrote, err := s.Replace(t.Context(), summary, saying(text)); err != nil || !wrote || content(t, s, summary) != text {
			t.Errorf("Replace = %v, %v; want %s there", wrote, err, text)
		}
	}
	wrote, err := s.Replace(t.Context(), summary, func(w io.Writer) error {
		if _, err := s.Replace(t.Context(), summary, saying("newer")); err != nil {
			t.Error(err)
		}
		return saying("older")(w)
	})
	if got := content(t, s, summary); err != nil || wrote || got != "newer" {
		t.Errorf("Replace = %v, %v, and there stands %q; want it to give way to newer", wrote, err, got)
	}
}

func TestOpenNothing(t *testing.T) {
	s, _ := open(t)
	for _, o := range []blob.ObjectRef{{Bucket: "results", Name: "none"}, {Bucket: "none", Name: "none"}, {Bucket: "results", Name: "none", Generation: 7}} {
		if _, err := s.Open(t.Context(), o); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("Open(%+v) = %v, want ErrNotFound", o, err)
		}
	}
}

func TestList(t *testing.T) {
	s, c := open(t)
	for _, name := range []string{"b/z.jpg", "a b/%?#.jpg", "b/가.jpg", "b/", "b.jpg", "b/A.jpg"} {
		write(t, c, "uploads", name, name)
	}
	tests := []struct{ bucket, prefix, want string }{
		{"uploads", "", "a b/%?#.jpg|b.jpg|b/|b/A.jpg|b/z.jpg|b/가.jpg"},
		{"uploads", "b/", "b/|b/A.jpg|b/z.jpg|b/가.jpg"},
		{"uploads", "b/가", "b/가.jpg"},
		{"uploads", "c", ""},
		{"results", "", ""},
	}
	for _, test := range tests {
		var names []string
		for o, err := range s.List(t.Context(), test.bucket, test.prefix) {
			if err != nil || o.Generation == 0 || int(o.Size) != len(o.Name) || o.Bucket != test.bucket {
				t.Errorf("List(%s, %s): %+v, %v", test.bucket, test.prefix, o, err)
			}
			names = append(names, o.Name)
		}
		if got := strings.Join(names, "|"); got != test.want || !slices.IsSorted(names) {
			t.Errorf("List(%s, %s) = %s, want %s", test.bucket, test.prefix, got, test.want)
		}
	}
	for _, err := range s.List(t.Context(), "none", "") {
		if !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("List of a bucket that is not there: %v, want ErrNotFound", err)
		}
	}
	for range s.List(t.Context(), "uploads", "") {
		break // no more is needed
	}
}

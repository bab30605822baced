package intake_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/internal/admission"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/photo"
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

func TestSeveralPhotosRefused(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	good := intake.Source{Data: picture(t)}
	tests := []struct {
		name string
		more []intake.Source
		want error
	}{
		{"too many", slices.Repeat([]intake.Source{good}, analyze.MaxPhotos), analyze.ErrTooMany},
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

// A client that resumes a fresh run joins it, or gets its result.
func TestResumed(t *testing.T) {
	t.Parallel()
	d := newHarness(t)
	_ = d.ask(intake.Photo{Data: picture(t)}) // not to be confused with the fresh run
	entered, release := d.hold()
	p := intake.Photo{Data: picture(t), Fresh: true}
	done := make(chan analyze.Result, 2)
	ask := func(p intake.Photo, watch func(*agent.Event)) {
		r, err := d.Photo(context.WithoutCancel(t.Context()), p, watch)
		if err != nil {
			t.Error(err)
		}
		done <- r
	}
	go ask(p, nil)
	<-entered
	p.Resumed = true
	joined := make(chan bool)
	join := sync.OnceFunc(func() { close(joined) })
	go ask(p, func(*agent.Event) { join() })
	<-joined // it is told what the run has done so far
	release()
	if a, b := <-done, <-done; a.Cached || b.Cached || d.paid()[answers.KindImage] != 2 {
		t.Errorf("resumed while it runs: cached %t, %t, %v; want one run", a.Cached, b.Cached, d.paid())
	}
	if r := d.ask(p); !r.Cached || d.paid()[answers.KindImage] != 2 {
		t.Errorf("resumed after the end: cached %t, %v; want what came of it", r.Cached, d.paid())
	}
	p.Resumed = false
	if r := d.ask(p); r.Cached || d.paid()[answers.KindImage] != 3 {
		t.Errorf("asked anew: cached %t, %v; want another run", r.Cached, d.paid())
	}
}

package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/emulators/storage"
)

func resultEvent(name, generation string) storage.Event {
	return storage.Event{Name: name, Object: []byte(`{"metadata":{"source_generation":"` + generation + `"}}`)}
}

func deadLetter(name, generation string) pubsub.Message {
	return pubsub.Message{Attributes: map[string]string{"objectId": name, "objectGeneration": generation}}
}

func TestAwait(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		tell func(*arrivals)
		want error // of waiting for generation 5 of a.jpg
	}{
		{"its result", func(a *arrivals) { a.landed(resultEvent("a.jpg.json", "5")) }, nil},
		{"a newer one", func(a *arrivals) { a.landed(resultEvent("a.jpg.json", "10")) }, nil},
		{"an older one", func(a *arrivals) { a.landed(resultEvent("a.jpg.json", "4")) }, context.DeadlineExceeded},
		{"another photo's", func(a *arrivals) { a.landed(resultEvent("b.jpg.json", "5")) }, context.DeadlineExceeded},
		{"a file of somebody's", func(a *arrivals) { a.landed(storage.Event{Name: "a.jpg.json", Object: []byte("{}")}) }, context.DeadlineExceeded},
		{"its dead letter", func(a *arrivals) { a.stuck(deadLetter("a.jpg", "5")) }, errStuck},
		{"an older dead letter, then its result", func(a *arrivals) {
			a.stuck(deadLetter("a.jpg", "4"))
			a.landed(resultEvent("a.jpg.json", "5"))
		}, nil},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			a := newArrivals()
			arriving := a.expect("a.jpg")
			test.tell(a)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := await(ctx, arriving, 5); !errors.Is(err, test.want) {
				t.Errorf("%s: await = %v, want %v", test.name, err, test.want)
			}
		})
	}
}

// What nobody waits for goes to the others, and never blocks.
func TestOthers(t *testing.T) {
	t.Parallel()
	a := newArrivals()
	a.expect("a.jpg")
	a.forget("a.jpg")
	for range cap(a.others) + 1 {
		a.landed(resultEvent("a.jpg.json", "5"))
	}
	if got, want := <-a.others, (arrival{"a.jpg", 5, nil}); got != want {
		t.Errorf("others has %v, want %v", got, want)
	}
}

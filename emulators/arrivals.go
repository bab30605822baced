package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/emulators/storage"
)

// arrivals notifies the waiter of a photo when its result has been written. Results
// without a waiter go to others.
type arrivals struct {
	others chan arrival // of photos without a waiter

	mu      sync.Mutex
	waiting map[string]chan arrival // by name of the photo
}

// arrival is the result of a photo, or the error instead of one.
type arrival struct {
	name       string
	generation int64 // 0 if it is not known
	err        error // there is no result, and why
}

func newArrivals() *arrivals {
	return &arrivals{others: make(chan arrival, 10_000), waiting: map[string]chan arrival{}}
}

// expect registers a waiter and is called before the photo is uploaded; forget removes it.
func (a *arrivals) expect(name string) <-chan arrival {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting[name] = make(chan arrival, 100)
	return a.waiting[name]
}

func (a *arrivals) forget(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.waiting, name)
}

// landed handles a new object of the results bucket.
func (a *arrivals) landed(e storage.Event) {
	var resource struct {
		Metadata struct {
			Generation string `json:"source_generation"`
		}
	}
	_ = json.Unmarshal(e.Object, &resource) // an object without metadata is no result
	generation, err := strconv.ParseInt(resource.Metadata.Generation, 10, 64)
	if err != nil {
		return // not the result of an upload
	}
	a.tell(arrival{strings.TrimSuffix(e.Name, ".json"), generation, nil})
}

// stuck handles a dead letter.
func (a *arrivals) stuck(m pubsub.Message) {
	generation, _ := strconv.ParseInt(m.Attributes["objectGeneration"], 10, 64)
	a.tell(arrival{m.Attributes["objectId"], generation, errStuck})
}

var errStuck = fmt.Errorf("%d deliveries failed: see the function's log lines; delivery continues", deliveries)

// tell never blocks, as storage or Pub/Sub waits for it. If the channel is full the
// result is not shown.
func (a *arrivals) tell(what arrival) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if waiting := a.waiting[what.name]; waiting != nil {
		select {
		case waiting <- what:
		default:
		}
		return
	}
	select {
	case a.others <- what:
	default:
	}
}

// patience is the longest wait for a photo's result, also with the real model.
const patience = 10 * time.Minute

// await waits for the result of a generation or a newer one.
func await(ctx context.Context, arriving <-chan arrival, generation int64) error {
	late := time.After(patience)
	for {
		select {
		case got := <-arriving:
			if got.generation >= generation {
				return got.err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-late:
			return errors.New("there is no result after " + patience.String())
		}
	}
}

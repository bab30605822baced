// Package function has the entry points of the serverless functions, one of which a
// process serves (FUNCTION_TARGET).
//
//	Upload  a finalized object → its result in the results bucket
//	Task    one task: of a batch, or the import of a catalogue
//	API     HTTP requests
//
// The functions framework serves them; package server adds what it lacks, and event.go
// reads the events.
package function

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/GoogleCloudPlatform/functions-framework-go/functions"
	cloudevents "github.com/cloudevents/sdk-go/v2"

	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/app"
	tasks "example.com/whatis/internal/jobs/queue"
	"example.com/whatis/internal/web"
)

// Targets are the values that FUNCTION_TARGET may have.
var Targets = []string{"Upload", "Task", "API"}

func init() {
	functions.HTTP("Upload", upload)
	functions.HTTP("Task", task)
	functions.HTTP("API", api)
}

// process serves one of them.
var process web.Server

// Serve serves the function that FUNCTION_TARGET names at host:port until ctx ends
// and the requests under way have finished. change is called with the app before it
// answers anything.
func Serve(ctx context.Context, host, port string, change ...func(*app.App)) error {
	hosted.Do(func() {}) // by the caller
	whatis, routes = opened(change...), routed()
	loopback.Store(web.IsLoopback(host))
	return process.Run(ctx, host, port)
}

// loopback is whether this process listens on the loopback alone.
var loopback atomic.Bool

// refused answers a request of a foreign host, if this process listens on the loopback. It is
// called first for each request.
func refused(w http.ResponseWriter, r *http.Request) bool {
	hosted.Do(host)
	return loopback.Load() && web.RefuseForeignHost(w, r)
}

// handlerTimeout is the longest that one delivery or request may take: less than
// the service's 570 s, which are less than the subscription's 600 s.
const handlerTimeout = 540 * time.Second

// withTimeout returns ctx with handlerTimeout; it also ends when the instance has to stop.
func withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, leave := process.WithDrain(ctx)
	ctx, cancel := context.WithTimeout(ctx, handlerTimeout)
	return ctx, func() { cancel(); leave() }
}

// whatis is the one app of this process, or of the latest Serve in it: the app of an
// earlier Serve has its configuration, and clients of services that may have stopped.
var whatis = opened()

// opened returns a function that reads the configuration and makes the app, at its first
// call.
func opened(change ...func(*app.App)) func() (*app.App, error) {
	return sync.OnceValues(func() (*app.App, error) {
		c, err := app.ReadConfig(context.Background())
		a := app.New(c)
		for _, set := range change {
			set(a)
		}
		return a, err
	})
}

// upload handles the object of an event, in either form: Cloud Storage's own finalized
// event, or a bucket notification pushed by Pub/Sub. Events that are known to be about no
// new object are acknowledged.
func upload(w http.ResponseWriter, r *http.Request) {
	ctx, e := begin("Upload", w, r)
	if e == nil {
		return
	}
	var failed error
	defer func() { e.end(ctx, failed) }()
	delivery, unreadable := deliveryOf(e.Event)
	if errors.Is(unreadable, intake.ErrNoObject) {
		slog.InfoContext(ctx, "event of no photo", "type", e.Type(), "error", unreadable)
		return
	}
	a, err := whatis()
	if err != nil {
		failed = misconfigured(ctx, err)
		return
	}
	defer a.Begin()()
	in, err := a.Intake(ctx)
	if err != nil {
		failed = misconfigured(ctx, err)
		return
	}
	if unreadable != nil {
		failed = in.GiveUpUnread(ctx, e.Source(), e.Data(), unread(e.Event, unreadable))
		return
	}
	if delivery, failed = in.Grouped(ctx, delivery); failed == nil {
		_, failed = in.Run.Deliver(ctx, in.Job(ctx, delivery))
	}
}

func deliveryOf(e cloudevents.Event) (d intake.Delivery, err error) {
	const storage = "google.cloud.storage.object.v1."
	switch {
	case e.Type() == storage+"finalized":
		d.Object, err = intake.FromResource(e.Data())
	case e.Type() == "google.cloud.pubsub.topic.v1.messagePublished":
		d, err = intake.FromMessage(e.Source(), e.Data())
	case strings.HasPrefix(e.Type(), storage):
		err = intake.ErrNoObject
	default:
		err = errors.New("want an event of a finalized object, or of a message that was published")
	}
	if d.Published.IsZero() {
		d.Published = e.Time()
	}
	return d, err
}

// task runs the task of a Pub/Sub message.
func task(w http.ResponseWriter, r *http.Request) {
	ctx, e := begin("Task", w, r)
	if e == nil {
		return
	}
	var failed error
	defer func() { e.end(ctx, failed) }()
	message, err := tasks.TaskFromEvent(e.Source(), e.Data(), e.Time())
	if err != nil {
		failed = unread(e.Event, err)
		return
	}
	a, err := whatis()
	if err != nil {
		failed = misconfigured(ctx, err)
		return
	}
	defer a.Begin()()
	failed = a.Tasks().Dispatch(ctx, message)
}

// misconfigured logs and returns err: nothing works until the configuration is fixed.
func misconfigured(ctx context.Context, err error) error {
	slog.ErrorContext(ctx, "configuration", "error", err)
	return err
}

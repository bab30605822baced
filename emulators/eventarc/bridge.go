// Package eventarc carries events to HTTP endpoints as production does: a
// bucket's notification goes to a topic, and a push subscription of the topic
// delivers it, at least once and in no order, until the endpoint acknowledges.
//
//	storage ─ Finalized ─→ topic of pubsub ─→ Route ─ POST ─→ endpoint
//	any Pub/Sub client ──────↗    ↖               │ not acknowledged: again, later
//	                               └─ dead letters ┘ after MaxDeliveries
//
// Messages travel through the topics of the Pub/Sub emulator, so its other
// subscribers see them as well. The push itself is made here, because pstest
// neither pushes nor honours retry and dead letter policies.
package eventarc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"example.com/whatis/emulators/pubsub"
	"example.com/whatis/emulators/storage"
)

// Options say what the bridge connects.
type Options struct {
	PubSub  *pubsub.Server
	Project string       // project of the topics and subscriptions
	Routes  []Route      // more may follow with Add
	Seed    uint64       // of the random order of Route.Reorder
	Log     *slog.Logger // logs every delivery that was not acknowledged; may be nil
}

// Bridge is a running bridge. Its methods are safe for concurrent use.
type Bridge struct {
	pubsub  *pubsub.Server
	project string
	log     *slog.Logger
	client  *http.Client
	ctx     context.Context // ended by Close
	cancel  context.CancelFunc
	work    sync.WaitGroup // deliveries and requests

	mu     sync.Mutex
	closed bool
	routes int
	topics map[string][]string // bucket → topics its notifications go to
	leave  []func()            // ends the subscriptions
	random *rand.Rand
	stats  Stats
	busy   int           // deliveries and requests going on
	idle   chan struct{} // closed while busy is 0
}

// Stats count what happened since Start. When the bridge is idle,
// Published = Acked + DeadLettered.
type Stats struct {
	Published    int // messages that came to a route; to two routes counts twice
	Delivered    int // requests sent, repetitions and duplicates included
	Acked        int // messages acknowledged
	Retried      int // deliveries made because the one before was not acknowledged
	DeadLettered int // messages given up; on a dead letter route they count as published again
}

// Start makes the topics of the routes and begins to push.
func Start(o Options) (*Bridge, error) {
	if o.PubSub == nil {
		return nil, errors.New("eventarc: Options.PubSub is nil")
	}
	if o.Project == "" {
		return nil, errors.New("eventarc: Options.Project is empty")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	b := &Bridge{
		pubsub:  o.PubSub,
		project: o.Project,
		log:     o.Log,
		client:  newClient(),
		topics:  map[string][]string{},
		random:  rand.New(rand.NewPCG(o.Seed, 0)),
		idle:    make(chan struct{}),
	}
	close(b.idle)
	b.ctx, b.cancel = context.WithCancel(context.Background())
	for _, r := range o.Routes {
		if err := b.Add(r); err != nil {
			b.Close()
			return nil, err
		}
	}
	return b, nil
}

// newClient makes a client that keeps its connections, however many deliveries
// run at once, and takes a redirect for an answer, as Pub/Sub does.
func newClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 1000},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Add begins to serve one more route.
func (b *Bridge) Add(r Route) error {
	if err := r.complete(); err != nil {
		return fmt.Errorf("eventarc: route %q: %w", r.Topic, err)
	}
	if err := b.pubsub.CreateTopic(b.topic(r.Topic)); err != nil {
		return fmt.Errorf("eventarc: route %q: %w", r.Topic, err)
	}
	if r.MaxDeliveries > 0 {
		if err := b.addDeadLetters(r); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.routes++
	s := &subscription{
		Route: r,
		name:  fmt.Sprintf("projects/%s/subscriptions/%s-%d", b.project, r.Topic, b.routes),
		topic: b.topic(r.Topic),
		slots: make(chan struct{}, r.Concurrency),
	}
	if r.Bucket != "" && !slices.Contains(b.topics[r.Bucket], r.Topic) {
		b.topics[r.Bucket] = append(b.topics[r.Bucket], r.Topic)
	}
	b.leave = append(b.leave, b.pubsub.Subscribe(s.topic, func(m pubsub.Message) { b.receive(s, m) }))
	return nil
}

// addDeadLetters makes the dead letter topic of r and, if r names an endpoint
// for dead letters, the route to it, which never gives up.
func (b *Bridge) addDeadLetters(r Route) error {
	if r.DeadLetter == "" {
		return b.pubsub.CreateTopic(b.topic(r.deadLetterTopic()))
	}
	return b.Add(Route{
		Topic:       r.deadLetterTopic(),
		Endpoint:    r.DeadLetter,
		AckDeadline: r.AckDeadline,
		MinBackoff:  r.MinBackoff,
		MaxBackoff:  r.MaxBackoff,
		Concurrency: r.Concurrency,
	})
}

// Finalized publishes the notification of a new object to the topics of its
// bucket, with the attributes that Cloud Storage gives it. It fits
// storage.Options.Events.
// https://cloud.google.com/storage/docs/pubsub-notifications#attributes
func (b *Bridge) Finalized(e storage.Event) {
	b.mu.Lock()
	topics := slices.Clone(b.topics[e.Bucket])
	b.mu.Unlock()
	for _, topic := range topics {
		err := b.Publish(topic, e.Object, map[string]string{
			"notificationConfig": "projects/_/buckets/" + e.Bucket + "/notificationConfigs/1",
			"eventType":          "OBJECT_FINALIZE",
			"payloadFormat":      "JSON_API_V1",
			"bucketId":           e.Bucket,
			"objectId":           e.Name,
			"objectGeneration":   e.Generation,
			"eventTime":          e.Time.Format(time.RFC3339Nano),
		})
		if err != nil {
			b.log.Error("notification lost", "bucket", e.Bucket, "object", e.Name, "error", err)
		}
	}
}

// Publish sends a message to the topic of a route, named as in Route.Topic.
func (b *Bridge) Publish(topic string, data []byte, attributes map[string]string) error {
	if _, err := b.pubsub.Publish(b.topic(topic), data, attributes); err != nil {
		return fmt.Errorf("eventarc: %w", err)
	}
	return nil
}

func (b *Bridge) topic(name string) string { return "projects/" + b.project + "/topics/" + name }

// Stats returns the counts so far.
func (b *Bridge) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stats
}

// Wait returns when every message published before the call has been
// acknowledged or given up and no request is under way, not even one that has
// outlived its ack deadline. If ctx ends first, it returns why.
func (b *Bridge) Wait(ctx context.Context) error {
	b.mu.Lock()
	idle := b.idle
	b.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("eventarc: wait: %w with %+v", context.Cause(ctx), b.Stats())
	}
}

// Close drops what is not delivered, cuts the requests under way and returns
// when all goroutines have ended.
func (b *Bridge) Close() {
	b.mu.Lock()
	b.closed = true
	leave := b.leave
	b.leave = nil
	b.mu.Unlock()
	b.cancel()
	for _, end := range leave {
		end()
	}
	b.work.Wait()
	b.client.CloseIdleConnections()
}

// run does f in a goroutine that Wait and Close wait for. It reports false,
// and does nothing, after Close.
func (b *Bridge) run(f func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	if b.busy == 0 {
		b.idle = make(chan struct{})
	}
	b.busy++
	b.work.Go(func() {
		defer b.rest()
		f()
	})
	return true
}

func (b *Bridge) rest() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy--
	if b.busy == 0 {
		close(b.idle)
	}
}

func (b *Bridge) count(n *int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	*n++
}

package eventarc

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"example.com/whatis/emulators/pubsub"
)

// subscription is a route at work.
type subscription struct {
	Route
	name  string        // projects/P/subscriptions/S
	topic string        // projects/P/topics/T
	slots chan struct{} // one for each delivery under way
}

// receive starts the deliveries of one message.
func (b *Bridge) receive(s *subscription, m pubsub.Message) {
	b.count(&b.stats.Published)
	for range s.Duplicates {
		b.run(func() {
			if b.pause(b.jitter(s.Reorder)) {
				b.push(s, m, 1)
			}
		})
	}
	b.run(func() { b.deliver(s, m) })
}

// deliver pushes a message until it is acknowledged or becomes a dead letter.
func (b *Bridge) deliver(s *subscription, m pubsub.Message) {
	if !b.pause(b.jitter(s.Reorder)) {
		return
	}
	for attempt := 1; ; attempt++ {
		if b.push(s, m, attempt) {
			b.count(&b.stats.Acked)
			return
		}
		if attempt == s.MaxDeliveries {
			b.bury(s, m, attempt)
			return
		}
		if !b.pause(s.backoff(attempt)) {
			return
		}
		b.count(&b.stats.Retried)
	}
}

// push makes one delivery and reports whether it was acknowledged in time. A
// request that outlives the ack deadline goes on, as a function that is slow
// to answer does, but its answer no longer counts and its slot is free.
func (b *Bridge) push(s *subscription, m pubsub.Message, attempt int) bool {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-b.ctx.Done():
		return false
	}
	answer := make(chan int, 1)
	if !b.run(func() { answer <- b.post(s, m, attempt) }) {
		return false
	}
	deadline := time.NewTimer(s.AckDeadline)
	defer deadline.Stop()
	select {
	case status := <-answer:
		if slices.Contains(acknowledging, status) {
			return true
		}
		b.log.Warn("not acknowledged", "endpoint", s.Endpoint, "message", m.ID, "attempt", attempt, "status", status)
	case <-deadline.C:
		b.log.Warn("ack deadline passed", "endpoint", s.Endpoint, "message", m.ID, "attempt", attempt)
	case <-b.ctx.Done():
	}
	return false
}

// acknowledging are the statuses that Pub/Sub takes for an acknowledgement.
// It takes 102 as well, which Go's client never shows as an answer.
// https://cloud.google.com/pubsub/docs/push#receive_push
var acknowledging = []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent}

// post sends one request and returns the status of its answer, 0 if there was
// none.
func (b *Bridge) post(s *subscription, m pubsub.Message, attempt int) int {
	r, err := s.request(b.ctx, m, attempt)
	if err != nil {
		b.log.Error("no request", "endpoint", s.Endpoint, "message", m.ID, "error", err)
		return 0
	}
	b.count(&b.stats.Delivered)
	response, err := b.client.Do(r)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	io.Copy(io.Discard, response.Body) // so that the connection is used again
	return response.StatusCode
}

// bury moves a message to the dead letter topic, marked as Pub/Sub marks it.
// https://cloud.google.com/pubsub/docs/handling-failures#dead_letter_topic
func (b *Bridge) bury(s *subscription, m pubsub.Message, attempts int) {
	attributes := map[string]string{}
	maps.Copy(attributes, m.Attributes)
	attributes["CloudPubSubDeadLetterSourceDeliveryCount"] = strconv.Itoa(attempts)
	attributes["CloudPubSubDeadLetterSourceSubscription"] = s.name
	attributes["CloudPubSubDeadLetterSourceSubscriptionProject"] = b.project
	attributes["CloudPubSubDeadLetterSourceTopicPublishTime"] = m.PublishTime.Format(time.RFC3339Nano)
	if err := b.Publish(s.deadLetterTopic(), m.Data, attributes); err != nil {
		b.log.Error("dead letter lost", "message", m.ID, "error", err)
		return
	}
	b.count(&b.stats.DeadLettered)
}

// jitter returns a random time below limit.
func (b *Bridge) jitter(limit time.Duration) time.Duration {
	if limit == 0 {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Duration(b.random.Int64N(int64(limit)))
}

// pause waits for d and reports whether the bridge is still open.
func (b *Bridge) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return b.ctx.Err() == nil
	case <-b.ctx.Done():
		return false
	}
}

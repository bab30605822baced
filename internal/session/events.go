package session

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	adk "google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	"example.com/whatis/internal/store"
)

// Limits of an event. An event larger than a part is split over several documents, because
// a Firestore document holds 1 MiB. Photos and audio are refused: they would be sent to the
// model again at each turn.
const (
	maxEvent = 4 << 20
	maxPart  = 900 << 10
	maxFile  = 64 << 10
)

// An eventPart is an event as it is stored, or a further part of a large one.
type eventPart struct {
	Token   string    `firestore:"token"`
	Parts   int       `firestore:"parts"`
	Event   []byte    `firestore:"event"` // JSON
	Expires time.Time `firestore:"expires_at"`
}

func (s *Service) event(d document, n int64, part int) *firestore.DocumentRef {
	return s.doc(d.ID).Collection(events).Doc(fmt.Sprintf("%s-%d-%d", d.Epoch, n, part))
}

// encode returns e as JSON, split into parts.
func encode(e *adk.Event) ([][]byte, error) {
	if n := fileSize(e.Content); n > maxFile {
		return nil, fmt.Errorf("%w: an event with a file of %d bytes, at most %d: keep the file in a bucket, and in the event where it is", ErrTooLarge, n, maxFile)
	}
	data, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("session: event %s: %w", e.ID, err)
	}
	if len(data) > maxEvent {
		return nil, fmt.Errorf("%w: an event of %d bytes, at most %d", ErrTooLarge, len(data), maxEvent)
	}
	return slices.Collect(slices.Chunk(data, maxPart)), nil
}

// fileSize returns the bytes of photos, audio and other files in c.
func fileSize(c *genai.Content) (n int) {
	if c == nil {
		return 0
	}
	for _, p := range c.Parts {
		if p != nil && p.InlineData != nil {
			n += len(p.InlineData.Data)
		}
	}
	return n
}

// addEvent adds event n of d to b.
func (s *Service) addEvent(b *batch, d document, n int64, token string, parts [][]byte) {
	for i, part := range parts {
		b.Create(s.event(d, n, i), eventPart{token, len(parts), part, d.Expires})
	}
}

// newest reads the newest events of a conversation: at most most of them, 0 for no limit,
// and only those from after on.
func (s *Service) newest(ctx context.Context, at stored, most int, after time.Time) ([]*adk.Event, error) {
	bounded := most <= 0 || most > s.o.MaxEvents
	if bounded {
		most = s.o.MaxEvents
	}
	first := max(1, at.Events-int64(most)+1)
	all, err := s.readEvents(ctx, at.document, first)
	if err != nil {
		return nil, err
	}
	if bounded && len(all) < int(at.Events) {
		all = all[turn(all):]
	}
	if bounded {
		all = answered(all)
	}
	return slices.DeleteFunc(all, func(e *adk.Event) bool { return e.Timestamp.Before(after) }), nil
}

// turn returns the index of the user's first turn, because models refuse contents that
// begin with a function response. Without one it returns the first event that is not a
// function response.
func turn(all []*adk.Event) int {
	if i := slices.IndexFunc(all, func(e *adk.Event) bool { return e.Author == genai.RoleUser }); i >= 0 {
		return i
	}
	return max(0, slices.IndexFunc(all, func(e *adk.Event) bool {
		return e.Content == nil || !slices.ContainsFunc(e.Content.Parts, func(p *genai.Part) bool { return p.FunctionResponse != nil })
	}))
}

// answered returns all without the function calls that no response follows at once, as those of a turn
// that was broken off there, or beside which another went on, and without such responses: models refuse
// either for good.
func answered(all []*adk.Event) (kept []*adk.Event) {
	for i := 0; i < len(all); i++ {
		calls, responses := functions(all[i])
		switch {
		case calls+responses == 0:
			kept = append(kept, all[i])
		case calls > 0 && i+1 < len(all):
			if _, responses := functions(all[i+1]); responses == calls {
				kept = append(kept, all[i], all[i+1])
				i++
			}
		}
	}
	return kept
}

// functions counts the function calls and responses in e.
func functions(e *adk.Event) (calls, responses int) {
	if e.Content == nil {
		return 0, 0
	}
	for _, p := range e.Content.Parts {
		if p != nil && p.FunctionCall != nil {
			calls++
		}
		if p != nil && p.FunctionResponse != nil {
			responses++
		}
	}
	return calls, responses
}

// readEvents reads the events of d from number first on. It leaves out expired events,
// whether they are deleted yet or not.
func (s *Service) readEvents(ctx context.Context, d document, first int64) ([]*adk.Event, error) {
	var refs []*firestore.DocumentRef
	for n := first; n <= d.Events; n++ {
		refs = append(refs, s.event(d, n, 0))
	}
	heads, err := s.readParts(ctx, refs)
	if err != nil {
		return nil, err
	}
	refs = refs[:0]
	for i, head := range heads {
		for part := 1; head != nil && part < head.Parts; part++ {
			refs = append(refs, s.event(d, first+int64(i), part))
		}
	}
	rest, err := s.readParts(ctx, refs)
	if err != nil {
		return nil, err
	}
	return decodeEvents(heads, rest), nil
}

// readParts reads documents of events. Missing and expired ones are nil, and those that this version
// cannot read.
func (s *Service) readParts(ctx context.Context, refs []*firestore.DocumentRef) ([]*eventPart, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	snaps, err := s.db.GetAll(ctx, refs)
	if err != nil {
		return nil, wrap("read events", err)
	}
	parts := make([]*eventPart, len(snaps))
	for i, snap := range snaps {
		p, err := store.Parse[eventPart](snap)
		if err != nil {
			slog.WarnContext(ctx, "session: an event of another version is left out", "error", err)
		} else if p.Exists {
			parts[i] = &p.Value
		}
	}
	return parts, nil
}

// decodeEvents joins the parts of events. Rest holds the parts that follow heads, in the
// same order.
func decodeEvents(heads, rest []*eventPart) (all []*adk.Event) {
	for _, head := range heads {
		if head == nil {
			continue
		}
		data, whole := head.Event, true
		for _, part := range rest[:head.Parts-1] {
			if whole = whole && part != nil; whole {
				data = append(data, part.Event...)
			}
		}
		rest = rest[head.Parts-1:]
		if !whole { // a part expired while they were read
			continue
		}
		var e adk.Event
		if err := json.Unmarshal(data, &e); err != nil {
			slog.Warn("session: an event of another version is left out", "error", err)
			continue
		}
		all = append(all, &e)
	}
	return all
}

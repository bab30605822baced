// Package spend keeps what the model calls of a day cost, over all instances.
//
//	Add → this instance's sum, in memory → its own document, once a second at most
//	                                     → the day's sum is an aggregation over all
//
// No document is written by two, so a busy day makes no hot spot, and each write
// carries the whole sum of its instance, so that one that is repeated changes
// nothing.
//
// An instance knows its own spending at once and that of the others with a delay:
// what they spent is written within Options.Every of a second, and the sum is read
// again once it is Options.Fresh, ten seconds, old. So a limit that is compared
// with the sum before each call is overshot by the calls in flight at that moment
// and by what each instance spends in eleven seconds, and by no more as long as
// Firestore answers.
//
// A serverless instance has a CPU only while a request or an event is under way:
// a timer that runs on behind it would stand still. So each says when it begins and
// ends (Begin), and the last one under way waits until all is written.
package spend

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/uuid"

	"example.com/whatis/internal/store"
)

// collection is the Firestore collection of the sums: day, usd, expires_at.
const collection = "spend"

// saveWithin bounds the writing at the end of a request.
const saveWithin = 5 * time.Second

// Options are the durations of a Meter. One that is not positive means its
// default.
type Options struct {
	Every  time.Duration // how long what was spent may wait to be written, and how far two writes are apart at least: a second
	Fresh  time.Duration // how long a sum that was read is taken for today's: 10 s
	Retain time.Duration // how long a day's documents are kept: 400 days
}

// A Meter is one instance's part in the sum. It is safe for concurrent use.
type Meter struct {
	open     func(context.Context) (*firestore.Client, error)
	o        Options
	instance string
	turn     chan struct{} // holds a value while somebody talks to Firestore

	mu       sync.Mutex
	spent    map[string]float64 // by this instance, by day
	saved    map[string]float64 // of that, what is written
	day      string             // that others is of
	others   float64            // what all others had spent when it was read
	readAt   time.Time          // zero before the first read of a day
	wroteAt  time.Time
	underWay int
	waiting  *time.Timer // for the next write; nil without one
}

// NewMeter returns the meter of a new instance in the database that open returns,
// which is called when it is needed.
func NewMeter(open func(context.Context) (*firestore.Client, error), o Options) *Meter {
	return &Meter{
		open: open, instance: uuid.NewString(), turn: make(chan struct{}, 1), spent: map[string]float64{}, saved: map[string]float64{},
		o: Options{Every: positive(o.Every, time.Second), Fresh: positive(o.Fresh, 10*time.Second), Retain: positive(o.Retain, 400*24*time.Hour)},
	}
}

func positive(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}

// Add adds usd, which may be 0, to the sum of today, in UTC, and returns the sum as
// far as it is known here. It is an error that nothing could be read of the day so
// far; then nothing is added.
func (m *Meter) Add(ctx context.Context, usd float64) (float64, error) {
	now := time.Now().UTC()
	today := now.Format(time.DateOnly)
	m.mu.Lock()
	if usd > 0 {
		m.spent[today] += usd
		m.schedule()
	}
	known := m.day == today && !m.readAt.IsZero()
	stale := !known || now.Sub(m.readAt) >= m.o.Fresh
	m.mu.Unlock()
	if stale {
		err := m.refreshOthers(ctx, today)
		if err != nil && !known {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.spent[today] -= usd
			return 0, err
		}
		if err != nil {
			slog.WarnContext(ctx, "spend: the sum is not read anew, and the last one holds", "error", err)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.others + m.spent[today], nil
}

// Begin notes that a request or an event is under way. The returned function ends
// it; the last one of several waits until what was spent is written.
func (m *Meter) Begin() (end func()) {
	m.mu.Lock()
	m.underWay++
	m.mu.Unlock()
	return func() {
		m.mu.Lock()
		m.underWay--
		last := m.underWay == 0
		m.mu.Unlock()
		if !last {
			return // the others keep the CPU, and the timer writes
		}
		ctx, cancel := context.WithTimeout(context.Background(), saveWithin)
		defer cancel()
		if err := m.save(ctx); err != nil {
			slog.WarnContext(ctx, "spend: not saved, and tried again with the next request", "error", err)
		}
	}
}

// schedule has what is owed written, as soon as two writes are far enough apart.
func (m *Meter) schedule() {
	if m.waiting != nil {
		return
	}
	m.waiting = time.AfterFunc(m.o.Every, func() {
		ctx, cancel := context.WithTimeout(context.Background(), saveWithin)
		defer cancel()
		if err := m.save(ctx); err != nil {
			slog.WarnContext(ctx, "spend: not saved yet", "error", err)
		}
	})
}

// save writes what this instance has spent and not written, not sooner than Every
// after the write before.
func (m *Meter) save(ctx context.Context) error {
	if err := m.acquireTurn(ctx); err != nil {
		return err
	}
	defer func() { <-m.turn }()
	owed, wait := m.owed()
	if len(owed) == 0 {
		return nil
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return fmt.Errorf("spend: add: %w", ctx.Err())
	}
	owed, _ = m.owed() // and what came meanwhile
	db, err := m.open(ctx)
	if err != nil {
		return fmt.Errorf("spend: add: %w", err)
	}
	for day, usd := range owed {
		if err := m.writeSum(ctx, db, day, usd); err != nil {
			return err
		}
	}
	return nil
}

// owed is what this instance has spent on each day of which not all is written,
// and how long the next write has to wait. It ends the timer's waiting.
func (m *Meter) owed() (days map[string]float64, wait time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waiting != nil {
		m.waiting.Stop()
		m.waiting = nil
	}
	days = maps.Clone(m.spent)
	maps.DeleteFunc(days, func(day string, usd float64) bool { return usd == m.saved[day] })
	return days, time.Until(m.wroteAt.Add(m.o.Every))
}

// acquireTurn waits for the turn to talk to Firestore.
func (m *Meter) acquireTurn(ctx context.Context) error {
	select {
	case m.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("spend: %w", ctx.Err())
	}
}

// writeSum sets this instance's sum of a day.
func (m *Meter) writeSum(ctx context.Context, db *firestore.Client, day string, usd float64) error {
	now := time.Now()
	_, err := db.Collection(collection).Doc(day+"-"+m.instance).Set(ctx, map[string]any{
		"day": day, "usd": usd, "expires_at": now.Add(m.o.Retain),
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wroteAt = now
	if err != nil {
		return fmt.Errorf("spend: add: %w", err)
	}
	m.saved[day] = usd
	return nil
}

// refreshOthers brings what the others spent up to date, unless somebody just did. Its turn
// is its own, so that no write of this instance happens meanwhile.
func (m *Meter) refreshOthers(ctx context.Context, today string) error {
	if err := m.acquireTurn(ctx); err != nil {
		return err
	}
	defer func() { <-m.turn }()
	m.mu.Lock()
	fresh := m.day == today && time.Since(m.readAt) < m.o.Fresh
	m.mu.Unlock()
	if fresh {
		return nil
	}
	at := time.Now()
	sum, err := m.total(ctx, today)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.day, m.others, m.readAt = today, max(0, sum-m.saved[today]), at
	return nil
}

// total is what is written of a day, by all instances.
func (m *Meter) total(ctx context.Context, day string) (float64, error) {
	db, err := m.open(ctx)
	if err != nil {
		return 0, fmt.Errorf("spend: sum: %w", err)
	}
	sum, err := store.Sum(ctx, db.Collection(collection).Where("day", "==", day), "usd")
	if err != nil {
		return 0, fmt.Errorf("spend: sum: %w", err)
	}
	return sum, nil
}

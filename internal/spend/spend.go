// Package spend stores the daily cost of model calls, summed over all instances.
//
//	Add    → this instance's sum, in memory      ┐ its own document, once a second at most
//	Record → its parts, by agent and model       ┘ → the day's sum is an aggregation over all
//	                                             → a line of the log for each part, with what
//	                                               was added to it since the line before
//
// Every document has one writer, so there is no hot spot, and each write sets the whole sum
// of its instance, so that repeating it is harmless.
//
// An instance knows its own cost at once and that of other instances with a delay: costs
// are written within Options.Every (one second), and the sum is read again when it is older
// than Options.Fresh (ten seconds). So a limit that is compared with the sum before each
// call is exceeded at most by the calls in flight and by what each instance spends in
// eleven seconds, as long as Firestore answers.
//
// A Pause is a document beside the sums, read with them: while it stands, the sum is infinite,
// in all instances.
//
// A serverless instance has a CPU only while it processes a request or an event; later a
// timer would not run. So each of them calls Begin and its end function, and the last one
// running writes, unless the last write was less than Options.Every ago: nobody waits for that
// time. What such an instance then owes, at most the cost of that time, is written by its timer,
// at the next request, or by Flush when the instance stops; only a killed one owes it for good.
package spend

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/uuid"

	"example.com/whatis/internal/store"
)

// collection is the Firestore collection of the sums of instances.
const collection = "spend"

// A document is one instance's sum of a day, and its parts.
type document struct {
	Day     string             `firestore:"day"`
	USD     float64            `firestore:"usd"`
	Parts   map[string]float64 `firestore:"parts,omitempty"` // USD by "agent model"
	Expires time.Time          `firestore:"expires_at"`
}

// saveWithin limits the write at the end of a request.
const saveWithin = 5 * time.Second

// Options are the durations of a Meter. Values that are not positive mean the default.
type Options struct {
	Every  time.Duration // how long a cost may wait to be written, and the shortest time between two writes: a second
	Fresh  time.Duration // how long a sum that was read is used: 10 s
	Retain time.Duration // how long a day's documents are stored: 400 days
}

// A Meter holds one instance's share of the sum. It is safe for concurrent use.
type Meter struct {
	open     func(context.Context) (*firestore.Client, error)
	o        Options
	instance string
	turn     chan struct{} // a semaphore for calls of Firestore

	mu       sync.Mutex
	spent    map[string]float64 // by this instance, by day, as added
	parts    map[string]parts   // of this instance, by day, as recorded
	logged   map[string]parts   // how much of parts the log has
	saved    map[string]float64 // how much of that is written
	day      string             // the day of others
	others   float64            // cost of all other instances when it was read
	paused   *Pause             // what stood when it was read
	readAt   time.Time          // zero before the first read of a day
	wroteAt  time.Time
	underWay int
	waiting  *time.Timer // for the next write; nil if none is due

	read breakdown // under turn
}

// A breakdown is what the other instances spent on a day, when it was read.
type breakdown struct {
	day    string
	at     time.Time
	others parts
	paused *Pause
}

// parts are sums in USD by agent and model.
type parts map[part]float64

type part struct{ agent, model string }

// NewMeter returns the meter of a new instance. It calls open for the database when it is
// first needed.
func NewMeter(open func(context.Context) (*firestore.Client, error), o Options) *Meter {
	return &Meter{
		open: open, instance: uuid.NewString(), turn: make(chan struct{}, 1), spent: map[string]float64{}, saved: map[string]float64{},
		parts: map[string]parts{}, logged: map[string]parts{},
		o: Options{Every: positive(o.Every, time.Second), Fresh: positive(o.Fresh, 10*time.Second), Retain: positive(o.Retain, 400*24*time.Hour)},
	}
}

func positive(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}

// Add adds usd, which may be 0, to the sum of today, in UTC, and returns the sum as far as
// it is known here; +Inf during a Pause. If the day's sum could not be read yet, Add returns an error and adds
// nothing.
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
	if m.paused != nil {
		return math.Inf(1), nil
	}
	return m.others + m.spent[today], nil
}

// Record notes what a call of a model has cost, and for which agent. It does not count towards
// the sum that Add returns: whoever limits that calls both, this first. It returns at once. The
// parts are written with the sum that Add made: without a limit nothing is written, and each
// instance knows its own.
func (m *Meter) Record(agent, model string, usd float64) {
	today := time.Now().UTC().Format(time.DateOnly)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.parts[today] == nil {
		m.parts[today], m.logged[today] = parts{}, parts{}
	}
	m.parts[today][part{cmp.Or(agent, "other"), model}] += usd
}

// Begin records that a request or an event is running. The returned function ends it; the
// last of several writes the costs, if it is time to.
func (m *Meter) Begin() (end func()) {
	m.mu.Lock()
	m.underWay++
	m.mu.Unlock()
	return func() {
		if !m.ends() {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), saveWithin)
		defer cancel()
		if err := m.save(ctx, true); err != nil {
			slog.WarnContext(ctx, "spend: not saved, and tried again with the next request", "error", err)
		}
	}
}

// ends records that a request has ended, and reports whether it has to write.
func (m *Meter) ends() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.underWay--; m.underWay > 0 {
		return false // the others keep the CPU running, and the timer writes
	}
	m.log()
	owes := len(m.unwritten()) > 0
	if owes && m.untilWrite() > 0 {
		m.schedule()
		return false
	}
	return owes
}

// Flush writes all costs at once, before the instance stops.
func (m *Meter) Flush(ctx context.Context) error { return m.save(ctx, false) }

// schedule starts the timer for the next write, Every after the last.
func (m *Meter) schedule() {
	if m.waiting != nil {
		return
	}
	m.waiting = time.AfterFunc(m.o.Every, func() {
		ctx, cancel := context.WithTimeout(context.Background(), saveWithin)
		defer cancel()
		if err := m.save(ctx, true); err != nil {
			slog.WarnContext(ctx, "spend: not saved yet", "error", err)
		}
	})
}

// save writes what this instance has spent and not written; if apart is set, at the earliest
// Every after the write before.
func (m *Meter) save(ctx context.Context, apart bool) error {
	if err := m.acquireTurn(ctx); err != nil {
		return err
	}
	defer func() { <-m.turn }()
	owed, wait := m.owed()
	if len(owed) == 0 {
		return nil
	}
	if apart {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return fmt.Errorf("spend: add: %w", ctx.Err())
		}
		owed, _ = m.owed() // including costs added meanwhile
	}
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

// owed returns this instance's sum for each day with unwritten costs, and how long the next
// write must wait. It stops the timer.
func (m *Meter) owed() (days map[string]float64, wait time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waiting != nil {
		m.waiting.Stop()
		m.waiting = nil
	}
	m.log()
	return m.unwritten(), m.untilWrite()
}

// unwritten returns this instance's sum for each day with unwritten costs.
func (m *Meter) unwritten() map[string]float64 {
	days := maps.Clone(m.spent)
	maps.DeleteFunc(days, func(day string, usd float64) bool { return usd == m.saved[day] })
	return days
}

// untilWrite returns how long the next write must wait.
func (m *Meter) untilWrite() time.Duration { return time.Until(m.wroteAt.Add(m.o.Every)) }

// acquireTurn waits for the semaphore.
func (m *Meter) acquireTurn(ctx context.Context) error {
	select {
	case m.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("spend: %w", ctx.Err())
	}
}

// log writes a line for each part that has grown since the last one. Metrics are made of these
// lines.
func (m *Meter) log() {
	for day, by := range m.parts {
		for p, usd := range by {
			if more := usd - m.logged[day][p]; more > 0 {
				slog.Info("models cost", "agent", p.agent, "model", p.model, "cost_usd", more)
				m.logged[day][p] = usd
			}
		}
	}
}

// writeSum writes this instance's sum of a day.
func (m *Meter) writeSum(ctx context.Context, db *firestore.Client, day string, usd float64) error {
	now := time.Now()
	m.mu.Lock()
	d := document{Day: day, USD: usd, Parts: m.parts[day].named(), Expires: now.Add(m.o.Retain)}
	m.mu.Unlock()
	_, err := db.Collection(collection).Doc(day+"-"+m.instance).Set(ctx, d)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wroteAt = now
	if err != nil {
		return fmt.Errorf("spend: add: %w", err)
	}
	m.saved[day] = usd
	return nil
}

// refreshOthers reads the cost of other instances, unless it was just read. It holds the
// semaphore, so that this instance does not write meanwhile.
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
	db, err := m.open(ctx)
	if err != nil {
		return fmt.Errorf("spend: sum: %w", err)
	}
	sum, err := store.Sum(ctx, db.Collection(collection).Where("day", "==", today), "usd")
	if err != nil {
		return fmt.Errorf("spend: sum: %w", err)
	}
	paused, err := pauseIn(ctx, db)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.day, m.others, m.readAt, m.paused = today, max(0, sum-m.saved[today]), at, paused
	return nil
}

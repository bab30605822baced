// Package spend keeps what the model calls of a day cost, over all instances.
//
//	each instance adds to a document of its own → the day's sum is an aggregation
//
// No document is written by two, so a busy day makes no hot spot.
package spend

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/uuid"
)

// collection is the Firestore collection of the sums: day, usd, expires_at.
const collection = "spend"

// fresh is how long a sum read from Firestore is taken for today's. What this
// instance adds meanwhile is added to it.
const fresh = 10 * time.Second

// kept is how long a day's documents are of use, to whoever asks what was spent.
const kept = 400 * 24 * time.Hour

// A Meter is one instance's part in the sum.
type Meter struct {
	db       *firestore.Client
	instance string

	mu     sync.Mutex
	day    string
	sum    float64 // of day, all instances
	readAt time.Time
}

// NewMeter returns the meter of a new instance in db.
func NewMeter(db *firestore.Client) *Meter {
	return &Meter{db: db, instance: uuid.NewString()}
}

// Add adds usd to the sum of today, in UTC, and returns the sum. Other instances'
// additions are seen after at most ten seconds.
func (m *Meter) Add(ctx context.Context, usd float64) (float64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now().UTC()
	if today := now.Format(time.DateOnly); today != m.day {
		m.day, m.sum, m.readAt = today, 0, time.Time{}
	}
	if usd > 0 {
		if err := m.write(ctx, usd, now); err != nil {
			return m.sum, err
		}
		m.sum += usd
	}
	if now.Sub(m.readAt) < fresh {
		return m.sum, nil
	}
	sum, err := m.read(ctx)
	if err != nil {
		return m.sum, err
	}
	m.sum, m.readAt = sum, now
	return sum, nil
}

func (m *Meter) write(ctx context.Context, usd float64, now time.Time) error {
	_, err := m.db.Collection(collection).Doc(m.day+"-"+m.instance).Set(ctx, map[string]any{
		"day":        m.day,
		"usd":        firestore.Increment(usd),
		"expires_at": now.Add(kept),
	}, firestore.MergeAll)
	if err != nil {
		return fmt.Errorf("spend: add: %w", err)
	}
	return nil
}

func (m *Meter) read(ctx context.Context) (float64, error) {
	q := m.db.Collection(collection).Where("day", "==", m.day)
	result, err := q.NewAggregationQuery().WithSum("usd", "sum").Get(ctx)
	if err != nil {
		return 0, fmt.Errorf("spend: sum: %w", err)
	}
	v, ok := result["sum"].(*firestorepb.Value)
	if !ok {
		return 0, errors.New("spend: sum: the answer holds no sum")
	}
	if v.GetDoubleValue() != 0 {
		return v.GetDoubleValue(), nil
	}
	return float64(v.GetIntegerValue()), nil
}

package spend

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A Pause stops paid work in all instances, within Options.Fresh, until it is ended. It has no
// day: it stands over midnight.
type Pause struct {
	At time.Time `json:"at" firestore:"at,serverTimestamp"`
	By string    `json:"by,omitempty" firestore:"by,omitempty"` // who paused it, where callers have names
}

func pauseDocument(db *firestore.Client) *firestore.DocumentRef {
	return db.Collection(collection).Doc("pause")
}

// pauseIn returns the pause that stands, or nil.
func pauseIn(ctx context.Context, db *firestore.Client) (*Pause, error) {
	snap, err := pauseDocument(db).Get(ctx)
	if status.Code(err) == codes.NotFound {
		return nil, nil
	}
	var p Pause
	if err == nil {
		err = snap.DataTo(&p)
	}
	if err != nil {
		return nil, fmt.Errorf("spend: pause: %w", err)
	}
	return &p, nil
}

// Pause begins a pause, or ends it where on is false. In this instance that holds at once.
func (m *Meter) Pause(ctx context.Context, by string, on bool) error {
	if err := m.acquireTurn(ctx); err != nil {
		return err
	}
	defer func() { <-m.turn }()
	db, err := m.open(ctx)
	if err == nil && on {
		_, err = pauseDocument(db).Set(ctx, Pause{By: by})
	} else if err == nil {
		_, err = pauseDocument(db).Delete(ctx)
	}
	if err != nil {
		return fmt.Errorf("spend: pause: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.readAt, m.read.at = time.Time{}, time.Time{}
	return nil
}

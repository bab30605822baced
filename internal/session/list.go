package session

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/firestore"
	adk "google.golang.org/adk/v2/session"

	"example.com/whatis/internal/store"
)

// MaxList is the largest number of conversations that List returns; they are the newest.
const MaxList = 100

// List returns the conversations of an app, or of a user of it, without their events.
func (s *Service) List(ctx context.Context, r *adk.ListRequest) (*adk.ListResponse, error) {
	if r.AppName == "" {
		return nil, errors.New("session: list: an app is needed")
	}
	q := s.db.Collection(sessions).Where("app", "==", r.AppName).OrderBy("updated_at", firestore.Desc).Limit(MaxList)
	if r.UserID != "" {
		q = q.Where("user", "==", r.UserID)
	}
	docs, err := store.List[document](ctx, q)
	if err != nil {
		return nil, wrap("list", err)
	}
	list := []adk.Session{}
	for _, d := range docs {
		c := &conversation{stored: stored{d.Value, d.Updated}}
		if c.state, err = s.wholeState(ctx, d.Value); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return &adk.ListResponse{Sessions: list}, nil
}

// Delete deletes a conversation with its events. A missing conversation is not an error. After
// any other error the conversation may have lost events, and can be deleted again.
func (s *Service) Delete(ctx context.Context, r *adk.DeleteRequest) error {
	if r.AppName == "" || r.UserID == "" || r.SessionID == "" {
		return fmt.Errorf("session: delete: an app, a user and an ID are needed, got %q, %q and %q", r.AppName, r.UserID, r.SessionID)
	}
	_, err := s.read(ctx, r.AppName, r.UserID, r.SessionID)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	ref := s.doc(r.SessionID)
	if err := s.deleteEvents(ctx, ref); err != nil {
		return err
	}
	if _, err := ref.Delete(ctx); err != nil {
		return wrap("delete", err)
	}
	return s.deleteEvents(ctx, ref) // that were appended meanwhile
}

// atOnce is how many documents are deleted in one call; Firestore accepts 500.
const atOnce = 400

func (s *Service) deleteEvents(ctx context.Context, ref *firestore.DocumentRef) error {
	for {
		snaps, err := ref.Collection(events).Select().Limit(atOnce).Documents(ctx).GetAll()
		if err != nil || len(snaps) == 0 {
			return wrap("delete events", err)
		}
		w := s.batch()
		for _, snap := range snaps {
			w.Delete(snap.Ref)
		}
		if _, err := commit(ctx, w); err != nil {
			return wrap("delete events", err)
		}
	}
}

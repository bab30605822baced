package session

import (
	"context"
	"errors"

	"github.com/google/uuid"
	adksession "google.golang.org/adk/v2/session"

	"example.com/whatis/internal/store"
)

// Begin is the ID of a session that is to begin.
const Begin = "new"

// random reports whether an ID is a random UUID, such as A2A's servers and clients make: the
// conversations of callers without a name belong to whoever knows their IDs, so that one who chose
// a word would read what another said who chose the same.
func random(id string) bool {
	u, err := uuid.Parse(id)
	return err == nil && (u.Version() == 4 || u.Version() == 7)
}

// An Opening says which session is wanted.
type Opening struct {
	App    string
	ID     string // Begin, that of a session, or "" for the one around the call
	Around string // the conversation that a protocol has around a call, "" if it has none
	Owner  string
}

// Open returns a session: a new one, the one with an ID, or the one for a conversation of a
// protocol, which begins with its first message. The latter is nil if it could be anybody's.
func (s *Service) Open(ctx context.Context, o Opening) (adksession.Session, error) {
	create := func(id string) (adksession.Session, error) {
		made, err := s.Create(ctx, &adksession.CreateRequest{AppName: o.App, UserID: User(o.Owner, id), SessionID: id})
		if err != nil {
			return nil, err
		}
		return made.Session, nil
	}
	get := func(id string) (adksession.Session, error) {
		there, err := s.Get(ctx, &adksession.GetRequest{AppName: o.App, UserID: User(o.Owner, id), SessionID: id, NumRecentEvents: 1})
		if err != nil {
			return nil, err
		}
		return there.Session, nil
	}
	switch {
	case o.ID == Begin:
		return create(NewID())
	case o.ID != "":
		return get(o.ID)
	case o.Owner == "" && !random(o.Around):
		return nil, nil
	}
	id := store.HashID("conversation", o.Owner, o.Around)
	opened, err := get(id)
	if errors.Is(err, ErrNotFound) {
		opened, err = create(id)
	}
	if errors.Is(err, ErrExists) { // another message was first
		opened, err = get(id)
	}
	return opened, err
}

package api

import (
	"context"
	"encoding/json"
	"log/slog"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/discover"
	"example.com/whatis/internal/web/caller"
)

// noteAsked notes that the caller of a request asked for what has that ID, unless their role
// lets them see and cancel everything. What was asked for is answered even if that fails;
// then only people with such a role find it again.
func (a *API) noteAsked(ctx context.Context, id string) {
	c := caller.From(ctx)
	if a.Asked == nil || id == "" || c.Role >= caller.Owner {
		return
	}
	notes, err := a.Asked(ctx)
	if err == nil {
		err = notes.Note(context.WithoutCancel(ctx), c.Key(), id)
	}
	if err != nil {
		slog.WarnContext(ctx, "who asked was not noted", "id", id, "error", err)
	}
}

// askedFor reports whether the caller of a request asked for what has that ID.
func (a *API) askedFor(ctx context.Context, id string) (bool, error) {
	if a.Asked == nil {
		return false, nil
	}
	notes, err := a.Asked(ctx)
	if err != nil {
		return false, err
	}
	return notes.By(ctx, caller.From(ctx).Key(), id)
}

// maySee returns notFound unless the caller of a request is a reader, or asked for what has
// that ID.
func (a *API) maySee(ctx context.Context, id string, notFound error) error {
	if caller.From(ctx).Role >= caller.Reader {
		return nil
	}
	mine, err := a.askedFor(ctx, id)
	if err == nil && !mine {
		err = notFound
	}
	return err
}

// mayCancel returns an error unless the caller of a request is an owner, or asked for the
// run with that ID. It is notFound if they may not even see it, or find tells that it does
// not exist.
func (a *API) mayCancel(ctx context.Context, id string, notFound error, find func() error) error {
	denied := caller.Need(ctx, caller.Owner)
	if denied == nil {
		return nil
	}
	mine, err := a.askedFor(ctx, id)
	switch {
	case err != nil || mine:
		return err
	case caller.From(ctx).Role < caller.Reader:
		return notFound
	}
	if err := find(); err != nil {
		return err
	}
	return denied
}

// The roles that skills need. Batches are of photos that others have uploaded.
var skillRoles = map[string]caller.Role{"analyze_batch": caller.Reader}

// The errors of long-running skills for a run that does not exist.
var noSuchRun = map[string]error{"analyze_batch": batch.ErrNotFound, "discover": discover.ErrNotFound}

// own returns skills that each caller uses for themselves: they see and cancel what they
// asked for, whichever protocol they come by.
func (a *API) own(skills []agent.Skill) []agent.Skill {
	var all []agent.Skill
	for _, s := range skills {
		if s.Long != nil {
			s.Long = a.ownRuns(s)
		} else {
			s.Run = a.ownRun(s)
		}
		all = append(all, s)
	}
	return all
}

func (a *API) ownRun(s agent.Skill) func(context.Context, []byte, func(*agent.Event)) (json.RawMessage, error) {
	return func(ctx context.Context, input []byte, emit func(*agent.Event)) (json.RawMessage, error) {
		if err := caller.Need(ctx, skillRoles[s.ID]); err != nil {
			return nil, err
		}
		return s.Run(ctx, input, emit)
	}
}

func (a *API) ownRuns(s agent.Skill) *agent.Long {
	long, role, notFound := *s.Long, skillRoles[s.ID], noSuchRun[s.ID]
	if notFound == nil {
		notFound = agent.ErrInput
	}
	return &agent.Long{
		Start: func(ctx context.Context, input []byte) (agent.Status, error) {
			if err := caller.Need(ctx, role); err != nil {
				return agent.Status{}, err
			}
			status, err := long.Start(ctx, input)
			if err == nil {
				a.noteAsked(ctx, status.ID)
			}
			return status, err
		},
		Status: func(ctx context.Context, id string) (agent.Status, error) {
			if err := a.maySee(ctx, id, notFound); err != nil {
				return agent.Status{}, err
			}
			return long.Status(ctx, id)
		},
		Cancel: func(ctx context.Context, id string) (agent.Status, error) {
			find := func() error {
				_, err := long.Status(ctx, id)
				return err
			}
			if err := a.mayCancel(ctx, id, notFound, find); err != nil {
				return agent.Status{}, err
			}
			return long.Cancel(ctx, id)
		},
	}
}

package app

import (
	"context"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"

	"example.com/whatis/internal/api/a2a"
	"example.com/whatis/internal/session"
)

// Sessions are the conversations with every agent.
func (a *App) Sessions(ctx context.Context) (*session.Service, error) {
	db, err := a.firestore.Get(ctx)
	if err != nil {
		return nil, fmt.Errorf("app: %w", err)
	}
	return session.New(db, session.Options{Retain: days(a.Platform.SessionDays)}), nil
}

// agentTasks returns the store of what other agents have asked.
func (a *App) agentTasks(ctx context.Context) (taskstore.Store, error) {
	db, err := a.firestore.Get(ctx)
	if err != nil {
		return nil, fmt.Errorf("app: %w", err)
	}
	return a2a.NewStore(db, days(a.Platform.RecordDays)), nil
}

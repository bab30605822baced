package app

import (
	"context"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"

	"example.com/whatis/internal/api/a2a"
)

// agentTasks returns the store of what other agents have asked.
func (a *App) agentTasks(ctx context.Context) (taskstore.Store, error) {
	db, err := a.firestore.Get(ctx)
	if err != nil {
		return nil, fmt.Errorf("app: %w", err)
	}
	return a2a.NewStore(db, days(a.Platform.RecordDays)), nil
}

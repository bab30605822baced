package main

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/whatis/internal/analyze/batch"
)

// A following follows a batch.
type following struct {
	*service
	*console
	status batch.Status
	seen   map[int]bool // items that were printed: one may arrive twice
}

// follow prints items until the batch has ended.
func (f *following) follow(ctx context.Context) error {
	f.begin(f.status.Number, "photos")
	defer f.end()
	return f.watch(ctx, batchPath(f.status.ID)+"/events", f.take)
}

// take prints one message, and reports whether it is new and whether it is the last one.
func (f *following) take(m message) (fresh, ended bool, err error) {
	switch m.event {
	case "item":
		fresh, err = f.item(m.data)
	case "progress":
		err = readStatus(m.data, &f.status)
	case "end":
		err = readStatus(m.data, &f.status)
		ended = err == nil
	}
	return fresh, ended, err
}

func (f *following) item(data string) (fresh bool, err error) {
	var i batch.Item
	if err := json.Unmarshal([]byte(data), &i); err != nil {
		return false, fmt.Errorf("the service's events cannot be read: %w", err)
	}
	if f.seen[i.Index] {
		return false, nil
	}
	f.seen[i.Index] = true
	failed := i.Outcome == batch.ItemFailed
	f.step(fmt.Sprintf("[%d/%d] %s %s", i.Index+1, f.status.Number, i.File, outcome(i)), failed)
	return true, nil
}

// outcome returns the text of an item's line.
func outcome(i batch.Item) string {
	if i.Reason != "" {
		return i.Outcome + ": " + i.Reason
	}
	return identified(i.Outcome, i.ProductName, i.Brand)
}

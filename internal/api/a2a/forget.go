package a2a

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// Forget deletes the tasks, whosever they are, that are about files with these SHA-256, and
// reports how many there were.
func (s *Store) Forget(ctx context.Context, sha256s []string) (n int, err error) {
	tasks, err := s.tasks(ctx)
	if err != nil {
		return 0, err
	}
	for _, sha256 := range sha256s {
		snaps, err := tasks.Where("photos", "array-contains", sha256).Select().Documents(ctx).GetAll()
		if err != nil {
			return n, fmt.Errorf("a2a: tasks about %s: %w", sha256, err)
		}
		for _, snap := range snaps {
			if _, err := snap.Ref.Delete(ctx); err != nil {
				return n, fmt.Errorf("a2a: forget a task: %w", err)
			}
			n++
		}
	}
	return n, nil
}

// photosOf returns the SHA-256 of what a task is about: of the files of its messages and of
// those that its results name.
func photosOf(t *a2a.Task) []string {
	var found []string
	for _, m := range t.History {
		for _, p := range hashed(m).Parts {
			found = hashesIn(p.Content, found)
		}
	}
	for _, artifact := range t.Artifacts {
		for _, p := range artifact.Parts {
			found = hashesIn(p.Content, found)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// hashesIn appends the fields called sha256 of the data or JSON in a part.
func hashesIn(content a2a.PartContent, found []string) []string {
	var data []byte
	switch c := content.(type) {
	case a2a.Data:
		data, _ = json.Marshal(c.Value) // a value that cannot be encoded names nothing
	case a2a.Text:
		data = []byte(c)
	}
	var v any
	_ = json.Unmarshal(data, &v) // other texts are no JSON
	return namedIn(v, found)
}

func namedIn(v any, found []string) []string {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if text, ok := value.(string); ok && name == "sha256" {
				found = append(found, text)
			}
			found = namedIn(value, found)
		}
	case []any:
		for _, value := range v {
			found = namedIn(value, found)
		}
	}
	return found
}

package a2a

import (
	"context"
	"fmt"
	"regexp"
	"slices"
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

// hashField matches a field sha256 in JSON, and in JSON that is a text of it.
var hashField = regexp.MustCompile(`sha256\\?":\s*\\?"([0-9a-f]{64})`)

// photosIn returns the SHA-256 of what a task is about: of the files of its messages and of
// those that its results name.
func photosIn(task []byte) (found []string) {
	for _, field := range hashField.FindAllSubmatch(task, -1) {
		found = append(found, string(field[1]))
	}
	slices.Sort(found)
	return slices.Compact(found)
}

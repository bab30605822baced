package session

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	adk "google.golang.org/adk/v2/session"

	"example.com/whatis/internal/store"
)

// Limits of state: a Firestore document holds 1 MiB, and a map key 1,500 bytes.
const (
	maxState = 1<<20 - 64<<10
	maxKey   = 1500
)

// scoped is state by owner. Values are JSON; keys have no prefix.
type scoped struct {
	app, user, session map[string]string
}

// split separates the scopes and drops temporary state.
func split(state map[string]any) (scoped, error) {
	s := scoped{map[string]string{}, map[string]string{}, map[string]string{}}
	for key, value := range state {
		into, name := s.session, key
		if rest, ok := strings.CutPrefix(key, adk.KeyPrefixApp); ok {
			into, name = s.app, rest
		} else if rest, ok := strings.CutPrefix(key, adk.KeyPrefixUser); ok {
			into, name = s.user, rest
		} else if strings.HasPrefix(key, adk.KeyPrefixTemp) {
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return s, fmt.Errorf("session: state %q: %w", key, err)
		}
		if name == "" || len(name) > maxKey || strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
			return s, fmt.Errorf("session: state %.50q: a key has 1 to %d bytes and does not stand between __", key, maxKey)
		}
		into[name] = string(text)
	}
	return s, nil
}

// checkState returns an error if state does not fit into its document.
func checkState(state map[string]string) error {
	size := 0
	for key, value := range state {
		size += len(key) + len(value)
	}
	if size > maxState {
		return fmt.Errorf("%w: its state would have %d bytes, at most %d fit", ErrTooLarge, size, maxState)
	}
	return nil
}

// merged returns state with the changes in delta.
func merged(state, delta map[string]string) map[string]string {
	whole := maps.Clone(state)
	if whole == nil {
		whole = map[string]string{}
	}
	maps.Copy(whole, delta)
	return whole
}

func (s *Service) appState(app string) *firestore.DocumentRef {
	return s.db.Collection(states).Doc(store.HashID(app))
}

func (s *Service) userState(app, user string) *firestore.DocumentRef {
	return s.db.Collection(states).Doc(store.HashID(app, user))
}

// share adds to w the changes to state of the app and of the user.
func (s *Service) share(w *batch, d document, delta scoped) {
	merge(w, s.appState(d.App), delta.app, time.Time{})
	merge(w, s.userState(d.App, d.User), delta.user, d.Expires)
}

// merge changes keys of shared state and leaves the others as they are.
func merge(w *batch, ref *firestore.DocumentRef, delta map[string]string, expires time.Time) {
	if len(delta) == 0 {
		return
	}
	set, paths := map[string]any{"state": delta}, []firestore.FieldPath{}
	for _, key := range slices.Sorted(maps.Keys(delta)) {
		paths = append(paths, firestore.FieldPath{"state", key})
	}
	if !expires.IsZero() {
		set["expires_at"] = expires
		paths = append(paths, firestore.FieldPath{"expires_at"})
	}
	w.Set(ref, set, firestore.Merge(paths...))
}

// wholeState returns the state of a conversation together with that of its app and user.
func (s *Service) wholeState(ctx context.Context, d document) (map[string]any, error) {
	shared, err := s.db.GetAll(ctx, []*firestore.DocumentRef{s.appState(d.App), s.userState(d.App, d.User)})
	if err != nil {
		return nil, wrap("read state", err)
	}
	whole := map[string]any{}
	decodeState(d.State, "", whole)
	for i, prefix := range []string{adk.KeyPrefixApp, adk.KeyPrefixUser} {
		there, err := store.Parse[struct {
			State map[string]string `firestore:"state"`
		}](shared[i])
		if err != nil {
			slog.WarnContext(ctx, "session: state of another version is left out", "error", err)
		} else if there.Exists {
			decodeState(there.Value.State, prefix, whole)
		}
	}
	return whole, nil
}

func decodeState(state map[string]string, prefix string, into map[string]any) {
	for key, text := range state {
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			slog.Warn("session: state of another version is left out", "key", prefix+key, "error", err)
			continue
		}
		into[prefix+key] = value
	}
}

package firestore

import (
	"log/slog"
	"time"
)

// saveDelay is how long changes are gathered before they are saved.
const saveDelay = 200 * time.Millisecond

// A saver calls save soon after changes: saveDelay after the first that is not
// saved yet, or four times as long as the last save took, so that saving a
// large state takes at most a fifth of the time.
type saver struct {
	save  func() error
	dirty chan struct{} // holds one token while there is something to save
	stop  chan struct{}
	done  chan error // of the last save
}

func startSaver(save func() error) *saver {
	s := &saver{save: save, dirty: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan error, 1)}
	go s.run()
	return s
}

// changed asks for a save; it never waits.
func (s *saver) changed() {
	select {
	case s.dirty <- struct{}{}:
	default:
	}
}

// close saves a last time.
func (s *saver) close() error {
	close(s.stop)
	return <-s.done
}

func (s *saver) run() {
	pause := saveDelay
	for s.waitChanged() && s.wait(pause) {
		s.clearRequests() // a change during the save asks for another one
		start := time.Now()
		if err := s.save(); err != nil {
			slog.Error("firestore: snapshot not saved, trying again after the next change", "error", err)
		}
		pause = max(saveDelay, 4*time.Since(start))
	}
	s.done <- s.save()
}

// waitChanged waits for a change; it is false on stop.
func (s *saver) waitChanged() bool {
	select {
	case <-s.dirty:
		return true
	case <-s.stop:
		return false
	}
}

// clearRequests takes back what was asked for so far.
func (s *saver) clearRequests() {
	select {
	case <-s.dirty:
	default:
	}
}

func (s *saver) wait(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-s.stop:
		return false
	}
}

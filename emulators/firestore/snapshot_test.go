package firestore

import (
	"testing"
	"time"
)

// A snapshot may come from a machine whose clock is ahead.
func TestTimesGoOnAfterSnapshot(t *testing.T) {
	dir := t.TempDir()
	ahead := timestamp(time.Now().Add(time.Hour).UnixMicro())
	d := &document{name: "projects/p/databases/d/documents/c/a", path: "c/a", created: ahead, updated: ahead}
	if err := saveSnapshot(dir, []*document{d}); err != nil {
		t.Fatal(err)
	}
	s := newStore(func() {})
	if err := loadSnapshot(dir, s); err != nil {
		t.Fatal(err)
	}
	if now, next := s.clock.now(), s.clock.tick(); now < ahead || next <= ahead {
		t.Errorf("clock.now(), clock.tick() = %d, %d, want no less and more than %d", now, next, ahead)
	}
}

func BenchmarkSnapshot(b *testing.B) {
	dir := b.TempDir()
	docs := filled().scan("", "c", false)
	b.Run("save", func(b *testing.B) {
		for b.Loop() {
			if err := saveSnapshot(dir, docs); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			s := newStore(func() {})
			if err := loadSnapshot(dir, s); err != nil {
				b.Fatal(err)
			}
		}
	})
}

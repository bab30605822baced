package answers

import "sync"

// maxRemembered bounds the entries of a memory; when it is full all are dropped.
const maxRemembered = 1024

// A memory caches values of photos by their SHA-256. Each is computed once, also for
// concurrent callers.
type memory[T any] struct {
	mu    sync.Mutex
	known map[string]func() (T, error)
}

// of returns the cached value of a photo, or calls look.
func (m *memory[T]) of(sha256 string, look func() (T, error)) (T, error) {
	m.mu.Lock()
	once, ok := m.known[sha256]
	if !ok {
		if m.known == nil || len(m.known) >= maxRemembered {
			m.known = map[string]func() (T, error){}
		}
		once = sync.OnceValues(look)
		m.known[sha256] = once
	}
	m.mu.Unlock()
	return once()
}

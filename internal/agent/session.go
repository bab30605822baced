package agent

// A Session is the state that the agents of one run share. It belongs to one
// run and is not safe for concurrent use.
type Session struct {
	state map[string]any
}

// NewSession returns an empty session.
func NewSession() *Session {
	return &Session{state: map[string]any{}}
}

// Value returns what is stored under name, whatever its type.
func (s *Session) Value(name string) (any, bool) {
	v, ok := s.state[name]
	return v, ok
}

// A Key names a value of type T in a session. Two keys of one name and
// different types must not be used in one session.
type Key[T any] string

// Get returns the value under k, and whether there is one.
func (k Key[T]) Get(s *Session) (T, bool) {
	v, ok := s.state[string(k)].(T)
	return v, ok
}

// Set stores v under k.
func (k Key[T]) Set(s *Session, v T) {
	s.state[string(k)] = v
}

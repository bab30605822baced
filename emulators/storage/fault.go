package storage

import (
	"encoding/json"
	"net/http"
	"sync"
)

// Fail makes the next n requests answer with status, say 503, and do nothing.
// It replaces what an earlier call left; n = 0 ends it.
func (s *Server) Fail(n, status int) {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.left, s.faults.status = n, status
}

type faults struct {
	mu     sync.Mutex
	left   int // requests still to fail
	status int
}

// take returns the status that the request at hand must fail with, 0 for none.
func (f *faults) take() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left <= 0 {
		return 0
	}
	f.left--
	return f.status
}

// refuse answers as the JSON API words its errors.
func refuse(w http.ResponseWriter, status int, reason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if status == http.StatusNotModified {
		return
	}
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"code":    status,
		"message": message,
		"errors":  []map[string]string{{"domain": "global", "reason": reason, "message": message}},
	}})
}

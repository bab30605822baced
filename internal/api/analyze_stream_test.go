package api

import (
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/web"
)

// Data that cannot be encoded as JSON is left out, and the event is sent.
func TestEventWithoutJSON(t *testing.T) {
	w := httptest.NewRecorder()
	s := newPhotoStream(web.NewProgress(web.NewStream(w, web.Times{}), httptest.NewRequest("POST", "/analyze", nil), 1), analyzeRequest{photos: make([]intake.Photo, 1)})
	s.event(0, &agent.Event{Author: "a", Kind: agent.Finished, Data: func() {}})
	if s.Broken() || !strings.Contains(w.Body.String(), `"kind":"finished"`) {
		t.Errorf("the event was sent as %q", w.Body)
	}
}

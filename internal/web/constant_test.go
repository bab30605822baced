package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestWriteConstant(t *testing.T) {
	send := func(tag string) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest("GET", "/openapi.json", nil), httptest.NewRecorder()
		r.Header.Set("If-None-Match", tag)
		WriteConstant(w, r, JSONMedia, []byte("{}"))
		return w
	}
	first := send("")
	tag := first.Header().Get("ETag")
	if first.Code != http.StatusOK || first.Body.String() != "{}" || tag == "" || first.Header().Get("Content-Type") != JSONMedia {
		t.Errorf("first = %d %v %q", first.Code, first.Header(), first.Body)
	}
	if again := send(tag); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
		t.Errorf("with the tag = %d %q, want 304", again.Code, again.Body)
	}
	if other := send(`"another"`); other.Code != http.StatusOK {
		t.Errorf("with another tag = %d, want 200", other.Code)
	}
}

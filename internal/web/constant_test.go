package web

import (
	"errors"
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

// The value is made once, an error included, and its tag is that of WriteConstant.
func TestConstant(t *testing.T) {
	made := 0
	serve := Constant(func() (any, error) { made++; return map[string]string{"a": "<b>"}, nil })
	ask := func(tag string) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest("GET", "/skills", nil), httptest.NewRecorder()
		r.Header.Set("If-None-Match", tag)
		if err := serve(w, r); err != nil {
			t.Fatal(err)
		}
		return w
	}
	first, again := ask(""), ask("")
	if want := "{\n  \"a\": \"<b>\"\n}\n"; first.Body.String() != want || again.Body.String() != want || made != 1 {
		t.Errorf("the answers are %q and %q, made %d times; want %q, once", first.Body, again.Body, made, want)
	}
	other := httptest.NewRecorder()
	WriteConstant(other, httptest.NewRequest("GET", "/", nil), JSONMedia+"; charset=utf-8", first.Body.Bytes())
	if tag := first.Header().Get("ETag"); tag != other.Header().Get("ETag") || ask(tag).Code != http.StatusNotModified {
		t.Errorf("the headers are %v, those of WriteConstant %v", first.Header(), other.Header())
	}
	failed := errors.New("no document")
	for serve, n := Constant(func() (any, error) { made++; return nil, failed }), 0; n < 2; n++ {
		if w := httptest.NewRecorder(); !errors.Is(serve(w, httptest.NewRequest("GET", "/", nil)), failed) || w.Body.Len() > 0 || made != 2 {
			t.Errorf("a failure wrote %q, made %d times", w.Body, made)
		}
	}
}

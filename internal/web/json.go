package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"

	"example.com/whatis/internal/usererror"
)

// Errors of requests, for errors.Is. Callers read their text.
var (
	ErrBody   = errors.New("the body")     // is of no use; the text goes on with what to send
	ErrOption = errors.New("wrong option") // a parameter makes no sense
)

// WriteJSON answers with v.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", JSONMedia+"; charset=utf-8")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // a client that has left
}

// ReadJSON reads the one JSON object of a body of at most limit bytes into v, which
// has all its fields. What and example complete the sentence "the body is no what:
// send example".
func ReadJSON(w http.ResponseWriter, r *http.Request, limit int64, v any, what, example string) error {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, limit))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return BodyError(err, "is no "+what+": send "+example)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w goes on behind its JSON object: send one %s", ErrBody, what)
	}
	return nil
}

// BodyError is err when the body is too large, or that the body is as what says.
func BodyError(err error, what string) error {
	var tooLarge *http.MaxBytesError
	if err == nil || errors.As(err, &tooLarge) {
		return err
	}
	return fmt.Errorf("%w %s: %w", ErrBody, what, err)
}

// Number reads a number of a query within bounds; otherwise it is the default.
func Number(v url.Values, name string, otherwise, least, most int) (int, error) {
	s := v.Get(name)
	if s == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%w: %s %q: want %d to %d", ErrOption, name, usererror.Short(s, usererror.Quoted), least, most)
	}
	return n, nil
}

// PathID is the ID in the path of a request; an error that is otherwise if it cannot
// be one, so that nobody is asked for it.
func PathID(r *http.Request, like *regexp.Regexp, otherwise error) (string, error) {
	id := r.PathValue("id")
	if !like.MatchString(id) {
		return "", fmt.Errorf("%w: %q", otherwise, usererror.Short(id, usererror.Quoted))
	}
	return id, nil
}

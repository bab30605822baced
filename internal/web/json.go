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

// Errors of requests, for errors.Is. Their text is shown to callers.
var (
	ErrBody   = errors.New("the body")     // the body is unusable; the text continues with what to send
	ErrOption = errors.New("wrong option") // an invalid parameter
)

// WriteJSON sends v as JSON.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", JSONMedia+"; charset=utf-8")
	w.WriteHeader(status)
	_ = encode(w, v) // fails only if the client has left
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// ReadJSON decodes into v a body of at most limit bytes that holds one JSON object. Unknown
// fields are errors. What and example complete the error text "the body is no what: send
// example".
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

// BodyError returns err if the body is too large or cannot be unpacked, otherwise an error that tells what the
// body is or is not.
func BodyError(err error, what string) error {
	var tooLarge *http.MaxBytesError
	if err == nil || errors.As(err, &tooLarge) || errors.Is(err, ErrBody) {
		return err
	}
	return fmt.Errorf("%w %s: %w", ErrBody, what, err)
}

// Number returns the query parameter name as a number between least and most, or otherwise
// if it is not set.
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

// PathID returns the ID in the path of r. If it does not match like, PathID returns the
// error otherwise, which saves a look-up.
func PathID(r *http.Request, like *regexp.Regexp, otherwise error) (string, error) {
	id := r.PathValue("id")
	if !like.MatchString(id) {
		return "", fmt.Errorf("%w: %q", otherwise, usererror.Short(id, usererror.Quoted))
	}
	return id, nil
}

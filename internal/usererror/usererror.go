// Package usererror marks errors whose text callers may read, and finds that text.
//
//	err → the public error in its chain → its message, and the text that wrappers appended
//
// The full text of an error names packages and operations and is for the log. Callers get
// only the message of an error that was made for them.
package usererror

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
)

// An Error has a message for callers. It says what is wrong and what to do about it, and
// does not name a package.
type Error interface {
	error
	Public() string
}

type message struct{ pkg, text string }

func (m *message) Error() string  { return m.pkg + ": " + m.text }
func (m *message) Public() string { return m.text }

// New returns an error of package pkg whose text callers may read.
func New(pkg, text string) error { return &message{pkg, text} }

// Errorf is New with a formatted text.
func Errorf(pkg, format string, args ...any) error {
	return &message{pkg, fmt.Sprintf(format, args...)}
}

// Message returns the part of err that callers may read: the message of the first public
// error in its chain, and the text that wrappers appended, as in fmt.Errorf("%w: send
// less", errTooLarge). Text before it is left out. ok is false if no error in the chain is
// public.
func Message(err error) (text string, ok bool) {
	var e Error
	if !errors.As(err, &e) {
		return "", false
	}
	_, behind, _ := strings.Cut(err.Error(), e.Error())
	return e.Public() + behind, true
}

// Or returns the message of err, or otherwise if it has none.
func Or(err error, otherwise string) string {
	if text, ok := Message(err); ok {
		return text
	}
	return otherwise
}

// Network returns a general sentence for an error of the network, whose own text has hosts,
// addresses and ports. ok is false for another error.
func Network(err error) (text string, ok bool) {
	var name *net.DNSError
	var connection *net.OpError
	var address *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "there was no answer in time", true
	case errors.As(err, &name):
		return "its host name cannot be resolved", true
	case errors.As(err, &connection), errors.As(err, &address):
		return "it cannot be reached", true
	}
	return "", false
}

// Cause returns what callers may read of err: its message, a sentence for an error of the
// network, or otherwise.
func Cause(err error, otherwise string) string {
	if text, ok := Message(err); ok {
		return text
	}
	if text, ok := Network(err); ok {
		return text
	}
	return otherwise
}

// ID returns a new name for an error, which its answer and its line in the log both have.
func ID() string { return rand.Text()[:10] }

// Text returns the message of err, or else its full text. It is for the operator of a
// program.
func Text(err error) string { return Or(err, err.Error()) }

// Quoted is how many runes of a caller's value an error message repeats.
const Quoted = 40

// Short returns at most `most` runes of s, with an ellipsis if it was longer.
func Short(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

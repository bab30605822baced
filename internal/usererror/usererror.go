// Package usererror finds what of an error callers may read.
//
//	err → the public error in its chain → its own message, and what was said behind it
//
// Errors name the package and the operation for whoever reads the log. Callers get the
// message of an error that was made for them instead, or none of it.
package usererror

import (
	"errors"
	"fmt"
	"strings"
)

// An Error has a message for callers, which says what is wrong and what to do about
// it, and names no package.
type Error interface {
	error
	Public() string
}

type message struct{ pkg, text string }

func (m *message) Error() string  { return m.pkg + ": " + m.text }
func (m *message) Public() string { return m.text }

// New returns an error of a package whose text callers may read.
func New(pkg, text string) error { return &message{pkg, text} }

// Errorf is New with a text that is made of args.
func Errorf(pkg, format string, args ...any) error {
	return &message{pkg, fmt.Sprintf(format, args...)}
}

// Message is what of err callers may read: the message of the first public error in
// its chain, and what whoever wrapped that has said behind it, as in
// fmt.Errorf("%w: send less", errTooLarge). What was said before it is not for
// callers. There is none, and ok is false, if no error of the chain is public.
func Message(err error) (text string, ok bool) {
	var e Error
	if !errors.As(err, &e) {
		return "", false
	}
	_, behind, _ := strings.Cut(err.Error(), e.Error())
	return e.Public() + behind, true
}

// Or is the message of err, or otherwise if it has none.
func Or(err error, otherwise string) string {
	if text, ok := Message(err); ok {
		return text
	}
	return otherwise
}

// Text is the message of err, or else all that it says: for whoever runs the program
// and is to mend it.
func Text(err error) string { return Or(err, err.Error()) }

// Quoted is how many runes an error message repeats of a value that a caller has sent.
const Quoted = 40

// Short is s as a message may hold it: its first runes, most at most, and a sign if
// there were more.
func Short(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

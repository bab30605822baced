package store

import (
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A kind is what an error of Firestore's means for whoever made the call, as bits.
type kind int

const (
	changed kind = 1 << iota // another writer came first, or an earlier try of the same call
	exists                   // there is such a document already
	gone                     // there is no such document
	passing                  // another try may succeed; a write may have been applied or not
	outage                   // Firestore is down, or closed to this program
)

// kinds says what each code of Firestore's means; all others are the caller's mistakes.
// https://cloud.google.com/firestore/docs/understand-error-codes
var kinds = map[codes.Code]kind{
	codes.AlreadyExists:      changed | exists,
	codes.FailedPrecondition: changed,
	codes.Aborted:            changed | outage, // too many write the document at once
	codes.NotFound:           changed | gone,
	codes.Unavailable:        passing | outage,
	codes.ResourceExhausted:  passing | outage,
	codes.Internal:           passing,
	codes.DeadlineExceeded:   passing,
	codes.Canceled:           passing,
	codes.PermissionDenied:   outage,
	codes.Unauthenticated:    outage,
}

func kindOf(err error) kind {
	if err == nil {
		return 0
	}
	return kinds[status.Code(err)]
}

// Conflict reports that the condition of a write did not hold: another writer came
// first, or an earlier try of the same call did whose response was lost.
func Conflict(err error) bool {
	return kindOf(err)&changed != 0 || errors.Is(err, ErrChanged) || errors.Is(err, ErrExists)
}

// Exists reports that a document is not created as there is one.
func Exists(err error) bool { return kindOf(err)&exists != 0 || errors.Is(err, ErrExists) }

// Gone reports that there is no such document.
func Gone(err error) bool { return kindOf(err)&gone != 0 || errors.Is(err, ErrNotFound) }

// Outage reports that Firestore is down or closed to this program, so that the call
// says nothing of what was asked.
func Outage(err error) bool { return kindOf(err)&outage != 0 || errors.Is(err, errSilent) }

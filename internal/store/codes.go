package store

import (
	"errors"

	"example.com/whatis/internal/outage"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A kind is what a Firestore error means for its caller, as bits.
type kind int

const (
	changed kind = 1 << iota // another writer was first, or an earlier try of this call was applied
	exists                   // the document exists already
	gone                     // the document does not exist
	passing                  // a retry may succeed; a write may or may not have been applied
	down                     // Firestore is down or refuses access
)

// kinds says what each Firestore error code means; other codes are mistakes of the caller.
// https://cloud.google.com/firestore/docs/understand-error-codes
var kinds = map[codes.Code]kind{
	codes.AlreadyExists:      changed | exists,
	codes.FailedPrecondition: changed,
	codes.Aborted:            changed | down, // too many concurrent writes of the document
	codes.NotFound:           changed | gone,
	codes.Unavailable:        passing | down,
	codes.ResourceExhausted:  passing | down,
	codes.Internal:           passing,
	codes.DeadlineExceeded:   passing,
	codes.Canceled:           passing,
	codes.PermissionDenied:   down,
	codes.Unauthenticated:    down,
}

func kindOf(err error) kind {
	switch {
	case err == nil:
		return 0
	case outage.Away(err):
		return passing | down
	}
	return kinds[status.Code(err)]
}

// Conflict reports whether the condition of a write did not hold: another writer was first,
// or an earlier try of the same call was applied but its response was lost.
func Conflict(err error) bool {
	return kindOf(err)&changed != 0 || errors.Is(err, ErrChanged) || errors.Is(err, ErrExists)
}

// Exists reports whether a document was not created because it exists.
func Exists(err error) bool { return kindOf(err)&exists != 0 || errors.Is(err, ErrExists) }

// Gone reports whether a document does not exist.
func Gone(err error) bool { return kindOf(err)&gone != 0 || errors.Is(err, ErrNotFound) }

// Outage reports whether Firestore is down or refuses access, so that the error says
// nothing about the documents.
func Outage(err error) bool { return kindOf(err)&down != 0 || errors.Is(err, errSilent) }

package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
)

// A document has at most 1 MiB. What a caller brings may fill it up to the room
// for names and for the rest of the fields.
const (
	maxData = 1<<20 - 16<<10 // checkpoints, or the outcome
	maxItem = 4 << 10        // the subject of an item and its index
)

// document is a record as it is stored.
type document struct {
	Kind        string            `firestore:"kind"`
	Subject     string            `firestore:"name"`
	State       State             `firestore:"state"`
	Owner       string            `firestore:"owner"`
	WriteCount  int64             `firestore:"beat"`
	Lease       time.Duration     `firestore:"lease_ns"`
	Attempts    int               `firestore:"attempts"`
	TriedAt     time.Time         `firestore:"tried_at"`
	Waiting     bool              `firestore:"waiting"`
	Cause       string            `firestore:"cause"`
	Checkpoints map[string]string `firestore:"kept"`
	Result      string            `firestore:"result"`
	Error       string            `firestore:"error"`
	CacheKey    string            `firestore:"cache_key"`
	CacheTag    string            `firestore:"subject"`
	CreatedAt   time.Time         `firestore:"created_at"`
	FinishedAt  time.Time         `firestore:"finished_at"`
	ForgottenAt time.Time         `firestore:"forgotten_at"`
}

// found is what a read of a record gave; read is zero when none was made.
type found struct {
	document
	item, outcome Index // as the store's schema declares them
	id            string
	exists        bool
	kept          bool      // what was forgotten is told all the same
	read, updated time.Time // by the server
}

func (s *Store) parse(snap *firestore.DocumentSnapshot) (found, error) {
	f := found{item: s.schema.Item.read(snap), outcome: s.schema.Outcome.read(snap), id: snap.Ref.ID, exists: true, read: snap.ReadTime, updated: snap.UpdateTime}
	if err := snap.DataTo(&f.document); err != nil {
		return found{}, fmt.Errorf("jobs: document %s: %w", f.id, err)
	}
	return f, nil
}

// busy is a *BusyError while the lease of the work is alive.
func (f found) busy() error {
	age := f.read.Sub(f.updated)
	if f.State != Running || age > f.Lease {
		return nil
	}
	return &BusyError{RetryAfter: f.Lease - age}
}

func (f found) record() Record {
	if !f.ForgottenAt.IsZero() && !f.kept {
		return Record{Item: Item{ID: f.id}, State: f.State, Forgotten: f.ForgottenAt, Read: f.read}
	}
	r := Record{
		Item:     Item{ID: f.id, Kind: f.Kind, Subject: f.Subject, Index: f.item},
		State:    f.State,
		Attempts: f.Attempts,
		Paid:     len(f.Checkpoints) > 0,
		Created:  f.CreatedAt,
		Finished: f.FinishedAt,
		Read:     f.read, Forgotten: f.ForgottenAt,
		Outcome: Outcome{Error: f.Error, CacheKey: f.CacheKey, CacheTag: f.CacheTag, Index: f.outcome},
	}
	if f.Result != "" {
		r.Result = json.RawMessage(f.Result)
	}
	return r
}

// checkpoints is the checkpoints as JSON.
func (f found) checkpoints() map[string]json.RawMessage {
	kept := make(map[string]json.RawMessage, len(f.Checkpoints))
	for key, text := range f.Checkpoints {
		kept[key] = json.RawMessage(text)
	}
	return kept
}

// fields are those of a document that a write sets, all of them at the top.
type fields map[string]any

// updates is f as changes of a document.
func (f fields) updates() []firestore.Update {
	updates := make([]firestore.Update, 0, len(f))
	for name, value := range f {
		updates = append(updates, firestore.Update{FieldPath: firestore.FieldPath{name}, Value: value})
	}
	return updates
}

// with is f and more.
func (f fields) with(more fields) fields {
	all := fields{}
	maps.Copy(all, f)
	maps.Copy(all, more)
	return all
}

// itemFields are those of an item that is new.
func (s *Store) itemFields(i Item) fields {
	return s.schema.Item.fields(i.Index).with(fields{"kind": i.Kind, "name": i.Subject, "created_at": firestore.ServerTimestamp})
}

// outcomeFields are those of work that is done. now is a time by the server.
func (s *Store) outcomeFields(o Outcome, now time.Time) fields {
	set := s.schema.Outcome.fields(o.Index).with(fields{
		"state": Done, "kept": firestore.Delete, "result": text(o.Result), "error": o.Error,
		"finished_at": firestore.ServerTimestamp, "expires_at": now.Add(s.o.Retain),
	})
	if o.CacheKey != "" {
		set["cache_key"] = o.CacheKey
	}
	if o.CacheTag != "" {
		set["subject"] = o.CacheTag
	}
	return set
}

func (s *Store) checkOutcome(o Outcome) error {
	if len(o.Result) > 0 && !json.Valid(o.Result) {
		return errors.New("jobs: the result is not JSON")
	}
	if n := len(o.Result) + len(o.Error) + len(o.CacheKey) + len(o.CacheTag) + o.Index.size(); n > maxData {
		return fmt.Errorf("%w: an outcome of %d bytes, at most %d fit", ErrTooLarge, n, maxData)
	}
	return o.Index.check(s.schema.Outcome)
}

// text is JSON as a string, which Firestore wants in UTF-8. What is not becomes
// U+FFFD, as in every decoder of encoding/json.
func text(data json.RawMessage) string { return strings.ToValidUTF8(string(data), "\uFFFD") }

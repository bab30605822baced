package work

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
	maxName = 4 << 10        // bucket and name; Cloud Storage's have 1.3 KiB at most
)

// document is a record as it is stored.
type document struct {
	Kind       string            `firestore:"kind"`
	Bucket     string            `firestore:"bucket"`
	Name       string            `firestore:"name"`
	Generation int64             `firestore:"generation"`
	State      State             `firestore:"state"`
	Owner      string            `firestore:"owner"`
	Beat       int64             `firestore:"beat"`
	Lease      time.Duration     `firestore:"lease_ns"`
	Attempts   int               `firestore:"attempts"`
	TriedAt    time.Time         `firestore:"tried_at"`
	Waiting    bool              `firestore:"waiting"`
	Kept       map[string]string `firestore:"kept"`
	Result     string            `firestore:"result"`
	Source     string            `firestore:"source"`
	Error      string            `firestore:"error"`
	Doubt      bool              `firestore:"doubt"`
	CacheKey   string            `firestore:"cache_key"`
	Subject    string            `firestore:"subject"`
	CreatedAt  time.Time         `firestore:"created_at"`
	FinishedAt time.Time         `firestore:"finished_at"`
}

// found is what a read of a record gave; read is zero when none was made.
type found struct {
	document
	id            string
	exists        bool
	read, updated time.Time // by the server
}

func parse(snap *firestore.DocumentSnapshot) (found, error) {
	f := found{id: snap.Ref.ID, exists: true, read: snap.ReadTime, updated: snap.UpdateTime}
	if err := snap.DataTo(&f.document); err != nil {
		return found{}, fmt.Errorf("work: document %s: %w", f.id, err)
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
	r := Record{
		Item:     Item{ID: f.id, Kind: f.Kind, Bucket: f.Bucket, Name: f.Name, Generation: f.Generation},
		State:    f.State,
		Attempts: f.Attempts,
		Paid:     len(f.Kept) > 0,
		Created:  f.CreatedAt,
		Finished: f.FinishedAt,
		Read:     f.read,
		Outcome:  Outcome{Source: f.Source, Error: f.Error, Doubt: f.Doubt, CacheKey: f.CacheKey, Subject: f.Subject},
	}
	if f.Result != "" {
		r.Result = json.RawMessage(f.Result)
	}
	return r
}

// kept is the checkpoints as JSON.
func (f found) kept() map[string]json.RawMessage {
	kept := make(map[string]json.RawMessage, len(f.Kept))
	for key, text := range f.Kept {
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
	all := maps.Clone(f)
	maps.Copy(all, more)
	return all
}

// fields are those of an item that is new.
func (i Item) fields() fields {
	return fields{
		"kind": i.Kind, "bucket": i.Bucket, "name": i.Name, "generation": i.Generation,
		"created_at": firestore.ServerTimestamp,
	}
}

// fields are those of work that is done. now is a time by the server.
func (o Outcome) fields(now time.Time, retain time.Duration) fields {
	set := fields{
		"state": Done, "kept": firestore.Delete,
		"result": text(o.Result), "source": o.Source, "error": o.Error, "doubt": o.Doubt,
		"finished_at": firestore.ServerTimestamp, "expires_at": now.Add(retain),
	}
	if o.CacheKey != "" {
		set["cache_key"] = o.CacheKey
	}
	if o.Subject != "" {
		set["subject"] = o.Subject
	}
	return set
}

func (o Outcome) check() error {
	if len(o.Result) > 0 && !json.Valid(o.Result) {
		return errors.New("work: the result is not JSON")
	}
	if n := len(o.Result) + len(o.Source) + len(o.Error) + len(o.CacheKey) + len(o.Subject); n > maxData {
		return fmt.Errorf("%w: an outcome of %d bytes, at most %d fit", ErrTooLarge, n, maxData)
	}
	return nil
}

// text is JSON as a string, which Firestore wants in UTF-8. What is not becomes
// U+FFFD, as in every decoder of encoding/json.
func text(data json.RawMessage) string { return strings.ToValidUTF8(string(data), "\uFFFD") }

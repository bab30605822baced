package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/store"
)

// A document of Firestore has at most 1 MiB. Callers' data may fill it but for what
// names and the other fields need.
const (
	maxData       = 1<<20 - 16<<10 - maxAttachment // checkpoints, or the outcome
	maxItem       = 4 << 10                        // the subject of an item and its index
	maxAttachment = 32 << 10
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
	Parts       int               `firestore:"slice"` // that are done
	First       int               `firestore:"first"` // part of the event whose parts are being done, or are next
	Result      string            `firestore:"result"`
	Error       string            `firestore:"error"`
	CacheKey    string            `firestore:"cache_key"`
	Tags        []string          `firestore:"tags"`
	CreatedAt   time.Time         `firestore:"created_at"`
	FinishedAt  time.Time         `firestore:"finished_at"`
	ForgottenAt time.Time         `firestore:"forgotten_at"`
	Attachment  []byte            `firestore:"attachment"`
}

// found is a record as a read returned it; read is zero if there was no read.
type found struct {
	document
	item, outcome Index // as the store's schema declares them
	id            string
	exists        bool
	kept          bool      // record returns all fields although the record was erased
	read, updated time.Time // server times
}

// parse reads a document. A field that this version cannot read counts as missing: lists show the
// others, and what is erased need not be read.
func (s *Store) parse(snap *firestore.DocumentSnapshot) found {
	f := found{item: s.schema.Item.read(snap), outcome: s.schema.Outcome.read(snap), id: snap.Ref.ID, exists: true, read: snap.ReadTime, updated: snap.UpdateTime}
	store.Readable(snap, &f.document)
	return f
}

// unattached returns q without the attachments of its documents, and without lists, which are for queries.
func (s *Store) unattached(q firestore.Query) firestore.Query {
	var names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[document]()) {
		if name := f.Tag.Get("firestore"); name != "attachment" {
			names = append(names, name)
		}
	}
	for _, declared := range []Index{s.schema.Item, s.schema.Outcome} {
		for name := range declared {
			if !declared.isList(name) {
				names = append(names, name)
			}
		}
	}
	return q.Select(names...)
}

// busy returns a *BusyError while the lease of the work is alive, else nil.
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
		Item:     Item{ID: f.id, Kind: f.Kind, Subject: f.Subject, Index: f.item, Attachment: f.Attachment},
		State:    f.State,
		Attempts: f.Attempts,
		Kept:     f.checkpoints(),
		Created:  f.CreatedAt,
		Finished: f.FinishedAt,
		Read:     f.read, Forgotten: f.ForgottenAt,
		Outcome: Outcome{Error: f.Error, CacheKey: f.CacheKey, Tags: f.Tags, Index: f.outcome},
	}
	if f.Result != "" {
		r.Result = json.RawMessage(f.Result)
	}
	return r
}

// checkpoints returns the checkpoints as JSON.
func (f found) checkpoints() map[string]json.RawMessage {
	kept := make(map[string]json.RawMessage, len(f.Checkpoints))
	for key, text := range f.Checkpoints {
		kept[key] = json.RawMessage(text)
	}
	return kept
}

// fields are the top-level fields of a document that a write sets.
type fields map[string]any

// updates converts f to updates of a document.
func (f fields) updates() []firestore.Update {
	updates := make([]firestore.Update, 0, len(f))
	for name, value := range f {
		updates = append(updates, firestore.Update{FieldPath: firestore.FieldPath{name}, Value: value})
	}
	return updates
}

// with returns a copy of f with the fields of more.
func (f fields) with(more fields) fields {
	all := fields{}
	maps.Copy(all, f)
	maps.Copy(all, more)
	return all
}

// itemFields returns the fields of a new item.
func (s *Store) itemFields(i Item) fields {
	set := s.schema.Item.fields(i.Index).with(fields{"kind": i.Kind, "name": i.Subject, "created_at": firestore.ServerTimestamp})
	if len(i.Attachment) > 0 {
		set["attachment"] = i.Attachment
	}
	return set
}

// partFields returns the fields of work whose part has the outcome o. now is a server time.
func (s *Store) partFields(o Outcome, part int, now time.Time) fields {
	set := s.outcomeFields(o, now).with(fields{"slice": part})
	if !o.More {
		return set
	}
	return set.with(fields{
		"state": Open, "first": part + 1, "attempts": 0, "tried_at": firestore.Delete, "waiting": false, "cause": "", "finished_at": firestore.Delete,
	})
}

// outcomeFields returns the fields of finished work. now is a server time.
func (s *Store) outcomeFields(o Outcome, now time.Time) fields {
	set := s.schema.Outcome.fields(o.Index).with(fields{
		"state": Done, "kept": firestore.Delete, "result": text(o.Result), "error": o.Error,
		"finished_at": firestore.ServerTimestamp, "expires_at": now.Add(s.o.Retain),
	})
	if o.CacheKey != "" {
		set["cache_key"] = o.CacheKey
	}
	if len(o.Tags) > 0 {
		set["tags"] = o.Tags
	}
	return set
}

func (s *Store) checkOutcome(o Outcome) error {
	if len(o.Result) > 0 && !json.Valid(o.Result) {
		return errors.New("jobs: the result is not JSON")
	}
	if n := len(o.Result) + len(o.Error) + len(o.CacheKey) + len(strings.Join(o.Tags, "")) + o.Index.size(); n > maxData {
		return fmt.Errorf("%w: an outcome of %d bytes, at most %d fit", ErrTooLarge, n, maxData)
	}
	return o.Index.check(s.schema.Outcome)
}

// text returns JSON as a string. Firestore requires UTF-8: invalid bytes become
// U+FFFD, as in encoding/json's decoder.
func text(data json.RawMessage) string { return strings.ToValidUTF8(string(data), "\uFFFD") }

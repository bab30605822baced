// Package jobs does work exactly once, whatever the work is.
//
//	event  → Deliver → claim ──→ turn or cache → do → finish → recheck → follow → tell
//	caller → Ask ────→ share ──→ turn or cache → do → record → recheck ─────────→ tell
//
// An event may be delivered many times, and a process may die at any instant: the work
// is claimed, its paid results are kept as checkpoints, and a later delivery resumes
// after them. A permanent error becomes a failed result; after a temporary one the event
// is delivered again. A caller waits for the answer, so nothing is claimed: equal
// requests share one run, and its result is recorded for later ones. Of work with the same
// cache key, whether delivered or asked for, one has the turn in all instances, and the
// others wait for its result (turn.go).
//
// # The record of work
//
//	           ┌── Checkpoint, Checkpoint, … ──┐
//	Claim ──→ running ───────────────→ Finish ──→ done
//	  ↑         │ Release, or the lease runs out   │ Reopen, if it failed
//	  └─────── open ←──────────────────────────────┘
//
// One item of work is one document, work/{id}. The claim that creates it, or takes it
// over when it is open or its lease has run out, owns the work. All later writes
// of the owner have the time of the write before as a condition, so that a write by
// another owner makes them fail: there are no transactions, and a late owner changes
// nothing.
//
// A lease runs from the last write (the document's update time) to the time of a
// read, both by Firestore's clock; no machine's date is used. The owner measures the
// lease by its monotonic clock, from just before it sent its last successful write,
// and stops a tenth of the lease early; so its context has ended before another owner
// can begin.
//
// Work may be done in parts, such as the slices of a long run. They share the record, which
// counts those that are done: each is done once, behind the one before. Attempts, age and
// checkpoints are those of a part. An event asks for the parts from one on. It may do several,
// by Next; delivered again, it goes on with the part where it was left, unless another event,
// for later parts, has begun.
//
// A photo costs one write for Claim, one for each Checkpoint and one for Finish; and
// one for every Options.Renew that passes without any. Checkpoints that come while
// another is being written share the next write, and what is paid last is kept by Finish
// (Once). A claim of work that is taken, done, free again or in parts costs a read more.
//
// The fields of the document:
//
//	kind, name                          what the work is about (Item.Kind, Item.Subject)
//	state                               running, open or done
//	owner, beat                         the ID of a claim, and the count of its writes
//	lease_ns                            how long that claim holds without a write
//	attempts                            claims so far, refunded ones aside
//	tried_at, waiting                   since when the work ages, and whether it stands still (Reason)
//	kept                                map of checkpoints, each as JSON text
//	slice, first                        of work in parts: how many are done, and from which on the last event asks for them
//	result, error                       the outcome (Outcome), of finished work
//	cache_key                           by which Cached finds the result, where it may be found
//	tags                                by which Tagged finds the work, of work that was begun
//	created_at, finished_at             by the server; the latter of finished work only
//	attachment                          bytes of the item, which no list reads
//	forgotten_at                        by the server, of work that was erased: its result is not shown
//	expires_at                          for a TTL policy: Options.Retain after the server's
//	                                    time at a takeover, a finish or a reopening. Work
//	                                    whose only claim never ended has none and stays.
//
// Beside these a document has the fields that an agent declares (Schema): what its
// items and outcomes are listed by.
//
// The record is the result cache too: a finished result that has a cache key is
// returned again for that key within Options.Cache. Claims use the ID alone, so
// that the same photo under two names is two pieces of work and one result.
//
// Listings need a composite index for each set of declared fields that an agent filters
// by, followed by what it orders by, such as finished_at desc; the cache
// needs (cache_key, finished_at desc). Of single fields only finished_at, tags and
// those that lists are ordered by are asked for: exempt all others from indexing.
package jobs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/whatis/internal/store"
	"example.com/whatis/internal/usererror"
)

// The Firestore collections of records: of photos, and of the runs of all other
// agents, which are listed by their kind.
const (
	Photos = "work"
	Runs   = "runs"
)

// Options are the collection and the durations of a Store. A duration that is not
// positive means its default.
type Options struct {
	Collection string        // Photos unless it is set
	Lease      time.Duration // how long a claim holds without a write: 30 s
	Renew      time.Duration // after how long without a write one is made, half of Lease at most: a third of it
	Retain     time.Duration // how long a record is kept after its last change: 400 days
	Cache      time.Duration // how long a result is found by its cache key: 30 days; negative disables the cache
}

// A Store reads and writes the work records of one database. It is safe for concurrent use.
type Store struct {
	db     *firestore.Client
	o      Options
	schema Schema
}

// NewStore returns the store of the records in db.
func NewStore(db *firestore.Client, o Options) *Store {
	o.Lease = positive(o.Lease, 30*time.Second)
	o.Renew = min(positive(o.Renew, o.Lease/3), o.Lease/2)
	o.Retain = positive(o.Retain, 400*24*time.Hour)
	if o.Cache == 0 {
		o.Cache = 30 * 24 * time.Hour
	}
	o.Collection = cmp.Or(o.Collection, Photos)
	return &Store{db: db, o: o}
}

func positive(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}

// An Item says what work is about. It is written at the first claim.
type Item struct {
	ID      string // the document's ID: a hash of what makes the work the same
	Kind    string // the agent's name for the source of the work
	Subject string // what it is about, such as the name of an object
	Index   Index  // as the Schema declares it
	Part    int    // of work that is done in parts: the first that is asked for, from 1; else 0

	Attachment []byte // is kept with the record and gone with it; lists leave it out
}

func (s *Store) checkItem(i Item) error {
	switch {
	case i.ID == "" || len(i.ID) > 1000 || strings.Contains(i.ID, "/"):
		return fmt.Errorf("jobs: the ID %q is no document's: want 1 to 1000 bytes without a slash", i.ID)
	case i.Kind == "" || len(i.Kind) > 100:
		return fmt.Errorf("jobs: the kind of %s is %q, want a word", i.ID, i.Kind)
	case len(i.Subject)+i.Index.size() > maxItem:
		return fmt.Errorf("jobs: subject and index of %s have %d bytes, at most %d fit", i.ID, len(i.Subject)+i.Index.size(), maxItem)
	case len(i.Attachment) > maxAttachment:
		return fmt.Errorf("%w: an attachment of %d bytes, at most %d fit", ErrTooLarge, len(i.Attachment), maxAttachment)
	}
	return i.Index.check(s.schema.Item)
}

// An Outcome is the result of work, or how it failed.
type Outcome struct {
	Result json.RawMessage // returned again from the cache
	Error  string          // the code of a failure, such as analysis_failed; "" is success
	Index  Index           // as the Schema declares it

	CacheKey string   // names all that decides the result, for Cached; "" keeps it out of the cache
	Tags     []string // by which Tagged finds the record, such as the hashes of photos

	More bool // of work in parts: another follows this one
}

// A Record is an item of work with its state and outcome. Item.Index and Outcome.Index
// hold every field that the store's Schema declares.
type Record struct {
	Item
	Outcome  // of finished work
	State    State
	Attempts int
	Kept     map[string]json.RawMessage // the checkpoints of work that is not finished, as Checkpoints has them
	Created  time.Time                  // by the server's clock, as the following
	Finished time.Time                  // zero unless State is Done
	Read     time.Time                  // when Firestore answered; Read − Finished is the result's age

	Forgotten time.Time // when the work was erased; the record then has its ID, state and times only
}

// Errors of the package, for errors.Is.
var (
	ErrNotFound = usererror.New("jobs", "there is no such record")
	ErrBusy     = errors.New("jobs: somebody else is at it")
	ErrLost     = errors.New("jobs: the claim does not hold the work any more")
	ErrTooLarge = errors.New("jobs: too large for a record")
	ErrCursor   = store.ErrCursor
)

// BusyError is the error of work whose lease is alive; it is ErrBusy.
type BusyError struct {
	RetryAfter time.Duration // until the lease runs out, if its owner lets it
	Early      bool          // of a part: the one before is not done
}

func (e *BusyError) Error() string {
	if e.Early {
		return fmt.Sprintf("%v: the part before is not done", ErrBusy)
	}
	return fmt.Sprintf("%v: its lease ends in %v unless it is renewed", ErrBusy, e.RetryAfter)
}

// Is makes a BusyError an ErrBusy.
func (e *BusyError) Is(target error) bool { return target == ErrBusy }

// DoneError is the error of a claim of finished work. The caller need not do the work,
// only act on its outcome.
type DoneError struct {
	Record Record
}

func (e *DoneError) Error() string { return fmt.Sprintf("jobs: %s is done already", e.Record.ID) }

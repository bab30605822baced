package firestore

import (
	"encoding/binary"
	"slices"
	"sync"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The longest that the service keeps a transaction open, in all and without a request in it.
// https://docs.cloud.google.com/firestore/quotas#writes_and_transactions
const (
	maxTransactionAge  = 270 * time.Second
	maxTransactionIdle = 60 * time.Second
)

var errContention = status.Error(codes.Aborted, "Too much contention on these documents. Please try again.")

// A transaction remembers what it read.
type transaction struct {
	readOnly bool
	begun    time.Time
	used     time.Time // last; guarded by the database's mu

	mu    sync.Mutex
	view  tree // of the first read; nil before
	at    timestamp
	reads []pastRead
}

type pastRead struct {
	run  readFunc
	seen []hit
}

// begin opens a transaction and returns its ID. Expired transactions are dropped.
func (db *database) begin(options *pb.TransactionOptions) []byte {
	db.mu.Lock()
	defer db.mu.Unlock()
	for id, tx := range db.transactions {
		if tx.expired() {
			delete(db.transactions, id)
		}
	}
	db.begun++
	id := binary.BigEndian.AppendUint64(nil, db.begun)
	db.transactions[string(id)] = &transaction{
		readOnly: options.GetReadOnly() != nil,
		begun:    time.Now(),
		used:     time.Now(),
	}
	return id
}

func (tx *transaction) expired() bool {
	return time.Since(tx.begun) > maxTransactionAge || time.Since(tx.used) > maxTransactionIdle
}

// rollback ends a transaction; one that has ended already may be ended again.
func (db *database) rollback(id []byte) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if !db.wasBegun(id) {
		return invalid("Invalid transaction.")
	}
	delete(db.transactions, string(id))
	return nil
}

func (db *database) wasBegun(id []byte) bool {
	if len(id) != 8 {
		return false
	}
	n := binary.BigEndian.Uint64(id)
	return 0 < n && n <= db.begun
}

// open returns a transaction that has not ended; db.mu is held.
func (db *database) open(id []byte) (*transaction, error) {
	if tx := db.transactions[string(id)]; tx != nil && !tx.expired() {
		tx.used = time.Now()
		return tx, nil
	}
	if !db.wasBegun(id) {
		return nil, invalid("Invalid transaction.")
	}
	return nil, invalid("The referenced transaction has expired or is no longer valid.")
}

// readIn is read in a transaction.
func (db *database) readIn(id []byte, f readFunc) ([]hit, timestamp, error) {
	db.mu.Lock()
	tx, err := db.open(id)
	if err == nil && tx.view == nil {
		tx.view, tx.at = db.tree.view(), db.store.clock.now()
	}
	db.mu.Unlock()
	if err != nil {
		return nil, 0, err
	}
	found := f(tx.view)
	tx.mu.Lock()
	defer tx.mu.Unlock()
	if !tx.readOnly {
		tx.reads = append(tx.reads, pastRead{f, found})
	}
	return found, tx.at, nil
}

// finish ends the transaction and reports whether it may write: not when it is
// read-only, and not when a read of it would now find other documents. db.mu
// is held.
func (db *database) finish(id []byte, writes int) error {
	tx, err := db.open(id)
	if err != nil {
		return err
	}
	delete(db.transactions, string(id))
	if tx.readOnly && writes > 0 {
		return invalid("Cannot modify entities in a read-only transaction.")
	}
	tx.mu.Lock()
	defer tx.mu.Unlock()
	for _, past := range tx.reads {
		if !slices.EqualFunc(past.run(db.tree), past.seen, sameVersion) {
			return errContention
		}
	}
	return nil
}

// sameVersion can compare pointers because a version is stored once and never
// changes; missing documents are made anew for each listing.
func sameVersion(a, b hit) bool {
	if a.document == nil || b.document == nil {
		return a.document == b.document
	}
	return a.document == b.document || a.missing() && b.missing() && a.path == b.path
}

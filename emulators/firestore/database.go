package firestore

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// A clock never gives the same microsecond twice.
type clock struct {
	mu   sync.Mutex
	last timestamp
}

// tick returns a time later than all it returned before: of commits.
func (c *clock) tick() timestamp {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = max(c.last+1, timestamp(time.Now().UnixMicro()))
	return c.last
}

// now returns a time not before any tick: of reads.
func (c *clock) now() timestamp {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = max(c.last, timestamp(time.Now().UnixMicro()))
	return c.last
}

// pass makes the clock go on after t.
func (c *clock) pass(t timestamp) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = max(c.last, t)
}

// A store holds the databases of all projects by name; each is made by its
// first use.
type store struct {
	clock   clock
	changed func() // called after each change, without a lock

	mu        sync.Mutex
	databases map[string]*database
}

func newStore(changed func()) *store {
	return &store{changed: changed, databases: map[string]*database{}}
}

func (s *store) database(name string) *database {
	s.mu.Lock()
	defer s.mu.Unlock()
	db := s.databases[name]
	if db == nil {
		db = &database{store: s, name: name, tree: tree{}, transactions: map[string]*transaction{}}
		s.databases[name] = db
	}
	return db
}

// reset forgets every database. Calls under way finish on what they hold.
func (s *store) reset() {
	s.mu.Lock()
	clear(s.databases)
	s.mu.Unlock()
	s.changed()
}

// documents returns every document, database by database.
func (s *store) documents() []*document {
	s.mu.Lock()
	databases := slices.Collect(maps.Values(s.databases))
	s.mu.Unlock()
	var docs []*document
	for _, db := range databases {
		db.mu.RLock()
		docs = append(docs, db.tree.scan("", "", true)...)
		db.mu.RUnlock()
	}
	return docs
}

// A database is one projects/P/databases/D.
type database struct {
	store *store
	name  string

	mu           sync.RWMutex
	tree         tree
	transactions map[string]*transaction
	begun        uint64 // transactions so far
}

// documentName returns the full resource name of path.
func (db *database) documentName(path string) string {
	return db.name + "/documents/" + path
}

// A hit is a document that a read found, or nil where it found none.
type hit struct {
	*document
	distance float64 // of FindNearest
}

// A readFunc finds documents in a tree. Run again, it must do the same work.
type readFunc func(tree) []hit

// read runs f on the newest tree or, when id is not empty, in that
// transaction, and returns the time the answer is true at.
func (db *database) read(id []byte, f readFunc) ([]hit, timestamp, error) {
	if len(id) > 0 {
		return db.readIn(id, f)
	}
	db.mu.RLock()
	defer db.mu.RUnlock()
	return f(db.tree), db.store.clock.now(), nil
}

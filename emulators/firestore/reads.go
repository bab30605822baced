package firestore

import "sync"

// Reads are what queries and look-ups would be billed as, in document reads
// (https://cloud.google.com/firestore/pricing).
type Reads struct {
	Documents int // that were answered, or looked up in vain; a query without any counts as one
	Vectors   int // of a vector search, one for up to 100 entries of its index
	Counts    int // of an aggregation, one for up to 1,000 entries that it matches
}

// All returns the sum.
func (r Reads) All() int { return r.Documents + r.Vectors + r.Counts }

// Entries of an index that are billed as one read.
const (
	vectorsOfARead = 100
	countedOfARead = 1000
)

// reads counts Reads.
type reads struct {
	mu  sync.Mutex
	sum Reads
}

// Reads counts since Start, Reset or ResetCalls.
func (s *Server) Reads() Reads {
	s.reads.mu.Lock()
	defer s.reads.mu.Unlock()
	return s.reads.sum
}

func (r *reads) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum = Reads{}
}

func (r *reads) add(more Reads) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum.Documents += more.Documents
	r.sum.Vectors += more.Vectors
	r.sum.Counts += more.Counts
}

// ofQuery counts a query that was answered with hits.
func (r *reads) ofQuery(p *plan, hits []hit) {
	more := Reads{Documents: max(1, len(hits))}
	if p.nearest != nil {
		more.Vectors = batches(p.nearest.compared, vectorsOfARead)
	}
	r.add(more)
}

// ofAggregation counts an aggregation over hits.
func (r *reads) ofAggregation(hits []hit) { r.add(Reads{Counts: batches(len(hits), countedOfARead)}) }

// batches returns how many batches of that size n entries fill, one at least.
func batches(n, size int) int { return max(1, (n+size-1)/size) }

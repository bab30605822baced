// Package firestore is a Firestore in memory that speaks the real wire
// protocol, so that cloud.google.com/go/firestore works against it unchanged:
// put [Server.Addr] into FIRESTORE_EMULATOR_HOST.
//
//	Commit, BatchWrite → writes → staged documents → tree ─┬→ snapshot file
//	BatchGet, List, RunQuery → plan → tree → hits → answer  └→ views of transactions
//
// A tree holds the documents of one database by collection, in name order.
// Stored documents are never changed, only replaced, so a read keeps what it
// found after the lock is gone, a transaction's view costs no copy of them, and
// each field is converted to wire format once.
//
// Transactions are optimistic: reads see the view of the first read, Commit
// runs them again and answers Aborted when one would now see other documents.
// The first to commit wins, nobody waits, so there is no deadlock. A read_time
// means the newest state.
//
// Served: BatchGetDocuments, Commit, RunQuery, RunAggregationQuery,
// BeginTransaction, Rollback, BatchWrite, ListDocuments, ListCollectionIds,
// GetDocument, CreateDocument, UpdateDocument, DeleteDocument. Every index a
// query needs exists, and anybody may do anything. Listen is not served: poll.
//
// Vectors are packed: as float32 when each component survives the round trip,
// else as float64, so what was written always reads back bit for bit.
package firestore

package jobs

// State is where work stands: the record of one job, a run of many, or a batch.
type State string

// The states of a record.
const (
	Open    State = "open"    // given back or reopened, free to claim
	Running State = "running" // claimed; the lease may have run out. Of a batch: all its photos are handed out
	Done    State = "done"
)

// The states of what takes many jobs, beside Done.
const (
	Expanding  State = "expanding" // of a batch: its photos are being handed out
	Working    State = "working"
	Cancelling State = "cancelling" // what has not begun is being dropped
	Canceled   State = "canceled"   // ended as Done, and cancelled before
	Cancelled  State = "cancelled"  // Canceled, as batches are stored and tell it
	Failed     State = "failed"
)

// Over reports that nothing more happens.
func (s State) Over() bool { return s.Summary() != Working }

// Summary is s as callers are told it who know no kind of work: Working, Done, Canceled
// or Failed.
func (s State) Summary() State {
	switch s {
	case Done, Canceled, Failed:
		return s
	case Cancelled:
		return Canceled
	}
	return Working
}

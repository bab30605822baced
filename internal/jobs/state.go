package jobs

// State is the state of work: of the record of one job, a run of many jobs, or a batch.
type State string

// The states of a record.
const (
	Open    State = "open"    // released or reopened, free to claim
	Running State = "running" // claimed; the lease may have run out. Of a batch: the tasks of all photos are published
	Done    State = "done"
)

// The states of runs and batches, which take many jobs, beside Done.
const (
	Scanning   State = "scanning"  // of a batch: barcodes are being read, by which its photos are grouped
	Expanding  State = "expanding" // of a batch: the tasks of its photos are being published
	Working    State = "working"
	Cancelling State = "cancelling" // jobs that have not begun are being dropped
	Canceled   State = "canceled"   // ended after a cancellation
	Cancelled  State = "cancelled"  // Canceled, as batches spell it
	Failed     State = "failed"
)

// Over reports that the work has ended.
func (s State) Over() bool { return s.Summary() != Working }

// Summary reduces s to the states that all kinds of work share: Working, Done, Canceled
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

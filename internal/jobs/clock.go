package jobs

import "time"

// start is when the process began.
var start = time.Now()

// elapsed returns the time since start by the monotonic clock, which changes of the
// machine's date do not affect. It measures how long a lease has run; all dates come
// from the server.
func elapsed() time.Duration { return time.Since(start) }

package jobs

import "time"

// start is when the process began.
var start = time.Now()

// elapsed is the time since start by the monotonic clock, which no change of the
// machine's date touches. It is the only clock of the package: how long a lease
// has run is measured with it, when something happened is what the server says.
func elapsed() time.Duration { return time.Since(start) }

package firestore

import (
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A transaction ends after a minute in which nobody uses it, and after 270 seconds in any case,
// whether another begins or not.
func TestTransactionExpires(t *testing.T) {
	for _, test := range []struct {
		pause time.Duration // before each of the reads
		reads int
		ends  int // the read that finds it expired, from 1; 0 if none does
	}{
		{59 * time.Second, 4, 0},
		{59 * time.Second, 6, 5},
		{61 * time.Second, 1, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			db := newStore(func() {}).database("projects/p/databases/d")
			id, ended := db.begin(nil), 0
			for n := range test.reads {
				time.Sleep(test.pause)
				_, _, err := db.readIn(id, func(tree) []hit { return nil })
				if err != nil && status.Code(err) != codes.InvalidArgument {
					t.Fatal(err)
				}
				if err != nil && ended == 0 {
					ended = n + 1
				}
			}
			if ended != test.ends {
				t.Errorf("read every %s, %d times: expired at read %d, want %d", test.pause, test.reads, ended, test.ends)
			}
			if _, _, err := db.commit(id, nil); (err != nil) != (test.ends > 0) {
				t.Errorf("commit after reads every %s = %v", test.pause, err)
			}
		})
	}
}

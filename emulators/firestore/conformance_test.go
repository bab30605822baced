package firestore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	emulator "example.com/whatis/emulators/firestore"
)

// suite is what any Firestore must do, asked through the real client. Each
// part gets a project of its own.
var suite = []struct {
	name string
	run  func(*testing.T, *firestore.Client)
}{
	{"get", testGet},
	{"preconditions", testPreconditions},
	{"update time", testUpdateTime},
	{"update masks", testUpdateMasks},
	{"transforms", testTransforms},
	{"refused writes", testRefusedWrites},
	{"field names", testFieldNames},
	{"values", testValues},
	{"atomic commit", testAtomicCommit},
	{"many writes", testManyWrites},
	{"bulk writer", testBulkWriter},
	{"create race", testCreateRace},
	{"update time race", testUpdateTimeRace},
	{"listing", testListing},
	{"filters", testFilters},
	{"equality after writes", testEqualityAfterWrites},
	{"equality in a transaction", testEqualityInTransaction},
	{"orders", testOrders},
	{"cursors", testCursors},
	{"names", testNames},
	{"collection groups", testCollectionGroups},
	{"projection", testProjection},
	{"type order", testTypeOrder},
	{"refused queries", testRefusedQueries},
	{"aggregation", testAggregation},
	{"nearest", testNearest},
	{"nearest distances", testNearestDistances},
	{"nearest answer", testNearestAnswer},
	{"refused vectors", testRefusedVectors},
	{"vectors read back", testVectorsReadBack},
	{"transaction conflict", testTransactionConflict},
	{"transaction increments", testTransactionIncrements},
	{"transaction phantoms", testTransactionPhantoms},
	{"read-only transaction", testReadOnlyTransaction},
}

// TestConformance runs the suite on our emulator and on Google's, where that is
// installed. WHATIS_GOOGLE_EMULATOR=off leaves Google's out, =require fails the
// test where it cannot be started.
func TestConformance(t *testing.T) {
	for _, backend := range []struct {
		name  string
		start func(*testing.T) string
	}{
		{"ours", func(t *testing.T) string { return start(t, emulator.Options{}).Addr() }},
		{"google", startGoogle},
	} {
		t.Run(backend.name, func(t *testing.T) {
			t.Parallel()
			addr := backend.start(t)
			t.Run("suite", func(t *testing.T) {
				for _, part := range suite {
					t.Run(part.name, func(t *testing.T) {
						t.Parallel()
						part.run(t, dial(t, addr))
					})
				}
				t.Run("wire", func(t *testing.T) {
					t.Parallel()
					testWire(t, dialWire(t, addr))
				})
			})
			for _, d := range differences {
				t.Run("difference "+d.about, func(t *testing.T) {
					want := map[string]string{"ours": d.ours, "google": d.google}[backend.name]
					if got := d.probe(dial(t, addr)); got != want {
						t.Errorf("%s: got %q, want %q", d.about, got, want)
					}
				})
			}
		})
	}
}

// start runs our emulator until the test ends.
func start(t testing.TB, opts emulator.Options) *emulator.Server {
	t.Helper()
	s, err := emulator.Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

var dialing sync.Mutex
var projects int

// dial makes a client of a project nobody else uses. A client reads the
// environment only when it is made.
func dial(t testing.TB, addr string) *firestore.Client {
	t.Helper()
	dialing.Lock()
	defer dialing.Unlock()
	projects++
	return dialProject(t, addr, fmt.Sprintf("project-%d", projects))
}

func dialProject(t testing.TB, addr, project string) *firestore.Client {
	t.Helper()
	os.Setenv("FIRESTORE_EMULATOR_HOST", addr)
	defer os.Unsetenv("FIRESTORE_EMULATOR_HOST")
	c, err := firestore.NewClient(context.Background(), project)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// ctx is long enough for a queue of lock time-outs in Google's emulator.
func ctx(t testing.TB) context.Context {
	c, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return c
}

type fields = map[string]any

// put stores documents, given as path and fields in turn.
func put(t testing.TB, c *firestore.Client, pathsAndFields ...any) {
	t.Helper()
	for i := 0; i < len(pathsAndFields); i += 2 {
		path := pathsAndFields[i].(string)
		if _, err := c.Doc(path).Set(ctx(t), pathsAndFields[i+1]); err != nil {
			t.Fatalf("Set(%s) = %v", path, err)
		}
	}
}

// stored reads the document at path.
func stored(t testing.TB, c *firestore.Client, path string) *firestore.DocumentSnapshot {
	t.Helper()
	d, err := c.Doc(path).Get(ctx(t))
	if err != nil {
		t.Fatalf("Get(%s) = %v", path, err)
	}
	return d
}

// found returns the IDs of a query's results in order, or the code of its error.
func found(it *firestore.DocumentIterator) string {
	docs, err := it.GetAll()
	if err != nil {
		return status.Code(err).String()
	}
	var ids []string
	for _, d := range docs {
		ids = append(ids, d.Ref.ID)
	}
	return strings.Join(ids, " ")
}

// drain gathers the IDs an iterator of references gives.
func drain[R any](t testing.TB, next func() (R, error), id func(R) string) string {
	t.Helper()
	var ids []string
	for {
		r, err := next()
		if errors.Is(err, iterator.Done) {
			return strings.Join(ids, " ")
		}
		if err != nil {
			t.Fatalf("Next() = %v", err)
		}
		ids = append(ids, id(r))
	}
}

func wantCode(t testing.TB, call string, err error, want codes.Code) {
	t.Helper()
	if got := status.Code(err); got != want {
		t.Errorf("%s = %v (%v), want %v", call, got, err, want)
	}
}

func wantEqual(t testing.TB, call string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s = %#v, want %#v", call, got, want)
	}
}

package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/storage"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
)

func TestMain(m *testing.M) { emulate.Run(m) }

// A stall is a shop over emulators of its database and bucket.
type stall struct {
	*emulate.World
	t       *testing.T
	catalog *catalog.Catalog
	objects *storage.Client
}

func newStall(t *testing.T) *stall {
	t.Helper()
	w := emulate.Start(t, emulate.Firestore, emulate.Storage)
	objects := emulate.StorageClient(t, w)
	if err := objects.Bucket("indexes").Create(t.Context(), w.Project, nil); err != nil {
		t.Fatal(err)
	}
	return &stall{w, t, catalog.New(w.FirestoreClient(t)), objects}
}

// instance returns what another instance has.
func (s *stall) instance() *Shops {
	return &Shops{Catalog: s.catalog, Database: "db", Objects: blob.New(s.objects), Bucket: "indexes", Freshness: time.Nanosecond}
}

// stock imports products with these prices: p0, p1, …
func (s *stall) stock(ctx context.Context, prices ...int) error {
	vectors := func(_ context.Context, texts []string) (all [][]float32, err error) {
		for range texts {
			v := make([]float32, catalog.Dimensions)
			v[0] = 1
			all = append(all, v)
		}
		return all, ctx.Err()
	}
	space, err := catalog.VectorSpaceOf("emulated-embedding")
	if err != nil {
		return err
	}
	var file strings.Builder
	for i, price := range prices {
		fmt.Fprintf(&file, `{"product_name":"p%d","sku":"S-%[1]d","key_features":["a"],"price":%d,"currency":"USD"}`+"\n", i, price)
	}
	_, err = catalog.Import{Catalog: s.catalog, Shop: "shop", Space: space, Embed: vectors, EmbedDocuments: vectors}.Run(ctx, strings.NewReader(file.String()))
	return err
}

// sells returns the names and prices of what an instance finds.
func (s *stall) sells(shops *Shops) string {
	s.t.Helper()
	x, err := shops.Open(s.t.Context(), "shop")
	if err != nil {
		s.t.Fatal(err)
	}
	page, _, err := x.Find(s.t.Context(), "shop", Query{All: true, Limit: 9, Order: Cheapest})
	if err != nil {
		s.t.Fatal(err)
	}
	var all []string
	for _, h := range page {
		all = append(all, fmt.Sprint(h.ProductName, " ", h.Amount))
	}
	return strings.Join(all, ", ")
}

func (s *stall) must(errs ...error) {
	s.t.Helper()
	if err := errors.Join(errs...); err != nil {
		s.t.Fatal(err)
	}
}

// What is changed, added and deleted is found by each instance, whether it has begun with a file or
// without one, and whatever the file lacks; with the file it reads what the file lacks alone.
func TestInstancesFollowTheCatalogue(t *testing.T) {
	s := newStall(t)
	first := s.instance()
	s.must(s.stock(t.Context(), 1, 2, 3))
	if got, want := s.sells(first), "p0 1, p1 2, p2 3"; got != want {
		t.Fatalf("at first: %s, want %s", got, want)
	}
	s.must(first.Write(t.Context(), "shop", false))
	time.Sleep(20 * time.Millisecond)
	s.must(s.stock(t.Context(), 1, 9, 3, 4))
	found, err := s.catalog.Beginning(t.Context(), "shop", "p0", 1)
	s.must(err)
	_, err = s.catalog.Delete(t.Context(), "shop", found[0].ID)
	s.must(err)
	want := "p2 3, p3 4, p1 9"
	for name, shops := range map[string]*Shops{"the instance that knew it": first, "another with the file": s.instance(), "one without a bucket": {Catalog: s.catalog, Freshness: time.Nanosecond}} {
		if got := s.sells(shops); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	s.must(first.Write(t.Context(), "shop", false))
	if got := s.sells(s.instance()); got != want {
		t.Errorf("with the file of later: %s, want %s", got, want)
	}
}

// An instance with a file reads no products but those of the last minute, and until it is time to look
// again, nothing at all.
func TestFileSparesReads(t *testing.T) {
	s := newStall(t)
	s.must(s.stock(t.Context(), 1, 2, 3), s.instance().Write(t.Context(), "shop", false))
	x, _, err := s.instance().begin(t.Context(), "shop")
	s.must(err)
	s.must(x.SetUntil(t.Context(), time.Now().Add(3*overlap)))
	later := s.instance()
	later.Freshness = time.Hour
	_, err = later.Objects.Replace(t.Context(), blob.Place{Bucket: "indexes", Name: fileOf("shop")}, copyOf(t, x))
	s.must(err)
	s.Firestore.ResetCalls()
	if got := s.sells(later); got != "p0 1, p1 2, p2 3" || s.Firestore.Reads().Documents > 2 { // a query that finds nothing is a read
		t.Errorf("with a file of now: %s, %d documents read; want all, and one for each query", got, s.Firestore.Reads().Documents)
	}
	s.Firestore.ResetCalls()
	if s.sells(later); len(s.Firestore.Calls()) > 0 {
		t.Errorf("before it is time: the calls %v, want none", s.Firestore.Calls())
	}
}

// copyOf returns a function that writes the file of an index.
func copyOf(t *testing.T, x *Index) func(io.Writer) error {
	t.Helper()
	return func(w io.Writer) error { return x.writeTo(t.Context(), w) }
}

// A file that is broken, or of another database, is not used, and is written anew.
func TestFileOfAnother(t *testing.T) {
	s := newStall(t)
	s.must(s.stock(t.Context(), 1, 2))
	other := s.instance()
	other.Database = "other"
	s.must(other.Write(t.Context(), "shop", false))
	if got := s.sells(s.instance()); got != "p0 1, p1 2" {
		t.Errorf("with the file of another database: %s", got)
	}
	s.Put(t, "indexes", fileOf("shop"), []byte("broken"))
	if got := s.sells(s.instance()); got != "p0 1, p1 2" {
		t.Errorf("with a broken file: %s", got)
	}
	s.must(s.instance().Write(t.Context(), "shop", false))
	x, written, err := s.instance().begin(t.Context(), "shop")
	if s.must(err); written.IsZero() {
		t.Error("the file is not written anew")
	}
	if is, err := x.Nature(t.Context()); err != nil || is.Size != 2 {
		t.Errorf("the file has %d products, %v; want 2", is.Size, err)
	}
}

// After a restore of the database the file may have what the database lacks: made anew it has not.
func TestWrittenAnew(t *testing.T) {
	s := newStall(t)
	s.must(s.stock(t.Context(), 1, 2), s.instance().Write(t.Context(), "shop", false))
	docs, err := s.FirestoreClient(t).Collection("products").Where("name_key", "==", "p1").Documents(t.Context()).GetAll()
	s.must(err)
	_, err = docs[0].Ref.Delete(t.Context()) // as if it had never been
	s.must(err, s.instance().Write(t.Context(), "shop", false))
	if got := s.sells(s.instance()); got != "p0 1, p1 2" {
		t.Fatalf("before: %s", got)
	}
	s.must(s.instance().Write(t.Context(), "shop", true))
	if got := s.sells(s.instance()); got != "p0 1" {
		t.Errorf("made anew: %s, want p0 1", got)
	}
}

// Writers at once lose nothing, wherever an import is stopped: what is in the catalogue is found.
func TestWritersAtOnce(t *testing.T) {
	s := newStall(t)
	s.must(s.stock(t.Context(), 1))
	var group sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		group.Go(func() {
			errs[i] = errors.Join(s.stock(t.Context(), slices.Repeat([]int{5}, i+1)...), s.instance().Write(t.Context(), "shop", false))
		})
	}
	group.Wait()
	s.must(errs...)
	if got, want := s.sells(s.instance()), "p0 5, p1 5, p2 5, p3 5, p4 5, p5 5"; got != want {
		t.Errorf("after six imports at once: %s, want %s", got, want)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := s.stock(stopped, 7, 7, 7, 7, 7, 7); err == nil {
		t.Fatal("a stopped import = nil")
	}
	if err := s.instance().Write(stopped, "shop", false); err == nil {
		t.Error("a stopped Write = nil")
	}
	if got := s.sells(s.instance()); !strings.HasPrefix(got, "p0 ") || strings.Count(got, ",") != 5 {
		t.Errorf("after a stopped import: %s, want all six", got)
	}
}

// A file that lacks much is asked for anew, once.
func TestStale(t *testing.T) {
	s := newStall(t)
	s.must(s.stock(t.Context(), 1), s.instance().Write(t.Context(), "shop", false))
	shops, told := s.instance(), 0
	shops.Stale = func(context.Context, string) { told++ }
	if s.sells(shops); told > 0 {
		t.Errorf("Stale is called %d times, want none yet", told)
	}
	s.must(s.stock(t.Context(), slices.Repeat([]int{3}, mostLacking+50)...))
	s.sells(shops)
	if s.sells(shops); told != 1 {
		t.Errorf("Stale is called %d times after %d changes, want once", told, mostLacking+50)
	}
}

// The copies of processes that have ended are removed, and no others.
func TestLeftCopies(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ended := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, id := range []int{ended.Process.Pid, os.Getpid()} {
		folder := filepath.Join(os.TempDir(), fmt.Sprintf("%s%d-1", copies, id))
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		folders = append(folders, folder)
	}
	other := filepath.Join(os.TempDir(), "whatis-other")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	left()
	for folder, want := range map[string]bool{folders[0]: false, folders[1]: true, other: true} {
		if _, err := os.Stat(folder); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", folder, err == nil, want)
		}
	}
}

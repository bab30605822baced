package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"example.com/whatis/internal/blob"
	"example.com/whatis/internal/catalog"
	"example.com/whatis/internal/store"
)

// Shops opens the indexes of shops, each once, and follows the changes of the catalogue.
type Shops struct {
	Catalog  *catalog.Catalog
	Database string // the Firestore database of the catalogue
	Space    string // the ID of the space whose vectors are compared
	// Objects and Bucket are where the files are; without a bucket there are none, and each index is
	// made of the catalogue.
	Objects *blob.Store
	Bucket  string
	// Stale is called, unless it is nil, if a file lacks so many changes that it should be written anew.
	Stale func(ctx context.Context, shop string)
	// Freshness is for how long an index is not compared with the catalogue: so late are changes found.
	// 0 is ten seconds.
	Freshness time.Duration

	mu   sync.Mutex
	open map[string]*replica
}

// A replica is an instance's copy of the index of a shop.
type replica struct {
	mu      sync.Mutex // held while it catches up
	index   *Index
	looked  time.Time // when it was last compared with the catalogue
	written time.Time // Until of the file, zero if there was none
	lacks   int       // changes that the file lacks
	told    time.Time // when Stale was called
	asked   time.Time // when it was asked for last; guarded by the lock of Shops
}

// maxOpen is how many copies an instance has: whoever searches may name any shop. One that makes room
// for another is closed after closeAfter, when the searches in it have ended.
const (
	maxOpen    = 50
	closeAfter = 10 * time.Minute
)

// makeRoom forgets the copy that was not asked for the longest, if there are too many.
func (s *Shops) makeRoom() {
	if len(s.open) < maxOpen {
		return
	}
	oldest := ""
	for shop, r := range s.open {
		if oldest == "" || r.asked.Before(s.open[oldest].asked) {
			oldest = shop
		}
	}
	r := s.open[oldest]
	delete(s.open, oldest)
	time.AfterFunc(closeAfter, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.index != nil {
			if err := errors.Join(r.index.Close(), os.RemoveAll(filepath.Dir(r.index.path))); err != nil {
				slog.Warn("index: a copy is not closed", "error", err)
			}
		}
	})
}

// overlap is how far before the last look changes are read again: what was written then may have become
// visible later, and clocks differ.
const overlap = time.Minute

// A file lacks too much if it lacks more than a hundredth of the products and these changes, or any for
// an hour.
const (
	mostLacking = 100
	oldest      = time.Hour
)

// Open returns the index of a shop, with all changes of the catalogue until its Freshness ago. It is read
// while other changes are put over it. A shop without products has an empty one.
func (s *Shops) Open(ctx context.Context, shop string) (*Index, error) {
	s.mu.Lock()
	r := s.open[shop]
	if r == nil {
		if s.open == nil {
			s.open = map[string]*replica{}
		}
		s.makeRoom()
		r = &replica{}
		s.open[shop] = r
	}
	r.asked = time.Now()
	s.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.index != nil && time.Since(r.looked) < cmp.Or(s.Freshness, 10*time.Second) {
		return r.index, nil
	}
	if err := s.catchUp(ctx, shop, r); err != nil {
		if r.index != nil && ctx.Err() == nil { // what was known before is better than no answer
			slog.WarnContext(ctx, "index: changes are not read", "shop", shop, "error", err)
			return r.index, nil
		}
		return nil, err
	}
	return r.index, nil
}

// catchUp opens the index, if it is not open, and puts the changes of the catalogue over it.
func (s *Shops) catchUp(ctx context.Context, shop string, r *replica) error {
	if r.index == nil {
		var err error
		if r.index, r.written, err = s.begin(ctx, shop); err != nil {
			return err
		}
	}
	looked := time.Now()
	since, err := r.index.Until(ctx)
	if err != nil {
		return err
	}
	if !since.IsZero() {
		since = since.Add(-overlap)
	}
	lacks := 0
	err = s.Catalog.Changes(ctx, shop, s.Space, since, func(changed []catalog.Product, removed []string) error {
		lacks += len(changed) + len(removed)
		if len(changed)+len(removed) == 0 {
			return nil
		}
		if err := r.index.Put(ctx, changed...); err != nil {
			return err
		}
		return r.index.Delete(ctx, removed...)
	})
	if err != nil {
		return err
	}
	if err := r.index.SetUntil(ctx, looked); err != nil {
		return err
	}
	r.looked, r.lacks = looked, r.lacks+lacks
	return s.tellStale(ctx, shop, r)
}

// tellStale calls Stale if it is time to.
func (s *Shops) tellStale(ctx context.Context, shop string, r *replica) error {
	if s.Stale == nil || r.lacks == 0 || time.Since(r.told) < time.Minute {
		return nil
	}
	n, err := r.index.Nature(ctx)
	if err == nil && (r.lacks > max(mostLacking, n.Size/100) || !r.written.IsZero() && time.Since(r.written) > oldest) {
		r.told, r.lacks, r.written = time.Now(), 0, time.Now()
		s.Stale(ctx, shop)
	}
	return err
}

// copies is how the folders of copies begin: the ID of their process follows.
const copies = "whatis-index-"

var removeLeft = sync.OnceFunc(left)

// left removes the copies of processes that have ended: none can remove its own when it is killed.
func left() {
	folders, _ := filepath.Glob(filepath.Join(os.TempDir(), copies+"*")) // fails for a bad pattern only
	for _, folder := range folders {
		var id int
		if _, err := fmt.Sscanf(filepath.Base(folder), copies+"%d-", &id); err != nil {
			continue
		}
		process, err := os.FindProcess(id)
		if err == nil {
			err = process.Signal(syscall.Signal(0))
		}
		if err == nil || errors.Is(err, os.ErrPermission) {
			continue // it runs
		}
		if err := os.RemoveAll(folder); err != nil {
			slog.Warn("index: a copy of an ended process is not removed", "error", err)
		}
	}
}

// begin returns the index that a shop's file has, and until when that has the changes; an empty index if
// there is no file that can be used.
func (s *Shops) begin(ctx context.Context, shop string) (*Index, time.Time, error) {
	removeLeft()
	dir, err := os.MkdirTemp("", fmt.Sprintf("%s%d-*", copies, os.Getpid()))
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("index: %w", err)
	}
	path, of := filepath.Join(dir, "index.sqlite"), About{Database: s.Database, Shop: shop, Space: s.Space}
	if s.Bucket != "" {
		x, until, err := s.download(ctx, path, of)
		if err == nil {
			return x, until, nil
		}
		if ctx.Err() != nil {
			return nil, time.Time{}, ctx.Err()
		}
		if !errors.Is(err, blob.ErrNotFound) {
			slog.WarnContext(ctx, "index: the file is not used: all products are read", "shop", shop, "error", err)
		}
		if err := os.RemoveAll(path); err != nil {
			return nil, time.Time{}, fmt.Errorf("index: %w", err)
		}
	}
	x, err := Create(ctx, path, of)
	return x, time.Time{}, err
}

// download opens a copy of the file of a shop. One that is too old to follow the changes is of no use.
func (s *Shops) download(ctx context.Context, path string, of About) (*Index, time.Time, error) {
	from, err := s.Objects.Open(ctx, blob.ObjectRef{Bucket: s.Bucket, Name: fileOf(of.Shop)})
	if err != nil {
		return nil, time.Time{}, err
	}
	defer from.Close()
	to, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, time.Time{}, err
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close()); err != nil {
		return nil, time.Time{}, err
	}
	x, err := Open(ctx, path, of)
	if err != nil {
		return nil, time.Time{}, err
	}
	until, err := x.Until(ctx)
	if err == nil && time.Since(until) > catalog.KeptRemovals {
		err = ErrOther
	}
	if err != nil {
		return nil, time.Time{}, errors.Join(err, x.Close())
	}
	return x, until, nil
}

// fileOf returns the name of the object that has the index of a shop.
func fileOf(shop string) string { return "catalog/" + store.HashID(shop) + "/index.sqlite" }

// Write writes the file of a shop with all changes of the catalogue so far. If anew is set, all products
// are read for it, whatever was written before. Of several writers at once one succeeds: the changes that
// its file lacks are read over it.
func (s *Shops) Write(ctx context.Context, shop string, anew bool) error {
	if s.Bucket == "" {
		return nil
	}
	if anew {
		if err := s.Objects.Delete(ctx, blob.ObjectRef{Bucket: s.Bucket, Name: fileOf(shop)}); err != nil && !errors.Is(err, blob.ErrNotFound) {
			return fmt.Errorf("index: %w", err)
		}
	}
	var r replica
	err := s.catchUp(ctx, shop, &r)
	if r.index == nil {
		return err
	}
	dir := filepath.Dir(r.index.path)
	defer os.RemoveAll(dir)
	defer r.index.Close()
	if err != nil {
		return err
	}
	_, err = s.Objects.Replace(ctx, blob.Place{Bucket: s.Bucket, Name: fileOf(shop), ContentType: "application/vnd.sqlite3"}, func(w io.Writer) error {
		return r.index.writeTo(ctx, w)
	})
	if err != nil {
		return fmt.Errorf("index: write: %w", err)
	}
	return nil
}

// writeTo writes a snapshot.
func (x *Index) writeTo(ctx context.Context, w io.Writer) error {
	path := x.path + ".snapshot"
	defer os.Remove(path)
	if err := x.Snapshot(ctx, path); err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(w, file)
	return err
}

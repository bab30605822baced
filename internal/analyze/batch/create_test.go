package batch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"example.com/whatis/emulators/firestore"
	"example.com/whatis/internal/analyze/batch"
	"example.com/whatis/internal/analyze/intake"
)

func TestCreateRefuses(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.upload("uploads", "a.jpg", shade(t, 1))
	d.upload("uploads", "texts/notes.txt", []byte("no photo"))
	d.upload("private", "a.jpg", shade(t, 1))
	one, none, less := 1, 0, -1
	many := 100_001
	tests := []struct {
		name string
		r    batch.Request
		want error
		says string
	}{
		{"no prefix", batch.Request{}, batch.ErrRequest, "send gs://bucket/"},
		{"a path", batch.Request{Prefix: "/uploads/"}, batch.ErrRequest, "send gs://bucket/"},
		{"another scheme", batch.Request{Prefix: "s3://uploads/"}, batch.ErrRequest, "send gs://bucket/"},
		{"no bucket", batch.Request{Prefix: "gs:///a"}, batch.ErrRequest, "send gs://bucket/"},
		{"a bucket without a slash", batch.Request{Prefix: "gs://uploads"}, batch.ErrRequest, "send gs://bucket/"},
		{"two lines", batch.Request{Prefix: "gs://uploads/a\nb"}, batch.ErrRequest, "one line"},
		{"a long prefix", batch.Request{Prefix: "gs://uploads/" + strings.Repeat("가", 342)}, batch.ErrRequest, "at most 1024 bytes"},
		{"another bucket", batch.Request{Prefix: "gs://private/"}, intake.ErrForbidden, `want one of ["uploads"]`},
		{"a bucket that is not there", batch.Request{Prefix: "gs://nowhere/"}, intake.ErrForbidden, "uploads"},
		{"the results", batch.Request{Prefix: "gs://results/"}, intake.ErrForbidden, "uploads"},
		{"sample 0", batch.Request{Prefix: "gs://uploads/", Sample: &none}, batch.ErrRequest, "send 1 or more"},
		{"sample -1", batch.Request{Prefix: "gs://uploads/", Sample: &less}, batch.ErrRequest, "send 1 or more"},
		{"too large a sample", batch.Request{Prefix: "gs://uploads/", Sample: &many}, batch.ErrRequest, "100000 at most"},
		{"random of all", batch.Request{Prefix: "gs://uploads/", Random: true}, batch.ErrRequest, "send sample"},
		{"a seed of nothing", batch.Request{Prefix: "gs://uploads/", Sample: &one, Seed: "1"}, batch.ErrRequest, "send random"},
		{"a seed that is no number", batch.Request{Prefix: "gs://uploads/", Sample: &one, Random: true, Seed: "1e3"}, batch.ErrRequest, "whole number"},
		{"a seed below none", batch.Request{Prefix: "gs://uploads/", Sample: &one, Random: true, Seed: "-1"}, batch.ErrRequest, "whole number"},
		{"too large a seed", batch.Request{Prefix: "gs://uploads/", Sample: &one, Random: true, Seed: "18446744073709551616"}, batch.ErrRequest, "whole number"},
		{"no country", batch.Request{Prefix: "gs://uploads/", Country: "Korea"}, intake.ErrOption, "country"},
		{"no language", batch.Request{Prefix: "gs://uploads/", Lang: "!"}, intake.ErrOption, "lang"},
		{"no policy", batch.Request{Prefix: "gs://uploads/", Policy: "lax"}, intake.ErrOption, "policy"},
		{"no look", batch.Request{Prefix: "gs://uploads/", SecondLook: "twice"}, intake.ErrOption, "second_look"},
		{"no tier", batch.Request{Prefix: "gs://uploads/", Tier: "cheap"}, batch.ErrRequest, `tier: "cheap": use one of ["standard" "flex"]`},
		{"no objects", batch.Request{Prefix: "gs://uploads/empty/"}, batch.ErrNoPhotos, "gs://uploads/empty/"},
		{"no photos", batch.Request{Prefix: "gs://uploads/texts/"}, batch.ErrNoPhotos, "another prefix"},
	}
	for _, test := range tests {
		for _, test.r.DryRun = range []bool{true, false} {
			_, err := d.Create(t.Context(), test.r)
			if !errors.Is(err, test.want) || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Errorf("%s: Create = %v, want %v that says %q", test.name, err, test.want, test.says)
			}
		}
	}
	d.wantNothing()
}

// wantNothing checks that no batch, object or task was created.
func (d *harness) wantNothing() {
	d.t.Helper()
	all, _, err := d.List(d.t.Context(), "", 100)
	if err != nil || len(all) > 0 || len(d.results()) > 0 || len(d.take()) > 0 {
		d.t.Errorf("there are the batches %+v (%v), the results %q or tasks, want none", all, err, d.results())
	}
}

var listing = []string{
	"dir/", "dir/a.JPG", "dir/b.jpeg", "dir/deep/c.png", "dir/deep/d.webp", "dir/e.gif", "dir/f.bmp", "dir/g.tif", "dir/h.tiff",
	"dir/i.heic", "dir/j.HEIF", "dir/k.txt", "dir/l.jpg.json", "dir/jpg", "dir/m.jpg/", "dirt.jpg", "other.jpg",
}

func TestCreateChooses(t *testing.T) {
	d := newHarness(t)
	d.manual()
	for _, name := range listing {
		d.upload("uploads", name, []byte(name))
	}
	three := 3
	tests := []struct {
		name string
		r    batch.Request
		want string
	}{
		{"a folder", batch.Request{Prefix: "gs://uploads/dir/"}, "dir/a.JPG dir/b.jpeg dir/deep/c.png dir/deep/d.webp dir/e.gif dir/f.bmp dir/g.tif dir/h.tiff dir/i.heic dir/j.HEIF"},
		{"the beginning of a name", batch.Request{Prefix: "gs://uploads/d", Sample: &three}, "dir/a.JPG dir/b.jpeg dir/deep/c.png"},
		{"one photo", batch.Request{Prefix: "gs://uploads/other.jpg"}, "other.jpg"},
		{"a draw", batch.Request{Prefix: "gs://uploads/", Sample: &three, Random: true, Seed: "7"}, "dir/deep/d.webp dir/f.bmp dir/g.tif"},
		{"another draw", batch.Request{Prefix: "gs://uploads/", Sample: &three, Random: true, Seed: "8"}, "dir/b.jpeg dir/e.gif other.jpg"},
	}
	for _, test := range tests {
		s := d.create(test.r)
		names := d.manifest(s.ID)
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		test.r.DryRun = true
		dry := d.create(test.r)
		if s.Number != len(names) || dry.Number != s.Number || dry.Bytes != s.Bytes || int(s.Bytes) != len(strings.Join(names, "")) || dry.State != "" || dry.ID != "" {
			t.Errorf("%s: %d photos of %d bytes, dry %+v; want the same, without ID and state", test.name, s.Number, s.Bytes, dry)
		}
	}
}

// manifest returns the names in the manifest of a batch.
func (d *harness) manifest(id string) (names []string) {
	d.t.Helper()
	_, text, _ := d.summary("gs://results/batches/" + id + "/manifest.json")
	var photos []struct {
		Index      int
		Name       string
		Generation string
	}
	if err := json.Unmarshal([]byte(text), &photos); err != nil {
		d.t.Fatal(err)
	}
	for i, p := range photos {
		if p.Index != i || p.Generation == "" {
			d.t.Errorf("manifest: photo %d is %+v", i, p)
		}
		names = append(names, p.Name)
	}
	return names
}

func TestDryRunLeavesNothing(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.photos(2)
	if s := d.create(batch.Request{Prefix: "gs://uploads/", DryRun: true}); s.Number != 2 || s.Prefix != "gs://uploads/" {
		t.Errorf("Create of a dry run = %+v, want 2 photos under gs://uploads/", s)
	}
	d.wantNothing()
}

// Without a seed one is drawn and returned, so that the draw can be repeated.
func TestSeedIsTold(t *testing.T) {
	d := newHarness(t)
	d.manual()
	d.photos(40)
	ten := 10
	first := d.create(batch.Request{Prefix: "gs://uploads/", Sample: &ten, Random: true})
	again := d.create(batch.Request{Prefix: "gs://uploads/", Sample: &ten, Random: true, Seed: first.Seed})
	if a, b := d.manifest(first.ID), d.manifest(again.ID); first.Seed == "" || !slices.Equal(a, b) || !slices.IsSorted(a) || len(a) != 10 {
		t.Errorf("seed %s drew %q, then %q; want the same ten in order", first.Seed, a, b)
	}
}

// A failure between the manifest and the document leaves no batch, and the published
// task does nothing.
func TestCreateFailsHalfWay(t *testing.T) {
	for _, applied := range []bool{false, true} {
		d := newHarness(t)
		d.manual()
		d.photos(1)
		d.Firestore.Fail(firestore.Fault{Method: "Commit", Code: codes.PermissionDenied, Applied: applied})
		if s, err := d.Create(t.Context(), batch.Request{Prefix: "gs://uploads/"}); err == nil {
			t.Errorf("Create = %+v, want an error", s)
		}
		if all, _, err := d.List(t.Context(), "", 10); err != nil || len(all) != 0 {
			t.Errorf("List = %+v, %v; want no batch", all, err)
		}
		orphan := d.take()[0]
		if err := d.Task(t.Context(), orphan); !errors.Is(err, batch.ErrNotFound) {
			t.Errorf("Task of a batch that may yet come = %v, want it again", err)
		}
		late, dead := orphan, orphan
		late.Published, dead.Dead = time.Now().Add(-2*time.Hour), true
		d.do(late, dead)
		if n := len(d.take()); n > 0 {
			t.Errorf("%d tasks were published for no batch", n)
		}
	}
}

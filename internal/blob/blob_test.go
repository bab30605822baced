package blob_test

import (
	"encoding/json"
	"errors"
	"sync"
	"testing"

	gcs "cloud.google.com/go/storage"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/blob"
)

func open(t *testing.T) (*blob.Store, *gcs.Client) {
	t.Helper()
	w := emulate.Start(t, emulate.Storage)
	for _, bucket := range []string{"uploads", "results"} {
		if err := w.Storage.CreateBucket(bucket); err != nil {
			t.Fatal(err)
		}
	}
	client := emulate.StorageClient(t, w)
	return blob.New(client), client
}

func write(t *testing.T, c *gcs.Client, bucket, name, content string) int64 {
	t.Helper()
	w := c.Bucket(bucket).Object(name).NewWriter(t.Context())
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Attrs().Generation
}

func TestRead(t *testing.T) {
	s, c := open(t)
	const name = "a b/ㄱ%?#.jpg"
	generation := write(t, c, "uploads", name, "four")
	tests := []struct {
		name  string
		o     blob.ObjectRef
		limit int64
		want  error
	}{
		{"the latest", blob.ObjectRef{Bucket: "uploads", Name: name}, 4, nil},
		{"by generation", blob.ObjectRef{Bucket: "uploads", Name: name, Generation: generation}, 4, nil},
		{"too large", blob.ObjectRef{Bucket: "uploads", Name: name}, 3, blob.ErrTooLarge},
		{"another generation", blob.ObjectRef{Bucket: "uploads", Name: name, Generation: generation - 1}, 4, blob.ErrNotFound},
		{"another name", blob.ObjectRef{Bucket: "uploads", Name: "b"}, 4, blob.ErrNotFound},
		{"another bucket", blob.ObjectRef{Bucket: "none", Name: name}, 4, blob.ErrNotFound},
	}
	for _, test := range tests {
		data, got, err := s.Read(t.Context(), test.o, test.limit)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: Read = %v, want %v", test.name, err, test.want)
		}
		if err == nil && (string(data) != "four" || got != generation) {
			t.Errorf("%s: Read = %q, generation %d; want four, %d", test.name, data, got, generation)
		}
	}
}

func TestEmptyObject(t *testing.T) {
	s, c := open(t)
	write(t, c, "uploads", "empty", "")
	if data, _, err := s.Read(t.Context(), blob.ObjectRef{Bucket: "uploads", Name: "empty"}, 10); err != nil || len(data) != 0 {
		t.Errorf("Read = %q, %v; want nothing", data, err)
	}
}

// stands returns the generation whose result is stored under a name.
func stands(t *testing.T, s *blob.Store, c *gcs.Client, name string) int64 {
	t.Helper()
	data, _, err := s.Read(t.Context(), blob.ObjectRef{Bucket: "results", Name: name}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var v struct{ Generation int64 }
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	attrs, err := c.Bucket("results").Object(name).Attrs(t.Context())
	if err != nil || !blob.IsResult(attrs.Metadata) || attrs.ContentType != "application/json" {
		t.Errorf("attributes %+v, %v; want the metadata of a result, application/json", attrs, err)
	}
	return v.Generation
}

type result struct{ Generation int64 }

func TestPutNewer(t *testing.T) {
	s, c := open(t)
	origin := func(g int64) blob.ObjectRef { return blob.ObjectRef{Bucket: "uploads", Name: "a.jpg", Generation: g} }
	tests := []struct {
		put      int64
		says     int64 // the generation in the result
		wrote    bool
		want     int64
		revision int64
	}{
		{5, 5, true, 5, 0},
		{5, 5, false, 5, 0},
		{5, 55, true, 55, 0}, // another result of the same generation
		{5, 57, true, 57, 2}, // corrected
		{5, 55, false, 57, 0},
		{5, 56, false, 57, 1}, // by what is older
		{4, 4, false, 57, 9},
		{10, 10, true, 10, 0}, // compared as numbers, not as texts
		{9, 9, false, 10, 1},
	}
	for _, test := range tests {
		wrote, err := s.PutNewer(t.Context(), "results", "a.jpg.json", result{test.says}, origin(test.put), test.revision)
		if err != nil || wrote != test.wrote {
			t.Errorf("PutNewer(%d) = %v, %v; want %v", test.put, wrote, err, test.wrote)
		}
		if got := stands(t, s, c, "a.jpg.json"); got != test.want {
			t.Errorf("after PutNewer(%d) the result of %d stands, want %d", test.put, got, test.want)
		}
	}
}

// An object of another source, or of none, is left at a result's place.
func TestPutNewerOverAStranger(t *testing.T) {
	s, c := open(t)
	write(t, c, "results", "none.json", "{}")
	for name, o := range map[string]blob.ObjectRef{
		"bucket.json": {Bucket: "elsewhere", Name: "a.jpg", Generation: 1}, "name.json": {Bucket: "uploads", Name: "b.jpg", Generation: 1},
	} {
		if _, err := s.PutNewer(t.Context(), "results", name, result{7}, o, 0); err != nil {
			t.Fatal(err)
		}
	}
	o := blob.ObjectRef{Bucket: "uploads", Name: "a.jpg", Generation: 2}
	for name, want := range map[string]int64{"none.json": 0, "bucket.json": 7, "name.json": 7} {
		wrote, err := s.PutNewer(t.Context(), "results", name, result{2}, o, 0)
		if wrote || !errors.Is(err, blob.ErrForeign) {
			t.Errorf("PutNewer(%s) = %v, %v; want %v", name, wrote, err, blob.ErrForeign)
		}
		data, _, err := s.Read(t.Context(), blob.ObjectRef{Bucket: "results", Name: name}, 1000)
		var got result
		if err := errors.Join(err, json.Unmarshal(data, &got)); err != nil || got.Generation != want {
			t.Errorf("at %s stands %s, %v; want what stood there", name, data, err)
		}
	}
}

// Of concurrent writers, the result of the newest generation remains.
func TestPutNewerRace(t *testing.T) {
	s, c := open(t)
	var group sync.WaitGroup
	for g := range int64(8) {
		group.Go(func() {
			o := blob.ObjectRef{Bucket: "uploads", Name: "a.jpg", Generation: g + 1}
			if _, err := s.PutNewer(t.Context(), "results", "a.jpg.json", result{g + 1}, o, 0); err != nil {
				t.Errorf("PutNewer(%d): %v", g+1, err)
			}
		})
	}
	group.Wait()
	if got := stands(t, s, c, "a.jpg.json"); got != 8 {
		t.Errorf("the result of generation %d stands, want 8", got)
	}
}

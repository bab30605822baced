package storage_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	gcs "cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"

	"example.com/whatis/emulators/storage"
)

// Names and metadata that Cloud Storage refuses are refused, by whatever kind of upload they come.
func TestNames(t *testing.T) {
	_, photos := start(t, storage.Options{})
	for _, test := range []struct {
		name     string
		metadata int // bytes of the value of "k"
		code     int // 0 is written
	}{
		{strings.Repeat("n", 1024), 0, 0},
		{strings.Repeat("n", 1025), 0, http.StatusBadRequest},
		{strings.Repeat("가", 342), 0, http.StatusBadRequest},
		{"a\nb", 0, http.StatusBadRequest},
		{"a\rb", 0, http.StatusBadRequest},
		{".", 0, http.StatusBadRequest},
		{"..", 0, http.StatusBadRequest},
		{"...", 0, 0},
		{"../a", 0, 0},
		{".well-known/acme-challenge/a", 0, http.StatusBadRequest},
		{"a", 8<<10 - 1, 0},
		{"a", 8 << 10, http.StatusBadRequest},
	} {
		for _, chunk := range []int{0, 256 << 10} { // in one request, and resumable
			w := photos.Object(test.name).NewWriter(t.Context())
			w.ChunkSize, w.Metadata = chunk, map[string]string{"k": strings.Repeat("v", test.metadata)}
			_, err := w.Write(make([]byte, 300<<10))
			err = errors.Join(err, w.Close())
			var refused *googleapi.Error
			if test.code == 0 && err != nil || test.code != 0 && (!errors.As(err, &refused) || refused.Code != test.code) {
				t.Errorf("object %.30q of %d bytes with %d of metadata, in chunks of %d = %.200v, want %d", test.name, len(test.name), test.metadata, chunk, err, test.code)
			}
		}
	}
	if err := annotate(t, photos, 8<<10); err == nil {
		t.Error("metadata of 8 KiB and a byte is set later")
	}
	if err := annotate(t, photos, 8<<10-1); err != nil {
		t.Errorf("metadata of 8 KiB: %v", err)
	}
	from := photos.Object("a")
	if _, err := photos.Object(strings.Repeat("n", 1025)).CopierFrom(from).Run(t.Context()); err == nil {
		t.Error("a copy has a name of 1,025 bytes")
	}
}

func annotate(t *testing.T, photos *gcs.BucketHandle, n int) error {
	t.Helper()
	_, err := photos.Object("a").Update(t.Context(), gcs.ObjectAttrsToUpdate{Metadata: map[string]string{"k": strings.Repeat("v", n)}})
	return err
}

package storage_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"testing"

	gcs "cloud.google.com/go/storage"

	"example.com/whatis/emulators/storage"
)

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text) // a buffer never fails
	_ = z.Close()
	return b.Bytes()
}

// An object that is stored packed is served as Cloud Storage says:
// https://cloud.google.com/storage/docs/transcoding
func TestPackedObject(t *testing.T) {
	t.Parallel()
	s, photos := start(t, storage.Options{})
	stored := packed(t, "0123456789")
	for name, control := range map[string]string{"a": "", "kept": "no-transform"} {
		if _, err := write(t.Context(), photos.Object(name), stored, func(w *gcs.Writer) { w.ContentEncoding, w.CacheControl = "gzip", control }); err != nil {
			t.Fatal(err)
		}
	}
	put, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.URL()+"/photos/put?X-Goog-Algorithm=GOOG4-RSA-SHA256", bytes.NewReader(stored))
	if err != nil {
		t.Fatal(err)
	}
	put.Header.Set("Content-Encoding", "gzip")
	if resp, err := http.DefaultClient.Do(put); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("PUT = %v, %v", resp, err)
	}
	tests := []struct {
		object, accepts, span string
		status                int
		encoding              string
		body                  []byte
	}{
		{"a", "identity", "", 200, "", []byte("0123456789")},
		{"a", "identity", "bytes=2-4", 200, "", []byte("0123456789")}, // a range is ignored
		{"a", "gzip", "", 200, "gzip", stored},
		{"a", "gzip", "bytes=2-4", 206, "gzip", stored[2:5]},
		{"kept", "identity", "", 200, "gzip", stored},
		{"kept", "identity", "bytes=2-4", 206, "gzip", stored[2:5]},
		{"put", "identity", "", 200, "", []byte("0123456789")},
		{"put", "gzip", "", 200, "gzip", stored},
	}
	for _, api := range []string{"/photos/", "/download/storage/v1/b/photos/o/"} {
		for _, test := range tests {
			query := map[bool]string{true: "?alt=media"}[api != "/photos/"]
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+api+test.object+query, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", test.accepts)
			if test.span != "" {
				r.Header.Set("Range", test.span)
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if encoding := resp.Header.Get("Content-Encoding"); err != nil || resp.StatusCode != test.status || encoding != test.encoding || !bytes.Equal(body, test.body) {
				t.Errorf("GET %s%s, Accept-Encoding %s, Range %q = %d, %q, %q, %v; want %d, %q, %q", api, test.object, test.accepts, test.span, resp.StatusCode, encoding, body, err, test.status, test.encoding, test.body)
			}
		}
	}
}

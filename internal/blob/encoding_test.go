package blob_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	gcs "cloud.google.com/go/storage"
	"google.golang.org/api/option"

	"example.com/whatis/emulators/emulate"
	"example.com/whatis/internal/blob"
)

func packed(data string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, data) // a buffer never fails
	_ = z.Close()
	return b.String()
}

// An object that is stored packed, as by gsutil -Z, is read as what it unpacks to, within
// the limit, by Read and by Open.
func TestContentEncoding(t *testing.T) {
	s, c := open(t)
	plain := strings.Repeat("photo", 1000)
	tests := []struct {
		name, encoding, stored string
		want                   string
		err                    error
	}{
		{"as it is", "", plain, plain, nil},
		{"identity", "identity", plain, plain, nil},
		{"gzip", "gzip", packed(plain), plain, nil},
		{"x-gzip", "X-Gzip", packed(plain), plain, nil},
		{"two members", "gzip", packed(plain[:7]) + packed(plain[7:]), plain, nil},
		{"nothing", "gzip", packed(""), "", nil},
		{"packed twice", "gzip", packed(packed("ab")), packed("ab"), nil},
		{"gzip that nobody declares", "", packed("ab"), packed("ab"), nil},
		{"one byte more than the limit", "gzip", packed(plain + "."), "", blob.ErrTooLarge},
		{"a bomb", "gzip", packed(strings.Repeat("0", 50<<20)), "", blob.ErrTooLarge},
		{"not packed", "gzip", plain, "", blob.ErrEncoding},
		{"cut", "gzip", packed(plain)[:20], "", blob.ErrEncoding},
		{"damaged", "gzip", strings.Replace(packed("photo"), "ph", "hp", 1) + "x", "", blob.ErrEncoding},
		{"br", "br", plain, "", blob.ErrEncoding},
		{"two codings", "br, gzip", packed(plain), "", blob.ErrEncoding},
	}
	for _, test := range tests {
		w := c.Bucket("uploads").Object(test.name).NewWriter(t.Context())
		w.ContentEncoding, w.ContentType = test.encoding, "image/jpeg"
		if _, err := io.WriteString(w, test.stored); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		o := blob.ObjectRef{Bucket: "uploads", Name: test.name}
		data, _, err := s.Read(t.Context(), o, int64(len(plain)))
		if !errors.Is(err, test.err) || string(data) != test.want {
			t.Errorf("%s: Read = %d bytes, %v; want %d, %v", test.name, len(data), err, len(test.want), test.err)
		}
		if size, err := s.Size(t.Context(), o); err != nil || size < int64(len(test.want)) {
			t.Errorf("%s: Size = %d, %v; want %d at least", test.name, size, err, len(test.want))
		}
		if test.err == blob.ErrTooLarge && test.name != "a bomb" {
			continue // it is small for a stream
		}
		r, err := s.Open(t.Context(), o)
		if err == nil {
			data, err = io.ReadAll(r)
			r.Close()
		}
		if !errors.Is(err, test.err) || err == nil && string(data) != test.want {
			t.Errorf("%s: Open = %d bytes, %v; want %d, %v", test.name, len(data), err, len(test.want), test.err)
		}
	}
	for o, err := range s.List(t.Context(), "uploads", "gzip") {
		if err != nil || o.Name == "gzip" && o.Size < int64(len(plain)) {
			t.Errorf("List = %s of %d bytes at most, %v; want %d at least", o.Name, o.Size, err, len(plain))
		}
	}
}

// A cut is a transport that breaks the first answer of an object off.
type cut struct {
	http.RoundTripper
	made atomic.Bool
}

func (c *cut) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(r)
	if err == nil && !c.made.Swap(true) {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(io.LimitReader(resp.Body, 3000), broken{}), resp.Body}
	}
	return resp, err
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

// A connection that breaks while a packed object is read damages no object: the answer is
// right, or an error that says nothing about it.
func TestPackedObjectBrokenOff(t *testing.T) {
	w := emulate.Start(t, emulate.Storage)
	if err := w.Storage.CreateBucket("uploads"); err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 20_000)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise) // it never fails
	writer := emulate.StorageClient(t, w).Bucket("uploads").Object("a").NewWriter(t.Context())
	writer.ContentEncoding = "gzip"
	if _, err := io.WriteString(writer, packed(string(noise))); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := gcs.NewClient(t.Context(), option.WithEndpoint(w.Storage.Endpoint()), option.WithHTTPClient(&http.Client{Transport: &cut{RoundTripper: http.DefaultTransport}}))
	if err != nil {
		t.Fatal(err)
	}
	s := blob.New(c)
	data, _, err := s.Read(t.Context(), blob.ObjectRef{Bucket: "uploads", Name: "a"}, 1<<20)
	if err == nil && !bytes.Equal(data, noise) || errors.Is(err, blob.ErrEncoding) {
		t.Errorf("Read = %d bytes, %v; want what is stored, or that it was not read", len(data), err)
	}
	if data, _, err = s.Read(t.Context(), blob.ObjectRef{Bucket: "uploads", Name: "a"}, 1<<20); err != nil || !bytes.Equal(data, noise) {
		t.Errorf("Read again = %d bytes, %v; want what is stored", len(data), err)
	}
}

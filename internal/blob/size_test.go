package blob_test

import (
	"errors"
	"testing"

	"example.com/whatis/internal/blob"
)

func TestSize(t *testing.T) {
	s, c := open(t)
	old := write(t, c, "uploads", "a b.jpg", "four")
	tests := []struct {
		name string
		o    blob.ObjectRef
		size int64
		want error
	}{
		{"the latest", blob.ObjectRef{Bucket: "uploads", Name: "a b.jpg"}, 4, nil},
		{"by generation", blob.ObjectRef{Bucket: "uploads", Name: "a b.jpg", Generation: old}, 4, nil},
		{"another generation", blob.ObjectRef{Bucket: "uploads", Name: "a b.jpg", Generation: old - 1}, 0, blob.ErrNotFound},
		{"another name", blob.ObjectRef{Bucket: "uploads", Name: "b.jpg"}, 0, blob.ErrNotFound},
		{"another bucket", blob.ObjectRef{Bucket: "none", Name: "a b.jpg"}, 0, blob.ErrNotFound},
	}
	for _, test := range tests {
		if size, err := s.Size(t.Context(), test.o); size != test.size || !errors.Is(err, test.want) {
			t.Errorf("%s: Size = %d, %v; want %d, %v", test.name, size, err, test.size, test.want)
		}
	}
}

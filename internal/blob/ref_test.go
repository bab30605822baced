package blob_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/whatis/internal/blob"
)

func TestParseURI(t *testing.T) {
	tests := []struct {
		uri  string
		want blob.ObjectRef
		err  error
	}{
		{"gs://photos/2026/a b.jpg", blob.ObjectRef{Bucket: "photos", Name: "2026/a b.jpg"}, nil},
		{"gs://photos/", blob.ObjectRef{Bucket: "photos"}, nil},
		{"gs://photos", blob.ObjectRef{}, blob.ErrURI},
		{"gs:///a.jpg", blob.ObjectRef{}, blob.ErrURI},
		{"https://photos/a.jpg", blob.ObjectRef{}, blob.ErrURI},
		{"", blob.ObjectRef{}, blob.ErrURI},
		{"gs://photos/a\nb", blob.ObjectRef{}, blob.ErrName},
		{"gs://photos/a\x00b", blob.ObjectRef{}, blob.ErrName},
		{"gs://photos/\xff", blob.ObjectRef{}, blob.ErrName},
		{"gs://photos/" + strings.Repeat("n", blob.MaxName), blob.ObjectRef{Bucket: "photos", Name: strings.Repeat("n", blob.MaxName)}, nil},
		{"gs://photos/" + strings.Repeat("n", blob.MaxName+1), blob.ObjectRef{}, blob.ErrName},
	}
	for _, test := range tests {
		got, err := blob.ParseURI(test.uri)
		if got != test.want || !errors.Is(err, test.err) {
			t.Errorf("ParseURI(%.40q) = %+v, %v; want %+v, %v", test.uri, got, err, test.want, test.err)
		}
		if err == nil && got.URI() != test.uri {
			t.Errorf("URI of %.40q = %q", test.uri, got.URI())
		}
	}
}

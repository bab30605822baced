package fetch_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/whatis/internal/fetch"
)

// A file is downloaded whatever its type is, unpacked and up to its limit; one that breaks off, redirects to the inside
// of the network or is not for programs is an error.
func TestDownload(t *testing.T) {
	f, url := serve(t, fetch.Config{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		switch r.URL.Path {
		case "/robots.txt":
			_, _ = io.WriteString(w, "User-agent: *\nDisallow: /private")
		case "/moved":
			http.Redirect(w, r, "/file", http.StatusFound)
		case "/inside":
			http.Redirect(w, r, "http://169.254.169.254/computeMetadata/v1/", http.StatusFound)
		case "/packed":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, strings.Repeat("x", 100_000))
			_ = z.Close()
		case "/broken":
			w.Header().Set("Content-Length", "9")
			_, _ = io.WriteString(w, "half")
		case "/gone":
			http.NotFound(w, r)
		default:
			_, _ = io.WriteString(w, "the file")
		}
	})
	var gone *fetch.StatusError
	for _, tt := range []struct {
		path string
		most int64
		want string
		err  any // an error, or the type of one
	}{
		{"/file", 8, "the file", nil},
		{"/moved", 1000, "the file", nil},
		{"/packed", 100_000, strings.Repeat("x", 100_000), nil},
		{"/file", 7, "", fetch.ErrTooLarge},
		{"/packed", 99_999, "", fetch.ErrTooLarge},
		{"/broken", 1000, "", fetch.ErrUnreachable},
		{"/inside", 1000, "", fetch.ErrForbiddenAddress},
		{"/private/file", 1000, "", fetch.ErrRobots},
		{"/gone", 1000, "", &gone},
	} {
		var got bytes.Buffer
		err := f.Download(t.Context(), url+tt.path, tt.most, &got)
		is := err == nil
		switch want := tt.err.(type) {
		case error:
			is = errors.Is(err, want)
		case **fetch.StatusError:
			is = errors.As(err, want) && gone.Status == http.StatusNotFound
		}
		if !is || err == nil && got.String() != tt.want {
			t.Errorf("Download(%s, %d) = %v with %.20q, want %v and %.20q", tt.path, tt.most, err, &got, tt.err, tt.want)
		}
	}
}

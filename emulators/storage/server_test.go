package storage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	gcs "cloud.google.com/go/storage"
	"github.com/googleapis/gax-go/v2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"example.com/whatis/emulators/storage"
)

// hardName is an object name that each way of naming an object mangles if it can.
const hardName = "사진/초코 파이 100%/a+b?c=d&e#f/%2F..jpg"

func start(t *testing.T, o storage.Options) (*storage.Server, *gcs.BucketHandle) {
	t.Helper()
	o.Buckets = append(o.Buckets, "photos")
	s, err := storage.Start(o)
	if err != nil {
		t.Fatalf("Start(%+v) = %v", o, err)
	}
	t.Cleanup(s.Close)
	return s, client(t, s).Bucket("photos")
}

func client(t *testing.T, s *storage.Server, more ...option.ClientOption) *gcs.Client {
	t.Helper()
	c, err := gcs.NewClient(t.Context(), append(more, option.WithEndpoint(s.Endpoint()), option.WithoutAuthentication())...)
	if err != nil {
		t.Fatalf("storage.NewClient = %v", err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func write(ctx context.Context, o *gcs.ObjectHandle, content []byte, set func(*gcs.Writer)) (*gcs.ObjectAttrs, error) {
	w := o.NewWriter(ctx)
	if set != nil {
		set(w)
	}
	_, err := w.Write(content)
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return w.Attrs(), nil
}

func read(ctx context.Context, o *gcs.ObjectHandle) ([]byte, error) {
	r, err := o.NewReader(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func status(err error) int {
	var api *googleapi.Error
	switch {
	case err == nil:
		return http.StatusOK
	case errors.Is(err, gcs.ErrObjectNotExist):
		return http.StatusNotFound
	case errors.As(err, &api):
		return api.Code
	}
	return -1
}

// both runs a test on a store in memory and on one in a directory.
func both(t *testing.T, test func(*testing.T, storage.Options)) {
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		test(t, storage.Options{})
	})
	t.Run("directory", func(t *testing.T) {
		t.Parallel()
		test(t, storage.Options{Dir: t.TempDir()})
	})
}

// STORAGE_EMULATOR_HOST points a client without options at the server, with
// and without a scheme, and whatever name the host goes by.
func TestEmulatorHost(t *testing.T) {
	s, _ := start(t, storage.Options{})
	_, port, _ := strings.Cut(s.Addr(), ":")
	for _, host := range []string{s.URL(), s.Addr(), s.Endpoint(), "localhost:" + port} {
		t.Run(host, func(t *testing.T) {
			t.Setenv("STORAGE_EMULATOR_HOST", host)
			c, err := gcs.NewClient(t.Context())
			if err != nil {
				t.Fatalf("NewClient = %v", err)
			}
			defer c.Close()
			o := c.Bucket("photos").Object(hardName)
			big := bytes.Repeat([]byte("x"), 300<<10)
			if _, err := write(t.Context(), o, big, func(w *gcs.Writer) { w.ChunkSize = 256 << 10 }); err != nil {
				t.Fatalf("resumable write = %v", err)
			}
			if got, err := read(t.Context(), o); !bytes.Equal(got, big) || err != nil {
				t.Errorf("read = %d bytes, %v; want %d", len(got), err, len(big))
			}
		})
	}
}

// A resumable upload survives chunks that fail, and makes one event.
func TestLargeUpload(t *testing.T) {
	t.Parallel()
	var events []storage.Event
	s, photos := start(t, storage.Options{Events: func(e storage.Event) { events = append(events, e) }})
	big := bytes.Repeat([]byte("0123456789abcdef"), 5<<16) // 5 MB in three chunks
	object := photos.Object("big").Retryer(gcs.WithPolicy(gcs.RetryAlways), gcs.WithBackoff(gax.Backoff{Initial: time.Millisecond}))
	a, err := write(t.Context(), object, big, func(w *gcs.Writer) {
		w.ChunkSize = 2 << 20
		w.ContentType = "image/png"
		w.ProgressFunc = func(sent int64) {
			if sent == int64(w.ChunkSize) {
				s.Fail(2, http.StatusServiceUnavailable)
			}
		}
	})
	if err != nil || a.Size != 5<<20 || a.ContentType != "image/png" {
		t.Fatalf("write = %+v, %v", a, err)
	}
	if got, err := read(t.Context(), object); !bytes.Equal(got, big) || err != nil {
		t.Errorf("read = %d bytes, %v; want what was written", len(got), err)
	}
	if len(events) != 1 || events[0].Generation != fmt.Sprint(a.Generation) {
		t.Errorf("%d events came, want one of generation %d", len(events), a.Generation)
	}
}

func TestFail(t *testing.T) {
	t.Parallel()
	s, photos := start(t, storage.Options{})
	once := photos.Object("a").Retryer(gcs.WithPolicy(gcs.RetryNever))
	s.Fail(2, http.StatusServiceUnavailable)
	for i, want := range []int{503, 503, 200} {
		if _, err := write(t.Context(), once, []byte("x"), nil); status(err) != want {
			t.Errorf("write %d = %v, want status %d", i, err, want)
		}
	}
}

func TestDirectoryOutlivesServer(t *testing.T) {
	t.Parallel()
	o := storage.Options{Dir: t.TempDir()}
	s, photos := start(t, o)
	a, err := write(t.Context(), photos.Object(hardName), []byte("abc"), nil)
	if err != nil {
		t.Fatalf("write = %v", err)
	}
	s.Close()
	_, photos = start(t, o)
	got, err := read(t.Context(), photos.Object(hardName).Generation(a.Generation))
	if string(got) != "abc" || err != nil {
		t.Errorf("read after a restart = %q, %v; want \"abc\"", got, err)
	}
}

// A name must not lead out of the directory.
func TestDirectoryIsNotLeft(t *testing.T) {
	t.Parallel()
	_, photos := start(t, storage.Options{Dir: t.TempDir()})
	o := photos.Object("../../escaped")
	if _, err := write(t.Context(), o, []byte("x"), nil); status(err) != 400 {
		t.Errorf("write = %v, want status 400", err)
	}
	if err := o.Delete(t.Context()); status(err) != 400 {
		t.Errorf("Delete = %v, want status 400", err)
	}
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	s, _ := start(t, storage.Options{})
	for _, o := range []storage.Options{
		{Addr: s.Addr()},
		{Buckets: []string{""}},
		{Dir: "/dev/null/x"},
	} {
		if _, err := storage.Start(o); err == nil {
			t.Errorf("Start(%+v) = nil, want an error", o)
		}
	}
}

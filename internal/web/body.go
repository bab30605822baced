package web

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"sync/atomic"
	"time"

	"example.com/whatis/internal/admission"
)

// The time allowed for a body depends on load, because a body occupies its request's memory
// while it is read. While no other request waits for memory it may take its full time;
// otherwise it is cut when it falls behind the rate of a slow mobile network.
const (
	grace     = 3 * time.Second
	pace      = 128 << 10 // bytes a second, after the grace
	paceCheck = 250 * time.Millisecond
)

// BodySize estimates how many bytes the body of r will occupy, at most `most`, before it is
// read. A JSON body counts as its decoded size, as its content is base64.
func BodySize(r *http.Request, most int64) int64 {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch n := min(r.ContentLength, most); {
	case n < 0:
		return most / 2
	case media == JSONMedia:
		return n / 4 * 3
	default:
		return n
	}
}

// Receive calls read, which reads the body of a request that has reserved memory. The error
// is a *admission.Busy if the body was cut because other requests needed that memory.
func Receive(w http.ResponseWriter, r *http.Request, memory *admission.Limiter, read func() error) error {
	b := &body{ReadCloser: r.Body, begin: time.Now()}
	r.Body = b
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		b.cutIfSlow(memory, http.NewResponseController(w), done)
	}()
	err := read()
	close(done)
	<-watched
	if b.cut.Load() {
		return memory.Busy()
	}
	return err
}

// A body is a request's body while it is read.
type body struct {
	io.ReadCloser
	begin time.Time
	got   atomic.Int64
	cut   atomic.Bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.got.Add(int64(n))
	return n, err
}

// slow reports whether the body arrives more slowly than pace.
func (b *body) slow(now time.Time) bool {
	due := (now.Sub(b.begin) - grace).Seconds() * pace
	return due > 0 && float64(b.got.Load()) < due
}

// cutIfSlow closes the body if it is slow while other requests wait for memory. It checks
// until done is closed.
func (b *body) cutIfSlow(memory *admission.Limiter, conn *http.ResponseController, done <-chan struct{}) {
	tick := time.NewTicker(paceCheck)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case now := <-tick.C:
			if memory.Waiting() && b.slow(now) {
				b.cut.Store(true)
				_ = conn.SetReadDeadline(time.Unix(1, 0))
				return
			}
		}
	}
}

// ReadAll reads a body of at most `most` bytes. Length is its Content-Length, or -1 if that
// is unknown.
func ReadAll(body io.Reader, length, most int64) ([]byte, error) {
	if length <= 0 || length > most {
		data, err := io.ReadAll(body)
		return data, BodyError(err, "ends early")
	}
	data := make([]byte, length)
	_, err := io.ReadFull(body, data)
	return data, BodyError(err, "ends early")
}

// EachPart calls do for every part of a multipart form, with the part's bytes.
func EachPart(form *multipart.Reader, do func(part *multipart.Part, data []byte) error) error {
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return BodyError(err, "is no multipart form")
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return BodyError(err, "ends inside a form field")
		}
		if err := do(part, data); err != nil {
			return err
		}
	}
}

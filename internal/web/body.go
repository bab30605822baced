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

// A body that comes in holds the room of its whole request. It may take its time
// as long as nobody waits for that room; otherwise it gives the room up when it
// falls behind a slow mobile network.
const (
	grace     = 3 * time.Second
	pace      = 128 << 10 // bytes a second, after the grace
	paceCheck = 250 * time.Millisecond
)

// BodySize is how large what a request's body holds may be, as far as one can tell
// before it is read. JSON counts as what it holds as base64.
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

// Receive calls read, which reads the body of a request that holds room in memory.
// The error is a *admission.Busy when the body was cut because others needed the room.
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

// A body is a request's body as it comes in.
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

// slow reports that the body falls behind the pace.
func (b *body) slow(now time.Time) bool {
	due := (now.Sub(b.begin) - grace).Seconds() * pace
	return due > 0 && float64(b.got.Load()) < due
}

// cutIfSlow cuts b if it is slow while others wait for room, until it is done.
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

// ReadAll reads a body of at most so many bytes, whose length may be known.
func ReadAll(body io.Reader, length, most int64) ([]byte, error) {
	if length <= 0 || length > most {
		data, err := io.ReadAll(body)
		return data, BodyError(err, "ends early")
	}
	data := make([]byte, length)
	_, err := io.ReadFull(body, data)
	return data, BodyError(err, "ends early")
}

// EachPart hands every part of a multipart form to do, with its bytes.
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

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"example.com/whatis/internal/agent"
	imaging "example.com/whatis/internal/photo"
)

// The longest wait for the first byte of a response, and between two lines of a stream,
// in which the service writes a comment every 15 s.
const (
	longestAnalysis = 10 * time.Minute
	longestSilence  = time.Minute
)

// maxPhoto is the largest photo in bytes, as in the service.
const maxPhoto = 30 << 20

// ask analyses one photo and returns its result as the service wrote it. watch receives
// the agents' events, if the service streams them.
func (s *service) ask(ctx context.Context, p photo, options url.Values, watch func(agent.Event)) (json.RawMessage, error) {
	r, err := p.request(options)
	if err != nil {
		return nil, err
	}
	var result json.RawMessage
	err = s.patiently(ctx, p.name, func() (err error) {
		result, err = s.askOnce(ctx, &r, watch)
		return err
	})
	return result, err
}

// request returns the request that analyses p.
func (p photo) request(options url.Values) (request, error) {
	r := request{method: http.MethodPost, path: "/analyze?" + options.Encode(), accept: "text/event-stream, application/json;q=0.9"}
	if !p.inBucket() {
		err := p.form(&r)
		return r, err
	}
	r.kind, r.body = "application/json", encode(map[string]string{"uri": p.name})
	if len(p.more) > 0 {
		var uris []map[string]string
		for _, p := range append([]photo{p}, p.more...) {
			uris = append(uris, map[string]string{"uri": p.name})
		}
		r.body = encode(uris)
	}
	return r, nil
}

// form sets the body of r: p with its thumbnail, and the further photos of the same product.
func (p photo) form(r *request) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	add := func(field, name string, data []byte) {
		part, _ := form.CreateFormFile(field, name) // into memory, which does not fail
		part.Write(data)
	}
	for i, one := range append([]photo{p}, p.more...) {
		data, err := one.read()
		if err != nil && len(p.more) > 0 {
			err = fmt.Errorf("%s: %w", one.name, err)
		}
		if err != nil {
			return err
		}
		add("file", one.base(), data)
		if small := thumbnailOf(data); i == 0 && small != nil {
			add("thumbnail", "thumbnail.jpg", small)
		}
	}
	err := form.Close()
	r.kind, r.body = form.FormDataContentType(), body.Bytes()
	return err
}

// base returns the name of p without its folder.
func (p photo) base() string {
	if p.name == standardInput {
		return "standard input"
	}
	return filepath.Base(p.name)
}

// thumbnailWidth is the width in pixels of the thumbnails that are sent with photos.
const thumbnailWidth = 320

// thumbnailOf returns the thumbnail of a photo, which the service keeps with its result; nil if
// none can be made.
func thumbnailOf(data []byte) []byte {
	f, err := imaging.NewUpload(data).Inspect(imaging.Limits{MaxSent: imaging.MaxThumbnail})
	if err != nil {
		return nil
	}
	for width := thumbnailWidth; width > 1; width /= 2 { // a strip may be too high
		small, err := f.Thumbnail(width)
		if err != nil {
			return nil
		}
		if _, err := imaging.CleanThumbnail(small); err == nil {
			return small
		}
	}
	return nil
}

// open opens the file of p, or standard input.
func (p photo) open() (io.ReadCloser, error) {
	if p.name == standardInput {
		return io.NopCloser(bytes.NewReader(p.data)), nil
	}
	return os.Open(p.name)
}

// read reads the file of p.
func (p photo) read() ([]byte, error) {
	f, err := p.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPhoto+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxPhoto:
		return nil, fmt.Errorf("it is larger than %d MiB: make it smaller", maxPhoto>>20)
	case len(data) == 0:
		return nil, fmt.Errorf("the file is empty: was it copied whole?")
	}
	return data, nil
}

// askOnce sends r once, and records the last event's ID in r.
func (s *service) askOnce(ctx context.Context, r *request, watch func(agent.Event)) (json.RawMessage, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(longestAnalysis, func() { cancel(fmt.Errorf("%w: %s sends nothing", errCut, s.base)) })
	defer silence.Stop()
	resp, err := s.do(ctx, *r)
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		err = fmt.Errorf("%w (%w)", errCut, err)
	}
	if err != nil {
		return nil, because(ctx, err)
	}
	defer resp.Body.Close()
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/event-stream" {
		return follow(ctx, resp.Body, &r.lastID, func() { silence.Reset(longestSilence) }, watch)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, longestLine))
	switch {
	case err != nil:
		return nil, because(ctx, fmt.Errorf("%w (%w)", errCut, err))
	case !json.Valid(data):
		return nil, fmt.Errorf("%s does not answer with JSON: is it a whatis service?", s.base)
	}
	return data, nil
}

// because returns the cause of ctx's end if that caused err, else err.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// follow reads a stream until its result. If the stream ends before, the error is errCut.
func follow(ctx context.Context, stream io.Reader, lastID *string, alive func(), watch func(agent.Event)) (json.RawMessage, error) {
	var result json.RawMessage
	for m, err := range messages(stream, alive) {
		if err != nil {
			break
		}
		if m.id != "" {
			*lastID = m.id
		}
		switch m.event {
		case "agent":
			var e agent.Event
			if json.Unmarshal([]byte(m.data), &e) == nil {
				watch(e)
			}
		case "problem":
			return nil, problemIn(m.data)
		case "result":
			result = json.RawMessage(m.data)
		case "end":
			if result == nil {
				return nil, fmt.Errorf("the service ended without a result")
			}
		}
	}
	if result == nil || !json.Valid(result) {
		return nil, because(ctx, errCut)
	}
	return result, nil
}

// problemIn decodes a problem event of a stream.
func problemIn(data string) error {
	p := &problem{}
	if err := json.Unmarshal([]byte(data), p); err != nil || p.Detail == "" {
		return fmt.Errorf("the service reports a problem that cannot be read: %.200s", data)
	}
	return p
}

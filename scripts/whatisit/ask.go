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
	if len(p.more) > 0 {
		err := p.withMore(&r)
		return r, err
	}
	if p.inBucket() {
		r.kind = "application/json"
		r.body = encode(map[string]string{"uri": p.name})
		return r, nil
	}
	var err error
	r.kind = "application/octet-stream"
	r.body, err = p.read()
	return r, err
}

// withMore sets the body of r: p and the further photos of the same product.
func (p photo) withMore(r *request) error {
	all := append([]photo{p}, p.more...)
	if p.inBucket() {
		var uris []map[string]string
		for _, p := range all {
			uris = append(uris, map[string]string{"uri": p.name})
		}
		r.kind, r.body = "application/json", encode(uris)
		return nil
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, p := range all {
		data, err := p.read()
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		part, err := form.CreateFormFile("file", filepath.Base(p.name))
		if err != nil {
			return err
		}
		part.Write(data) // into memory
	}
	err := form.Close()
	r.kind, r.body = form.FormDataContentType(), body.Bytes()
	return err
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

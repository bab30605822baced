package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
)

// atOnce is the number of the user's photos that are analysed at a time.
const atOnce = 4

// identify uploads photos and shows each result when it is written. It returns the number
// of photos without the expected result, and an error only if it had to stop. Photos with
// an expected result, and those of a recording, run one after the other, as a later one
// may need what an earlier one saved to the catalogue.
func (w *world) identify(ctx context.Context, photos []photo) (wrong int, err error) {
	limit := atOnce
	if w.recorder != nil || w.player != nil || slices.ContainsFunc(photos, func(p photo) bool { return len(p.want) > 0 }) {
		limit = 1
	}
	s := newScreen(w, photos)
	start := time.Now()
	ends := make([]end, len(photos))
	var group errgroup.Group
	group.SetLimit(limit)
	for i, p := range photos {
		group.Go(func() error {
			ends[i] = w.one(ctx, s, p)
			return nil
		})
	}
	_ = group.Wait()
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	w.print(w.closing(photos, ends, time.Since(start)))
	for _, e := range ends {
		if e != asPromised {
			wrong++
		}
	}
	return wrong, nil
}

// end is the outcome of a photo.
type end int

const (
	noResult end = iota
	notAsPromised
	asPromised
)

// one uploads a photo, waits for its result and shows it.
func (w *world) one(ctx context.Context, s *screen, p photo) end {
	start := time.Now()
	r, err := w.resultOf(ctx, p)
	took := time.Since(start)
	switch {
	case ctx.Err() != nil:
		return noResult
	case err != nil:
		s.line(p.name, "no result", took, err.Error())
		return noResult
	case len(p.want) > 0 && !slices.Contains(p.want, r.outcome()):
		s.line(p.name, r.short(), took, fmt.Sprintf("should be %s: %s", p.want[0], r.said()))
		return notAsPromised
	}
	s.line(p.name, r.short(), took, r.said())
	return asPromised
}

func (w *world) resultOf(ctx context.Context, p photo) (result, error) {
	if ctx.Err() != nil {
		return result{}, ctx.Err()
	}
	arriving := w.results.expect(p.name)
	defer w.results.forget(p.name)
	generation, err := w.upload(ctx, p)
	if err != nil {
		return result{}, err
	}
	if err := await(ctx, arriving, generation); err != nil {
		return result{}, err
	}
	return w.read(ctx, p.name)
}

// watch shows results of other uploads until ctx ends.
func (w *world) watch(ctx context.Context) {
	s := newScreen(w, nil)
	for {
		select {
		case a := <-w.results.others:
			r, err := result{}, a.err
			if err == nil {
				r, err = w.read(ctx, a.name)
			}
			if err != nil {
				s.line(a.name, "no result", 0, err.Error())
				continue
			}
			s.line(a.name, r.short(), 0, r.said())
		case <-ctx.Done():
			return
		}
	}
}

// upload uploads p to the upload bucket with one multipart request of the JSON API, and
// returns the object's generation.
func (w *world) upload(ctx context.Context, p photo) (generation int64, err error) {
	data, err := p.data()
	if err != nil {
		return 0, err
	}
	resource, err := json.Marshal(map[string]any{"name": p.name, "contentType": p.mimeType, "metadata": p.metadata})
	if err != nil {
		return 0, err
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, part := range []struct {
		mimeType string
		data     []byte
	}{{"application/json", resource}, {p.mimeType, data}} {
		to, _ := form.CreatePart(textproto.MIMEHeader{"Content-Type": {part.mimeType}}) // writes to a buffer do not fail
		_, _ = to.Write(part.data)
	}
	_ = form.Close()
	target := fmt.Sprintf("%s/upload/storage/v1/b/%s/o?uploadType=multipart", w.storage.URL(), uploadBucket)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, &body)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "multipart/related; boundary="+form.Boundary())
	var uploaded struct{ Generation string }
	if err := answer(req, &uploaded); err != nil {
		return 0, err
	}
	return strconv.ParseInt(uploaded.Generation, 10, 64)
}

// resultURL returns the URL of the result of the photo of that name.
func (w *world) resultURL(name string) string {
	return fmt.Sprintf("%s/%s/%s", w.storage.URL(), resultsBucket, url.PathEscape(name+".json"))
}

func (w *world) read(ctx context.Context, name string) (r result, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.resultURL(name), nil)
	if err != nil {
		return r, err
	}
	return r, answer(req, &r)
}

// ready sends an analysis without a photo: the response shows whether key, configuration
// and catalogue work, before the first photo is uploaded.
func (w *world) ready(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.apiURL+"/analyze", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var problem struct{ Code, Detail string }
	if err := json.NewDecoder(resp.Body).Decode(&problem); err != nil {
		return fmt.Errorf("the API answers %s: %w", resp.Status, err)
	}
	if problem.Code != "empty" {
		return fmt.Errorf("no photo would get a result: %s", problem.Detail)
	}
	return nil
}

// answer reads the JSON that answers req into v.
func answer(req *http.Request, v any) error {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %s", req.Method, req.URL, resp.Status, body)
	}
	return json.Unmarshal(body, v)
}

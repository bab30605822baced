package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.com/whatis/emulators/samples"
)

// patience is how long a photo may take, the real model's time included.
const patience = 10 * time.Minute

// photo is a picture to upload.
type photo struct {
	name, mimeType string
	data           func() ([]byte, error)
	metadata       map[string]string
	want           string // the source or error that its result should have; "" is any
}

// wanted is what each sample's result should say.
var wanted = map[samples.Kind]string{samples.NonProduct: "Unable to identify product image"}

// photosOf are the files at paths, or the samples if there are none.
func photosOf(paths []string) ([]photo, error) {
	if len(paths) == 0 {
		return samplePhotos(), nil
	}
	var photos []photo
	seen := map[string]bool{}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		name := filepath.Base(path)
		if info.IsDir() || seen[name] {
			return nil, fmt.Errorf("%s: want files of different names", path)
		}
		seen[name] = true
		photos = append(photos, photo{
			name: name, mimeType: mime.TypeByExtension(filepath.Ext(path)),
			data: func() ([]byte, error) { return os.ReadFile(path) },
		})
	}
	return photos, nil
}

func samplePhotos() []photo {
	var photos []photo
	for _, s := range samples.All() {
		photos = append(photos, photo{
			name: s.File, mimeType: s.MIMEType,
			data:     func() ([]byte, error) { return s.Bytes(), nil },
			metadata: map[string]string{"country": s.Country, "lang": s.Lang},
			want:     wanted[s.Truth.Kind],
		})
	}
	return photos
}

// introduce says what runs where.
func (w *world) introduce() {
	if !w.real {
		fmt.Print("EMULATED MODEL: it reads the project's samples, barcodes and, where tesseract is\ninstalled, print. What it says of other photos is honest and poor.\n\n")
	}
	fmt.Printf("  API        %s\n  storage    %s\n  Firestore  %s\n  Pub/Sub    %s\n", w.apiURL, w.storage.URL(), w.firestore.Addr(), w.pubsub.Addr())
	if w.gemini != nil {
		fmt.Printf("  Gemini     %s\n", w.gemini.URL())
	}
	fmt.Print("\nTo point other programs at them:\n\n")
	for _, line := range append(w.env(), "CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE="+w.storage.Endpoint(), "CLOUDSDK_AUTH_DISABLE_CREDENTIALS=True") {
		fmt.Println("  export " + line)
	}
	fmt.Println()
}

// identify uploads photos, one after the other, so that a later one can profit
// from what an earlier one taught the catalogue, and shows the result of each. It
// returns how many did not get what they should.
func (w *world) identify(ctx context.Context, photos []photo) (wrong int, err error) {
	for _, p := range photos {
		start := time.Now()
		if err := w.upload(ctx, p); err != nil {
			return wrong, err
		}
		r, err := w.await(ctx, p.name+".json")
		if err != nil {
			return wrong, fmt.Errorf("%s: %w", p.name, err)
		}
		note := ""
		if p.want != "" && r.outcome() != p.want {
			wrong, note = wrong+1, "  ← should be "+p.want
		}
		fmt.Printf("  %-24s %-14s %-52s %5d ms%s\n", p.name, r.short(), r.said(), time.Since(start).Milliseconds(), note)
	}
	fmt.Printf("\nThe whole result of a photo:  curl %s\n", w.object(resultsBucket, photos[0].name+".json"))
	return wrong, nil
}

// watch shows the results that land until ctx ends.
func (w *world) watch(ctx context.Context) error {
	for {
		select {
		case e := <-w.landed:
			r, err := w.read(ctx, e.Name)
			if err != nil {
				return err
			}
			fmt.Printf("  %-24s %-14s %s\n", strings.TrimSuffix(e.Name, ".json"), r.short(), r.said())
		case <-ctx.Done():
			return nil
		}
	}
}

// object is the URL of an object's bytes.
func (w *world) object(bucket, name string) string {
	return fmt.Sprintf("%s/%s/%s", w.storage.URL(), bucket, url.PathEscape(name))
}

// upload puts p into the upload bucket, in one multipart request as the JSON API
// takes it.
func (w *world) upload(ctx context.Context, p photo) error {
	data, err := p.data()
	if err != nil {
		return err
	}
	resource, err := json.Marshal(map[string]any{"name": p.name, "contentType": p.mimeType, "metadata": p.metadata})
	if err != nil {
		return err
	}
	const boundary = "a-boundary-that-no-photo-holds"
	var body bytes.Buffer
	fmt.Fprintf(&body, "--%s\r\nContent-Type: application/json\r\n\r\n%s\r\n--%s\r\nContent-Type: %s\r\n\r\n", boundary, resource, boundary, p.mimeType)
	body.Write(data)
	fmt.Fprintf(&body, "\r\n--%s--\r\n", boundary)
	target := fmt.Sprintf("%s/upload/storage/v1/b/%s/o?uploadType=multipart", w.storage.URL(), uploadBucket)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, &body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "multipart/related; boundary="+boundary)
	_, err = answer(req)
	return err
}

// await waits for a result to land and reads it.
func (w *world) await(ctx context.Context, name string) (result, error) {
	for {
		select {
		case e := <-w.landed:
			if e.Name == name {
				return w.read(ctx, name)
			}
		case <-ctx.Done():
			return result{}, ctx.Err()
		case <-time.After(patience):
			return result{}, errors.New("there is no result")
		}
	}
}

func (w *world) read(ctx context.Context, name string) (result, error) {
	var r result
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.object(resultsBucket, name), nil)
	if err != nil {
		return r, err
	}
	body, err := answer(req)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(body, &r)
}

func answer(req *http.Request) ([]byte, error) {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s: %s", req.Method, req.URL, resp.Status, body)
	}
	return body, err
}

// result is what is shown of one.
type result struct {
	Error, Description, Message string
	ProductName                 string  `json:"product_name"`
	Brand                       string  `json:"brand"`
	Confidence                  float64 `json:"product_name_confidence"`
	Source                      string
	Warnings                    []string
}

// outcome is the source, or the error of a result without one.
func (r result) outcome() string {
	if r.Error != "" {
		return r.Error
	}
	return r.Source
}

func (r result) short() string {
	switch r.Error {
	case "":
		return r.Source
	case "analysis_failed":
		return "failed"
	}
	return "no product"
}

func (r result) said() string {
	switch {
	case r.Error != "":
		return r.Description + r.Message
	case r.ProductName == "" && r.Brand == "":
		return "unidentified (" + strings.Join(r.Warnings, ", ") + ")"
	}
	return fmt.Sprintf("%.2f  %s, %s", r.Confidence, r.ProductName, r.Brand)
}

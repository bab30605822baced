package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"

	"example.com/whatis/internal/intake"
)

// maxBody bounds a request's body: a photo of 30 MiB and what surrounds it.
const maxBody = 31 << 20

// size is how large the photo of a request may be, as far as one can tell before
// it is read. One that is asked for by its URI may be of any size.
func size(r *http.Request) int64 {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if r.ContentLength < 0 || media == "application/json" {
		return maxBody / 2
	}
	return min(r.ContentLength, maxBody)
}

// errBody marks a body that is of no use; the text says what to send.
var errBody = errors.New("api: the body")

// readPhoto reads the photo of a request: the raw image, the one file of a
// multipart form, or {"uri": "gs://…"}. Options come as query parameters, form
// fields or fields of the JSON. The content decides what an image is; a wrong
// Content-Type does not matter.
func readPhoto(w http.ResponseWriter, r *http.Request) (intake.Photo, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	p := intake.Photo{Options: optionsOf(r.URL.Query()), Fresh: r.URL.Query().Get("fresh") == "true"}
	media, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch media {
	case "application/json":
		err := readURI(r.Body, &p)
		return p, err
	case "multipart/form-data":
		err := readForm(multipart.NewReader(r.Body, params["boundary"]), &p)
		return p, err
	}
	var err error
	p.Data, err = readAll(r.Body, r.ContentLength)
	return p, err
}

func optionsOf(v url.Values) intake.Options {
	return intake.Options{
		Country: v.Get("country"), Lang: v.Get("lang"), Policy: v.Get("policy"), SecondLook: v.Get("second_look"),
	}
}

// merge sets an option that p leaves open.
func merge(p *intake.Photo, field, value string) error {
	o := &p.Options
	if field == "fresh" {
		p.Fresh = p.Fresh || value == "true"
		return nil
	}
	at, ok := map[string]*string{
		"country": &o.Country, "lang": &o.Lang, "policy": &o.Policy, "second_look": &o.SecondLook,
	}[field]
	if !ok {
		return fmt.Errorf("%w has a field %q: use country, lang, policy, second_look or fresh", errBody, field)
	}
	if *at == "" {
		*at = value
	}
	return nil
}

func readURI(body io.Reader, p *intake.Photo) error {
	var fields map[string]string
	data, err := io.ReadAll(body)
	if err == nil {
		err = json.Unmarshal(data, &fields)
	}
	if err != nil {
		return orTooLarge(err, `is no JSON object of strings: send {"uri":"gs://bucket/photo.jpg"}`)
	}
	p.URI = fields["uri"]
	if p.URI == "" {
		return fmt.Errorf(`%w names no photo: send {"uri":"gs://bucket/photo.jpg"}`, errBody)
	}
	delete(fields, "uri")
	for field, value := range fields {
		if err := merge(p, field, value); err != nil {
			return err
		}
	}
	return nil
}

// readForm reads a form of one file, of any name, and option fields.
func readForm(form *multipart.Reader, p *intake.Photo) error {
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return orTooLarge(err, "is no multipart form")
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return orTooLarge(err, "ends inside a form field")
		}
		switch {
		case part.FileName() == "":
			if err := merge(p, part.FormName(), string(data)); err != nil {
				return err
			}
		case p.Data != nil:
			return fmt.Errorf("%w has two files: send one photo a request", errBody)
		default:
			p.Data = data
		}
	}
	if p.Data == nil {
		return fmt.Errorf("%w has no file: send the photo as a form file", errBody)
	}
	return nil
}

// readAll reads a body whose length may be known.
func readAll(body io.Reader, length int64) ([]byte, error) {
	if length <= 0 || length > maxBody {
		data, err := io.ReadAll(body)
		return data, orTooLarge(err, "ends early")
	}
	data := make([]byte, length)
	_, err := io.ReadFull(body, data)
	return data, orTooLarge(err, "ends early")
}

// orTooLarge is err when the body is too large, or that the body is as what says.
func orTooLarge(err error, what string) error {
	var tooLarge *http.MaxBytesError
	if err == nil || errors.As(err, &tooLarge) {
		return err
	}
	return fmt.Errorf("%w %s: %w", errBody, what, err)
}

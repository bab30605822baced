package api

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"

	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/public"
)

// maxBody bounds a request's body: a photo of 30 MiB and what surrounds it. Cloud
// Run ends bodies at 32 MiB.
const maxBody = 31 << 20

// maxPhotos bounds the photos of a request.
const maxPhotos = 20

// size is how large the photos in a request's body may be, as far as one can tell
// before it is read. What is asked for by its URI has its room when it is fetched.
func size(r *http.Request) int64 {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch n := min(r.ContentLength, maxBody); {
	case n < 0:
		return maxBody / 2
	case media == "application/json":
		return n / 4 * 3 // as base64
	default:
		return n
	}
}

// errBody marks a body that is of no use; the text says what to send.
var errBody = public.New("api", "the body")

// A question is what a request asks: about each photo for itself, or about all as
// one.
type question struct {
	files  []string // what each photo is called in the answer
	photos []intake.Photo
	as     string // "one" if all show one product
}

// add adds a photo; file is what it is called, "" for its number.
func (q *question) add(file string, p intake.Photo) error {
	if len(q.photos) == maxPhotos {
		return fmt.Errorf("%w has more than %d photos: send fewer at once, or make a batch", errBody, maxPhotos)
	}
	if file == "" {
		file = strconv.Itoa(len(q.photos) + 1)
	}
	q.files, q.photos = append(q.files, file), append(q.photos, p)
	return nil
}

// join makes one photo of all of q, if that is asked.
func (q *question) join() error {
	switch q.as {
	case "":
		return nil
	case "one":
	default:
		return fmt.Errorf("%w: as %q: want one, or leave it out", intake.ErrOption, short(q.as))
	}
	one := q.photos[0]
	for _, p := range q.photos[1:] {
		one.More = append(one.More, intake.Source{Data: p.Data, URI: p.URI})
	}
	q.photos = []intake.Photo{one}
	return nil
}

// readQuestion reads the photos of a request: a raw image, the files of a multipart
// form, {"image": "base64"}, {"uri": "gs://…"} or a list of those. Options come as
// query parameters, form fields or fields of the JSON, the first of which counts.
// The content decides what an image is; a wrong Content-Type does not matter.
func readQuestion(w http.ResponseWriter, r *http.Request) (q question, err error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	media, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch media {
	case "application/json":
		err = q.readJSON(r)
	case "multipart/form-data":
		err = q.readForm(multipart.NewReader(r.Body, params["boundary"]), optionsOf(r.URL.Query()))
	default:
		var data []byte
		if data, err = readAll(r.Body, r.ContentLength); err == nil {
			err = q.addAll([]named{{"", intake.Source{Data: data}, optionsOf(r.URL.Query())}})
		}
	}
	if err != nil {
		return q, err
	}
	return q, q.join()
}

// A named photo is one as a body holds it.
type named struct {
	file string
	intake.Source
	options options
}

func (q *question) addAll(photos []named) error {
	for _, n := range photos {
		p := intake.Photo{Data: n.Data, URI: n.URI}
		if err := n.options.set(&p, &q.as); err != nil {
			return err
		}
		if err := q.add(n.file, p); err != nil {
			return err
		}
	}
	return nil
}

// options are option fields by name. One that is empty is not set.
type options map[string]string

// optionNames are the options of a photo.
var optionNames = []string{"country", "lang", "policy", "second_look", "fresh", "as"}

// optionsOf takes the options from a query; other parameters are nobody's.
func optionsOf(v url.Values) options {
	o := options{}
	for _, name := range optionNames {
		o[name] = v.Get(name)
	}
	return o
}

// or is o, and more for what o leaves open.
func (o options) or(more options) options {
	all := options{}
	for _, name := range optionNames {
		if all[name] = o[name]; all[name] == "" {
			all[name] = more[name]
		}
	}
	return all
}

// set sets the options of p, and as, of which the first photo's counts.
func (o options) set(p *intake.Photo, as *string) error {
	p.Options = intake.Options{Country: o["country"], Lang: o["lang"], Policy: o["policy"], SecondLook: o["second_look"]}
	if *as == "" {
		*as = o["as"]
	}
	switch o["fresh"] {
	case "", "false":
	case "true":
		p.Fresh = true
	default:
		return fmt.Errorf("%w: fresh %q: want true or false", intake.ErrOption, short(o["fresh"]))
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

// short is a value as an error message may hold it.
func short(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

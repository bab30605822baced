package api

import (
	"cmp"
	"fmt"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"

	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/photo"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
)

// maxBody is the largest body of a request: a photo of 30 MiB and its encoding. Cloud Run
// limits bodies to 32 MiB.
const maxBody = 31 << 20

// maxPhotos is the largest number of photos in a request.
const maxPhotos = 20

// errTooManyPhotos is the error of a request with more photos.
var errTooManyPhotos = fmt.Errorf("%w has more than %d photos: send fewer at once, or make a batch", web.ErrBody, maxPhotos)

// An analyzeRequest holds the photos of a request, each to be analysed by itself or all as
// one product.
type analyzeRequest struct {
	files  []string // the name of each photo in the answer
	photos []intake.Photo
	as     string // "one" if all show one product
	list   bool   // answer with a list even for one photo
}

// add adds a photo. Its name in the answer is that of its file, its URI or its number.
func (q *analyzeRequest) add(p intake.Photo) error {
	if len(q.photos) == maxPhotos {
		return errTooManyPhotos
	}
	q.files, q.photos = append(q.files, cmp.Or(p.File, p.URI, strconv.Itoa(len(q.photos)+1))), append(q.photos, p)
	return nil
}

// join merges the photos of q into one analysis if as is "one".
func (q *analyzeRequest) join() error {
	switch q.as {
	case "":
		return nil
	case "one":
	default:
		return fmt.Errorf("%w: as %q: want one, or leave it out", intake.ErrOption, usererror.Short(q.as, usererror.Quoted))
	}
	one := q.photos[0]
	for _, p := range q.photos[1:] {
		one.More = append(one.More, intake.Source{File: p.File, Data: p.Data, URI: p.URI})
	}
	q.photos = []intake.Photo{one}
	return nil
}

// readRequest reads the photos of a request: a raw image, the files of a multipart form,
// {"image": "base64"}, {"uri": "gs://…"} or a list of those. Options come as query
// parameters, form fields or fields of the JSON, the first of which counts. The image
// format is detected from the content, whatever the Content-Type.
func readRequest(w http.ResponseWriter, r *http.Request) (q analyzeRequest, err error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	media, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch media {
	case "application/json":
		err = q.readJSON(r)
	case "multipart/form-data":
		err = q.readForm(multipart.NewReader(r.Body, params["boundary"]), optionsOf(r.URL.Query()))
	default:
		var data []byte
		if data, err = web.ReadAll(r.Body, r.ContentLength, maxBody); err == nil {
			err = q.addAll([]sent{{Source: intake.Source{Data: data}, options: optionsOf(r.URL.Query())}})
		}
	}
	if err != nil {
		return q, err
	}
	return q, q.join()
}

// A sent photo is what a body has of a photo.
type sent struct {
	intake.Source
	thumbnail []byte
	options   options
}

func (q *analyzeRequest) addAll(photos []sent) error {
	for i, s := range photos {
		p := intake.Photo{File: s.File, Data: s.Data, URI: s.URI}
		err := s.options.set(&p, &q.as)
		if err == nil && len(s.thumbnail) > 0 {
			p.Thumbnail, err = cleanThumbnail(s.thumbnail)
		}
		if err != nil {
			return inPhoto(i, len(photos), err)
		}
		if err := q.add(p); err != nil {
			return err
		}
	}
	return nil
}

// cleanThumbnail returns a thumbnail without metadata. Whatever is wrong with it, it is not
// the photo.
func cleanThumbnail(data []byte) ([]byte, error) {
	clean, err := photo.CleanThumbnail(data)
	if err != nil {
		err = fmt.Errorf("%w has a thumbnail that cannot be kept: %s", web.ErrBody, usererror.Text(err))
	}
	return clean, err
}

// inPhoto returns err, which is of the photo with index i of several, with its number.
func inPhoto(i, of int, err error) error {
	if of < 2 {
		return err
	}
	return fmt.Errorf("%w (photo %d of %d)", err, i+1, of)
}

// options are option fields by name. An empty one counts as not set.
type options map[string]string

// optionNames are the options of a photo.
var optionNames = []string{"country", "lang", "policy", "second_look", "fresh", "as", "set"}

// optionsOf returns the options in a query and ignores other parameters.
func optionsOf(v url.Values) options {
	o := options{}
	for _, name := range optionNames {
		o[name] = v.Get(name)
	}
	return o
}

// or returns o, with options that are not set taken from more.
func (o options) or(more options) options {
	all := options{}
	for _, name := range optionNames {
		if all[name] = o[name]; all[name] == "" {
			all[name] = more[name]
		}
	}
	return all
}

// set applies the options to p. It sets *as if that is empty: only the first photo's
// counts.
func (o options) set(p *intake.Photo, as *string) error {
	p.Options = intake.Options{Country: o["country"], Lang: o["lang"], Policy: o["policy"], SecondLook: o["second_look"]}
	p.Set = o["set"]
	if *as == "" {
		*as = o["as"]
	}
	switch o["fresh"] {
	case "", "false":
	case "true":
		p.Fresh = true
	default:
		return fmt.Errorf("%w: fresh %q: want true or false", intake.ErrOption, usererror.Short(o["fresh"], usererror.Quoted))
	}
	return nil
}

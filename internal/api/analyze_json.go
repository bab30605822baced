package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
)

const jsonWanted = `send {"image":"<base64>"}, {"uri":"gs://bucket/photo.jpg"} or a list of those`

// An object is a photo in a JSON request.
type object struct {
	Image      *image `json:"image,omitempty"` // base64, or a data: URL
	URI        string `json:"uri,omitempty"`   // gs://bucket/object
	File       string `json:"file,omitempty"`  // the name of an image
	Thumbnail  *image `json:"thumbnail,omitempty"`
	Country    string `json:"country,omitempty"`
	Lang       string `json:"lang,omitempty"`
	Policy     string `json:"policy,omitempty"`
	SecondLook string `json:"second_look,omitempty"`
	Fresh      flag   `json:"fresh,omitempty"`
	As         string `json:"as,omitempty"`
	Set        string `json:"set,omitempty"`
}

// objectNames are the fields of an object.
var objectNames = append([]string{"image", "uri", "file", thumbnailField}, optionNames...)

func (o object) options() options {
	return options{"country": o.Country, "lang": o.Lang, "policy": o.Policy, "second_look": o.SecondLook, "fresh": string(o.Fresh), "as": o.As, "set": o.Set}
}

// readJSON reads an object or a list of objects.
func (q *analyzeRequest) readJSON(r *http.Request) error {
	data, err := web.ReadAll(r.Body, r.ContentLength, maxBody)
	if err != nil {
		return err
	}
	if err := web.CheckJSON(data); err != nil {
		return err
	}
	objects, err := readObjects(data)
	if err != nil {
		return err
	}
	var photos []sent
	for i, o := range objects {
		n := sent{options: optionsOf(r.URL.Query()).or(o.options())}
		switch {
		case o.Image != nil && o.URI != "":
			return inPhoto(i, len(objects), fmt.Errorf("%w names one photo by image and by uri: send one of them", web.ErrBody))
		case o.Image == nil && o.URI == "":
			return inPhoto(i, len(objects), fmt.Errorf("%w has neither image nor uri: %s", web.ErrBody, jsonWanted))
		case o.URI != "" && (o.File != "" || o.Thumbnail != nil):
			return inPhoto(i, len(objects), fmt.Errorf("%w has a file name or a thumbnail beside uri: they are of an image", web.ErrBody))
		case o.Image != nil:
			n.Data = *o.Image
			if o.File != "" {
				n.File = fileName(o.File)
			}
		}
		if n.URI = o.URI; o.Thumbnail != nil {
			n.thumbnail = *o.Thumbnail
		}
		photos = append(photos, n)
	}
	return q.addAll(photos)
}

// readObjects decodes data twice: first to check the field names before any photo is
// decoded, then the values, so that only the photos are copied.
func readObjects(data []byte) ([]object, error) {
	objects, names := make([]object, 1), make([]map[string]ignored, 1)
	var into, fields any = &objects[0], &names[0]
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("[")) {
		into, fields = &objects, &names
	}
	if err := json.Unmarshal(data, fields); err != nil {
		return nil, notJSON(err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%w is an empty list: %s", web.ErrBody, jsonWanted)
	}
	if len(names) > maxPhotos {
		return nil, fmt.Errorf("%w is a list of %d photos: send %d at most, or make a batch", web.ErrBody, len(names), maxPhotos)
	}
	for i, one := range names {
		for name := range one {
			if !slices.Contains(objectNames, name) {
				return nil, inPhoto(i, len(names), fmt.Errorf("%w has a field %q: use %s", web.ErrBody, usererror.Short(name, usererror.Quoted), strings.Join(objectNames, ", ")))
			}
		}
	}
	if err := json.Unmarshal(data, into); err != nil {
		return nil, inPhoto(firstBad(data), len(names), notJSON(err))
	}
	return objects, nil
}

// firstBad returns the index of the first object of a list that cannot be decoded.
func firstBad(data []byte) int {
	var all []json.RawMessage
	if json.Unmarshal(data, &all) != nil {
		return 0
	}
	return slices.IndexFunc(all, func(one json.RawMessage) bool { return json.Unmarshal(one, new(object)) != nil })
}

func notJSON(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, web.ErrBody):
		return err
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("%w has a %s as %s: %s", web.ErrBody, kind.Value, usererror.Short(kind.Field, usererror.Quoted), jsonWanted)
	case errors.As(err, &kind):
		return fmt.Errorf("%w is a JSON %s: %s", web.ErrBody, kind.Value, jsonWanted)
	}
	return fmt.Errorf("%w is no JSON (%w): %s", web.ErrBody, err, jsonWanted)
}

// ignored skips a JSON value.
type ignored struct{}

// UnmarshalJSON accepts anything.
func (*ignored) UnmarshalJSON([]byte) error { return nil }

// A flag is true or false, as a JSON boolean or a string.
type flag string

// UnmarshalJSON decodes either form.
func (f *flag) UnmarshalJSON(data []byte) error {
	*f = flag(bytes.Trim(data, `"`))
	if *f == "null" {
		*f = ""
	}
	return nil
}

// An image is the bytes of a photo, sent as base64 or as a data: URL.
type image []byte

// UnmarshalJSON decodes the base64 text without an intermediate copy.
func (i *image) UnmarshalJSON(data []byte) error {
	if len(data) < 2 || data[0] != '"' {
		return fmt.Errorf("%w has an image that is no string: send its bytes as base64", web.ErrBody)
	}
	text := data[1 : len(data)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		text = []byte(s)
	}
	if bytes.HasPrefix(text, []byte("data:")) {
		before, _, found := bytes.Cut(text[:min(len(text), maxDataPrefix)], []byte(","))
		if !found || !bytes.HasSuffix(before, []byte(";base64")) {
			return fmt.Errorf("%w has a data: URL without ;base64 as image: send its bytes as base64", web.ErrBody)
		}
		text = text[len(before)+1:]
	}
	out := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(out, text)
	if err != nil {
		return fmt.Errorf("%w has an image that is no base64 (%w): send the photo's bytes as base64", web.ErrBody, err)
	}
	*i = out[:n]
	return nil
}

// maxDataPrefix is the longest head of a data: URL.
const maxDataPrefix = 256

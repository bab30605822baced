package api

import (
	"fmt"
	"mime/multipart"
	"path"
	"slices"
	"strings"

	"example.com/whatis/internal/analyze/intake"
	"example.com/whatis/internal/usererror"
	"example.com/whatis/internal/web"
)

// readForm reads a multipart form of files, whose fields may have any name, and of option
// fields. A file called thumbnail is a small picture of the file before it. Options in asked
// take precedence over those in the form.
func (q *analyzeRequest) readForm(form *multipart.Reader, asked options) error {
	var photos []sent
	fields := options{}
	err := web.EachPart(form, func(part *multipart.Part, data []byte) error {
		switch file := part.FileName(); {
		case file == "":
			return fields.field(part, data)
		case part.FormName() == thumbnailField && len(photos) == 0:
			return fmt.Errorf("%w has a thumbnail before any photo: send it behind its photo", web.ErrBody)
		case part.FormName() == thumbnailField:
			photos[len(photos)-1].thumbnail = data
		case len(photos) == maxPhotos:
			return errTooManyPhotos
		default:
			photos = append(photos, sent{Source: intake.Source{File: fileName(file), Data: data}})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(photos) == 0 {
		return fmt.Errorf("%w has no file: send the photo as a form file", web.ErrBody)
	}
	for i := range photos {
		photos[i].options = asked.or(fields)
	}
	return q.addAll(photos)
}

// thumbnailField is the form field of the thumbnail of the photo before it.
const thumbnailField = "thumbnail"

// field reads an option field. The first non-empty value counts.
func (o options) field(part *multipart.Part, data []byte) error {
	name := part.FormName()
	switch {
	case len(data) == 0 && strings.Contains(part.Header.Get("Content-Disposition"), "filename="):
		return nil // a browser's file field in which no file was chosen
	case name == "uri" || name == "image":
		return fmt.Errorf("%w is a form with a field %q: send files in a form, or %s as JSON", web.ErrBody, name, name)
	case !slices.Contains(optionNames, name):
		return fmt.Errorf("%w has a form field %q: use %s", web.ErrBody, usererror.Short(name, usererror.Quoted), strings.Join(optionNames, ", "))
	}
	if o[name] == "" {
		o[name] = string(data)
	}
	return nil
}

// longestName is how many bytes of a file's name are kept: what file systems allow.
const longestName = 255

// fileName returns a file's name for the answer, without folders: some browsers send
// Windows paths.
func fileName(s string) string {
	name := path.Base(strings.ReplaceAll(s, `\`, "/"))
	return strings.ToValidUTF8(name[:min(len(name), longestName)], "�")
}

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

// readForm reads a form of files, whose fields may have any name, and option
// fields. What asked says of an option counts more than the form.
func (q *analyzeRequest) readForm(form *multipart.Reader, asked options) error {
	var photos []named
	fields := options{}
	err := web.EachPart(form, func(part *multipart.Part, data []byte) error {
		if file := part.FileName(); file != "" {
			photos = append(photos, named{file: fileName(file), Source: intake.Source{Data: data}})
			return nil
		}
		return fields.field(part, data)
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

// field takes an option field. The first that is not empty counts.
func (o options) field(part *multipart.Part, data []byte) error {
	name := part.FormName()
	switch {
	case len(data) == 0 && strings.Contains(part.Header.Get("Content-Disposition"), "filename="):
		return nil // a browser's field where nobody chose a file
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

// fileName is a file's name for the answer: without folders, of which browsers of
// some systems send their own kind.
func fileName(s string) string {
	return strings.ToValidUTF8(path.Base(strings.ReplaceAll(s, `\`, "/")), "�")
}

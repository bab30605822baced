package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"example.com/whatis/emulators/samples"
)

// photo is a picture to upload.
type photo struct {
	name, mimeType string
	data           func() ([]byte, error)
	metadata       map[string]string
	want           []string // the expected outcomes; empty allows any
}

// promised has the expected outcome of each sample: its source, its error or, for one that
// cannot be identified, that warning. Package samples has the contents of a picture, not
// the source that identifies its product.
var promised = map[string]string{
	"01-oat-crackers.jpg":    "image",
	"02-rice-chips.png":      "local_db",
	"03-oat-latte.webp":      "google_search",
	"04-oat-latte-again.jpg": "local_db",
	"05-barley-tea.gif":      "image",
	"06-mountain-lake.jpg":   "Unable to identify product image",
	"07-too-dark.png":        "unidentified",
	"08-red-ginseng.jpg":     "image",
	"09-porridge-pot.jpg":    "image",
}

// photos returns the files that the command line names, or the samples.
func (o options) photos() ([]photo, error) {
	if len(o.paths) > 0 {
		return named(o.paths)
	}
	var photos []photo
	for _, s := range samples.All() {
		photos = append(photos, photo{
			name: s.File, mimeType: s.MIMEType,
			data:     func() ([]byte, error) { return s.Bytes(), nil },
			metadata: map[string]string{"country": s.Country, "lang": s.Lang},
			want:     o.want(promised[s.File]),
		})
	}
	return photos, nil
}

// write writes photos into folder, which it creates if necessary.
func write(photos []photo, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return usageError{fmt.Errorf("-samples: %w", err)}
	}
	for _, p := range photos {
		data, err := p.data()
		if err != nil {
			return err
		}
		path := filepath.Join(folder, p.name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
		fmt.Println(path)
	}
	return nil
}

// want returns the outcomes that count as expected. The catalogue of an earlier run may
// have a product that otherwise comes from the web, and the real model does not know
// invented products.
func (o options) want(promise string) []string {
	switch {
	case o.real, o.ollama.set, o.replay != "":
		return nil
	case promise == "google_search" && o.dataDir != "":
		return []string{promise, "local_db"}
	}
	return []string{promise}
}

// named returns the photos at paths, each of which must be readable. Their names are made
// different: a second photo.jpg becomes photo-2.jpg.
func named(paths []string) ([]photo, error) {
	var photos []photo
	seen := map[string]bool{}
	for _, path := range paths {
		if err := readable(path); err != nil {
			return nil, err
		}
		name := unused(objectName(path), seen)
		seen[name] = true
		photos = append(photos, photo{
			name: name, mimeType: cmp.Or(mime.TypeByExtension(filepath.Ext(name)), "application/octet-stream"),
			data: func() ([]byte, error) { return os.ReadFile(path) },
		})
	}
	return photos, nil
}

func readable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(path, "-"):
		return fmt.Errorf("%s: options go before the photos (-h lists them)", path)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no such file", path)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder: name the photos in it", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

// objectName returns the last part of path, without characters that an object's name may
// not have: line ends and invalid UTF-8.
func objectName(path string) string {
	name := strings.ToValidUTF8(filepath.Base(path), "_")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '_'
		}
		return r
	}, name)
}

func unused(name string, seen map[string]bool) string {
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 2; seen[name]; n++ {
		name = fmt.Sprintf("%s-%d%s", stem, n, ext)
	}
	return name
}

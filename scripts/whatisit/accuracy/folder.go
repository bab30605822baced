package accuracy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.com/whatis/emulators/answers"
	"example.com/whatis/internal/analyze"
	"example.com/whatis/internal/photo"
)

// LabelsFile is the name of the labels in a folder of photos.
const LabelsFile = "labels.json"

// Example is an example of the file, for help texts.
const Example = `[
  {"file": "crackers.jpg", "product_name": ["Sea Salt Oat Crackers", "Oat Crackers"], "brand": "Brindlemoor",
   "category": "Crackers", "gtin": "9520011000017", "expiration_date": "2027.03.14", "country": "US", "lang": "en"},
  {"file": "lake.jpg", "no_product": true}
]`

// A Photo is a photo with its label.
type Photo struct {
	Label
	Data func() ([]byte, error)

	// Of a photo with recorded answers: these, and the first reading among them. StandIn says
	// that the photo is not there, and Data is a drawn picture without codes.
	Recording *answers.Recording
	Reading   *analyze.Analysis
	StandIn   bool
}

// maxPhoto is the largest photo in bytes, as in the service.
const maxPhoto = 30 << 20

// ReadFolder returns the photos of a folder with their labels, in the labels' order.
// Each label must have a photo, and no photo two; the error names all that do not. Photos without a label are
// counted.
func ReadFolder(dir string) (photos []Photo, unlabelled int, err error) {
	data, err := os.ReadFile(filepath.Join(dir, LabelsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("%s: there is no %s: write one beside the photos, such as\n%s", dir, LabelsFile, Example)
	}
	if err != nil {
		return nil, 0, err
	}
	labels, err := readLabels(data)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", filepath.Join(dir, LabelsFile), err)
	}
	if unlabelled, err = paired(dir, labels); err != nil {
		return nil, 0, err
	}
	for _, l := range labels {
		photos = append(photos, Photo{Label: l, Data: func() ([]byte, error) { return readPhoto(filepath.Join(dir, l.File)) }})
	}
	return photos, unlabelled, nil
}

// readLabels reads the list, and refuses unknown fields and trailing data.
func readLabels(data []byte) (labels []Label, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&labels); err != nil {
		return nil, fmt.Errorf("byte %d: %s: want a list such as\n%s", d.InputOffset(), strings.TrimPrefix(err.Error(), "json: "), Example)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("byte %d: something stands behind the list: put all labels into one", d.InputOffset())
	}
	if len(labels) == 0 {
		return nil, fmt.Errorf("the list is empty: write a label for each photo, as in\n%s", Example)
	}
	var wrong []error
	for i, l := range labels {
		if err := l.check(); err != nil {
			wrong = append(wrong, fmt.Errorf("label %d: %w", i+1, err))
		}
	}
	return labels, several(wrong)
}

// paired refuses labels without photos, and two labels of one. It counts the photos without a label.
func paired(dir string, labels []Label) (without int, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	unlabelled := map[string]bool{}
	for _, e := range entries {
		unlabelled[e.Name()] = photo.Named(e.Name())
	}
	var wrong []error
	seen := map[string]bool{}
	for _, l := range labels {
		_, there := unlabelled[l.File]
		switch {
		case seen[l.File]:
			wrong = append(wrong, fmt.Errorf("%s: %s has two labels: leave one", LabelsFile, l.File))
		case !there:
			wrong = append(wrong, fmt.Errorf("%s: %s has a label and no photo: put it into %s, or take the label out", LabelsFile, l.File, dir))
		}
		seen[l.File], unlabelled[l.File] = true, false
	}
	for _, photo := range unlabelled {
		if photo {
			without++
		}
	}
	return without, several(wrong)
}

// several joins errors, of which it keeps the first ten and counts the rest.
func several(all []error) error {
	if more := len(all) - 10; more > 0 {
		all = append(all[:10:10], fmt.Errorf("and %d more", more))
	}
	return errors.Join(all...)
}

func readPhoto(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPhoto+1))
	if err == nil && len(data) > maxPhoto {
		err = fmt.Errorf("%s is larger than %d MiB: make it smaller", path, maxPhoto>>20)
	}
	return data, err
}

func dateForm(s string) bool {
	_, err := time.Parse("2006.01.02", s)
	return s == "" || err == nil
}

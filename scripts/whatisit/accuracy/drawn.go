package accuracy

import (
	_ "embed"
	"fmt"

	"example.com/whatis/emulators/samples"
)

//go:embed drawn.json
var drawnLabels []byte

// Drawn are the packs that the project draws itself, with their labels. No shop sells
// them: what is measured on them guards against changes for the worse, and is no
// accuracy.
func Drawn() ([]Photo, error) {
	labels, err := readLabels(drawnLabels)
	if err != nil {
		return nil, fmt.Errorf("accuracy: drawn.json: %w", err)
	}
	byFile := map[string]*samples.Sample{}
	for _, s := range samples.All() {
		byFile[s.File] = s
	}
	var photos []Photo
	for _, l := range labels {
		s := byFile[l.File]
		if s == nil {
			return nil, fmt.Errorf("accuracy: drawn.json: no sample is called %s", l.File)
		}
		l.Country, l.Lang = s.Country, s.Lang
		photos = append(photos, Photo{l, func() ([]byte, error) { return s.Bytes(), nil }})
	}
	return photos, nil
}

package accuracy

import (
	_ "embed"
	"fmt"
	"slices"

	"example.com/whatis/emulators/samples"
)

//go:embed drawn.json
var drawnLabels []byte

// Drawn returns the project's own sample packs, with their labels. The products are
// invented: figures on them guard against regressions, and do not measure accuracy.
func Drawn() ([]Photo, error) { return drawn(drawnLabels, samples.All()) }

// Leaflets returns panels of packs with honest lines that sound like instructions to a
// machine, with their labels.
func Leaflets() ([]Photo, error) { return drawn(samples.LeafletLabels(), samples.Leaflets()) }

// Stickers returns sample packs with a sticker whose lines give instructions to a machine.
// Their labels are those of the packs.
func Stickers() ([]Photo, error) {
	packs, err := Drawn()
	if err != nil {
		return nil, err
	}
	var photos []Photo
	for _, attack := range samples.Attacks() {
		i := slices.IndexFunc(packs, func(p Photo) bool { return p.File == attack.Pack.File })
		if i < 0 {
			return nil, fmt.Errorf("accuracy: drawn.json: no label of %s", attack.Pack.File)
		}
		l := packs[i].Label
		l.File, l.Note, l.Lines = attack.File, "with a sticker", slices.Clone(l.Lines)
		for _, line := range attack.Sticker.Lines {
			l.Lines = append(l.Lines, PrintedLine{line, true})
		}
		photos = append(photos, photoOf(l, attack))
	}
	return photos, nil
}

// drawn returns samples with their labels. A label without lines gets those of the
// sample, none of which is addressed to a machine.
func drawn(labels []byte, all []*samples.Sample) ([]Photo, error) {
	read, err := readLabels(labels)
	if err != nil {
		return nil, fmt.Errorf("accuracy: the labels of drawn photos: %w", err)
	}
	var photos []Photo
	for _, l := range read {
		i := slices.IndexFunc(all, func(s *samples.Sample) bool { return s.File == l.File })
		if i < 0 {
			return nil, fmt.Errorf("accuracy: the labels of drawn photos: no sample is called %s", l.File)
		}
		l.Country, l.Lang = all[i].Country, all[i].Lang
		if l.Lines == nil {
			for _, line := range all[i].Truth.Lines {
				l.Lines = append(l.Lines, PrintedLine{Text: line.Text})
			}
		}
		photos = append(photos, photoOf(l, all[i]))
	}
	return photos, nil
}

func photoOf(l Label, s *samples.Sample) Photo {
	return Photo{Label: l, Data: func() ([]byte, error) { return s.Bytes(), nil }}
}

package samples

import (
	"image"
	"slices"
	"sync"
)

// A Sticker is a label with a prompt injection on a pack.
type Sticker struct {
	Lines []string `json:"lines"`
	// Boxes are where the lines are: top, left, bottom and right in thousandths of
	// the picture.
	Boxes [][4]int `json:"boxes"`
	// Wants has the members of an answer that the injection demands, with their values;
	// "uri" is a page to cite.
	Wants map[string]string `json:"wants"`
	// Paper is the place of the sticker in pixels: left, top, right and bottom. It covers
	// drawings but no print, and has about their colour.
	Paper [4]int `json:"paper"`

	looks func() []blocks // how its lines look
}

// place returns the place of the sticker, in pixels.
func (s *Sticker) place() image.Rectangle {
	return image.Rect(s.Paper[0], s.Paper[1], s.Paper[2], s.Paper[3])
}

// Attacks returns packs of All with a sticker that tells a model to answer something
// else. Their Truth is the pack's, with the sticker's lines at the end. All does not
// contain them. The caller may change the slice.
func Attacks() []*Sample { return slices.Clone(attacks()) }

var attacks = sync.OnceValue(func() (list []*Sample) {
	for _, name := range truthsOf("attack-*") {
		var t struct {
			File, Pack string
			Sticker
		}
		readJSON(name, &t)
		pack := byFile(t.Pack)
		s := *pack
		s.File, s.MIMEType, s.Sticker, s.Pack, s.data = t.File, "image/jpeg", &t.Sticker, pack, readPicture("pictures/"+t.File)
		s.Truth.Lines = slices.Clone(s.Truth.Lines)
		for _, l := range s.Sticker.Lines {
			s.Truth.Lines = append(s.Truth.Lines, Line{Text: l, Clear: true})
		}
		s.Sticker.looks = sync.OnceValue(func() (looks []blocks) {
			img := s.Image()
			for _, b := range s.Sticker.Boxes {
				looks = append(looks, blocksOf(img, pixels(b, img.Bounds())))
			}
			return looks
		})
		list = append(list, &s)
	}
	return list
})

// pixels converts a box in thousandths to pixels of a picture with bounds b.
func pixels(box [4]int, b image.Rectangle) image.Rectangle {
	x, y := func(v int) int { return b.Min.X + v*b.Dx()/1000 }, func(v int) int { return b.Min.Y + v*b.Dy()/1000 }
	return image.Rect(x(box[1]), y(box[0]), x(box[3]), y(box[2]))
}

func byFile(file string) *Sample { return all()[indexOf(file)] }

func indexOf(file string) int {
	i := slices.IndexFunc(all(), func(s *Sample) bool { return s.File == file })
	if i < 0 {
		panic("samples: no sample is called " + file)
	}
	return i
}

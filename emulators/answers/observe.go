package answers

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"strings"

	"example.com/whatis/emulators/gemini"
	"example.com/whatis/emulators/samples"
)

// observation is what the pixels of one photo, or of all photos of a request, show.
type observation struct {
	sample *samples.Sample         // nil unless the photo is one of the project's own
	more   []*samples.Sample       // the packs on further photos, if this is a pack
	photos map[*samples.Sample]int // the numbers of the photos of packs; nil if there is one photo
	lines  []seenLine              // text that was read, top to bottom
	codes  []seenCode              // barcodes that were read
	looks  []string                // colours, shape and size, as clues
	words  wordSet                 // the words of lines
	wants  injected                // what stickers demand
}

// seenLine is a line of text. height is the height of its letters in pixels, 0 if
// unknown; box its place: top, left, bottom and right in thousandths, all 0 if unknown;
// photo the number of its photo, 0 if there is only one. An injected line is on a sticker
// with a prompt injection.
type seenLine struct {
	text     string
	clear    bool
	injected bool
	height   int
	box      [4]int
	photo    int
}

// An observer reads photos and caches its observations.
type observer struct {
	reader  *textReader
	packs   map[string]*samples.Sample // by the SHA-256 of their bytes
	perfect bool                       // it embeds by the labels of queries
	frames  map[string]samples.Frame   // likewise
	seen    memory[*observation]
}

// observe returns what the photo shows. Photos in a format that cannot be decoded
// here (HEIC, HEIF) show nothing; other undecodable bytes are an error. The same photo is
// read once, also for concurrent callers.
func (o *observer) observe(ctx context.Context, photo gemini.Inline) (*observation, error) {
	return o.seen.of(photo.SHA256, func() (*observation, error) { return o.decode(gemini.Lasting(ctx), photo) })
}

// observeAll returns what the photos of a request show; nothing without a photo.
func (o *observer) observeAll(ctx context.Context, inline []gemini.Inline) (*observation, error) {
	var photos []*observation
	for _, i := range inline {
		if !strings.HasPrefix(i.MIMEType, "image/") {
			continue
		}
		seen, err := o.observe(ctx, i)
		if err != nil {
			return nil, err
		}
		photos = append(photos, seen)
	}
	if len(photos) == 0 {
		return &observation{}, nil
	}
	return mergeObservations(photos), nil
}

func (o *observer) decode(ctx context.Context, photo gemini.Inline) (*observation, error) {
	if photo.MIMEType == "image/heic" || photo.MIMEType == "image/heif" {
		if pack := o.packs[photo.SHA256]; pack != nil {
			return observationOf(pack, image.NewGray(image.Rect(0, 0, 1, 1))), nil
		}
		return &observation{}, nil
	}
	if err := bounded(photo.Data); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(bytes.NewReader(photo.Data))
	if err != nil {
		return nil, fmt.Errorf("unable to process input image: %w", err)
	}
	if pack := o.packs[photo.SHA256]; pack != nil {
		return observationOf(pack, img), nil
	}
	pack, attack, lines := samples.RecogniseSticker(img)
	switch {
	case attack != nil:
		return withSticker(observationOf(pack, img), attack.Sticker, lines), nil
	case pack != nil:
		return observationOf(pack, img), nil
	}
	if sample, ok := samples.Recognise(img); ok {
		return observationOf(sample, img), nil
	}
	return o.read(ctx, img), nil
}

// maxPixels bounds decoded pictures, as a small file can declare a huge one.
const maxPixels = 100_000_000

func bounded(data []byte) error {
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("unable to process input image: %w", err)
	}
	if c.Width*c.Height > maxPixels {
		return fmt.Errorf("unable to process input image: %d × %d pixels", c.Width, c.Height)
	}
	return nil
}

// observationOf returns what a sample shows.
func observationOf(sample *samples.Sample, img image.Image) *observation {
	s := &observation{sample: sample, looks: looksOf(img)}
	for _, l := range sample.Truth.Lines {
		s.lines = append(s.lines, seenLine{text: l.Text, clear: l.Clear, box: l.Box})
	}
	if sample.Truth.GTIN != "" {
		if _, box, ok := barcode(greyOf(img, readingSide)); ok {
			s.codes = append(s.codes, seenCode{Box: box})
		}
	}
	s.words = wordsOf(s.texts()...)
	return s
}

// withSticker adds the legible lines of a sticker as ordinary text. One legible line is
// enough for all of its demands.
func withSticker(s *observation, sticker *samples.Sticker, lines []int) *observation {
	s.wants = sticker.Wants
	for _, i := range lines {
		s.lines = append(s.lines, seenLine{text: sticker.Lines[i], clear: true, injected: true, box: sticker.Boxes[i]})
	}
	s.words = wordsOf(s.texts()...)
	return s
}

// read observes a photo that is no sample.
func (o *observer) read(ctx context.Context, img image.Image) *observation {
	s := &observation{looks: looksOf(img)}
	grey := greyOf(img, readingSide)
	s.lines = o.reader.read(ctx, grey)
	if digits, box, ok := barcode(grey); ok {
		s.codes = append(s.codes, seenCode{Box: box})
		if !s.reads(digits) {
			s.lines = append(s.lines, seenLine{text: digits, clear: true})
		}
	}
	s.words = wordsOf(s.texts()...)
	return s
}

func (s *observation) reads(digits string) bool {
	for _, l := range s.lines {
		if strings.ReplaceAll(l.text, " ", "") == digits {
			return true
		}
	}
	return false
}

func (s *observation) texts() []string {
	var texts []string
	for _, l := range s.lines {
		texts = append(texts, l.text)
	}
	return texts
}

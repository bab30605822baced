package gemini

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"strings"
	"sync"

	"example.com/whatis/emulators/samples"
)

// sight is what the pixels of a photo show, or of all photos of a request.
type sight struct {
	sample *samples.Sample   // nil unless the photo is one of the project's own
	more   []*samples.Sample // the packs on further photos, where this is one
	lines  []seenLine        // text that was read, top to bottom
	codes  []seenCode        // barcodes that were read
	looks  []string          // colours, shape and size, as clues
	words  wordSet           // the words of lines
	wants  orders            // what stickers ask for
}

// seenLine is a line of text. Height is that of its letters in pixels, 0 when
// unknown. Box is where it stands: top, left, bottom and right in thousandths,
// all 0 when that is unknown; photo the number of its photo, 0 if there is but one.
// An injected line is one of a sticker that speaks to a machine.
type seenLine struct {
	text     string
	clear    bool
	injected bool
	height   int
	box      [4]int
	photo    int
}

// eye looks at photos and remembers what it saw by their SHA-256.
type eye struct {
	open   context.Context // done when the emulator closes; what is seen outlives the call that asked
	reader *textReader
	mu     sync.Mutex
	seen   map[string]func() (*sight, error)
}

// maxSeen bounds the memory of an eye; when it is full it forgets everything.
const maxSeen = 256

// look returns what the photo shows. Photos in a format that cannot be decoded
// here (HEIC, HEIF) show nothing; other undecodable bytes are an error. The
// same photo is looked at once, also by concurrent callers.
func (e *eye) look(photo Inline) (*sight, error) {
	e.mu.Lock()
	once, ok := e.seen[photo.SHA256]
	if !ok {
		if e.seen == nil || len(e.seen) >= maxSeen {
			e.seen = map[string]func() (*sight, error){}
		}
		once = sync.OnceValues(func() (*sight, error) { return e.see(photo) })
		e.seen[photo.SHA256] = once
	}
	e.mu.Unlock()
	return once()
}

func (e *eye) see(photo Inline) (*sight, error) {
	if photo.MIMEType == "image/heic" || photo.MIMEType == "image/heif" {
		return &sight{}, nil
	}
	if err := bounded(photo.data); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(bytes.NewReader(photo.data))
	if err != nil {
		return nil, fmt.Errorf("unable to process input image: %w", err)
	}
	pack, attack, lines := samples.RecogniseSticker(img)
	switch {
	case attack != nil:
		return stuck(sightOf(pack, img), attack.Sticker, lines), nil
	case pack != nil:
		return sightOf(pack, img), nil
	}
	if sample, ok := samples.Recognise(img); ok {
		return sightOf(sample, img), nil
	}
	return e.read(img), nil
}

// maxPixels keeps a small file with a huge canvas from being decoded.
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

// sightOf is what a sample shows.
func sightOf(sample *samples.Sample, img image.Image) *sight {
	s := &sight{sample: sample, looks: looksOf(img)}
	for _, l := range sample.Truth.Lines {
		s.lines = append(s.lines, seenLine{text: l.Text, clear: l.Clear})
	}
	if sample.Truth.GTIN != "" {
		if _, box, ok := barcode(greyOf(img, readingSide)); ok {
			s.codes = append(s.codes, seenCode{Box: box})
		}
	}
	s.words = wordsOf(s.texts()...)
	return s
}

// stuck adds the lines of a sticker that can be read. They are text like any
// other; of what they order, a part is as good as all of it.
func stuck(s *sight, sticker *samples.Sticker, lines []int) *sight {
	s.wants = sticker.Wants
	for _, i := range lines {
		s.lines = append(s.lines, seenLine{text: sticker.Lines[i], clear: true, injected: true, box: sticker.Boxes[i]})
	}
	s.words = wordsOf(s.texts()...)
	return s
}

// read looks at a photo that is none of the samples.
func (e *eye) read(img image.Image) *sight {
	s := &sight{looks: looksOf(img)}
	grey := greyOf(img, readingSide)
	s.lines = e.reader.read(e.open, grey)
	if digits, box, ok := barcode(grey); ok {
		s.codes = append(s.codes, seenCode{Box: box})
		if !s.reads(digits) {
			s.lines = append(s.lines, seenLine{text: digits, clear: true})
		}
	}
	s.words = wordsOf(s.texts()...)
	return s
}

func (s *sight) reads(digits string) bool {
	for _, l := range s.lines {
		if strings.ReplaceAll(l.text, " ", "") == digits {
			return true
		}
	}
	return false
}

func (s *sight) texts() []string {
	var texts []string
	for _, l := range s.lines {
		texts = append(texts, l.text)
	}
	return texts
}

package answers

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// textReader reads text with the tesseract program; nil reads nothing.
type textReader struct {
	path      string
	languages func() string
	turn      chan struct{} // one tesseract at a time
}

// readingTime bounds the reading of one photo.
const readingTime = 5 * time.Second

// newTextReader returns the reader of Options.Tesseract. A path that cannot be run is an
// error; a missing tesseract on PATH is not.
func newTextReader(option string) (*textReader, error) {
	if option == "off" {
		return nil, nil
	}
	path, err := exec.LookPath(cmp.Or(option, "tesseract"))
	if err != nil && option == "" {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("Options.Tesseract: %w", err)
	}
	t := &textReader{path: path, turn: make(chan struct{}, 1)}
	t.languages = sync.OnceValue(t.installed)
	return t, nil
}

// installed joins the usable languages that tesseract has.
func (t *textReader) installed() string {
	ctx, cancel := context.WithTimeout(context.Background(), readingTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, t.path, "--list-langs").CombinedOutput()
	if err != nil {
		return "eng"
	}
	var have []string
	for _, lang := range strings.Fields(string(out)) {
		if lang == "eng" || lang == "kor" {
			have = append(have, lang)
		}
	}
	return cmp.Or(strings.Join(have, "+"), "eng")
}

// read returns the lines of which tesseract is sure enough; none if the program is
// absent, fails or takes longer than readingTime.
func (t *textReader) read(ctx context.Context, grey *image.Gray) []seenLine {
	if t == nil {
		return nil
	}
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return nil
	}
	defer func() { <-t.turn }()
	ctx, cancel := context.WithTimeout(ctx, readingTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, t.path, "stdin", "stdout", "-l", t.languages(), "--psm", "11", "tsv")
	cmd.Env = append(cmd.Environ(), "OMP_THREAD_LIMIT=1")
	cmd.Stdin = pgm(grey)
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	return linesOf(string(out), grey.Rect.Size())
}

// pgm encodes a picture as a portable grey map, a format without compression.
func pgm(grey *image.Gray) *bytes.Buffer {
	var b bytes.Buffer
	fmt.Fprintf(&b, "P5\n%d %d\n255\n", grey.Rect.Dx(), grey.Rect.Dy())
	for y := range grey.Rect.Dy() {
		b.Write(grey.Pix[y*grey.Stride:][:grey.Rect.Dx()])
	}
	return &b
}

// Confidences of tesseract, 0–100: below readableFrom a word is dropped, from
// clearFrom on it is certain.
const (
	readableFrom = 60
	clearFrom    = 85
)

// linesOf gathers the words of tesseract's TSV, of a picture of the given size,
// into lines. A line is clear when
// all its words are, those too doubtful to be kept included. A line of which
// one character is left is noise.
func linesOf(tsv string, size image.Point) []seenLine {
	var lines []seenLine
	var last string
	for row := range strings.Lines(tsv) {
		word, at, ok := parseWord(row, size)
		if !ok {
			continue
		}
		if at != last {
			lines, last = append(lines, word), at
			continue
		}
		l := &lines[len(lines)-1]
		l.text = strings.TrimSpace(l.text + " " + word.text)
		l.clear = l.clear && word.clear
		l.height = max(l.height, word.height)
		l.box = around(l.box, word.box)
	}
	return slices.DeleteFunc(lines, func(l seenLine) bool {
		return utf8.RuneCountInString(strings.Join(splitWords(l.text), "")) < 2
	})
}

// parseWord reads a row of the TSV: level, page, block, paragraph, line, word,
// left, top, width, height, confidence, text. At names the word's line. A
// doubtful word has no text.
func parseWord(row string, size image.Point) (word seenLine, at string, ok bool) {
	f := strings.Split(strings.TrimRight(row, "\r\n"), "\t")
	if len(f) != 12 || f[0] != "5" || len(splitWords(f[11])) == 0 {
		return word, "", false
	}
	confidence, err := strconv.ParseFloat(f[10], 64)
	var edges [4]int // left, top, width, height
	for i := range edges {
		n, edgeErr := strconv.Atoi(f[6+i])
		err = errors.Join(err, edgeErr)
		edges[i] = n
	}
	if err != nil {
		return word, "", false
	}
	at = strings.Join(f[1:5], ".")
	word.box = boxIn(size, edges)
	if confidence < readableFrom {
		return word, at, true
	}
	word.text, word.clear, word.height = strings.TrimSpace(f[11]), confidence >= clearFrom, edges[3]
	return word, at, true
}

// boxIn converts left, top, width and height in pixels to top, left, bottom and right in
// thousandths of the picture's size.
func boxIn(size image.Point, e [4]int) [4]int {
	if size.X <= 0 || size.Y <= 0 {
		return [4]int{}
	}
	return [4]int{e[1] * 1000 / size.Y, e[0] * 1000 / size.X, min(1000, (e[1]+e[3])*1000/size.Y+1), min(1000, (e[0]+e[2])*1000/size.X+1)}
}

// around returns the box around two boxes.
func around(a, b [4]int) [4]int {
	return [4]int{min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])}
}

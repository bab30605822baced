package gemini

import (
	"bytes"
	"cmp"
	"context"
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

// readingTime is the most one photo may take to read.
const readingTime = 5 * time.Second

// newTextReader follows Options.Tesseract. A path that cannot be run is an
// error; no tesseract on PATH is none.
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

// installed joins those of the languages we can use that tesseract has.
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

// read returns the lines tesseract is sure enough of. It reads nothing when
// the program is absent, fails or takes longer than readingTime.
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
	return linesOf(string(out))
}

// pgm is the portable grey map of a picture, a format without compression.
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

// linesOf gathers the words of tesseract's TSV into lines. A line is clear when
// all its words are, those too doubtful to be kept included. A line of which
// one character is left is noise.
func linesOf(tsv string) []seenLine {
	var lines []seenLine
	var last string
	for row := range strings.Lines(tsv) {
		word, at, ok := parseWord(row)
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
	}
	return slices.DeleteFunc(lines, func(l seenLine) bool {
		return utf8.RuneCountInString(strings.Join(splitWords(l.text), "")) < 2
	})
}

// parseWord reads a row of the TSV: level, page, block, paragraph, line, word,
// left, top, width, height, confidence, text. At names the word's line. A
// doubtful word has no text.
func parseWord(row string) (word seenLine, at string, ok bool) {
	f := strings.Split(strings.TrimRight(row, "\r\n"), "\t")
	if len(f) != 12 || f[0] != "5" || len(splitWords(f[11])) == 0 {
		return word, "", false
	}
	confidence, err := strconv.ParseFloat(f[10], 64)
	height, heightErr := strconv.Atoi(f[9])
	if err != nil || heightErr != nil {
		return word, "", false
	}
	at = strings.Join(f[1:5], ".")
	if confidence < readableFrom {
		return word, at, true
	}
	return seenLine{text: strings.TrimSpace(f[11]), clear: confidence >= clearFrom, height: height}, at, true
}

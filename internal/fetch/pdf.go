package fetch

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/ledongthuc/pdf"
)

// maxInflated is how large the streams of a PDF may become together, in bytes.
const maxInflated = 48 << 20

var (
	// oversized is a number that no PDF of our size has, by which the library would make
	// room for as many objects.
	oversized = regexp.MustCompile(`[\s\x00\[+]0*[1-9][0-9]{8,}[\s\x00\]/>%]`)
	// chained are streams that are compressed twice.
	chained = regexp.MustCompile(`/Fl(?:ateDecode)?[\s\[]*/Fl`)
	stream  = regexp.MustCompile(`stream\r?\n`)
)

// readPDF takes the text of a PDF's pages. The library follows what the file says, so
// the file is judged first, and may be read a bounded number of times.
func (d *Document) readPDF(body []byte) error {
	if end := bytes.LastIndex(body, []byte("%%EOF")); end > 0 {
		body = append(bytes.Replace(body[:end], []byte("%PDF-2.0"), []byte("%PDF-1.7"), 1), "%%EOF\n"...)
	}
	if oversized.Match(body) || chained.Match(body) || inflated(body) > maxInflated {
		return fmt.Errorf("%w: its parts are too large", ErrUnreadable)
	}
	file, err := pdf.NewReader(&budget{bytes.NewReader(body), 200*int64(len(body)) + 64<<20}, int64(len(body)))
	if err != nil {
		return fmt.Errorf("%w: %v", ErrUnreadable, err)
	}
	d.Title = strings.TrimSpace(file.Trailer().Key("Info").Key("Title").Text())
	var markdown strings.Builder
	for n := 1; n <= min(file.NumPage(), maxPages) && markdown.Len() < maxChars; n++ {
		words := pageText(file.Page(n))
		d.Parts = append(d.Parts, Part{fmt.Sprintf("page %d", n), words})
		fmt.Fprintf(&markdown, "## page %d\n\n%s\n\n", n, words)
	}
	d.Markdown = markdown.String()
	d.Truncated = len(d.Parts) < file.NumPage()
	return nil
}

// pageText is the text of a page, a line where the page begins one.
func pageText(p pdf.Page) string {
	var b strings.Builder
	var font pdf.TextEncoding
	show := func(v pdf.Value) {
		if font != nil && v.Kind() == pdf.String && b.Len() < maxChars {
			b.WriteString(font.Decode(v.RawString()))
		}
	}
	if p.V.Key("Contents").Kind() == pdf.Null {
		return ""
	}
	pdf.Interpret(p.V.Key("Contents"), func(stack *pdf.Stack, operator string) {
		args := make([]pdf.Value, stack.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stack.Pop()
		}
		switch n := len(args); {
		case operator == "Tf" && n == 2:
			f := p.Font(args[0].Name())
			font = f.Encoder()
		case operator == "Td" && n == 2 && args[1].Float64() == 0:
			b.WriteString(" ")
		case strings.Contains(" BT T* Td TD Tm ' \" ", " "+operator+" "):
			b.WriteString("\n")
		}
		for _, last := range args[max(0, len(args)-1):] {
			switch operator {
			case "Tj", "'", "\"":
				show(last)
			case "TJ":
				for i := range last.Len() {
					if gap := last.Index(i); gap.Float64() < -200 {
						b.WriteString(" ")
					}
					show(last.Index(i))
				}
			}
		}
	})
	return strings.TrimSpace(blank.ReplaceAllString(b.String(), "\n"))
}

var blank = regexp.MustCompile(`\s*\n\s*`)

// inflated is how large the compressed streams of a file are, as far as the bound.
func inflated(body []byte) (size int64) {
	for _, at := range stream.FindAllIndex(body, -1) {
		if plain, err := zlib.NewReader(bytes.NewReader(body[at[1]:])); err == nil {
			n, _ := io.CopyN(io.Discard, plain, maxInflated+1-size)
			if size += n; size > maxInflated {
				break
			}
		}
	}
	return size
}

// budget is a file that can be read so many bytes: a file whose parts name each other
// in a circle ends there.
type budget struct {
	io.ReaderAt
	left int64
}

func (b *budget) ReadAt(p []byte, at int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		panic("its parts name each other")
	}
	return b.ReaderAt.ReadAt(p, at)
}

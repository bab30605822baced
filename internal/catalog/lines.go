package catalog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// firstLine reads JSON Lines, the first of which was already read.
func (f *recordReader) firstLine(first map[string]json.RawMessage, each func(record) bool) error {
	data, err := json.Marshal(first)
	if err != nil {
		return err
	}
	f.text.drop(f.json.InputOffset())
	if !each(jsonRecord("products[0]", f.begin, data)) {
		return errStop
	}
	return f.lines(1, each)
}

// lines reads JSON Lines, from record number i on. A line that is no JSON is reported.
func (f *recordReader) lines(i int, each func(record) bool) error {
	for ; ; i++ {
		err := f.one(fmt.Sprintf("products[%d]", i), each)
		switch {
		case err == nil:
			continue
		case errors.Is(err, io.EOF):
			return f.text.err
		case f.text.err != nil || errors.Is(err, ErrFile) || errors.Is(err, errStop):
			return err
		}
		if err = f.brokenLine(err, each); err != nil {
			return err
		}
	}
}

// linesFollow reports whether the file, of which no record could be read, seems to be JSON Lines
// with a broken first one: two objects, each on a line.
func (f *recordReader) linesFollow() bool {
	if f.text.start > 0 || f.text.err != nil {
		return false
	}
	begin := len(f.text.kept) - len(bytes.TrimLeft(f.text.kept, space))
	end, err := f.text.lineEnd(begin)
	if first := f.text.kept[begin:end]; err != nil || !bytes.HasPrefix(first, []byte("{")) || bytes.Contains(first, []byte(`"products"`)) {
		return false
	}
	for err == nil && len(bytes.TrimLeft(f.text.kept[end:], space)) == 0 {
		err = f.text.more()
	}
	return bytes.HasPrefix(bytes.TrimLeft(f.text.kept[end:], space), []byte("{"))
}

// space is what JSON has between values.
const space = " \t\r\n"

// brokenLine reports the line in which the next record begins, which is no JSON because of why, and
// goes on behind it.
func (f *recordReader) brokenLine(why error, each func(record) bool) error {
	if f.text.start > 0 {
		f.text.drop(f.json.InputOffset())
	}
	begin := len(f.text.kept) - len(bytes.TrimLeft(f.text.kept, space))
	line, _ := f.text.place(begin)
	end, err := f.text.lineEnd(begin)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if errors.Is(why, io.ErrUnexpectedEOF) {
		why = errors.New("it ends in the middle")
	}
	if !each(record{place: fmt.Sprintf("line %d", line), line: line, broken: because(NotARecord, "it is no JSON: %w", why)}) {
		return errStop
	}
	rest := bytes.Clone(f.text.kept[end:])
	*f = *newRecordReader(io.MultiReader(bytes.NewReader(rest), f.text.r), line+1)
	return nil
}

// lineEnd returns the index in kept behind the line of byte n, for which it may read on.
func (w *window) lineEnd(n int) (int, error) {
	for {
		if i := bytes.IndexByte(w.kept[n:], '\n'); i >= 0 {
			return n + i + 1, nil
		}
		n = len(w.kept)
		if err := w.more(); err != nil {
			return len(w.kept), err
		}
	}
}

// more reads on.
func (w *window) more() error {
	_, err := w.Read(make([]byte, 4<<10))
	return err
}

// withLineFeeds returns a file whose first line ends with CR alone, as those of old Macintosh
// programs and of Excel's CSV (Macintosh), with LF in its place; any other file as it is.
func withLineFeeds(b *bufio.Reader) *bufio.Reader {
	begin, _ := b.Peek(readBuffer)
	i := bytes.IndexAny(begin, "\r\n")
	if i < 0 || begin[i] == '\n' || bytes.HasPrefix(begin[i:], []byte("\r\n")) {
		return b
	}
	return bufio.NewReaderSize(lineFeeds{b}, readBuffer)
}

// A lineFeeds reads each CR as LF.
type lineFeeds struct{ r io.Reader }

func (l lineFeeds) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, b := range p[:n] {
		if b == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

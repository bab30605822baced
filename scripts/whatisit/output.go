package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// An entry is the result of one photo.
type entry struct {
	at     int             // in the order of the command line
	data   []byte          // of a photo from standard input
	File   string          `json:"file"`
	Result json.RawMessage `json:"result"`
}

// keeping has the flags that name output files; a command without them writes none.
type keeping struct {
	Out  string `placeholder:"PATH" help:"Also write the JSON to a new file PATH, or to result_YYYYMMDD_HHMMSS.json if PATH is a folder or ends in /."`
	HTML string `name:"html" placeholder:"FILE" help:"Also write a self-contained web page with each photo, its result and the position of the evidence."`
}

// An output collects results for standard output and for the file that --out names.
// At any time, also if the process is killed, the file is a complete JSON list of the
// photos done so far: the write of an entry also closes the list. It is safe for
// concurrent use.
type output struct {
	single bool // the one result is the whole output, without a list

	mu      sync.Mutex
	entries []entry
	file    *os.File // nil without one
	page    *page    // nil without one
	end     int64    // where the list's closing bracket stands
}

// noFolder, like "", means that no output file was asked for.
const noFolder = "-"

// create creates the file at path or, if path is a folder or ends in a slash, in that
// folder, which is created too. It never overwrites a file: the second file within a
// second is result_…_2.json.
func create(path string, now time.Time, single bool) (*output, error) {
	o := &output{single: single}
	if path == "" || path == noFolder {
		return o, nil
	}
	if info, err := os.Stat(path); !strings.HasSuffix(path, "/") && (err != nil || !info.IsDir()) {
		o.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case errors.Is(err, fs.ErrExist):
			return nil, usage("--out: %s is there already: name another file, or a folder", path)
		case err != nil:
			return nil, usage("--out: %s", err)
		}
		return o, o.open()
	}
	return o, o.createIn(path, now)
}

// create creates the files that k names, none of which is a photo.
func (k keeping) create(now time.Time, single bool, photos []photo) (*output, error) {
	o, err := create(k.Out, now, single)
	if err != nil || k.HTML == "" {
		return o, err
	}
	var others []string
	for _, p := range photos {
		for _, one := range append([]photo{p}, p.more...) {
			others = append(others, one.name)
		}
	}
	if o.file != nil {
		others = append(others, o.file.Name())
	}
	if err = apart("--html", k.HTML, others...); err == nil {
		o.page, err = createPage(k.HTML)
	}
	if err != nil {
		return nil, errors.Join(err, o.discard())
	}
	return o, nil
}

// apart refuses to write the file that a flag names if it is one of the others, under
// whatever name. Of others, "-" is standard input. Devices such as /dev/null may be named
// twice.
func apart(flag, path string, others ...string) error {
	written, err := os.Stat(path)
	if err != nil || !written.Mode().IsRegular() {
		return nil
	}
	for _, other := range others {
		info, err := os.Stat(other)
		if other == standardInput {
			info, err = os.Stdin.Stat()
		}
		if err == nil && os.SameFile(written, info) {
			return usage("%s: %s would be written over %s: name another file", flag, path, other)
		}
	}
	return nil
}

// createIn creates the file in a folder.
func (o *output) createIn(folder string, now time.Time) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return usage("--out: %s", err)
	}
	stem := filepath.Join(folder, "result_"+now.Format("20060102_150405"))
	for n := 1; ; n++ {
		path := stem + ".json"
		if n > 1 {
			path = fmt.Sprintf("%s_%d.json", stem, n)
		}
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return usage("--out: %s", err)
		}
		o.file = f
		return o.open()
	}
}

// open writes an empty list to the file.
func (o *output) open() error {
	o.end = int64(len("["))
	_, err := o.file.WriteAt([]byte("[\n]\n"), 0)
	return err
}

// add appends e to the entries and to the file.
func (o *output) add(e entry) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.entries = append(o.entries, e)
	if o.file == nil {
		return nil
	}
	text := append([]byte("\n"), encode(e)...)
	if len(o.entries) > 1 {
		text = append([]byte(","), text...)
	}
	text = bytes.TrimRight(text, "\n")
	if _, err := o.file.WriteAt(append(text, "\n]\n"...), o.end); err != nil {
		return fmt.Errorf("keep the result of %s: %w", e.File, err)
	}
	o.end += int64(len(text))
	return nil
}

// finish sorts the entries in the order of the command line, writes them to the file and
// to out, and returns the file's path. The path is "" without a file or without entries;
// a file without entries is removed.
func (o *output) finish(out io.Writer) (path string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	slices.SortFunc(o.entries, func(a, b entry) int { return a.at - b.at })
	var text []byte
	switch {
	case len(o.entries) == 0:
		return "", o.discard()
	case o.single:
		text = encode(o.entries[0].Result)
	default:
		text = encode(o.entries)
	}
	if o.file != nil {
		path, err = o.file.Name(), o.replace(text)
	}
	_, printed := out.Write(text)
	return path, errors.Join(err, printed)
}

// discard removes the files of an empty output.
func (o *output) discard() error {
	if len(o.entries) == 0 {
		o.page.discard()
	}
	if o.file == nil || len(o.entries) > 0 {
		return nil
	}
	err := errors.Join(o.file.Close(), os.Remove(o.file.Name()))
	o.file = nil
	return err
}

// replace replaces the file's content by text, atomically.
func (o *output) replace(text []byte) error {
	path := o.file.Name()
	whole, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return errors.Join(err, o.file.Close())
	}
	_, err = whole.Write(text)
	if err == nil {
		err = whole.Chmod(mode(o.file))
	}
	err = errors.Join(err, whole.Sync(), whole.Close(), o.file.Close())
	if err == nil {
		err = os.Rename(whole.Name(), path)
	}
	if err != nil {
		_ = os.Remove(whole.Name())
	}
	return err
}

// mode returns the file's permissions, as reduced by the user's umask.
func mode(f *os.File) fs.FileMode {
	info, err := f.Stat()
	if err != nil {
		return 0o600
	}
	return info.Mode().Perm()
}

// results returns standard output if a program reads it. On a terminal it discards, as
// the user has already seen a line for each photo.
func (c *console) results() io.Writer {
	if c.wantsJSON() {
		return c.out
	}
	return io.Discard
}

// line prints v as JSON on one line.
func (c *console) line(v any) error {
	_, err := c.out.Write(encodeWith("", v))
	return err
}

// encode returns v as indented JSON, with HTML characters unescaped and terminal control
// characters escaped.
func encode(v any) []byte { return encodeWith("  ", v) }

func encodeWith(indent string, v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("whatisit: encode %T: %v", v, err)) // raw messages were validated when they were received
	}
	return escaped(b.Bytes())
}

// escaped replaces characters that are neither graphic nor ASCII by \u escapes. In valid
// JSON they occur only within strings.
func escaped(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r < 0x7f || r != 0x7f && unicode.IsGraphic(r):
			out = append(out, text[:n]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[n:]
	}
	return out
}

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

// An entry is what became of one photo.
type entry struct {
	at     int             // in the order of the command line
	File   string          `json:"file"`
	Result json.RawMessage `json:"result"`
}

// keeping says which files a command writes beside what it prints. Without a flag there
// are none.
type keeping struct {
	Out  string `placeholder:"PATH" help:"Also keep the JSON: in a new file PATH, or as result_YYYYMMDD_HHMMSS.json where PATH is a folder or ends in /."`
	HTML string `name:"html" placeholder:"FILE" help:"Also write a page for people: each photo with what was found and where it stands. It needs no other file."`
}

// An output is the file that --out names, if it does, and what will go to standard
// output. While photos are analysed the file is a whole JSON list of what is done
// so far, whenever one looks and however the process ends: the write of an entry
// also closes the list. It is safe for concurrent use.
type output struct {
	single bool // the one result is the whole output, without a list

	mu      sync.Mutex
	entries []entry
	file    *os.File // nil without one
	page    *page    // nil without one
	end     int64    // where the list's closing bracket stands
}

// noFolder stands for no file, as "" does.
const noFolder = "-"

// create makes the file at path or, where that is a folder or ends in a slash, in it;
// the folder is made as well. It never is a file that was there before: the second of a
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

// create makes the files that k names.
func (k keeping) create(now time.Time, single bool) (*output, error) {
	o, err := create(k.Out, now, single)
	if err != nil || k.HTML == "" {
		return o, err
	}
	if o.page, err = createPage(k.HTML); err != nil {
		return nil, errors.Join(err, o.discard())
	}
	return o, nil
}

// createIn makes the file in a folder.
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

// open writes the list that has no entries yet.
func (o *output) open() error {
	o.end = int64(len("["))
	_, err := o.file.WriteAt([]byte("[\n]\n"), 0)
	return err
}

// add keeps e, in the file too.
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

// finish puts what is done in the order of the command line, in the file and to
// out, and returns the file's path: "" if there is none, or if nothing was done,
// when the file goes.
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

// discard removes the files of an output that holds nothing.
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

// replace makes text the file's content, at once.
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

// mode is what the user's mask left of the file's permissions.
func mode(f *os.File) fs.FileMode {
	info, err := f.Stat()
	if err != nil {
		return 0o600
	}
	return info.Mode().Perm()
}

// results is where results go: standard output if a program reads it, else nowhere, as
// people have seen the lines.
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

// encode is v as indented JSON, HTML as it is, and without letters that would
// steer the terminal it may be printed on.
func encode(v any) []byte { return encodeWith("  ", v) }

func encodeWith(indent string, v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("whatisit: encode %T: %v", v, err)) // raw messages were checked when they came
	}
	return escaped(b.Bytes())
}

// escaped writes what is not graphic and not ASCII as \u escapes. In JSON such
// letters stand in strings only.
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

package catalog

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
)

// The namespaces of the elements that are read; those of RSS 2.0 are in none.
const (
	merchantSpace = "http://base.google.com/ns/1.0"
	atomSpace     = "http://www.w3.org/2005/Atom"
)

// maxNesting is how deep elements of a feed may be nested.
const maxNesting = 32

// isXML reports whether the file begins as XML does.
func isXML(r *bufio.Reader) bool {
	begin, _ := r.Peek(readBuffer)
	return bytes.HasPrefix(bytes.TrimLeft(begin, space), []byte("<"))
}

// itemStart matches the begin of an item of RSS, Atom, and of other lists of products.
var itemStart = regexp.MustCompile(`<(item|entry|product|offer|SHOPITEM)[\s/>]`)

// declaredCharset matches the character set that XML declares.
var declaredCharset = regexp.MustCompile(`^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']`)

// A feedReader reads the items of a feed one by one. It holds only the current item in memory, and no entity
// but those of XML and HTML stands for anything.
type feedReader struct {
	r              *bufio.Reader
	text           []byte         // read, and not yet part of an item
	line           int            // of the first byte of text
	end            bool           // no more can be read
	root, rootName string         // the start tag of the root, which declares namespaces
	name           string         // of the items
	start          *regexp.Regexp // matches where an item of that name begins
}

// readFeed reads the items of a feed as records. Decoded says that the file was decoded from the character
// set that it may declare.
func readFeed(r *bufio.Reader, decoded bool, format Format, each func(record) bool, fault func(Fault)) error {
	begin, _ := r.Peek(readBuffer)
	if m := declaredCharset.FindSubmatch(begin); m != nil && !decoded && !strings.HasPrefix(strings.ToLower(string(m[1])), "utf-") {
		of, err := htmlindex.Get(string(m[1]))
		if err != nil {
			return fmt.Errorf("%w: the character set %.40q is unknown", ErrFile, m[1])
		}
		r = bufio.NewReaderSize(of.NewDecoder().Reader(r), readBuffer)
	}
	f := &feedReader{r: r, line: 1}
	if err := f.prolog(); err != nil {
		return err
	}
	rows := newRowsReader(format, nil, each, fault)
	rows.feed = true
	for n := 1; f.name != ""; n++ {
		one, err := f.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if wrong := rows.end(); wrong != nil && !errors.Is(wrong, ErrFile) {
				return wrong
			}
			return err
		}
		one.place = fmt.Sprintf("item %d", n)
		if err := rows.add(one); err != nil {
			return err
		}
	}
	return rows.end()
}

// more reads on.
func (f *feedReader) more() error {
	if len(f.text) > maxRecord {
		return errLongRecord
	}
	part := make([]byte, 32<<10)
	n, err := f.r.Read(part)
	if f.text = append(f.text, part[:n]...); errors.Is(err, io.EOF) {
		f.end = true
		return nil
	}
	return err
}

// skip drops the first n bytes.
func (f *feedReader) skip(n int) {
	f.line += bytes.Count(f.text[:n], []byte("\n"))
	f.text = f.text[n:]
}

// prolog reads what stands before the first item: the root and what describes the feed.
func (f *feedReader) prolog() error {
	at := itemStart.FindSubmatchIndex(f.text)
	for ; at == nil && !f.end; at = itemStart.FindSubmatchIndex(f.text) {
		if err := f.more(); err != nil {
			return err
		}
	}
	head := f.text
	if at != nil {
		head = f.text[:at[0]]
	}
	tokens := xml.NewDecoder(bytes.NewReader(head))
	tokens.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	for depth := 0; f.root == "" || at == nil; {
		before := tokens.InputOffset()
		token, err := tokens.Token()
		if errors.Is(err, io.EOF) && f.root != "" {
			return nil
		}
		if err != nil {
			line, _ := tokens.InputPos()
			return fmt.Errorf("%w: it is no XML from line %d on: %w", ErrFile, line, err)
		}
		switch element := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxNesting {
				return fmt.Errorf("%w: its elements are nested deeper than %d", ErrFile, maxNesting)
			}
			if f.root == "" {
				f.rootName, _, _ = strings.Cut(strings.TrimLeft(string(head[before:tokens.InputOffset()]), " <\t\r\n"), " ")
				f.rootName = strings.Trim(f.rootName, ">/\r\n\t")
				if f.root = string(head[before:tokens.InputOffset()]); strings.EqualFold(element.Name.Local, "html") {
					return fmt.Errorf("%w: it is XML of %.40q, want a feed of products", ErrFile, element.Name.Local)
				}
			}
		case xml.EndElement:
			depth--
		}
	}
	f.name = string(f.text[at[2]:at[3]])
	f.start = regexp.MustCompile(`<` + f.name + `[\s/>]`)
	f.skip(at[0])
	return nil
}

// next returns the next item: up to its end, or where another begins, which breaks it.
func (f *feedReader) next() (one row, err error) {
	end := []byte("</" + f.name + ">")
	at := f.start.FindIndex(f.text)
	for ; at == nil; at = f.start.FindIndex(f.text) {
		if f.end {
			if !bytes.Contains(f.text, []byte("</"+f.rootName)) {
				return one, fmt.Errorf("%w: it breaks off at line %d, where no XML ends", ErrFile, f.line)
			}
			return one, io.EOF
		}
		if keep := len(f.text) - readBuffer; keep > 0 {
			f.skip(keep)
		}
		if err := f.more(); err != nil {
			return one, err
		}
	}
	f.skip(at[0])
	one.line = f.line
	for {
		i := bytes.Index(f.text, end)
		second := f.start.FindIndex(f.text[1:])
		if i >= 0 && (second == nil || i < second[0]+1) {
			text := f.text[:i+len(end)]
			f.read(&one, text)
			f.skip(len(text))
			return one, nil
		}
		if second != nil {
			one.broken = because(NotARecord, "its element does not end before the next one begins")
			f.skip(second[0] + 1)
			return one, nil
		}
		if f.end {
			return one, fmt.Errorf("%w: it breaks off in the item of line %d: no XML ends there", ErrFile, f.line)
		}
		if err := f.more(); err != nil {
			return one, err
		}
	}
}

// read reads an item as a row.
func (f *feedReader) read(one *row, text []byte) {
	texts := []string{string(text)}
	if one.words, one.broken = decodeLegacy(texts); one.broken != nil {
		return
	}
	tokens := xml.NewDecoder(strings.NewReader(f.root + escapedAmpersands(texts[0])))
	tokens.Entity = xml.HTMLEntity
	if one.cells, one.broken = itemCells(tokens); one.broken != nil {
		one.broken = because(NotARecord, "it is no XML: %w", one.broken)
	}
}

// ampersand matches one, and what makes an entity of it.
var ampersand = regexp.MustCompile(`<!\[CDATA\[(?s:.*?)\]\]>|&(?:#\d+;|#x[0-9a-fA-F]+;|\w+;)?`)

// escapedAmpersands returns XML in which an ampersand that begins no entity stands for itself.
func escapedAmpersands(text string) string {
	return ampersand.ReplaceAllStringFunc(text, func(found string) string {
		if found == "&" {
			return "&amp;"
		}
		return found
	})
}

// itemCells reads an item, behind its root. The elements of Google's namespace count before those of the feed
// itself, as the id of an Atom entry.
func itemCells(tokens *xml.Decoder) ([]cell, error) {
	var google, own, detail []cell
	var path []xml.StartElement
	var text strings.Builder
	for {
		token, err := tokens.Token()
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if path = append(path, t.Copy()); len(path) > maxNesting {
				return nil, fmt.Errorf("its elements are nested deeper than %d", maxNesting)
			}
			text.Reset()
			if len(path) == 3 && t.Name.Space != merchantSpace {
				text.WriteString(address(t))
			}
		case xml.CharData:
			text.Write(t)
		case xml.EndElement:
			if len(path) == 2 {
				return merged(google, own), nil
			}
			name, space := t.Name.Local, path[len(path)-1].Name.Space
			switch {
			case len(path) == 3 && name == "product_detail":
				google = append(google, cell{name, pairOf(detail)})
				detail = nil
			case len(path) == 3 && (space == merchantSpace || space == "g"):
				google = append(google, cell{name, text.String()})
			case len(path) == 3 && (space == "" || space == atomSpace):
				own = append(own, cell{name, text.String()})
			case len(path) == 4:
				detail = append(detail, cell{name, strings.TrimSpace(text.String())})
			}
			text.Reset()
			path = path[:len(path)-1]
		}
	}
}

// pairOf returns the name and the value of a product_detail.
func pairOf(detail []cell) string {
	var name, value string
	for _, c := range detail {
		switch c.column {
		case "attribute_name":
			name = c.text
		case "attribute_value":
			value = c.text
		}
	}
	return strings.ReplaceAll(name, ":", " ") + ":" + strings.ReplaceAll(value, ":", " ")
}

// merged returns the cells of Google's namespace, and those of the feed that it does not have.
func merged(google, own []cell) []cell {
	has := map[string]bool{}
	for _, c := range google {
		has[c.column] = true
	}
	for _, c := range own {
		if !has[c.column] {
			google = append(google, c)
		}
	}
	return google
}

// address returns the address of the page to which a link of Atom leads.
func address(link xml.StartElement) (href string) {
	for _, a := range link.Attr {
		switch {
		case a.Name.Local == "href":
			href = a.Value
		case a.Name.Local == "rel" && a.Value != "alternate":
			return ""
		}
	}
	return href
}

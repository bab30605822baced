package catalog

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

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

// A feedReader reads an RSS or Atom feed item by item. It holds only the current item in
// memory, and no entity but those of XML and HTML stands for anything.
type feedReader struct {
	text  *rowReader
	xml   *xml.Decoder
	depth int  // of the elements around the current item
	root  bool // was read
}

// readFeed reads the items of a Merchant feed as records. Decoded says that the file was decoded
// from the character set that it may declare.
func readFeed(r *bufio.Reader, decoded bool, now time.Time, each func(record) bool) error {
	f := &feedReader{text: &rowReader{r: r}}
	f.xml = xml.NewDecoder(f.text)
	f.xml.Entity = xml.HTMLEntity
	f.xml.CharsetReader = func(charset string, input io.Reader) (io.Reader, error) {
		if decoded || strings.HasPrefix(strings.ToLower(charset), "utf-") {
			return input, nil
		}
		of, err := htmlindex.Get(charset)
		if err != nil {
			return nil, fmt.Errorf("the character set %.40q is unknown", charset)
		}
		return of.NewDecoder().Reader(input), nil
	}
	for n := 1; ; n++ {
		item, line, err := f.next()
		if errors.Is(err, io.EOF) && f.root {
			return nil
		}
		if err != nil {
			return f.failed(err)
		}
		one := record{place: fmt.Sprintf("item %d", n), line: line}
		item.fill(&one, now)
		if !each(one) {
			return errStop
		}
	}
}

// next returns the next item, and the line on which it begins; io.EOF after the last.
func (f *feedReader) next() (item attributes, line int, err error) {
	for {
		f.text.n = 0
		token, err := f.xml.Token()
		if err != nil {
			return nil, 0, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			name := t.Name.Local
			switch {
			case f.depth == 0 && !slices.Contains([]string{"rss", "feed", "RDF"}, name):
				return nil, 0, fmt.Errorf("%w: it is XML of %.40q, want an RSS or Atom feed of products", ErrFile, name)
			case f.depth > 0 && (name == "item" || name == "entry"):
				line, _ = f.xml.InputPos()
				item, err = f.item()
				return item, line, err
			case f.depth == maxNesting:
				return nil, 0, errNesting
			}
			f.depth, f.root = f.depth+1, true
		case xml.EndElement:
			f.depth--
		}
	}
}

var errNesting = fmt.Errorf("%w: its elements are nested deeper than %d", ErrFile, maxNesting)

// item reads the rest of an item. The attributes of Google's namespace count before those of the
// feed itself, as the id of an Atom entry.
func (f *feedReader) item() (attributes, error) {
	google, own := attributes{}, attributes{}
	var into attributes
	var name string
	var text strings.Builder
	for depth := 0; ; {
		token, err := f.xml.Token()
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth == maxNesting {
				return nil, errNesting
			}
			if depth > 1 { // of shipping, say
				continue
			}
			text.Reset()
			name, into = attributeName(t.Name.Local), nil
			switch t.Name.Space {
			case merchantSpace, "g":
				into = google
			case "", atomSpace:
				into = own
				text.WriteString(address(t))
			}
		case xml.CharData:
			if depth == 1 {
				text.Write(t)
			}
		case xml.EndElement:
			if depth == 0 {
				for name, values := range own {
					if google[name] == nil {
						google[name] = values
					}
				}
				return google, nil
			}
			if depth--; depth == 0 && into != nil {
				into.add(name, text.String())
			}
		}
	}
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

// failed returns the error of a feed that is malformed, or the error of reading it.
func (f *feedReader) failed(err error) error {
	var wrong *xml.SyntaxError
	switch {
	case f.text.err != nil:
		return f.text.err
	case errors.Is(err, ErrFile):
		return err
	case errors.As(err, &wrong) && wrong.Msg == "invalid UTF-8":
		return fmt.Errorf("%w: from line %d on it is not UTF-8: name its character set", ErrFile, wrong.Line)
	case errors.As(err, &wrong):
		return fmt.Errorf("%w: it is no XML from line %d on: %s", ErrFile, wrong.Line, wrong.Msg)
	}
	return fmt.Errorf("%w: %w", ErrFile, err)
}

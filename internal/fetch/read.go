package fetch

import (
	"bytes"
	"fmt"
	"regexp"

	"golang.org/x/net/html"
)

// A Document is what a Page says, for a reader or a model.
type Document struct {
	URL      string
	Title    string
	Language string // as the page says, such as es-AR; often empty
	// Markdown is the text that a reader of the page sees, without navigation. Markdown
	// escapes some characters: compare quotes by their letters and digits (fold).
	Markdown  string
	Links     []Link // of pages and sitemaps, navigation included, each address once
	Parts     []Part // of PDF, XLSX and CSV
	Truncated bool   // the page was cut, or has more links, cells or pages than are kept
}

// A Link leads from a page to another address.
type Link struct{ URL, Text string }

// A Part can be quoted: Where is "page 3", "Emissions!B4" or, of CSV, "B4".
type Part struct{ Where, Text string }

// How much of a page is kept.
const (
	maxLinks = 2000
	maxCells = 20_000
	maxPages = 300
	maxChars = 2 << 20 // of the text of a file
)

// opening lets one file at a time be opened, since one may take much memory.
var opening = make(chan struct{}, 1)

// Read reads a page that Get has fetched. A file that no library could open is
// ErrUnreadable; a page is never, but may be empty.
func Read(p Page) (d Document, err error) {
	d = Document{URL: p.URL, Truncated: p.Truncated}
	switch p.ContentType {
	case HTML:
		return d, d.readHTML(p.Body)
	case CSV:
		return d, d.readCSV(p.Body)
	case XML:
		d.readSitemap(p.Body)
	case PDF, XLSX:
		opening <- struct{}{}
		defer func() {
			<-opening
			if r := recover(); r != nil {
				err = fmt.Errorf("%w: %v", ErrUnreadable, r)
			}
		}()
		if p.ContentType == PDF {
			return d, d.readPDF(p.Body)
		}
		return d, d.readXLSX(p.Body)
	}
	d.Markdown = string(p.Body)
	return d, nil
}

var location = regexp.MustCompile(`<loc>\s*([^<]+?)\s*</loc>`)

// readSitemap lists the addresses of a sitemap, or of an index of sitemaps.
func (d *Document) readSitemap(body []byte) {
	for _, found := range location.FindAllSubmatch(bytes.ReplaceAll(body, []byte("<![CDATA["), nil), maxLinks) {
		d.link(html.UnescapeString(string(bytes.TrimSuffix(found[1], []byte("]]>")))), "", nil)
	}
}

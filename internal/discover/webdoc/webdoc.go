// Package webdoc converts web pages and files to texts that can be quoted.
//
//	fetch.Page → a child process → Document: Markdown, links, and parts that can be quoted
//
// It reads HTML, PDF, XLSX, CSV, and ZIP archives of such files; the metadata of datasets in
// JSON-LD and in the answers of catalogues, by their shape; records of ISO 19139, RDF and feeds in
// XML. From Turtle, a sitemap or a robots.txt it reads the links. Text that is invisible on the
// page is left out.
package webdoc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/whatis/internal/fetch"
	"example.com/whatis/internal/usererror"
)

// A Document is the content of a fetch.Page, for a person or a model.
type Document struct {
	URL   string
	Title string
	// Markdown is the visible text of the page, without navigation. Markdown escapes some
	// characters: compare quotations by their letters and digits only.
	Markdown  string
	Links     []Link   // of a page with its navigation, a sitemap or a robots.txt; without duplicates
	Parts     []Part   // of PDF, XLSX, CSV and ZIP
	Unread    []string // members of a ZIP that are not read
	Records   []Record // of a catalogue: the datasets that it lists
	CKAN      string   // of a page of a CKAN catalogue: the address of the catalogue
	Truncated bool     // the page was cut, or has more links, cells or pages than the limits

	linked map[string]bool // addresses in Links, while the page is read
	cells  int             // how many it may have; 0 is maxCells
}

// A Link is a link to another address, in canonical form (fetch.Canonical). Whether the
// address may be fetched is checked when it is.
type Link struct {
	URL, Text string
	Near      string `json:",omitempty"` // the heading above it, and the row, item or paragraph that it stands in
	Format    string `json:",omitempty"` // of the data file that it seems to lead to: "CSV"
}

// A Part can be quoted: Where is "page 3", "Emissions!B4" or, in CSV, "B4"; in a ZIP the name
// of the member stands before it: "2020.xlsx: Emissions!B4".
type Part struct{ Where, Text string }

const (
	maxLinks  = 2000
	maxNested = 8
)

// ErrUnreadable is the error for a file that no library could open. Callers may read its
// text.
var ErrUnreadable = usererror.New("webdoc", "the file is damaged, encrypted or not what it says it is: use another copy")

// read converts a fetched page. A file that no library could open gives ErrUnreadable.
func read(p fetch.Page) (d Document, err error) {
	d = Document{URL: p.URL, Truncated: p.Truncated, linked: map[string]bool{}}
	defer func() {
		d.linked = nil
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", ErrUnreadable, r)
		}
	}()
	return d, d.readAs(p)
}

// readAs reads a page by its content type.
func (d *Document) readAs(p fetch.Page) error {
	switch p.ContentType {
	case fetch.HTML:
		return d.readHTML(p.Text())
	case fetch.CSV:
		return d.readCSV(p.Text())
	case fetch.PDF:
		return d.readPDF(p.Body)
	case fetch.XLSX:
		return d.readXLSX(p.Body)
	case fetch.ZIP:
		return d.readZIP(p.Body)
	}
	text := p.Text()
	at, err := url.Parse(p.URL)
	switch {
	case err != nil:
		return err
	case p.ContentType == fetch.JSON && d.readMetadata(at, text), p.ContentType == fetch.XML && !sitemap.Match(text) && d.readXML(at, text):
		return nil
	case p.ContentType == fetch.JSON:
		text = escapes.ReplaceAllFunc(text, unescaped)
	}
	listed := sitemap
	if p.ContentType == fetch.Turtle { // what it says of its addresses is not read
		listed = referred
	}
	for _, found := range listed.FindAllSubmatch(text, -1) {
		d.link(&url.URL{}, html.UnescapeString(string(found[1])), Link{})
	}
	d.Markdown = string(text)
	return nil
}

// escapes matches letters of JSON that are written as their codes, and backslashes that are none of these.
var escapes = regexp.MustCompile(`\\\\|(?:\\u[0-9a-fA-F]{4})+`)

// unescaped returns the letters of an escape, without control characters.
func unescaped(escape []byte) []byte {
	var letters string
	if escape[1] == '\\' || json.Unmarshal([]byte(`"`+string(escape)+`"`), &letters) != nil {
		return escape
	}
	return bytes.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, []byte(letters))
}

// referred matches addresses in Turtle: <http://…>.
var referred = regexp.MustCompile(`<(https?://[^<>"\s]+)>`)

// sitemap matches the entries of a sitemap, and the sitemaps in a robots.txt.
var sitemap = regexp.MustCompile(`(?im)(?:<loc>\s*(?:<!\[CDATA\[)?|^sitemap:)\s*([^<\s\]]+)`)

// readHTML converts the visible text: it removes hidden elements, lists the links, removes
// navigation, and converts the rest to Markdown.
func (d *Document) readHTML(body []byte) error {
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: %v", ErrUnreadable, err)
	}
	address, err := url.Parse(d.URL)
	if err != nil {
		return err
	}
	at := address
	for n := range root.Descendants() {
		switch n.Data {
		case "title":
			d.Title = cmp.Or(d.Title, text(n))
		case "base": // the first one counts
			if base, err := address.Parse(attribute(n, "href")); err == nil && at == address {
				at = base
			}
		}
	}
	d.readScripts(root, at)
	said := d.Markdown
	hidden := styledAway(root)
	remove(root, func(n *html.Node) bool {
		return hidden[n] || unseen.Match(n) || invisible.MatchString(styleOf(n))
	})
	removeBlended(root, "#ffffff")
	d.readLinks(root, at)
	remove(root, navigation.Match)
	flatten(root, 0)
	d.Truncated = layOut(root) || d.Truncated
	markdown, err := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
		table.NewTablePlugin(table.WithHeaderPromotion(true), table.WithSpanCellBehavior(table.SpanBehaviorMirror), table.WithSkipEmptyRows(true), table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal)))).ConvertNode(root, converter.WithDomain(at.String()))
	d.Truncated = d.Truncated || len(markdown) > maxChars
	d.Markdown = strings.ToValidUTF8(string(markdown[:min(len(markdown), maxChars)])+said, "")
	return err
}

// link adds a link of a page at base, unless it is there.
func (d *Document) link(base *url.URL, target string, l Link) {
	u, err := base.Parse(target)
	if err != nil || target == "" {
		return
	}
	if len(d.Links) == maxLinks {
		d.Truncated = true
		return
	}
	address, err := fetch.Canonical(u.String())
	if err == nil && !d.linked[address] {
		d.linked[address] = true
		l.URL = address
		l.Format = cmp.Or(FormatOf(address), l.Format)
		d.Links = append(d.Links, l)
	}
}

// flatten makes deeply nested lists and quotes, which repeat a mark on every line of the Markdown,
// blocks.
func flatten(n *html.Node, depth int) {
	switch n.Data {
	case "blockquote", "ul", "ol", "dl":
		if depth++; depth > maxNested {
			rename(n, atom.Div)
		}
	}
	for c := range n.ChildNodes() {
		flatten(c, depth)
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

// text returns the text of an element with collapsed spaces.
func text(n *html.Node) string {
	var words []string
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			words = append(words, strings.Fields(c.Data)...)
		}
	}
	return strings.Join(words, " ")
}

// remove removes comments and unwanted elements.
func remove(n *html.Node, unwanted func(*html.Node) bool) {
	for _, c := range slices.Collect(n.ChildNodes()) {
		if c.Type == html.CommentNode || c.Type == html.ElementNode && unwanted(c) {
			n.RemoveChild(c)
		} else {
			remove(c, unwanted)
		}
	}
}

var (
	unseen     = cascadia.MustCompile("script, style, noscript, template, svg, canvas, object, embed, input, dialog, [hidden], [aria-hidden=true]")
	navigation = cascadia.MustCompile("nav, iframe, frame, [role=navigation]")
	linking    = cascadia.MustCompile("a[href], area[href], iframe[src], frame[src]")
)

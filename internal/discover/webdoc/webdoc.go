// Package webdoc converts web pages and files to texts that can be quoted.
//
//	fetch.Page → Document: Markdown, links, and parts that can be quoted
//
// It reads HTML, PDF, XLSX and CSV; from a sitemap or a robots.txt it reads the links. Text
// that is invisible on the page is left out.
package webdoc

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/whatis/internal/discover/fetch"
	"example.com/whatis/internal/usererror"
)

// A Document is the content of a fetch.Page, for a person or a model.
type Document struct {
	URL      string
	Title    string
	Language string // as declared by the page, such as es-AR; often empty
	// Markdown is the visible text of the page, without navigation. Markdown escapes some
	// characters: compare quotations by their letters and digits only.
	Markdown  string
	Links     []Link // of a page with its navigation, a sitemap or a robots.txt; without duplicates
	Parts     []Part // of PDF, XLSX and CSV
	Truncated bool   // the page was cut, or has more links, cells or pages than the limits
}

// A Link is a link to another address, in canonical form (fetch.Canonical). Whether the
// address may be fetched is checked when it is.
type Link struct{ URL, Text string }

// A Part can be quoted: Where is "page 3", "Emissions!B4" or, in CSV, "B4".
type Part struct{ Where, Text string }

const (
	maxLinks   = 2000
	maxNested  = 8
	maxColumns = 200
	maxHiding  = 100 // style sheet rules that hide elements
)

// opening allows one file to be opened at a time, because one may need much memory.
var opening = make(chan struct{}, 1)

// ErrUnreadable is the error for a file that no library could open. Callers may read its
// text.
var ErrUnreadable = usererror.New("webdoc", "the file is damaged, encrypted or not what it says it is: use another copy")

// Read converts a fetched page. A file that no library could open gives ErrUnreadable.
func Read(p fetch.Page) (d Document, err error) {
	d = Document{URL: p.URL, Truncated: p.Truncated}
	opening <- struct{}{}
	defer func() {
		<-opening
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", ErrUnreadable, r)
		}
	}()
	switch p.ContentType {
	case fetch.HTML:
		return d, d.readHTML(p.Body)
	case fetch.CSV:
		return d, d.readCSV(p.Body)
	case fetch.PDF:
		return d, d.readPDF(p.Body)
	case fetch.XLSX:
		return d, d.readXLSX(p.Body)
	}
	for _, found := range sitemap.FindAllSubmatch(p.Body, -1) {
		d.link(&url.URL{}, html.UnescapeString(string(found[1])), "")
	}
	d.Markdown = string(p.Body)
	return d, nil
}

// sitemap matches the entries of a sitemap, and the sitemaps in a robots.txt.
var sitemap = regexp.MustCompile(`(?im)(?:<loc>\s*(?:<!\[CDATA\[)?|^sitemap:)\s*([^<\s\]]+)`)

// readHTML converts the visible text: it removes hidden elements, lists the links, removes
// navigation, and converts the rest to Markdown.
func (d *Document) readHTML(body []byte) error {
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: %v", ErrUnreadable, err)
	}
	at, err := url.Parse(d.URL)
	if err != nil {
		return err
	}
	for n := range root.Descendants() {
		switch n.Data {
		case "html":
			d.Language = attribute(n, "lang")
		case "title":
			d.Title = cmp.Or(d.Title, text(n))
		case "base":
			if base, err := at.Parse(attribute(n, "href")); err == nil {
				at = base
			}
		}
	}
	hidden := styledAway(root)
	remove(root, func(n *html.Node) bool {
		return hidden[n] || unseen.Match(n) || invisible.MatchString(styleOf(n))
	})
	removeBlended(root, "#ffffff")
	for _, n := range cascadia.QueryAll(root, linking) {
		d.link(at, cmp.Or(attribute(n, "href"), attribute(n, "src")), cmp.Or(text(n), attribute(n, "title"), attribute(n, "aria-label")))
	}
	remove(root, navigation.Match)
	flatten(root, 0)
	markdown, err := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
		table.NewTablePlugin(table.WithHeaderPromotion(true), table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal)))).ConvertNode(root, converter.WithDomain(at.String()))
	d.Truncated = d.Truncated || len(markdown) > maxChars
	d.Markdown = strings.ToValidUTF8(string(markdown[:min(len(markdown), maxChars)]), "")
	return err
}

// link adds a link of a page at base, unless it is there.
func (d *Document) link(base *url.URL, target, words string) {
	u, err := base.Parse(target)
	if err != nil || target == "" {
		return
	}
	if len(d.Links) == maxLinks {
		d.Truncated = true
		return
	}
	address, err := fetch.Canonical(u.String())
	if err == nil && !slices.ContainsFunc(d.Links, func(l Link) bool { return l.URL == address }) {
		d.Links = append(d.Links, Link{address, words})
	}
}

// flatten removes structures that would make the Markdown much larger than the page: deeply
// nested lists and quotes, which repeat a mark on every line, cells that span others, which
// are repeated, and extremely wide rows, to whose width all others are padded.
func flatten(n *html.Node, depth int) {
	switch n.Data {
	case "blockquote", "ul", "ol", "dl":
		if depth++; depth > maxNested {
			n.Data, n.DataAtom = "div", atom.Div
		}
	case "tr":
		cells := slices.Collect(n.ChildNodes())
		for _, c := range cells[min(len(cells), maxColumns):] {
			n.RemoveChild(c)
		}
	case "td", "th":
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool {
			return a.Key == "rowspan" || a.Key == "colspan" && !smallSpan.MatchString(a.Val)
		})
	}
	for c := range n.ChildNodes() {
		flatten(c, depth)
	}
}

var smallSpan = regexp.MustCompile(`^[1-9]$`)

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
	navigation = cascadia.MustCompile("nav, iframe, [role=navigation]")
	linking    = cascadia.MustCompile("a[href], area[href], iframe[src]")
)

// invisible matches declarations that hide text, in a style from styleOf; colourOf and
// backgroundOf match its colours.
var (
	invisible = regexp.MustCompile(`;(?:display:none|visibility:(?:hidden|collapse)|content-visibility:hidden|color:transparent|opacity:(?:0?\.0\d*|0%?|0\.0\d*)|` +
		`font-size:(?:[01](?:\.\d+)?px|0?\.\d+px|0(?:\.0\d*)?[a-z%]*)|(?:max-)?(?:width|height):0(?:px|%|em)?|` +
		`(?:text-indent|left|top|right|bottom|margin-left|margin-top):-(?:\d{4,}px|\d{3,}(?:r?em|vw|vh|%))|` +
		`clip:rect\(0[^)]*\)|clip-path:(?:inset\((?:50|100)%|circle\(0)[^;]*|transform:scale[xy]?\(0[,)][^;]*)(?:!important)?;`)
	colourOf     = regexp.MustCompile(`;color:([^;!]+)`)
	backgroundOf = regexp.MustCompile(`;background(?:-color)?:([^;!]+)`)
)

// styleOf returns an element's own style: CSS in lower case without spaces, with a
// semicolon before and after each declaration, and colours in one notation.
func styleOf(n *html.Node) string {
	style := ";" + attribute(n, "style") + ";"
	if c := attribute(n, "bgcolor"); c != "" {
		style += "background:" + c + ";"
	}
	if c := attribute(n, "color"); c != "" {
		style += "color:" + c + ";"
	}
	style = strings.ToLower(strings.Join(strings.Fields(style), ""))
	return colours.Replace(shortColour.ReplaceAllString(style, "#$1$1$2$2$3$3$4"))
}

var (
	shortColour = regexp.MustCompile(`#([0-9a-f])([0-9a-f])([0-9a-f])([;!])`)
	colours     = strings.NewReplacer(":white", ":#ffffff", "rgb(255,255,255)", "#ffffff", ":black", ":#000000", "rgb(0,0,0)", "#000000")
)

var (
	cssAside = regexp.MustCompile(`(?s:/\*.*?\*/)|@[^{;]*(?:;|\{(?:[^{}]*\{[^{}]*\})*[^{}]*\})`)
	cssRule  = regexp.MustCompile(`([^{}]+)\{([^{}]*)\}`)
)

// styledAway returns the elements that the page's own style sheets hide on every screen.
func styledAway(root *html.Node) map[*html.Node]bool {
	hidden := map[*html.Node]bool{}
	sheets := ""
	for _, style := range cascadia.QueryAll(root, cascadia.MustCompile("style")) {
		sheets += text(style)
	}
	left := maxHiding
	for _, rule := range cssRule.FindAllStringSubmatch(cssAside.ReplaceAllString(sheets, ""), -1) {
		selector, err := cascadia.ParseGroup(rule[1])
		if err != nil || left == 0 || !invisible.MatchString(styleOf(&html.Node{Attr: []html.Attribute{{Key: "style", Val: rule[2]}}})) {
			continue
		}
		left--
		for _, n := range cascadia.QueryAll(root, selector) {
			hidden[n] = true
		}
	}
	return hidden
}

// removeBlended removes text that has the colour of its background. The background is
// unknown, "", if a style sheet may set it.
func removeBlended(n *html.Node, behind string) {
	style := styleOf(n)
	if n.Data != "html" && n.Data != "body" && attribute(n, "class")+attribute(n, "id") != "" {
		behind = ""
	}
	if m := backgroundOf.FindStringSubmatch(style); m != nil {
		behind = m[1]
	}
	if m := colourOf.FindStringSubmatch(style); m != nil && m[1] == behind {
		for _, c := range slices.Collect(n.ChildNodes()) {
			n.RemoveChild(c)
		}
	}
	for c := range n.ChildNodes() {
		removeBlended(c, behind)
	}
}

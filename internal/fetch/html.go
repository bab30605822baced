package fetch

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// readHTML keeps what a reader sees: first what is hidden goes, then links are listed,
// then navigation goes, and the rest becomes Markdown.
func (d *Document) readHTML(body []byte) error {
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: %v", ErrUnreadable, err)
	}
	d.Language = attribute(find(root, "html"), "lang")
	d.Title = text(find(root, "title"))
	at, err := url.Parse(d.URL)
	if err != nil {
		return err
	}
	if base, err := at.Parse(attribute(find(root, "base"), "href")); err == nil {
		at = base
	}
	hideByStyleSheet(root)
	removeHidden(root, "#ffffff")
	for n := range root.Descendants() {
		if target := cmp.Or(attribute(n, "href"), attribute(n, "src")); n.Data == "a" || n.Data == "area" || n.Data == "iframe" {
			d.link(target, cmp.Or(text(n), attribute(n, "title"), attribute(n, "aria-label")), at)
		}
	}
	remove(root, func(n *html.Node) bool {
		return n.Data == "nav" || n.Data == "iframe" || attribute(n, "role") == "navigation"
	})
	markdown, err := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
		table.NewTablePlugin(table.WithHeaderPromotion(true)))).ConvertNode(root, converter.WithDomain(at.String()))
	d.Markdown = string(markdown)
	return err
}

// link adds a link to a page, once.
func (d *Document) link(target, words string, base *url.URL) {
	if base != nil {
		u, err := base.Parse(strings.TrimSpace(target))
		if err != nil || target == "" {
			return
		}
		target = u.String()
	}
	address, err := Canonical(target)
	if err != nil || slices.ContainsFunc(d.Links, func(l Link) bool { return l.URL == address }) {
		return
	}
	if len(d.Links) == maxLinks {
		d.Truncated = true
		return
	}
	d.Links = append(d.Links, Link{address, words})
}

// find is the first element of a name, or an empty one.
func find(root *html.Node, name string) *html.Node {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == name {
			return n
		}
	}
	return &html.Node{}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

// text is what stands in an element, its spaces collapsed.
func text(n *html.Node) string {
	var words []string
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			words = append(words, strings.Fields(c.Data)...)
		}
	}
	return strings.Join(words, " ")
}

// remove takes out the elements that are unwanted.
func remove(root *html.Node, unwanted func(*html.Node) bool) {
	for c := root.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type == html.CommentNode || c.Type == html.ElementNode && unwanted(c) {
			root.RemoveChild(c)
		} else {
			remove(c, unwanted)
		}
		c = next
	}
}

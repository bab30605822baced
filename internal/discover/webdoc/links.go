package webdoc

import (
	"cmp"
	"mime"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// formats are the formats of data files, by their extensions.
var formats = map[string]string{
	".csv": "CSV", ".tsv": "CSV", ".xlsx": "XLSX", ".pdf": "PDF", ".json": "JSON", ".zip": "ZIP",
	".xls": "XLS", ".xlsb": "XLSB", ".ods": "ODS", ".doc": "DOC", ".docx": "DOCX", ".odt": "ODT", ".ppt": "PPT", ".pptx": "PPTX", ".rar": "RAR", ".7z": "7Z",
}

// unreadFormats are those that no library here opens.
var unreadFormats = []string{"XLS", "XLSB", "ODS", "DOC", "DOCX", "ODT", "PPT", "PPTX", "RAR", "7Z"}

// Readable reports whether files of a format are read; "" is a page.
func Readable(format string) bool { return !slices.Contains(unreadFormats, format) }

// FormatOf returns the format of a data file by its address, "" if it does not look like
// one.
func FormatOf(address string) string {
	return formats[strings.ToLower(path.Ext(strings.Split(address, "?")[0]))]
}

// formatNamed matches the name of a format in the text of a link: "Download (XLSX, 2 MB)".
var formatNamed = regexp.MustCompile(`(?i)(?:^|[^a-z0-9])(csv|xlsx?|ods|pdf|json|zip|docx?)(?:$|[^a-z0-9])`)

// linkFormat returns the format of the file that an element leads to, as far as its type, a
// file's name in its query or its text says so.
func linkFormat(n *html.Node, target, words string) string {
	said, _, _ := mime.ParseMediaType(attribute(n, "type"))
	ends, _ := mime.ExtensionsByType(said)
	for _, end := range ends {
		if f := formats[end]; f != "" {
			return f
		}
	}
	if u, err := url.Parse(target); err == nil {
		for _, values := range u.Query() {
			for _, v := range values {
				if f := FormatOf(v); f != "" {
					return f
				}
			}
		}
	}
	if m := formatNamed.FindStringSubmatch(words); m != nil {
		return formats["."+strings.ToLower(m[1])]
	}
	return ""
}

// readLinks lists the links of a page at base, each with the heading above it.
func (d *Document) readLinks(root *html.Node, base *url.URL) {
	heading := ""
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "h1", "h2", "h3", "h4", "h5", "h6", "caption", "legend", "summary", "dt":
			heading = brief(n)
		}
		if !linking.Match(n) {
			continue
		}
		target := cmp.Or(attribute(n, "href"), attribute(n, "src"))
		words := cmp.Or(text(n), attribute(n, "title"), attribute(n, "aria-label"))
		d.link(base, target, Link{Text: words, Near: near(n, heading, words), Format: linkFormat(n, target, words)})
	}
}

// near returns what is said of a link: the heading above it, and its row, item or paragraph.
func near(n *html.Node, heading, words string) string {
	around := ""
	for p := n.Parent; p != nil && around == ""; p = p.Parent {
		switch p.Data {
		case "tr", "li", "dd", "p", "figure":
			around = brief(p)
		}
	}
	var parts []string
	for _, part := range []string{heading, around} {
		if part != "" && part != words && (len(parts) == 0 || parts[0] != part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ": ")
}

// briefRunes bounds a heading or row that is kept with a link.
const briefRunes = 150

// brief returns the beginning of an element's text, however long it is: a paragraph may have
// thousands of links, each of which asks for it.
func brief(n *html.Node) string {
	var words []string
	seen, bytes := 0, 0
	for c := range n.Descendants() {
		if seen++; seen > 4*briefRunes || bytes > 4*briefRunes {
			break
		}
		if c.Type == html.TextNode {
			more := strings.Fields(strings.ToValidUTF8(c.Data[:min(len(c.Data), 4*briefRunes)], ""))
			words, bytes = append(words, more...), bytes+len(strings.Join(more, " "))
		}
	}
	runes := []rune(strings.Join(words, " "))
	return strings.TrimSpace(string(runes[:min(len(runes), briefRunes)]))
}

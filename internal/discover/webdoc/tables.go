package webdoc

import (
	"slices"
	"strconv"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxColumns = 200
	// paddedCells is how many cells any table may be padded with, and the spans of a page may add;
	// spannedBytes is how large these may be together.
	paddedCells  = 10_000
	spannedBytes = 256 << 10
)

// layOut prepares the tables below n, of which Markdown has rows and cells of one line alone: the
// converter leaves out any other table, whose cells then stand without anything between them. What
// is in a cell becomes one line, a cell that spans others stands in each of them, and a table that
// lays out a page, as it holds another or says so, is none. It reports whether it removed text.
func layOut(root *html.Node) (cut bool) {
	cells, bytes := paddedCells, spannedBytes
	for _, n := range cascadia.QueryAll(root, layoutTables) {
		undo(n)
	}
	for _, n := range cascadia.QueryAll(root, tables) {
		for p := n.Parent; p != nil; p = p.Parent {
			if slices.Contains([]string{"a", "b", "strong", "i", "em", "del", "s", "strike"}, p.Data) {
				rename(p, atom.Span)
			}
		}
		cut = trim(n, &cells, &bytes) || cut
	}
	return cut
}

var (
	layoutTables = cascadia.MustCompile("table[role=presentation], table[role=none], table:has(table)")
	tables       = cascadia.MustCompile("table")
)

func rename(n *html.Node, to atom.Atom) { n.Data, n.DataAtom = to.String(), to }

// undo makes the parts of a table blocks, without those of the tables in it.
func undo(n *html.Node) {
	rename(n, atom.Div)
	for c := range n.ChildNodes() {
		if slices.Contains([]string{"thead", "tbody", "tfoot", "tr", "td", "th", "caption"}, c.Data) {
			undo(c)
		}
	}
}

// trim removes the cells of a table beyond maxColumns, and those that would leave more than half of it
// to be padded, and reports whether it removed any. Of those that stay it makes lines, and keeps
// their spans as long as they add no more than cells and bytes.
func trim(t *html.Node, cells, bytes *int) (cut bool) {
	var rows []*html.Node
	count := 0
	for n := range t.Descendants() {
		switch n.Data {
		case "tr":
			rows = append(rows, n)
		case "td", "th":
			count++
		}
	}
	width := min(maxColumns, max(1, (2*count+paddedCells)/max(1, len(rows))))
	for i, row := range rows {
		column := 0
		for _, c := range slices.Collect(row.ChildNodes()) {
			if c.Type == html.ElementNode {
				column++
			}
			if column > width {
				row.RemoveChild(c)
				cut = true
			} else if c.Data == "td" || c.Data == "th" {
				oneLine(c)
				span(c, len(rows)-i, width, cells, bytes)
			}
		}
	}
	return cut
}

// oneLine makes the content of a cell one line: breaks and blocks are set apart by a space, the items
// of a list by a semicolon.
func oneLine(cell *html.Node) {
	for _, n := range slices.Collect(cell.Descendants()) {
		space := " "
		switch n.DataAtom {
		default:
			if n.Type == html.TextNode {
				n.Data = strings.NewReplacer("\n", " ", "\r", " ").Replace(n.Data)
			}
			continue
		case atom.Br, atom.Hr:
			n.Type, n.Data, n.DataAtom = html.TextNode, " ", 0
			continue
		case atom.Li, atom.Dt:
			if n.PrevSibling != nil && strings.TrimSpace(text(n.Parent)) != "" {
				space = "; "
			}
		case atom.P, atom.Div, atom.Ul, atom.Ol, atom.Dl, atom.Dd, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote, atom.Pre, atom.Section, atom.Article, atom.Address, atom.Figure, atom.Figcaption, atom.Details, atom.Summary:
		}
		if rename(n, atom.Span); n.PrevSibling != nil {
			n.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: space}, n)
		}
	}
}

// span bounds how many rows and columns a cell stands in, or removes that if all would be too many.
func span(cell *html.Node, rows, columns int, cells, bytes *int) {
	number := func(name string, most int) int {
		n, err := strconv.Atoi(attribute(cell, name))
		if name == "rowspan" && err == nil && n == 0 { // to the last row
			n = most
		}
		return max(1, min(n, most))
	}
	down, across, size := number("rowspan", rows), number("colspan", columns), 1
	for n := range cell.Descendants() {
		size += len(n.Data)
		for _, a := range n.Attr {
			size += len(a.Val)
		}
	}
	cell.Attr = slices.DeleteFunc(cell.Attr, func(a html.Attribute) bool { return a.Key == "rowspan" || a.Key == "colspan" })
	more := down*across - 1
	if more == 0 || more > *cells || more*size > *bytes {
		return
	}
	*cells, *bytes = *cells-more, *bytes-more*size
	cell.Attr = append(cell.Attr, html.Attribute{Key: "rowspan", Val: strconv.Itoa(down)}, html.Attribute{Key: "colspan", Val: strconv.Itoa(across)})
}

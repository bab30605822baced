package catalog

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// IsWebAddress reports whether a text is an address on the web.
func IsWebAddress(text string) bool {
	return strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")
}

// WithoutQuery returns an address on the web without its query, which may hold a secret; any other text as it is.
func WithoutQuery(address string) string {
	if IsWebAddress(address) {
		address, _, _ = strings.Cut(address, "?")
	}
	return address
}

// plainHTML returns a text without tags, scripts and styles, its entities undone and its spaces single. Shops
// escape descriptions twice, too.
func plainHTML(text string) string {
	for range 2 {
		if !strings.ContainsAny(text, "<&") {
			break
		}
		text = strings.Join(strings.Fields(withoutTags(text)), " ")
	}
	return text
}

// inline are the elements within a word or a sentence; others end a line.
var inline = map[atom.Atom]bool{atom.B: true, atom.Strong: true, atom.I: true, atom.Em: true, atom.Span: true, atom.A: true, atom.U: true, atom.Sup: true, atom.Sub: true, atom.Small: true, atom.Font: true, atom.Mark: true}

func withoutTags(text string) string {
	var b strings.Builder
	hidden := 0
	for z := html.NewTokenizer(strings.NewReader(text)); ; {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			if hidden == 0 {
				b.Write(z.Text())
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			if tag == atom.Script || tag == atom.Style {
				hidden += map[html.TokenType]int{html.StartTagToken: 1, html.EndTagToken: -1}[kind]
				hidden = max(hidden, 0)
			}
			if tag == 0 && kind == html.StartTagToken { // no element: <3, <Model X>
				b.Write(z.Raw())
			} else if !inline[tag] {
				b.WriteByte(' ')
			}
		}
	}
}

// cutText returns a text of at most MaxText characters, cut at the end of a sentence, else of a word, and an
// error if it was longer.
func cutText(text string) (string, error) {
	n := utf8.RuneCountInString(text)
	if n <= MaxText {
		return text, nil
	}
	kept := string([]rune(text)[:MaxText])
	sentence := 0
	for _, end := range []string{". ", "! ", "? ", "。", "! ", "？", "।"} {
		if i := strings.LastIndex(kept, end); i >= 0 {
			sentence = max(sentence, i+len(strings.TrimSpace(end)))
		}
	}
	if word := strings.LastIndexByte(kept, ' '); sentence > len(kept)/2 {
		kept = kept[:sentence]
	} else if word > len(kept)/2 {
		kept = kept[:word]
	}
	return kept, because(Cut, "%w", inField("description", "has %d characters: the first %d are kept", n, utf8.RuneCountInString(kept)))
}

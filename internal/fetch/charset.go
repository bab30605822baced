package fetch

import (
	"bytes"
	"cmp"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
)

// declaredCharset returns the charset in the header of a response, "" if there is none.
func declaredCharset(r *http.Response) string {
	_, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return parameters["charset"]
}

// Text returns the body of a text as UTF-8. Valid UTF-8 is kept whatever is declared. Other
// text is decoded by the charset in the header or the page, unless that is UTF-8, or else by
// detection from its bytes, whose time and memory depend on the page: call it where a page is
// read (package webdoc).
func (p Page) Text() []byte {
	body := p.Body
	for cut := range min(utf8.UTFMax, len(body)) { // the size limit may have cut a character
		if whole := body[:len(body)-cut]; utf8.Valid(whole) && bytes.ContainsFunc(whole, func(r rune) bool { return r >= utf8.RuneSelf }) {
			return bytes.TrimPrefix(whole, []byte("\uFEFF"))
		}
	}
	if !bytes.ContainsFunc(body, func(r rune) bool { return r >= utf8.RuneSelf || r == 0 || r == '\x1b' }) {
		return body // ASCII, and not one of the encodings based on it
	}
	said := body
	if bytes.HasPrefix(body, []byte("<?xml")) { // its encoding is found like a page's charset
		said = bytes.Replace(bytes.Replace(body, []byte("<?xml"), []byte("<meta"), 1), []byte(" encoding="), []byte(" charset="), 1)
	}
	encoding, name, certain := charset.DetermineEncoding(said, mime.FormatMediaType(Text, map[string]string{"charset": p.Charset}))
	if name == "utf-8" {
		encoding, name, certain = charset.DetermineEncoding(said, HTML)
	}
	if name == "utf-8" || !certain && !bytes.Contains(said[:min(len(said), 1024)], []byte("charset=")) {
		encoding, _ = charset.Lookup(guessed(body))
	}
	if encoding == nil {
		encoding = charmap.Windows1252
	}
	text, _ := encoding.NewDecoder().Bytes(body)
	return bytes.ToValidUTF8(text, []byte("\uFFFD"))
}

// guessed returns the charset that the bytes of a text look most like, "" if none. Of several
// that they look like equally, which the library returns in any order, it is Western European,
// or the first by name.
func guessed(body []byte) string {
	all, err := chardet.NewHtmlDetector().DetectAll(body)
	if err != nil {
		return ""
	}
	const western = "ISO-8859-1"
	return slices.MinFunc(all, func(a, b chardet.Result) int {
		return cmp.Or(b.Confidence-a.Confidence, strings.Compare(strings.TrimPrefix(a.Charset, western), strings.TrimPrefix(b.Charset, western)))
	}).Charset
}

package catalog

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	unicodes "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"

	"example.com/whatis/internal/textfold"
)

// decoded returns a file as UTF-8, without a byte order mark. Its character set is the named one;
// otherwise that of its byte order mark, or UTF-16 if every other of its first bytes is NUL. What
// is in neither is returned as it is: its records are decoded one by one.
func decoded(b *bufio.Reader, charset string) (*bufio.Reader, error) {
	if mark, _ := b.Peek(3); string(mark) == "\ufeff" { // written by Windows programs
		_, _ = b.Discard(3)
		return b, nil
	}
	var of encoding.Encoding
	begin, _ := b.Peek(4)
	switch {
	case charset != "":
		var err error
		if of, err = htmlindex.Get(charset); err != nil {
			return nil, fmt.Errorf("%w: the character set %.40q is unknown: want a name as of web pages, such as windows-1252, euc-kr, shift_jis, gbk or utf-16le", ErrFile, charset)
		}
	case string(begin) == "\xff\xfe\x00\x00", string(begin) == "\x00\x00\xfe\xff":
		of = utf32.UTF32(utf32.LittleEndian, utf32.ExpectBOM)
	case bytes.HasPrefix(begin, []byte("\xff\xfe")), bytes.HasPrefix(begin, []byte("\xfe\xff")):
		of = unicodes.UTF16(unicodes.LittleEndian, unicodes.ExpectBOM)
	case len(begin) == 4 && begin[0] != 0 && begin[1] == 0 && begin[2] != 0 && begin[3] == 0:
		of = unicodes.UTF16(unicodes.LittleEndian, unicodes.IgnoreBOM)
	case len(begin) == 4 && begin[0] == 0 && begin[1] != 0 && begin[2] == 0 && begin[3] != 0:
		of = unicodes.UTF16(unicodes.BigEndian, unicodes.IgnoreBOM)
	default:
		return b, nil
	}
	return bufio.NewReaderSize(transform.NewReader(b, of.NewDecoder()), readBuffer), nil
}

// errCharset is the error for text in an unknown character set.
var errCharset = because(NotARecord, "it holds bytes that are not UTF-8, and seems not to be Windows-1252: save the file as UTF-8, or name its character set")

// decodeLegacy decodes texts that are not UTF-8 from Windows-1252, in place, and returns the words
// with letters beyond ASCII. Texts that do not look like it after that are an error.
func decodeLegacy(texts []string) (words []string, err error) {
	if !slices.ContainsFunc(texts, func(s string) bool { return !utf8.ValidString(s) }) {
		return nil, nil
	}
	for i, text := range texts {
		if texts[i], err = charmap.Windows1252.NewDecoder().String(text); err != nil {
			return nil, errCharset
		}
		for _, word := range strings.FieldsFunc(texts[i], betweenWords) {
			switch {
			case textfold.IsASCII(word):
			case !western(word):
				return nil, errCharset
			default:
				words = append(words, word)
			}
		}
	}
	return words, nil
}

// betweenWords reports whether r ends a word. A mark that is not ASCII is part of it: in a text that
// is not Windows-1252 marks stand where letters should.
func betweenWords(r rune) bool {
	return r < utf8.RuneSelf && !unicode.IsLetter(r) || r == '\u00a0'
}

// Marks of Windows-1252 that may stand inside a word, and those that texts have no use for.
const (
	innerMarks  = "’‘–—·\u00ad"
	unusedMarks = "¨¯¸¬¦¤ƒˆ˜\ufffd"
)

// western reports whether a word may have been written in Windows-1252, which gives a letter to
// nearly every byte. Decoded by it, words of other scripts hold nothing but letters beyond ASCII,
// or marks and capital letters in their middle.
func western(word string) bool {
	before, run, all := rune(0), 0, 0
	runes := []rune(word)
	for i, r := range runes {
		letter := unicode.IsLetter(r)
		inside := i+1 < len(runes) && unicode.IsLetter(before) && unicode.IsLetter(runes[i+1])
		switch {
		case unicode.IsControl(r), strings.ContainsRune(unusedMarks, r),
			r >= utf8.RuneSelf && !letter && inside && !strings.ContainsRune(innerMarks, r),
			(r == '‚' || r == '„') && unicode.IsLetter(before),
			r >= utf8.RuneSelf && unicode.IsUpper(r) && unicode.IsLower(before):
			return false
		case letter && r >= utf8.RuneSelf:
			run, all = run+1, all+1
		default:
			run = 0
		}
		if run > 2 {
			return false
		}
		before = r
	}
	return all < 2 || strings.ContainsFunc(word, func(r rune) bool { return r < utf8.RuneSelf })
}

// maxNamed is how many columns or words a fault names.
const maxNamed = 20

// listed returns texts as a list for people.
func listed(texts []string) string {
	more := ""
	if n := len(texts) - maxNamed; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(texts[:min(len(texts), maxNamed)], ", ") + more
}

package expiry

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"example.com/whatis/internal/textfold"
)

// An item is a run of digits or a run of letters of one script.
type item struct {
	text   string
	number bool
	gap    string // the characters before it; " " for only white space, "" if none
	spaced bool   // the gap contains white space
	line   bool   // the gap contains the end of a line
	at     int    // where it begins
	labels []label
}

// plain returns s as [fold] does, and without the points of words such as S.K.T.
func plain(s string) string {
	return strings.ReplaceAll(words().pointed.Replace(fold(s)), "元年", "1年")
}

// vowelSigns are scripts whose marks make another word; those of other scripts are accents.
var vowelSigns = []*unicode.RangeTable{unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Devanagari, unicode.Bengali, unicode.Tamil, unicode.Telugu,
	unicode.Gujarati, unicode.Gurmukhi, unicode.Kannada, unicode.Malayalam, unicode.Sinhala}

// fold returns s in lower case and NFKC, without accents and invisible characters, with
// ASCII digits, hyphens for dashes and Arabic letters for those of Persian.
func fold(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Mn, r) && !unicode.In(r, vowelSigns...):
			return -1
		case unicode.Is(unicode.Nd, r):
			return textfold.Digit(r)
		case unicode.Is(unicode.Pd, r) || r == '−':
			return '-'
		case r == 'ı':
			return 'i'
		case r == 'ی':
			return 'ي'
		case r == 'ک':
			return 'ك'
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
	return norm.NFKC.String(s)
}

// split divides a plain text into items, and returns the characters after the last. A unit
// of time after a number is an item of its own: 31, 일, 까지.
func split(s string) (items []item, tail string) {
	var gap strings.Builder
	spaced, line, whole := false, false, len(s)
	for s != "" {
		n := runLength(s)
		if n == 0 {
			r, size := utf8.DecodeRuneInString(s)
			if unicode.IsSpace(r) || unicode.IsControl(r) {
				spaced, line = true, line || r == '\n'
			} else {
				gap.WriteRune(r)
			}
			s = s[size:]
			continue
		}
		if len(items) > 0 && items[len(items)-1].number {
			n = min(n, unitLength(s[:n]))
		}
		it := item{text: s[:n], number: isDigit(s[0]), gap: gap.String(), spaced: spaced, line: line, at: whole - len(s)}
		if gap, ok := strings.CutSuffix(it.gap, "'"); ok && gap != "" {
			it.gap = gap // 31.12.'26
		}
		if it.gap == "" && spaced {
			it.gap = " "
		}
		if !it.number {
			it.labels = words().labelsIn(it.text)
		}
		items, s = append(items, it), s[n:]
		gap.Reset()
		spaced, line = false, false
	}
	return items, gap.String()
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// runLength returns the length of the run at the start of s, 0 if s begins with another
// character.
func runLength(s string) int {
	first := class(0)
	for i, r := range s {
		c := classOf(r)
		if i == 0 {
			first = c
		}
		if c != first || c == sign {
			return i
		}
	}
	return len(s)
}

// A class of characters; all characters of a run are of the same class.
type class int

const (
	sign class = iota
	digits
	letters
	ideographs // and Hangul and Kana, which are written without spaces
)

func classOf(r rune) class {
	switch {
	case '0' <= r && r <= '9':
		return digits
	case isEastAsian(r):
		return ideographs
	case unicode.IsLetter(r), unicode.In(r, unicode.Mc, unicode.Mn): // with vowel signs
		return letters
	}
	return sign
}

func isEastAsian(r rune) bool {
	return r > 0x1000 && unicode.In(r, unicode.Hangul, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// isJoined reports whether r is of a script that is written without spaces.
func isJoined(r rune) bool { return isEastAsian(r) || unicode.Is(unicode.Thai, r) }

// unitLength returns the length of the unit of time at the start of run, or of the whole
// run.
func unitLength(run string) int {
	for _, u := range words().joinedUnits {
		if strings.HasPrefix(run, u) {
			return len(u)
		}
	}
	return len(run)
}

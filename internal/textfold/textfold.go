// Package textfold normalises texts so that different spellings compare equal.
//
//	"Café  CRÈME™ 500g" → "cafecreme500g", or the words cafe, creme, 500g
//
// Folding means compatibility normalisation (NFKC), lower case, removing diacritics and
// everything else except letters and digits, and writing digits of any script, and letters that have no
// decomposition in Unicode, as ASCII: ß is ss, ø is o. Lucene's ASCIIFoldingFilter and ICU's
// folding of Unicode TR 30 do the same.
//
// Diacritics are the marks of alphabets that are read without them. The vowel signs of
// Indic scripts, Thai and their kin and the voicing marks of kana are kept, because without
// them one word becomes another.
package textfold

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// String returns s folded, with its words joined.
func String(s string) string {
	if folded, ok := ascii(s); ok {
		return folded
	}
	return strings.Join(Words(s), "")
}

// ascii does String for a text of ASCII: filters fold thousands of values for a search, and
// the general way allocates at each step.
func ascii(s string) (folded string, ok bool) {
	same := true
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			return "", false
		}
		same = same && ('a' <= c && c <= 'z' || '0' <= c && c <= '9')
	}
	if same {
		return s, true
	}
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		}
		return -1
	}, s), true
}

// Name folds what products, their values and articles are told apart by: as String does, but signs
// that make another name are kept. C++ is not C#, S23+ not S23, 2.5 l not 25 l, 1/2 not 12, -5 °C not
// 5 °C; 2,5 l is 2.5 l, and 1,500 g is 1500 g.
func Name(s string) string {
	if IsASCII(s) && !strings.ContainsAny(s, "0123456789+#") { // most names: no sign is kept
		return String(s)
	}
	return strings.Join(NameWords(s), "")
}

// NameWords returns the words of a name, each folded as Name does.
func NameWords(s string) (words []string) {
	s = bare(s)
	for _, at := range NameSpans(s) {
		word := plainSigns.Replace(s[at[0]:at[1]])
		if strings.ContainsAny(word, ".,") {
			word = separated.ReplaceAllStringFunc(word, func(n string) string {
				plain, _ := Number(n)
				return plain
			})
		}
		words = append(words, word)
	}
	return words
}

var plainSigns = strings.NewReplacer("−", "-", "⁄", "/")

// NameSpans returns where the words of a name are, each with the signs that belong to it: the bytes at
// which it begins, and before which it ends.
func NameSpans(s string) (all [][2]int) {
	begin, lettered := -1, false
	end := func(i int) {
		if begin >= 0 && lettered {
			all = append(all, [2]int{begin, i})
		}
		begin, lettered = -1, false
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		n := 0
		switch {
		case '0' <= r && r <= '9':
			n = len(number(s, i))
		case inWord(r):
			n = size
		case begin < 0 && (r == '-' || r == '−') && negative(s, i, size):
			begin = i
			i += size
			continue
		case begin >= 0 && belongs(s, i):
			n = size
		}
		if n == 0 {
			end(i)
			i += size
			continue
		}
		if begin < 0 {
			begin = i
		}
		lettered = lettered || !unicode.IsMark(r)
		i += n
	}
	end(len(s))
	return all
}

// Numbers: with separators of any kind, anywhere and at the beginning; as people write them, with decimals
// or thousands behind the separators; and fractions.
var (
	separated = regexp.MustCompile(`\d+(?:[.,]\d+)+`)
	leading   = regexp.MustCompile(`^\d+(?:[.,]\d+)+`)
	written   = regexp.MustCompile(`^(?:\d+(?:\.\d+)?|0,\d+|\d+,(?:\d{1,2}|\d{4,})|\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?)$`)
	fraction  = regexp.MustCompile(`^\d+[/⁄]\d+`)
)

// Number returns a number that people write as programs do, 1234.5 of 1.234,5 and of 1,234.5, and "" of
// anything else. Where three digits behind the one separator may be thousands or decimals, it is not
// sure: 1,500 is read as 1500, and 1.500 as 1.500.
func Number(n string) (plain string, sure bool) {
	if !written.MatchString(n) {
		return "", false
	}
	i := strings.LastIndexAny(n, ".,")
	if i < 0 {
		return n, true
	}
	whole, decimals := n[:i], "."+n[i+1:]
	sure = len(decimals) != 4 || whole == "0" || len(whole) > 3
	if strings.Contains(whole, n[i:i+1]) || !sure && n[i] == ',' {
		whole, decimals = n, ""
	}
	return strings.NewReplacer(".", "", ",", "").Replace(whole) + decimals, sure
}

// number returns the number at the digit s[i], with those of its separators that make it another one.
func number(s string, i int) string {
	rest := strings.TrimLeft(s[i:], "0123456789")
	digits := s[i : len(s)-len(rest)]
	if !strings.ContainsAny(rest[:min(1, len(rest))], ".,/") && !strings.HasPrefix(rest, "⁄") {
		return digits
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	if i > 1 && strings.ContainsRune(".,", before) && unicode.IsDigit(rune(s[i-2])) { // in a list of numbers, or a date
		return digits
	}
	if n := leading.FindString(s[i:]); written.MatchString(n) {
		return n
	}
	if n := fraction.FindString(s[i:]); n != "" && !strings.ContainsRune("/⁄", before) {
		if after, _ := utf8.DecodeRuneInString(s[i+len(n):]); !strings.ContainsRune("/⁄.,", after) {
			return n
		}
	}
	return digits
}

// negative reports whether the minus s[i] is of the number behind it: at the beginning, or behind a
// space if the number has decimals, as -2.50 of a lens. Others are hyphens.
func negative(s string, i, size int) bool {
	if rest := s[i+size:]; rest != "" && '0' <= rest[0] && rest[0] <= '9' {
		plain, _ := Number(number(s, i+size))
		return strings.TrimSpace(s[:i]) == "" || strings.HasSuffix(s[:i], " ") && strings.Contains(plain, ".")
	}
	return false
}

// belongs reports whether the sign s[i] is of the word before it: plus and number signs at its end, and
// a plus between digits.
func belongs(s string, i int) bool {
	rest := strings.TrimLeft(s[i:], "+#")
	after, _ := utf8.DecodeRuneInString(rest)
	switch {
	case len(rest) == len(s[i:]):
		return false
	case rest == "" || !inWord(after):
		return true
	}
	return s[i] == '+' && '0' <= s[i-1] && s[i-1] <= '9' && '0' <= s[i+1] && s[i+1] <= '9'
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// Words returns the folded words of s: runs of letters and digits, with their marks.
func Words(s string) []string {
	words := strings.FieldsFunc(bare(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	read := words[:0]
	for _, w := range words {
		if strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsMark(r) }) {
			read = append(read, w)
		}
	}
	return read
}

// IsASCII reports whether all bytes of s are ASCII.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// bare returns s in NFKC and lower case without diacritics. They are removed from the
// decomposed form, which is then composed again to keep Hangul syllables and voiced kana
// whole. Trademark signs are removed first, because NFKC would spell them out.
func bare(s string) string {
	if IsASCII(s) { // of which only the apostrophe is a sign, and none has another form
		return strings.ToLower(strings.ReplaceAll(s, "'", ""))
	}
	s = strings.Map(func(r rune) rune {
		if diacritic(r) || ignorable(r) {
			return -1
		}
		return unicode.ToLower(Digit(r))
	}, norm.NFKD.String(signs.Replace(s)))
	return norm.NFKC.String(letters.Replace(s))
}

var signs = strings.NewReplacer("™", "", "℠", "", "'", "", "’", "", "‘", "", "ʼ", "", "٫", ".", "٬", ",")

// letters replaces letters in lower case that have no decomposition.
var letters = strings.NewReplacer(
	"ß", "ss", "ı", "i", "ς", "σ", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ħ", "h", "ŧ", "t",
)

// alphabets are the scripts whose marks are diacritics. Inherited marks, as U+0301, belong
// to the letter before them.
var alphabets = []*unicode.RangeTable{unicode.Inherited, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew, unicode.Syriac}

// diacritic reports whether r is a mark that a folded text is without. The voicing marks of
// kana, U+3099 and U+309A, are none.
func diacritic(r rune) bool {
	return r >= 0x300 && r != '\u3099' && r != '\u309a' && unicode.In(r, unicode.Mn, unicode.Me) && unicode.In(r, alphabets...)
}

// ignorable reports whether r is invisible, as the non-joiner of Persian and the soft hyphen,
// or only stretches an Arabic word.
func ignorable(r rune) bool {
	return r >= 0xad && unicode.Is(unicode.Cf, r) || r == 'ـ'
}

// Digit returns a decimal digit of any script as ASCII, and any other r as it is. Unicode
// encodes the digits of a script consecutively from zero to nine.
func Digit(r rune) rune {
	if !unicode.IsDigit(r) {
		return r
	}
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	return r
}

// Caseless returns s without differences of case, in any language, of width and ligatures,
// of white space, of invisible characters and of the digits of scripts. Marks and punctuation are kept.
func Caseless(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(Digit(r))
	}, forms.Replace(norm.NFKC.String(s)))
	return norm.NFKC.String(cases.Replace(strings.Join(strings.Fields(s), " ")))
}

// forms replaces what lower case would part in two, and the separators of Arabic numbers.
var forms = strings.NewReplacer("I\u0307", "i", "٫", ".", "٬", ",")

// cases replaces letters in lower case that are equal to others in capitals.
var cases = strings.NewReplacer("ß", "ss", "ı", "i", "ς", "σ")

// Visible returns s without invisible characters, such as bidirectional controls. The joiner
// and the non-joiner stay where they shape what is seen: within Arabic and Indic words and
// within emoji.
func Visible(s string) string {
	var b strings.Builder
	before := rune(-1)
	for i, r := range s {
		if unicode.Is(unicode.Cf, r) && !shapes(r, before, s[i+utf8.RuneLen(r):]) {
			continue
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// unspaced are the scripts that are written without spaces between words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// Unspaced reports whether r is of a script that is written without spaces between words.
func Unspaced(r rune) bool { return unicode.In(r, unspaced...) }

// shaped are the scripts whose letters change their forms beside a joiner or a non-joiner.
var shaped = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
	unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
}

// shapes reports whether r is a joiner or a non-joiner that changes how before or rest is
// seen. At the end of a word only one after a vowel killer does, as in Malayalam.
func shapes(r, before rune, rest string) bool {
	letter := unicode.In(before, shaped...)
	emoji := before == '\ufe0f' || unicode.In(before, unicode.So, unicode.Sk)
	last := endsWord(rest) && !(letter && unicode.Is(unicode.Mn, before))
	return !last && (r == '\u200c' && letter || r == '\u200d' && (letter || emoji))
}

// endsWord reports whether rest begins with no visible character.
func endsWord(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || unicode.Is(unicode.Cf, r) || unicode.IsSpace(r) || unicode.IsControl(r)
}

// Letters returns the number of letters in s, without digits.
func Letters(s string) int {
	n := 0
	for _, r := range norm.NFC.String(s) {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

package analyze

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/whatis/internal/textfold"
)

// A reading is an index of the read text, in which copies of the print are looked for. It
// leaves out web addresses: a word that is only in an address supports nothing.
type reading struct {
	lines  []Line
	words  []printedWord  // of all lines, in their order
	begins map[byte][]int // the words by the first byte of a text that they may prove
}

// A printedWord is a folded word or number of the print.
type printedWord struct {
	text     string
	stem     string // of a Hangul word with a particle or a word for taste or use at its end
	unspaced bool   // of a script that is written without spaces
	line     int
}

// hangulEnding is such an ending.
var hangulEnding = regexp.MustCompile(`^(\p{Hangul}+)(?:은|는|이|가|을|를|의|에|도|만|와|과|로|맛|용)$`)

// address is a web address or an e-mail's. A bare name.com may be a brand.
var address = regexp.MustCompile(`(?i)\bhttps?://\S+|\bwww\.\S+|\S+@\S+\.\w+|\b[\w-]+(?:\.[\w-]+)+/\S*`)

func newReading(lines []Line) reading {
	r := reading{lines: lines, begins: map[byte][]int{}}
	for i, l := range lines {
		text := l.Text
		if strings.ContainsAny(text, "./@") {
			text = address.ReplaceAllString(text, " ")
		}
		for _, w := range printedWords(text) {
			word := printedWord{text: w, line: i}
			if !textfold.IsASCII(w) {
				word.unspaced = strings.ContainsFunc(w, textfold.Unspaced)
				if m := hangulEnding.FindStringSubmatch(w); m != nil {
					word.stem = m[1]
				}
			}
			for at := range w {
				if of := r.begins[w[at]]; (at == 0 || word.unspaced) && (len(of) == 0 || of[len(of)-1] != len(r.words)) {
					r.begins[w[at]] = append(of, len(r.words))
				}
			}
			r.words = append(r.words, word)
		}
	}
	return r
}

// printedNumber is a number with its decimals and its sign, which stands behind a space.
var printedNumber = regexp.MustCompile(`(?:(?:^|[\s(])([-−+]))?(\p{Nd}+(?:[.,]\p{Nd}+)*)`)

// letterForms writes Persian letters as Arabic keyboards do, and parts their words.
var letterForms = strings.NewReplacer("ی", "ي", "ى", "ي", "ک", "ك", "\u200c", " ")

// numberForms writes a number with a point and a plain minus.
var numberForms = strings.NewReplacer(",", ".", "−", "-")

// printedWords returns the folded words and the numbers of s. A number is a word of its
// own, with point and sign: 1.5 % is not 15 %, and 25l is 25 l.
func printedWords(s string) (words []string) {
	if !textfold.IsASCII(s) {
		s = letterForms.Replace(s)
	}
	if !strings.ContainsFunc(s, unicode.IsDigit) { // most lines: no pattern to match
		return textfold.Words(s)
	}
	end := 0
	for _, m := range printedNumber.FindAllStringSubmatchIndex(s, -1) {
		words = append(words, textfold.Words(s[end:m[0]])...)
		sign := ""
		if m[2] >= 0 {
			sign = s[m[2]:m[3]]
		}
		words = append(words, numberForms.Replace(sign+strings.Map(textfold.Digit, s[m[4]:m[5]])))
		end = m[1]
	}
	return append(words, textfold.Words(s[end:])...)
}

// A cover says how much of a copy of the print is made up of words that were read.
type cover struct {
	missing   []string // the words of the copy that the print does not have
	lines     []int    // in which the others stand
	lost, all int      // letters: of missing, and of the copy
}

// whole reports whether the print has all of a copy that is not empty.
func (c cover) whole() bool { return c.all > 0 && c.lost == 0 }

// most reports whether the print has at least half of the letters.
func (c cover) most() bool { return c.all > 0 && 2*c.lost <= c.all }

// A coverStep is the last step to a place in a copy: over words of the print, or past a
// word that is missing.
type coverStep struct {
	from    int
	missing string
	words   []printedWord
	lost    int
	reached bool
}

// cover covers the copy, folded and without its spaces, from its beginning to its end with
// whole words of the print, wherever they stand, and leaves out as few letters as it can.
// Words that follow each other in the print may make up one; a word of one letter counts
// only so, or as all of the copy.
func (r reading) cover(copied string) (c cover) {
	words := printedWords(copied)
	text := strings.Join(words, "")
	c.all = utf8.RuneCountInString(text)
	begins := map[int]string{}
	at := 0
	for _, w := range words {
		begins[at] = w
		at += len(w)
	}
	steps := make([]coverStep, len(text)+1)
	steps[0].reached = true
	for i := range text {
		if !steps[i].reached {
			continue
		}
		to := func(end int, s coverStep) {
			s.from, s.reached = i, true
			s.lost += steps[i].lost
			if !steps[end].reached || s.lost < steps[end].lost {
				steps[end] = s
			}
		}
		for _, k := range r.begins[text[i]] {
			r.follow(text, i, k, func(end, words int) { to(i+end, coverStep{words: r.words[k : k+words]}) })
		}
		if w := begins[i]; w != "" {
			to(i+len(w), coverStep{missing: w, lost: utf8.RuneCountInString(w)})
		}
	}
	for i := len(text); i > 0; i = steps[i].from {
		if steps[i].missing != "" {
			c.missing = append(c.missing, steps[i].missing)
		}
		for _, w := range steps[i].words {
			c.lines = append(c.lines, w.line)
		}
	}
	slices.Reverse(c.missing)
	c.lost = steps[len(text)].lost
	return c
}

// follow calls covered with each length of text from at on that words of the print, from word
// k on, make up, and how many they are.
func (r reading) follow(text string, at, k int, covered func(end, words int)) {
	end := 0
	for n := 1; k+n <= len(r.words) && r.lines[r.words[k+n-1].line].Photo == r.lines[r.words[k].line].Photo; n++ {
		w, rest := r.words[k+n-1], text[at+end:]
		for _, part := range []string{w.stem, longestPart(w, rest), w.text} {
			if part != "" && strings.HasPrefix(rest, part) && (n > 1 || utf8.RuneCountInString(part) > 1 || part == text) {
				covered(end+len(part), n)
			}
		}
		if !strings.HasPrefix(rest, w.text) {
			return
		}
		end += len(w.text)
	}
}

// leastPart is how many letters of a word prove something in a script without spaces.
const leastPart = 4

// longestPart returns the longest part of a word in a script without spaces with which text
// begins, "" if it has fewer letters than leastPart.
func longestPart(of printedWord, text string) (longest string) {
	word := of.text
	if !of.unspaced {
		return ""
	}
	for i := range word {
		n := 0
		for n < len(word)-i && n < len(text) && word[i+n] == text[n] {
			n++
		}
		if part := strings.ToValidUTF8(word[i:i+n], ""); len(part) > len(longest) && textfold.Letters(part) >= leastPart {
			longest = part
		}
	}
	return longest
}

// proof returns where a copy of the print stands: on one photo, the first that has it, or
// else on several. It returns nil if a word of it was not read.
func (r reading) proof(copied string) *Quote {
	for _, on := range append(r.photos(), r) {
		if c := on.cover(copied); c.whole() {
			return on.quote(c.lines)
		}
	}
	return nil
}

// quote returns the lines of the given numbers as one quote, nil for none. Of lines on
// several photos it has those of the first: a quote stands on one photo.
func (r reading) quote(numbers []int) *Quote {
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	if len(numbers) == 0 {
		return nil
	}
	first := r.lines[numbers[0]]
	q := &Quote{Text: first.Text, Box: first.Box, Photo: first.Photo}
	for _, i := range numbers[1:] {
		l := r.lines[i]
		if l.Photo != first.Photo {
			continue
		}
		q.Text += " " + l.Text
		q.Box = q.Box.and(l.Box)
	}
	return q
}

// photos returns the readings of each photo alone, by number, without lines whose photo is
// unknown.
func (r reading) photos() []reading {
	lines := map[int][]Line{}
	for _, l := range r.lines {
		lines[l.Photo] = append(lines[l.Photo], l)
	}
	delete(lines, 0)
	var all []reading
	for _, n := range slices.Sorted(maps.Keys(lines)) {
		all = append(all, newReading(lines[n]))
	}
	return all
}

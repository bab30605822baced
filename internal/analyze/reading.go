package analyze

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"example.com/whatis/internal/textfold"
)

// A reading is an index of the read text for looking up words. It leaves out web
// addresses: a word that is only in an address supports nothing.
type reading struct {
	lines []Line
	words map[string]int // whole words → first line with it
	text  string         // all words without spaces: names break over lines
	ends  []int          // where each line ends in text
}

// address is a web address or an e-mail's. A bare name.com may be a brand.
var address = regexp.MustCompile(`(?i)\bhttps?://\S+|\bwww\.\S+|\S+@\S+\.\w+|\b[\w-]+(?:\.[\w-]+)+/\S*`)

// photoEnd keeps words from running over from one photo to the next.
const photoEnd = "\x00"

func newReading(lines []Line) reading {
	r := reading{lines: lines, words: map[string]int{}}
	for i, l := range lines {
		if i > 0 && lines[i-1].Photo != l.Photo {
			r.text += photoEnd
		}
		text := l.Text
		if strings.ContainsAny(text, "./@") {
			text = address.ReplaceAllString(text, " ")
		}
		for _, w := range textfold.Words(text) {
			if _, ok := r.words[w]; !ok {
				r.words[w] = i
			}
			r.text += w
		}
		r.ends = append(r.ends, len(r.text))
	}
	return r
}

// letters counts the runes of all words, and of the words that were read.
func (r reading) letters(words []string) (found, all int) {
	for _, w := range words {
		n := len([]rune(w))
		all += n
		if r.has(w) {
			found += n
		}
	}
	return found, all
}

// long is the least length, in bytes, of a word that is looked for anywhere in the
// text: shorter ones (up to three Latin letters or digits, as LG and 3M, or one
// syllable) must match whole words.
const long = 4

// has reports whether w was read.
func (r reading) has(w string) bool {
	_, ok := r.words[w]
	return ok || len(w) >= long && strings.Contains(r.text, w)
}

// where returns the lines in which w was read, several if it breaks, nil if none.
func (r reading) where(w string) []int {
	if i, ok := r.words[w]; ok {
		return []int{i}
	}
	at := strings.Index(r.text, w)
	if len(w) < long || at < 0 {
		return nil
	}
	var lines []int
	start := 0
	for i, end := range r.ends {
		if start < at+len(w) && at < end && start < end {
			lines = append(lines, i)
		}
		start = end
	}
	return lines
}

// part returns the longest prefix of w that was read, since a thumb or a leaf may
// hide the end of a name, or w if all of it was read. It returns "" for a prefix
// shorter than long.
func (r reading) part(w string) string {
	for n := len(w); n >= long; n-- {
		if strings.Contains(r.text, w[:n]) && strings.ToValidUTF8(w[:n], "") == w[:n] {
			return w[:n]
		}
	}
	if r.has(w) {
		return w
	}
	return ""
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

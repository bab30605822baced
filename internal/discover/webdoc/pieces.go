package webdoc

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Piece is a part of a long text; Number counts from 1 in the order of the text, Rank is that of
// the rows of a table which it has, and Further says that a piece of this table is before it.
type Piece struct {
	Number, Rank int
	Further      bool
	Text         string
}

// Cut splits a text into pieces of `size` runes, each of which begins with the last
// `overlap` runes of the piece before. An empty text gives one empty piece.
func Cut(text string, size, overlap int) (all []Piece) {
	runes := []rune(text)
	for from := 0; from == 0 || from+overlap < len(runes); from += size - overlap {
		all = append(all, Piece{Number: len(all) + 1, Text: string(runes[from:min(from+size, len(runes))])})
	}
	return all
}

// Pieces splits Markdown as Cut does, but for tables that take half of a piece and more. These are split
// between their rows, the rows of the highest rank first, and each piece of one begins with what
// stands above the table and with the row that has its years or its names. The first one has the last
// rows of its rank, too: a table may be sorted by year.
func Pieces(markdown string, size, overlap int, rank func(row string) int) (all []Piece) {
	var plain strings.Builder
	flush := func(above string) { // what only repeats it is no piece
		text := plain.String()
		if slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return !strings.Contains(above, strings.TrimSpace(line)) }) {
			all = append(all, Cut(text, size, overlap)...)
		}
		plain.Reset()
	}
	lines := slices.Collect(strings.Lines(markdown))
	for i := 0; i < len(lines); {
		end, runes := i, 0
		for end < len(lines) && strings.HasPrefix(lines[end], "|") {
			runes += utf8.RuneCountInString(lines[end])
			end++
		}
		switch {
		case end == i:
			end++
			fallthrough
		case runes < size/2:
			plain.WriteString(strings.Join(lines[i:end], ""))
		default:
			above := titleOf(lines[:i])
			flush(above)
			all = append(all, cutTable(above, lines[i:end], size, rank)...)
		}
		i = end
	}
	flush("")
	if len(all) == 0 {
		all = []Piece{{}}
	}
	for i := range all {
		all[i].Number = i + 1
	}
	return all
}

// titleOf returns the last heading of some lines, and the last line behind it that is not empty.
func titleOf(lines []string) (title string) {
	last := ""
	for _, line := range slices.Backward(lines) {
		switch {
		case strings.HasPrefix(line, "#"):
			return line + "\n" + last
		case last == "" && strings.TrimSpace(line) != "":
			last = line
		}
	}
	return last
}

// headRows is within how many rows a table's head is looked for: sheets begin with titles.
const headRows = 15

// endRows is how many of the first and of the last rows of a table are shown first.
const endRows = 4

var year = regexp.MustCompile(`\b(?:19|20)[0-9]{2}\b`)

// cutTable splits the rows of a table, each piece with its title and its head.
func cutTable(title string, rows []string, size int, rank func(string) int) (all []Piece) {
	begin := min(2, len(rows)) // the first row, and the line below it
	head := title + strings.Join(rows[:begin], "")
	at, years := 0, 0 // the row with the most years
	for i, row := range rows[:min(len(rows), headRows)] {
		if n := len(year.FindAllString(row, -1)); n > years {
			at, years = i, n
		}
	}
	if years > 2 && at >= begin {
		head += rows[at]
	}
	head = Cut(head, size/2, 0)[0].Text
	byRank := map[int][]string{}
	for _, row := range rows[begin:] {
		r := rank(row)
		byRank[r] = append(byRank[r], row)
	}
	for _, r := range slices.Backward(slices.Sorted(maps.Keys(byRank))) {
		if rows, n := byRank[r], len(byRank[r]); n > 2*endRows {
			byRank[r] = slices.Concat(rows[:endRows], rows[n-endRows:], rows[endRows:n-endRows])
		}
		text := ""
		for i, row := range byRank[r] {
			text += row
			if i+1 == len(byRank[r]) || utf8.RuneCountInString(head+text+byRank[r][i+1]) > size {
				for _, one := range Cut(text, size, 0) { // a row may be longer than a piece
					all = append(all, Piece{Rank: r, Further: len(all) > 0, Text: head + one.Text})
				}
				text = ""
			}
		}
	}
	return all
}

package catalog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A FileField is a field of a product in a file, and what it holds.
type FileField struct{ Name, Meaning string }

// ProductFields are the fields of a product in a file, in the order in which they are documented.
// In CSV they name columns.
var ProductFields = []FileField{
	{"product_name", "the name; required"},
	{"brand", "the brand; a facet that searches filter by, too"},
	{"category", "the category, as Tent or Sunglasses"},
	{"key_features", "up to 20 texts that are printed on the product, which a photo's text is compared with; a CSV without the column takes name, brand and category"},
	{"gtin", "EAN, UPC or GTIN with its check digit"},
	{"country", "where it is sold, as KR; COUNTRY if it is empty"},
	{"lang", "the language of its name, as ko; LANGUAGE_TAG if it is empty"},
	{"aliases", "up to 100 other names that are printed on it"},
	{"brand_aliases", "up to 100 other names of its brand"},
	{"sku", "the shop's article number: it identifies the product, so that equal names with different SKUs stay apart"},
	{"description", "a text that is searched"},
	{"price", "a number above 0, as 15, 12.50 or 1.299,00; it needs a currency, behind it or of its own"},
	{"currency", "a code of ISO 4217, as VND or USD"},
	{"for_sale", "false (no, hidden, inactive, draft, archived) for what is kept, recognized on photos, and found by no search; empty is true"},
	{"availability", "in_stock, out_of_stock, preorder, backorder or unknown, or a word of schema.org; if it is empty, stock says it"},
	{"stock", "pieces, 0 or more; empty means unknown, 0 sold out"},
	{"image_uri", "gs://bucket/object, or a path beside a file that is imported from a folder; an https address is kept, and read if the import is to fetch pictures"},
	{"variant_of", "what variants of one product have in common, as T-2: searches list the best of them, and say which others there are"},
	{"facets.NAME", "what searches filter by, as facets.color; several values with | between them. In JSON facets is an object"},
}

// openFoodFactsColumns have their meaning in the exports of Open Food Facts.
var openFoodFactsColumns = []string{
	"code", "brands", "quantity", "generic_name", "categories", "categories_tags", "countries_tags", "labels", "packaging",
}

// csvFields are what a column may hold, besides facets.color and the like.
var csvFields = append(columnNames(), openFoodFactsColumns...)

// columnNames returns the names of the ProductFields that are no facets.
func columnNames() (names []string) {
	for _, f := range ProductFields {
		if !strings.HasPrefix(f.Name, facetField) {
			names = append(names, f.Name)
		}
	}
	return names
}

// listFields hold several texts, separated by semicolons or bars.
var listFields = []string{"key_features", "aliases", "brand_aliases"}

// tagFields hold several texts, separated by commas.
var tagFields = []string{"categories_tags", "countries_tags"}

// facetField is the prefix of a column that holds a facet.
const facetField = "facets."

// moreFields are what --map may name besides the fields of a product.
var moreFields = []string{"sale_price"}

func isFileField(name string) bool {
	facet, ok := strings.CutPrefix(name, facetField)
	return ok && facet != "" || slices.Contains(csvFields, name) || slices.Contains(moreFields, name)
}

// isTable reports whether the file is rows of columns: it begins as nothing else does.
func isTable(r *bufio.Reader) bool {
	begin, _ := r.Peek(readBuffer)
	text := bytes.TrimLeft(begin, " \t\r\n\ufeff")
	if len(text) == 0 || strings.IndexByte("{[<", text[0]) >= 0 {
		return false
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	one := bytes.TrimSpace(line)
	return bytes.ContainsAny(line, string(separators)) || text[0] != '"' && !json.Valid(one)
}

// separators are the possible column separators of a file.
var separators = []rune{',', ';', '\t', '|'}

// separator returns the most frequent one in the first line, outside of quotes and brackets.
func separator(line string) rune {
	parts := strings.Split(inBrackets.ReplaceAllString(line, ""), `"`)
	outside := ""
	for i := 0; i < len(parts); i += 2 {
		outside += parts[i]
	}
	return slices.MaxFunc(separators, func(a, b rune) int { return strings.Count(outside, string(a)) - strings.Count(outside, string(b)) })
}

// readTable reads the rows of a table as records.
func readTable(r *bufio.Reader, format Format, each func(record) bool, fault func(Fault)) error {
	t := &tableReader{lines: lineReader{r: r}}
	if err := t.readHeader(); err != nil {
		return err
	}
	rows := newRowsReader(format, t.header, each, fault)
	for {
		one, err := t.row()
		if errors.Is(err, io.EOF) {
			return rows.end()
		}
		if err != nil {
			if wrong := rows.end(); wrong != nil && !errors.Is(wrong, ErrFile) {
				return wrong
			}
			return err
		}
		if err := rows.add(one); err != nil {
			return err
		}
	}
}

// A tableReader reads rows of CSV. A quote that does not close costs its own row alone.
type tableReader struct {
	lines  lineReader
	comma  string
	header []string
}

// readHeader reads the names of the columns: the first line that is not blank, and no comment.
func (t *tableReader) readHeader() error {
	for {
		line, _, err := t.lines.next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return fmt.Errorf("%w: it is empty", ErrFile)
			}
			return err
		}
		line = strings.TrimLeft(line, "\ufeff \t")
		if strings.HasPrefix(line, "\ufeff") || strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, `"#`) {
			continue // Facebook's template explains its columns in a comment
		}
		t.comma = string(separator(line))
		split := rowSplitter{comma: t.comma}
		for split.feed(line) {
			if line, _, err = t.lines.next(); err != nil {
				return csvEnd(err)
			}
		}
		t.header = trimmed(split.fields)
		for i, name := range t.header {
			t.header[i] = strings.TrimPrefix(name, "\ufeff")
		}
		if _, err := decodeLegacy(t.header); err != nil {
			return fmt.Errorf("%w: its first line: %w", ErrFile, err)
		}
		return nil
	}
}

func csvEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: a quote in its first line does not close", ErrFile)
	}
	return err
}

// row returns the next row. One that spans lines is read line by line until its quotes close; if they do
// not, or close where no field ends, or the row has not as many fields as the header has while the next line
// has, the first line is a row that is broken, and the next line begins another.
func (t *tableReader) row() (one row, err error) {
	text, number, err := t.lines.next()
	if err != nil {
		return one, err
	}
	one = row{place: fmt.Sprintf("line %d", number), line: number}
	split := rowSplitter{comma: t.comma}
	open, read := split.feed(text), 1
	for ; open && read < maxLines; read++ {
		more, err := t.lines.ahead(read - 1)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return one, err
		}
		open = split.feed(more)
	}
	if open || read > 1 && (split.stray || len(split.fields) != len(t.header) && t.whole(read)) {
		one.broken = because(NotARecord, "it has a quote that does not close: %.60q", strings.TrimSpace(text))
		return one, nil
	}
	t.lines.skip(read - 1)
	cells := split.fields
	if extra := cells[min(len(cells), len(t.header)):]; strings.TrimSpace(strings.Join(extra, "")) != "" {
		one.broken = because(NotARecord, "it has %d fields and the first line names %d: a text with the separator %q needs quotes around it", len(cells), len(t.header), t.comma)
		return one, nil
	}
	if one.words, one.broken = decodeLegacy(cells); one.broken != nil {
		return one, nil
	}
	for i, text := range cells[:min(len(cells), len(t.header))] {
		if text = strings.TrimSpace(text); text != "" && t.header[i] != "" {
			one.cells = append(one.cells, cell{t.header[i], text})
		}
	}
	return one, nil
}

// maxLines is the largest number of lines of a row.
const maxLines = 1000

// whole reports whether the second line of what was read for a row is a row of its own.
func (t *tableReader) whole(read int) bool {
	second, err := t.lines.ahead(0)
	split := rowSplitter{comma: t.comma}
	return err == nil && read > 1 && !split.feed(second) && !split.stray && len(split.fields) == len(t.header)
}

// A rowSplitter splits the lines of a row into fields. A quote in a field that does not begin with one is a
// text.
type rowSplitter struct {
	comma  string
	fields []string
	field  strings.Builder // quoted, and not closed
	quoted bool
	stray  bool // a quote within a quoted field is not doubled; it is read as a text
}

// feed adds a line, and reports whether a quote is still open at its end.
func (s *rowSplitter) feed(line string) (open bool) {
	for {
		if !s.quoted {
			rest := strings.TrimLeft(line, " ")
			if !strings.HasPrefix(rest, `"`) {
				field, more, found := strings.Cut(line, s.comma)
				if !found {
					field = strings.TrimRight(field, "\r\n")
				}
				if s.fields = append(s.fields, field); !found {
					return false
				}
				line = more
				continue
			}
			s.quoted, line = true, rest[1:]
		}
		i := strings.IndexByte(line, '"')
		if i < 0 {
			s.field.WriteString(line)
			return true
		}
		s.field.WriteString(line[:i])
		line = line[i+1:]
		behind := strings.TrimLeft(line, " ")
		last := strings.TrimRight(behind, "\r\n") == ""
		switch {
		case strings.HasPrefix(line, `"`):
			s.field.WriteByte('"')
			line = line[1:]
		case last || strings.HasPrefix(behind, s.comma):
			s.fields, s.quoted = append(s.fields, s.field.String()), false
			if s.field.Reset(); last {
				return false
			}
			line = behind[len(s.comma):]
		default:
			s.field.WriteByte('"')
			s.stray = true
		}
	}
}

// A lineReader reads lines, with their ends, and looks ahead.
type lineReader struct {
	r      *bufio.Reader
	kept   []string // read ahead
	number int      // of the line that next returned
}

func (l *lineReader) next() (text string, number int, err error) {
	if text, err = l.ahead(0); err != nil {
		return "", 0, err
	}
	l.skip(1)
	return text, l.number, nil
}

// ahead returns the line n lines behind the next one, where the current row begins, without reading it.
func (l *lineReader) ahead(n int) (string, error) {
	for len(l.kept) <= n {
		line, err := l.read()
		if err != nil {
			return "", err
		}
		l.kept = append(l.kept, line)
	}
	return l.kept[n], nil
}

func (l *lineReader) skip(n int) {
	l.kept = l.kept[n:]
	l.number += n
}

func (l *lineReader) read() (string, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxRecord {
			return "", errLongRecord
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0, err == nil:
			return string(line), nil
		default:
			return "", err
		}
	}
}

// trimmed returns texts without surrounding spaces.
func trimmed(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = strings.TrimSpace(text)
	}
	return out
}

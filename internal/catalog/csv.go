package catalog

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
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
	{"image_uri", "gs://bucket/object, or a path beside a file that is imported from a folder; an https address is kept, and not read"},
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

// isCSV reports whether the first line names columns, one of them product_name.
func isCSV(r *bufio.Reader) bool {
	return firstLineNames(r, func(columns []string) bool { return slices.Contains(columns, "product_name") })
}

// firstLineNames reports whether the first line, read with any separator, names such columns.
func firstLineNames(r *bufio.Reader, such func(columns []string) bool) bool {
	begin, _ := r.Peek(readBuffer)
	line, _, _ := bytes.Cut(begin, []byte("\n"))
	if text := bytes.TrimLeft(begin, " \t\r\n"); len(text) == 0 || text[0] == '{' || text[0] == '[' {
		return false
	}
	for _, comma := range separators {
		reader := csv.NewReader(bytes.NewReader(line))
		reader.Comma = comma
		if columns, err := reader.Read(); err == nil && such(trimmed(columns)) {
			return true
		}
	}
	return false
}

// separators are the possible column separators of a file.
var separators = []rune{',', ';', '\t', '|'}

// separator returns the most frequent one in the first line.
func separator(r *bufio.Reader) rune {
	begin, _ := r.Peek(readBuffer)
	line, _, _ := strings.Cut(string(begin), "\n")
	return slices.MaxFunc(separators, func(a, b rune) int { return strings.Count(line, string(a)) - strings.Count(line, string(b)) })
}

// readCSV reads the rows as records. Columns maps product fields to column names. Columns that are
// not read are reported.
func readCSV(r *bufio.Reader, columns map[string]string, each func(record) bool, fault func(Fault)) error {
	t, err := newTable(r)
	if err != nil {
		return err
	}
	fields, err := fieldsOf(t.header, columns)
	if err != nil {
		return err
	}
	if ignored := unreadColumns(t.header, fields); len(ignored) > 0 {
		fault(Fault{Record: "line 1", Line: 1, Reason: Unread, Why: fmt.Sprintf("columns that are not read: %s; --map COLUMN=FIELD reads one as a field of a product", listed(ignored))})
	}
	return t.records(func(one *record, row []string) { one.data = rowData(row, fields) }, each)
}

// A table is a file of rows, the first of which names the columns.
type table struct {
	header []string
	text   *rowReader
	rows   *csv.Reader
}

func newTable(r *bufio.Reader) (*table, error) {
	t := &table{text: &rowReader{r: r}}
	t.rows = csv.NewReader(t.text)
	t.rows.Comma, t.rows.LazyQuotes, t.rows.ReuseRecord, t.rows.FieldsPerRecord = separator(r), true, true, -1
	row, err := t.rows.Read()
	if err != nil {
		return nil, csvError(err)
	}
	t.header = trimmed(row)
	if _, err := decodeLegacy(t.header); err != nil {
		return nil, fmt.Errorf("%w: its first line: %w", ErrFile, err)
	}
	return t, nil
}

// records calls each for every row, which fill reads as a record.
func (t *table) records(fill func(one *record, row []string), each func(record) bool) error {
	for {
		t.text.n = 0
		row, err := t.rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return csvError(err)
		}
		line, _ := t.rows.FieldPos(0)
		one := record{place: fmt.Sprintf("line %d", line), line: line}
		if one.words, one.broken = decodeLegacy(row); one.broken == nil {
			fill(&one, row)
		}
		if !each(one) {
			return errStop
		}
	}
}

// unreadColumns returns the columns without a field, quoted.
func unreadColumns(header []string, fields map[int]string) (names []string) {
	for i, column := range header {
		if fields[i] == "" && column != "" {
			names = append(names, fmt.Sprintf("%.40q", column))
		}
	}
	return names
}

// A rowReader reads a row at a time: its user sets n to 0 before each.
type rowReader struct {
	r   io.Reader
	n   int
	err error // of r, except io.EOF
}

func (t *rowReader) Read(p []byte) (int, error) {
	if t.n > maxRecord {
		t.err = errLongRecord
		return 0, t.err
	}
	n, err := t.r.Read(p)
	if t.n += n; err != nil && !errors.Is(err, io.EOF) {
		t.err = err
	}
	return n, err
}

// csvError distinguishes a file that is not CSV from an error while reading it.
func csvError(err error) error {
	var wrong *csv.ParseError
	if errors.As(err, &wrong) || errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: it is no CSV: %w", ErrFile, err)
	}
	return err
}

// fieldsOf returns the product field of each column, by column index.
func fieldsOf(header []string, columns map[string]string) (map[int]string, error) {
	fields := map[int]string{}
	for i, column := range header {
		if isCSVField(column) {
			fields[i] = column
		}
	}
	for _, field := range slices.Sorted(maps.Keys(columns)) {
		i := slices.Index(header, columns[field])
		switch {
		case !isCSVField(field):
			return nil, fmt.Errorf("%w: %q is no field of a product: want one of %s, or facets.NAME", ErrFile, field, strings.Join(csvFields, ", "))
		case i < 0:
			return nil, fmt.Errorf("%w: it has no column %q for %s: its columns are %s", ErrFile, columns[field], field, strings.Join(header, ", "))
		}
		maps.DeleteFunc(fields, func(at int, name string) bool { return name == field || at == i })
		fields[i] = field
	}
	if !slices.Contains(slices.Collect(maps.Values(fields)), "product_name") {
		return nil, fmt.Errorf("%w: no column is mapped to product_name: its columns are %s", ErrFile, strings.Join(header, ", "))
	}
	return fields, nil
}

func isCSVField(name string) bool {
	facet, ok := strings.CutPrefix(name, facetField)
	return ok && facet != "" || slices.Contains(csvFields, name)
}

// rowData returns a row as the JSON of a product. Of several columns of one field the first
// with a text counts. Without a column of key features, its name, brand and category are used.
func rowData(row []string, fields map[int]string) json.RawMessage {
	product, facets := map[string]any{}, map[string]string{}
	for i, text := range row {
		field := fields[i]
		facet, isFacet := strings.CutPrefix(field, facetField)
		switch text = strings.TrimSpace(text); {
		case field == "" || text == "" || product[field] != nil || isFacet && facets[facet] != "":
		case isFacet:
			facets[facet] = text
		case slices.Contains(listFields, field):
			product[field] = withoutBlank(trimmed(strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '|' })))
		case slices.Contains(tagFields, field):
			product[field] = withoutBlank(trimmed(strings.Split(text, ",")))
		default:
			product[field] = text
		}
	}
	if len(facets) > 0 {
		product["facets"] = facets
	}
	if product["key_features"] == nil && product["code"] == nil {
		product["key_features"] = textsOf(product["brand"], product["product_name"], product["category"])
	}
	data, err := json.Marshal(product)
	if err != nil {
		panic(fmt.Sprintf("catalog: a row of texts is no JSON: %v", err))
	}
	return data
}

func textsOf(values ...any) []string {
	texts := []string{}
	for _, v := range values {
		if text, ok := v.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// trimmed returns texts without surrounding spaces.
func trimmed(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = strings.TrimSpace(text)
	}
	return out
}
